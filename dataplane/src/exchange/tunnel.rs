//! A connection that left HTTP: bytes in both directions until both have ended or neither has moved for long. It knows
//! nothing of what the bytes mean.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, sleep_until};
use waf_shared::limits;

use crate::http1::reader::Reader;

/// One side of a tunnel.
#[derive(Debug)]
pub(super) struct Side<'s, R, W> {
    pub(super) reader: &'s mut Reader<R>,
    pub(super) writer: &'s mut W,
}

/// Carries bytes both ways. The end of one direction is passed on; the other lives on without it.
pub(super) async fn run<R1, W1, R2, W2>(client: Side<'_, R1, W1>, upstream: Side<'_, R2, W2>)
where
    R1: AsyncRead + Unpin,
    W1: AsyncWrite + Unpin,
    R2: AsyncRead + Unpin,
    W2: AsyncWrite + Unpin,
{
    let moved = Moved::begin();
    let both = async {
        tokio::try_join!(
            carry(client.reader, upstream.writer, &moved),
            carry(upstream.reader, client.writer, &moved)
        )
    };
    tokio::select! {
        // An error of either side ends both: nobody may take a part for the whole.
        _ = both => {}
        () = silence(&moved) => {}
    }
}

/// When a byte moved last, in either direction.
pub(super) struct Moved {
    began: Instant,
    milliseconds: AtomicU64,
}

impl Moved {
    pub(super) fn begin() -> Moved {
        Moved { began: Instant::now(), milliseconds: AtomicU64::new(0) }
    }

    pub(super) fn now(&self) {
        let passed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.milliseconds.store(passed, Ordering::Relaxed);
    }

    fn last(&self) -> Instant {
        self.began + Duration::from_millis(self.milliseconds.load(Ordering::Relaxed))
    }
}

async fn carry<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(
    from: &mut Reader<R>,
    to: &mut W,
    moved: &Moved,
) -> io::Result<()> {
    loop {
        let bytes = from.bytes().await?;
        if bytes.is_empty() {
            return to.shutdown().await;
        }
        moved.now();
        to.write_all(&bytes).await?;
        to.flush().await?;
        moved.now();
    }
}

/// Ends once nothing has moved for long.
pub(super) async fn silence(moved: &Moved) {
    let patience = Duration::from_secs(limits::TUNNEL_IDLE_SECONDS);
    loop {
        let until = moved.last() + patience;
        if Instant::now() >= until {
            return;
        }
        sleep_until(until).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, DuplexStream, duplex, split};
    use tokio::task::JoinHandle;

    /// A tunnel between a client and an upstream, and its end.
    fn tunnel() -> (DuplexStream, DuplexStream, JoinHandle<()>) {
        let ((client, ours), (upstream, theirs)) = (duplex(64), duplex(64));
        let ended = tokio::spawn(async move {
            let (client_reader, mut client_writer) = split(ours);
            let (upstream_reader, mut upstream_writer) = split(theirs);
            let (mut client_reader, mut upstream_reader) =
                (Reader::new(client_reader), Reader::new(upstream_reader));
            let client = Side { reader: &mut client_reader, writer: &mut client_writer };
            let upstream = Side { reader: &mut upstream_reader, writer: &mut upstream_writer };
            run(client, upstream).await;
        });
        (client, upstream, ended)
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_pass_both_ways_and_silence_ends_it() {
        let (mut client, mut upstream, tunnel) = tunnel();
        let began = Instant::now();
        let mut got = [0u8; 4];
        client.write_all(b"ping").await.expect("taken");
        upstream.read_exact(&mut got).await.expect("four bytes");
        assert_eq!(&got, b"ping");
        tokio::time::sleep(Duration::from_secs(limits::TUNNEL_IDLE_SECONDS - 1)).await;
        upstream.write_all(b"pong").await.expect("taken");
        client.read_exact(&mut got).await.expect("four bytes");
        assert_eq!(&got, b"pong");
        tunnel.await.expect("it ends");
        let lived = began.elapsed().as_secs();
        let idle = limits::TUNNEL_IDLE_SECONDS;
        assert!((2 * idle - 1..2 * idle + 1).contains(&lived), "{lived} s");
        assert_eq!(client.read(&mut got).await.expect("an end"), 0);
    }

    #[tokio::test]
    async fn the_end_of_one_direction_leaves_the_other() {
        let (mut client, mut upstream, tunnel) = tunnel();
        client.write_all(b"last words").await.expect("taken");
        client.shutdown().await.expect("a half can close");
        let mut heard = Vec::new();
        upstream.read_to_end(&mut heard).await.expect("an end");
        assert_eq!(heard, b"last words");
        upstream.write_all(b"answer").await.expect("taken");
        drop(upstream);
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).await.expect("an end");
        assert_eq!(answer, b"answer");
        tunnel.await.expect("it ends");
    }
}
