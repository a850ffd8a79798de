//! A control socket: whole frames in and out of a Unix stream, with the descriptors that travel with them. Both ends
//! use it. It knows frames and bytes, nothing of what the messages mean.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::time::timeout;
use waf_shared::control::{FrameError, HEADER_BYTES, Header, Message, decode};
use waf_shared::limits::{CONTROL_FRAME_SECONDS, DESCRIPTORS_MAX};

/// Bytes read at once; a payload's buffer grows by it, so that an announced length alone takes no memory.
const READ_BYTES: usize = 64 << 10;

const FRAME_TIME: Duration = Duration::from_secs(CONTROL_FRAME_SECONDS);

/// The reason why a control socket is of no more use.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// The system said no.
    #[error("the control socket failed")]
    Io(#[from] io::Error),
    /// The peer sent something that is no frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The peer stopped inside a frame.
    #[error("a control frame did not end within {CONTROL_FRAME_SECONDS} s")]
    Slow,
    /// The peer closed inside a frame.
    #[error("a control frame was cut short")]
    Cut,
    /// Descriptors were lost on the way, for example at the process's limit of open files.
    #[error("a control frame came with {got} descriptors and announced {announced}")]
    Descriptors {
        /// Number that the header declares.
        announced: usize,
        /// Number that came.
        got: usize,
    },
}

/// The two directions of a control socket.
pub fn split(stream: StdStream) -> io::Result<(Sender, Receiver)> {
    stream.set_nonblocking(true)?;
    let stream = Arc::new(UnixStream::from_std(stream)?);
    Ok((Sender { stream: stream.clone() }, Receiver { stream }))
}

/// The outgoing direction.
#[derive(Debug)]
pub struct Sender {
    stream: Arc<UnixStream>,
}

