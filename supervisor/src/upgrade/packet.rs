//! The line between two supervisors: a pair of Unix sockets that keep messages apart (SOCK_SEQPACKET), so that each
//! message arrives whole with its descriptors, or not at all. It knows bytes and descriptors, nothing of what they
//! mean.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair, sockopt,
};
use waf_shared::limits::HANDED_SOCKETS_MAX;

/// Bytes of a message; what is larger travels as a memory file.
const MESSAGE_BYTES_MAX: usize = 4096;

/// Descriptors of a message: sockets, and beside them a manifest, the writer lock and the memory of rate limits.
pub const DESCRIPTORS_MAX: usize = HANDED_SOCKETS_MAX + 3;

/// A message.
#[derive(Debug)]
pub struct Packet {
    /// Its text.
    pub bytes: Vec<u8>,
    /// Descriptors that travelled with it.
    pub descriptors: Vec<OwnedFd>,
}

/// Both ends.
pub fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?)
}

/// True if a descriptor is an end of such a line.
pub fn is_line(fd: BorrowedFd<'_>) -> bool {
    sockopt::socket_type(fd).is_ok_and(|kind| kind == SocketType::SEQPACKET)
        && sockopt::socket_domain(fd).is_ok_and(|domain| domain == AddressFamily::UNIX)
}

/// Sends a message at once; a line without room is an error.
pub fn send(line: impl AsFd, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if bytes.is_empty() || bytes.len() > MESSAGE_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a message is too long, or empty"));
    }
    let is_bounded = descriptors.len() <= DESCRIPTORS_MAX;
    if !is_bounded || (!descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)))
    {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many descriptors for one message"));
    }
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    sendmsg(line, &[IoSlice::new(bytes)], &mut control, flags)?;
    Ok(())
}

/// Takes a message that waits, `None` when the other end is gone. [`io::ErrorKind::WouldBlock`] when none waits.
pub fn receive(line: impl AsFd) -> io::Result<Option<Packet>> {
    let mut bytes = vec![0; MESSAGE_BYTES_MAX];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
    let received = recvmsg(line, &mut [IoSliceMut::new(&mut bytes)], &mut control, flags)?;
    let mut descriptors = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(arrived) = message {
            descriptors.extend(arrived);
        }
    }
    if received.flags.intersects(ReturnFlags::CTRUNC | ReturnFlags::TRUNC) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message was cut short"));
    }
    bytes.truncate(received.bytes);
    Ok((received.bytes > 0).then_some(Packet { bytes, descriptors }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn messages_arrive_whole_and_apart_with_what_travels_with_them() {
        let (ours, theirs) = pair().unwrap();
        assert!(is_line(theirs.as_fd()) && !is_line(std::fs::File::open("/dev/null").unwrap().as_fd()));
        assert_eq!(receive(&theirs).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let many = vec![listener.as_fd(); DESCRIPTORS_MAX];
        send(&ours, b"one", &many).unwrap();
        send(&ours, b"two", &[]).unwrap();
        let one = receive(&theirs).unwrap().unwrap();
        assert_eq!((one.bytes.as_slice(), one.descriptors.len()), (&b"one"[..], DESCRIPTORS_MAX));
        assert_eq!(receive(&theirs).unwrap().unwrap().bytes, b"two");
        assert!(send(&ours, b"", &[]).is_err() && send(&ours, &[0; MESSAGE_BYTES_MAX + 1], &[]).is_err());
        assert!(send(&ours, b"x", &vec![listener.as_fd(); DESCRIPTORS_MAX + 1]).is_err());
        drop(ours);
        assert!(receive(&theirs).unwrap().is_none());
        assert!(send(&theirs, b"x", &[]).is_err());
    }
}
