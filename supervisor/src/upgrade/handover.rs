//! Handover of an old supervisor to a new one: listening sockets, the memory of rate limits, the keys of session
//! tickets, and the writer lock of standard output. The description is JSON in a memory file, so that versions may
//! differ: what one of them does not know it leaves out, and what is missing begins anew. It knows descriptions,
//! nothing of processes.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{MemfdFlags, fstat, memfd_create};
use rustix::io::{pread, pwrite};
use serde::{Deserialize, Serialize};
use waf_certificates::tickets::TicketHandover;
use waf_shared::limits::{HANDED_SOCKETS_MAX, HANDOVER_BYTES_MAX};

use super::packet::Packet;
use crate::audit::WriterLock;
use crate::rate_limit_memory::{MemoryObject, RateLimitHandover};
use crate::sockets::Bound;
use crate::sockets::adopted::{Adopted, Origin, Unfit, adopt};

/// Text of the message that carries a handover.
pub const GREETING: &[u8] = b"waf estate";

/// Form of the description. It changes only when an older program could misread a newer description.
const FORMAT: u32 = 1;

/// As `/proc` shows it.
const NAME: &str = "waf-estate";

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// Version of the program that wrote it, for people.
    version: String,
    /// Ports of the sockets that travel along, in their order.
    sockets: Vec<Socket>,
    #[serde(default)]
    counts: Option<RateLimitHandover>,
    #[serde(default)]
    tickets: Option<TicketHandover>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Socket {
    port: u16,
    /// True if a service manager holds it too.
    #[serde(default)]
    activated: bool,
}

/// Everything, as the old supervisor has it.
pub struct HandoverSource<'a> {
    /// Every listening socket, whatever for.
    pub sockets: &'a [Arc<Bound>],
    /// The memory of rate limits.
    pub counts: Option<(Arc<MemoryObject>, RateLimitHandover)>,
    /// The keys of session tickets.
    pub tickets: Option<TicketHandover>,
    /// Whose turn it is to write to standard output.
    pub writer_lock: &'a WriterLock,
}

/// Everything, as the new supervisor gets it.
#[derive(Debug)]
pub struct UpgradeHandover {
    /// Listening sockets.
    pub sockets: Vec<Adopted>,
    /// The memory of rate limits and what lies where in it.
    pub counts: Option<(OwnedFd, RateLimitHandover)>,
    /// The keys of session tickets.
    pub tickets: Option<TicketHandover>,
    /// Whose turn it is to write to standard output.
    pub writer_lock: WriterLock,
}

/// A fault of a handover.
#[derive(Debug, thiserror::Error)]
pub enum HandoverError {
    /// The system said no.
    #[error("what the old supervisor hands over cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// No description, or none that was ever written.
    #[error("what the old supervisor hands over is not described in a way that this program can read: {0}")]
    Manifest(#[from] serde_json::Error),
    /// Written by a program of another age.
    #[error(
        "the old supervisor ({version}) hands over in format {format}, this program knows {FORMAT}: start anew instead"
    )]
    Format {
        /// The format.
        format: u32,
        /// The program that wrote it.
        version: String,
    },
    /// Too much or too little came.
    #[error("the old supervisor hands over {0} and says otherwise")]
    Descriptors(String),
    /// Something came that is no listening socket.
    #[error("what the old supervisor hands over for port {port} cannot be served: {why}")]
    Unfit {
        /// The port that it is said to have.
        port: u16,
        /// The fault.
        why: Unfit,
    },
}

impl HandoverSource<'_> {
    /// The description as a memory file. It travels first, then the writer lock, the memory of rate limits where there
    /// is any, and the sockets.
    pub fn describe(&self) -> Result<OwnedFd, HandoverError> {
        if self.sockets.len() > HANDED_SOCKETS_MAX {
            return Err(HandoverError::Descriptors(format!("{} sockets", self.sockets.len())));
        }
        let socket = |bound: &Arc<Bound>| Socket {
            port: bound.port,
            activated: bound.origin == Origin::ServiceManager,
        };
        let text = serde_json::to_vec(&Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sockets: self.sockets.iter().map(socket).collect(),
            counts: self.counts.as_ref().map(|(_, counts)| counts.clone()),
            tickets: self.tickets.clone(),
        })?;
        if text.len() > HANDOVER_BYTES_MAX {
            return Err(HandoverError::Io(io::ErrorKind::FileTooLarge.into()));
        }
        let file = memfd_create(NAME, MemfdFlags::CLOEXEC).map_err(io::Error::from)?;
        let mut rest = text.as_slice();
        while !rest.is_empty() {
            let written = pwrite(&file, rest, (text.len() - rest.len()) as u64).map_err(io::Error::from)?;
            rest = rest
                .get(written..)
                .filter(|_| written > 0)
                .ok_or(io::ErrorKind::WriteZero)
                .map_err(io::Error::from)?;
        }
        Ok(file)
    }

    /// The descriptors behind the description.
    pub fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        let counts = self.counts.iter().map(|(object, _)| object.as_fd());
        let sockets = self.sockets.iter().map(|socket| socket.listener.as_fd());
        std::iter::once(self.writer_lock.as_fd()).chain(counts).chain(sockets).collect()
    }
}