impl Sender {
    /// Sends a frame that [`waf_shared::control::encode`] wrote, with its descriptors. A peer that does not take it
    /// in time is an error, and the socket is of no more use.
    pub async fn send(&self, frame: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<(), ChannelError> {
        timeout(FRAME_TIME, self.send_all(frame, descriptors)).await.map_err(|_| ChannelError::Slow)?
    }

    async fn send_all(&self, frame: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<(), ChannelError> {
        let mut rest = frame;
        // The kernel ties descriptors to the first byte of a call, so they go with the header and only once.
        let mut descriptors = descriptors;
        while !rest.is_empty() {
            let sent = self
                .stream
                .async_io(Interest::WRITABLE, || send_some(&self.stream, rest, descriptors))
                .await?;
            descriptors = &[];
            rest = rest.get(sent..).unwrap_or_default();
        }
        Ok(())
    }
}

fn send_some(stream: &UnixStream, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many descriptors for one frame"));
    }
    Ok(sendmsg(stream.as_fd(), &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?)
}

/// The incoming direction.
#[derive(Debug)]
pub struct Receiver {
    stream: Arc<UnixStream>,
}

/// A message and what travelled with it.
#[derive(Debug)]
pub struct Received<M> {
    /// The message.
    pub message: M,
    /// In the order in which they were sent.
    pub descriptors: Vec<OwnedFd>,
}

impl Receiver {
    /// The next message, or `None` when the peer has closed between two frames. It waits for as long as the peer
    /// says nothing, but not inside a frame. Not to be cancelled: a cancelled call may lose a part of a frame.
    pub async fn recv<M: Message>(&mut self) -> Result<Option<Received<M>>, ChannelError> {
        let mut frame = Incoming::default();
        if !self.read(&mut frame, HEADER_BYTES).await? {
            return Ok(None);
        }
        timeout(FRAME_TIME, self.rest(frame)).await.map_err(|_| ChannelError::Slow)?.map(Some)
    }

    /// The rest of a frame whose first bytes have come.
    async fn rest<M: Message>(&mut self, mut frame: Incoming) -> Result<Received<M>, ChannelError> {
        while frame.bytes.len() < HEADER_BYTES {
            let missing = HEADER_BYTES - frame.bytes.len();
            if !self.read(&mut frame, missing).await? {
                return Err(ChannelError::Cut);
            }
        }
        let Some((header, _)) = frame.bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(ChannelError::Cut);
        };
        let header = Header::parse(header)?;
        let whole = HEADER_BYTES + header.payload_bytes;
        while frame.bytes.len() < whole {
            let missing = whole - frame.bytes.len();
            if !self.read(&mut frame, missing).await? {
                return Err(ChannelError::Cut);
            }
        }
        let got = frame.descriptors.len();
        if frame.truncated || got != header.descriptors {
            return Err(ChannelError::Descriptors { announced: header.descriptors, got });
        }
        let message = decode(frame.bytes.get(HEADER_BYTES..).unwrap_or_default())?;
        Ok(Received { message, descriptors: frame.descriptors })
    }

    /// Reads once, at most `missing` bytes, so that nothing of the next frame is taken. False at the end of the
    /// stream.
    async fn read(&self, frame: &mut Incoming, missing: usize) -> io::Result<bool> {
        let before = frame.bytes.len();
        frame.bytes.resize(before + missing.min(READ_BYTES), 0);
        let outcome = self
            .stream
            .async_io(Interest::READABLE, || {
                let target = frame.bytes.get_mut(before..).unwrap_or_default();
                let (got, truncated) = receive_some(&self.stream, target, &mut frame.descriptors)?;
                frame.truncated |= truncated;
                Ok(got)
            })
            .await;
        frame.bytes.truncate(before + outcome.as_ref().copied().unwrap_or(0));
        outcome.map(|got| got > 0)
    }
}

/// A frame as far as it has come.
#[derive(Debug, Default)]
struct Incoming {
    bytes: Vec<u8>,
    descriptors: Vec<OwnedFd>,
    truncated: bool,
}

fn receive_some(
    stream: &UnixStream,
    target: &mut [u8],
    descriptors: &mut Vec<OwnedFd>,
) -> io::Result<(usize, bool)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received =
        recvmsg(stream.as_fd(), &mut [IoSliceMut::new(target)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(arrived) = message {
            // Descriptors beyond the bound are closed as they are dropped; the count then shows it.
            descriptors.extend(arrived.take(DESCRIPTORS_MAX + 1 - descriptors.len().min(DESCRIPTORS_MAX)));
        }
    }
    Ok((received.bytes, received.flags.contains(ReturnFlags::CTRUNC)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::io::Write;
    use std::net::TcpListener;

    use waf_shared::control::{Generation, Listener, Offer, Role, SocketId, ToSupervisor, ToWorker, encode};
    use waf_shared::plan::Digest;

    use super::*;

    fn pair() -> (StdStream, Sender, Receiver) {
        let (ours, theirs) = StdStream::pair().unwrap();
        let (sender, receiver) = split(ours).unwrap();
        (theirs, sender, receiver)
    }

    #[tokio::test]
    async fn a_large_offer_arrives_with_its_sockets() {
        let (theirs, sender, _) = pair();
        let (_, mut receiver) = split(theirs).unwrap();
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let offer = ToWorker::Offer(Offer {
            generation: Generation(1),
            digest: Digest([1; 32]),
            plan: vec![7; 3 << 20],
            listeners: vec![Listener { socket: SocketId(1), port, role: Role::Https }; 2],
            counts: None,
        });
        let frame = encode(&offer, 2).unwrap();
        let commit = encode(&ToWorker::Commit(Generation(1)), 0).unwrap();
        let sent = tokio::spawn(async move {
            sender.send(&frame, &[socket.as_fd(), socket.as_fd()]).await.unwrap();
            sender.send(&commit, &[]).await.unwrap();
        });
        let received = receiver.recv::<ToWorker>().await.unwrap().unwrap();
        assert_eq!(received.message, offer);
        assert_eq!(received.descriptors.len(), 2);
        for descriptor in received.descriptors {
            assert_eq!(TcpListener::from(descriptor).local_addr().unwrap().port(), port);
        }
        let next = receiver.recv::<ToWorker>().await.unwrap().unwrap();
        assert_eq!(next.message, ToWorker::Commit(Generation(1)));
        assert!(next.descriptors.is_empty());
        sent.await.unwrap();
        assert!(receiver.recv::<ToWorker>().await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_cut_frame_is_an_error_and_a_closed_socket_is_the_end() {
        let frame = encode(&ToSupervisor::Active(Generation(4)), 0).unwrap();
        for cut in 0..frame.len() {
            let (mut theirs, _, mut receiver) = pair();
            theirs.write_all(&frame[..cut]).unwrap();
            drop(theirs);
            let outcome = receiver.recv::<ToSupervisor>().await;
            if cut == 0 {
                assert!(outcome.unwrap().is_none());
            } else {
                assert!(matches!(outcome.unwrap_err(), ChannelError::Cut), "cut at {cut}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_stops_inside_a_frame_is_not_waited_for() {
        let frame = encode(&ToSupervisor::Active(Generation(4)), 0).unwrap();
        let (mut theirs, _, mut receiver) = pair();
        theirs.write_all(&frame[..5]).unwrap();
        assert!(matches!(receiver.recv::<ToSupervisor>().await.unwrap_err(), ChannelError::Slow));
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_nothing_is_not_waited_for() {
        let (_theirs, sender, _) = pair();
        assert!(matches!(sender.send(&vec![0; 16 << 20], &[]).await.unwrap_err(), ChannelError::Slow));
    }

    #[tokio::test]
    async fn descriptors_that_were_not_sent_or_not_announced_are_an_error() {
        for (announced, carried) in [(1, 0), (0, 1), (2, 1)] {
            let (theirs, sender, _) = pair();
            let (_, mut receiver) = split(theirs).unwrap();
            let socket = TcpListener::bind("127.0.0.1:0").unwrap();
            let frame = encode(&ToWorker::Commit(Generation(1)), announced).unwrap();
            let carried = vec![socket.as_fd(); carried];
            sender.send(&frame, &carried).await.unwrap();
            let outcome = receiver.recv::<ToWorker>().await.unwrap_err();
            assert!(matches!(outcome, ChannelError::Descriptors { .. }));
        }
    }

    #[tokio::test]
    async fn garbage_is_an_error() {
        let (mut theirs, _, mut receiver) = pair();
        theirs.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let outcome = receiver.recv::<ToSupervisor>().await.unwrap_err();
        assert!(matches!(outcome, ChannelError::Frame(FrameError::Magic)));
    }
}
