//! A real `waf worker`, started and spoken to as the supervisor would: its standard input is the control socket, its
//! standard output the audit stream. Frames are whole or broken, as a test likes.

use std::io::{IoSlice, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use waf_shared::control::{
    Generation, HEADER_BYTES, Header, Listener, Offer, Role, SocketId, ToSupervisor, ToWorker, decode, encode,
};
use waf_shared::plan::Digest;

use crate::{polling, programs};

/// Time that the worker may take to say something.
const ANSWER_TIME: Duration = Duration::from_secs(20);

/// A worker under the test's command.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    control: UnixStream,
    // Kept so that the worker can write; nothing is read from it.
    _audit: UnixStream,
}

impl Worker {
    /// Starts one.
    pub fn start() -> Worker {
        let (control, theirs) = UnixStream::pair().expect("a pair of sockets");
        let (audit, their_audit) = UnixStream::pair().expect("a pair of sockets");
        control.set_read_timeout(Some(ANSWER_TIME)).expect("a read timeout can be set");
        let child = Command::new(programs::waf())
            .args(["worker", "--id", "1", "--threads", "1", "--drain", "2", "--log-level", "error"])
            .stdin(OwnedFd::from(theirs))
            .stdout(OwnedFd::from(their_audit))
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        Worker { child, control, _audit: audit }
    }

    /// Offers a plan together with a listening socket.
    pub fn offer(&self, generation: u64, digest: Digest, plan: &[u8], listener: &TcpListener) {
        self.offer_on(generation, digest, plan, &[(listener, Role::Plain)]);
    }

    /// Offers a plan together with at most two listening sockets.
    pub fn offer_on(&self, generation: u64, digest: Digest, plan: &[u8], sockets: &[(&TcpListener, Role)]) {
        let listener = |(number, (socket, role)): (usize, &(&TcpListener, Role))| Listener {
            socket: SocketId(number as u64),
            port: socket.local_addr().expect("a bound socket has an address").port(),
            role: *role,
        };
        let offer = Offer {
            generation: Generation(generation),
            digest,
            plan: plan.to_vec(),
            listeners: sockets.iter().enumerate().map(listener).collect(),
            counts: None,
        };
        let frame = encode(&ToWorker::Offer(offer), sockets.len()).expect("an offer can be written");
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let descriptors: Vec<_> = sockets.iter().map(|(socket, _)| socket.as_fd()).collect();
        assert!(control.push(SendAncillaryMessage::ScmRights(&descriptors)), "two descriptors have room");
        let sent = sendmsg(self.control.as_fd(), &[IoSlice::new(&frame)], &mut control, SendFlags::NOSIGNAL)
            .expect("the worker listens");
        (&self.control).write_all(&frame[sent..]).expect("the worker listens");
    }

    /// Sends a message that carries no socket.
    pub fn say(&self, message: &ToWorker) {
        self.send(&encode(message, 0).expect("a message can be written"));
    }

    /// Sends bytes, a frame or not. A worker that has hung up is fine.
    pub fn send(&self, bytes: &[u8]) {
        let _ = (&self.control).write_all(bytes);
    }

    /// Ends the control stream.
    pub fn hang_up(&self) {
        self.control.shutdown(std::net::Shutdown::Both).expect("a connected socket");
    }

    /// The next message of the worker about the handover.
    pub fn hear(&self) -> ToSupervisor {
        loop {
            match self.hear_any() {
                ToSupervisor::Counted(_) | ToSupervisor::Shadowed(_) | ToSupervisor::RecordFull => {}
                message => return message,
            }
        }
    }

    fn hear_any(&self) -> ToSupervisor {
        let mut header = [0; HEADER_BYTES];
        (&self.control).read_exact(&mut header).expect("the worker says something");
        let header = Header::parse(&header).expect("the worker writes frames");
        let mut payload = vec![0; header.payload_bytes];
        (&self.control).read_exact(&mut payload).expect("the worker ends its frames");
        decode(&payload).expect("the worker writes messages")
    }

    /// Waits for its end.
    pub fn wait_exit(&mut self) -> ExitStatus {
        polling::until("the end of a worker", || self.child.try_wait().expect("the process is ours"))
    }

    /// True if it still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("the process is ours").is_none()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