impl UpgradeHandover {
    /// Reads what came.
    pub fn read(packet: Packet) -> Result<UpgradeHandover, HandoverError> {
        let count = packet.descriptors.len();
        let wrong = || HandoverError::Descriptors(format!("{count} descriptors"));
        let mut descriptors = packet.descriptors.into_iter();
        let manifest: Manifest = serde_json::from_slice(&text(&descriptors.next().ok_or_else(wrong)?)?)?;
        if manifest.format != FORMAT {
            return Err(HandoverError::Format { format: manifest.format, version: manifest.version });
        }
        let writer_lock = WriterLock::from(descriptors.next().ok_or_else(wrong)?);
        let counts = match manifest.counts {
            Some(counts) => Some((descriptors.next().ok_or_else(wrong)?, counts)),
            None => None,
        };
        if descriptors.len() != manifest.sockets.len() {
            return Err(wrong());
        }
        let mut sockets = Vec::with_capacity(descriptors.len());
        for (Socket { port, activated }, descriptor) in manifest.sockets.into_iter().zip(descriptors) {
            let origin = if activated { Origin::ServiceManager } else { Origin::Own };
            let socket = adopt(descriptor, origin).map_err(|why| HandoverError::Unfit { port, why })?;
            if socket.port != port {
                return Err(HandoverError::Descriptors(format!(
                    "a socket of port {} as one of port {port}",
                    socket.port
                )));
            }
            sockets.push(socket);
        }
        Ok(UpgradeHandover { sockets, counts, tickets: manifest.tickets, writer_lock })
    }
}

/// The bytes of a memory file, within the bound.
fn text(file: &OwnedFd) -> io::Result<Vec<u8>> {
    let bytes = usize::try_from(fstat(file)?.st_size).ok().filter(|bytes| *bytes <= HANDOVER_BYTES_MAX);
    let mut text = vec![0; bytes.ok_or(io::ErrorKind::FileTooLarge)?];
    let mut filled = 0;
    while let Some(rest) = text.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match pread(file, rest, filled as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => filled += read,
        }
    }
    Ok(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::net::TcpListener;

    use super::super::packet;
    use super::*;
    use crate::sockets::Sockets;

    /// Sends what `change` makes of a description of two sockets, one of a service manager, and of `carried`
    /// descriptors.
    fn handed(
        change: impl Fn(&mut serde_json::Value),
        carried: usize,
    ) -> Result<UpgradeHandover, HandoverError> {
        let listeners =
            [TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap()];
        let mut sockets = Sockets::default();
        let origins = [Origin::Own, Origin::ServiceManager];
        let adopted =
            listeners.into_iter().zip(origins).map(|(one, origin)| adopt(one.into(), origin).unwrap());
        sockets.adopt(adopted.collect());
        let (sockets, writer_lock) = (sockets.all(), WriterLock::create().unwrap());
        let source =
            HandoverSource { sockets: &sockets, counts: None, tickets: None, writer_lock: &writer_lock };
        let mut described: serde_json::Value =
            serde_json::from_slice(&text(&source.describe().unwrap()).unwrap()).unwrap();
        change(&mut described);
        let manifest = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        pwrite(&manifest, described.to_string().as_bytes(), 0).unwrap();
        let (ours, theirs) = packet::pair().unwrap();
        let descriptors: Vec<_> =
            std::iter::once(manifest.as_fd()).chain(source.descriptors()).take(carried).collect();
        packet::send(&ours, GREETING, &descriptors).unwrap();
        UpgradeHandover::read(packet::receive(&theirs).unwrap().unwrap())
    }

    #[test]
    fn what_is_handed_over_arrives() {
        let handover = handed(|_| {}, 4).unwrap();
        let origins: Vec<_> = handover.sockets.iter().map(|socket| socket.origin).collect();
        assert_eq!(origins, [Origin::Own, Origin::ServiceManager]);
        assert!(handover.counts.is_none() && handover.tickets.is_none());
    }

    #[test]
    fn a_newer_program_may_say_more_and_an_older_one_less() {
        assert!(handed(|said| said["more"] = "to come".into(), 4).is_ok());
        let less = |said: &mut serde_json::Value| {
            let said = said.as_object_mut().unwrap();
            said.remove("counts");
            said.remove("tickets");
        };
        assert!(handed(less, 4).is_ok());
        let other = handed(|said| said["format"] = 2.into(), 4).unwrap_err();
        assert!(other.to_string().contains("format 2"), "{other}");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for carried in [1, 2, 3] {
            assert!(matches!(handed(|_| {}, carried), Err(HandoverError::Descriptors(_))), "{carried}");
        }
        assert!(matches!(
            handed(|said| said["sockets"][0]["port"] = 1.into(), 4),
            Err(HandoverError::Descriptors(_))
        ));
        assert!(matches!(handed(|said| *said = "nothing".into(), 4), Err(HandoverError::Manifest(_))));
        let invalid = |said: &mut serde_json::Value| {
            said["counts"] = serde_json::json!({ "hash_key": vec![0; 16], "next": 0, "tables": [] });
        };
        assert!(handed(invalid, 4).is_err(), "the descriptor of the memory is missing");
    }
}
