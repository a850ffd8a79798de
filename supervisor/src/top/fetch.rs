//! One look at a page: a connection of its own, a deadline, and a bound on what is read. It does not look into it.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONNECTION, HOST, USER_AGENT};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::address::Address;

/// For the whole look: name, connection, answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of a page. A route takes some 5 KB, so this is a page of thousands of them.
const PAGE_BYTES_MAX: usize = 32 << 20;

/// The format that is read here.
const FORMAT: &str = "text/plain;version=0.0.4";

/// Reason why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// No connection.
    #[error(
        "{address} cannot be reached: {source}; does the service run, and does `metrics_port` set this port?"
    )]
    Connect {
        /// Who was asked.
        address: Address,
        /// Error of the system.
        source: io::Error,
    },
    /// No answer, or a broken one.
    #[error("{address} does not answer as HTTP ({source}): name the port that `metrics_port` sets")]
    Exchange {
        /// Who was asked.
        address: Address,
        /// Error of the library.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An answer that is no page.
    #[error("{address} answers with {status}: name the port that `metrics_port` sets, and the path /metrics")]
    Status {
        /// Who was asked.
        address: Address,
        /// The answer's.
        status: StatusCode,
    },
    /// No text.
    #[error("{0} shows no text: name the port that `metrics_port` sets, and the path /metrics")]
    NoText(Address),
    /// No answer in time.
    #[error("{address} does not answer within {} s: is it the port that `metrics_port` sets?", PATIENCE.as_secs())]
    Slow {
        /// Who was asked.
        address: Address,
    },
}

/// The page at `address`, in the text format of Prometheus.
pub(super) async fn page(address: &Address) -> Result<String, FetchError> {
    let page = tokio::time::timeout(PATIENCE, exchange(address)).await;
    page.unwrap_or_else(|_| Err(FetchError::Slow { address: address.clone() }))
}

async fn exchange(address: &Address) -> Result<String, FetchError> {
    let failed = |source| FetchError::Connect { address: address.clone(), source };
    let broken = |source| FetchError::Exchange { address: address.clone(), source };
    let request = Request::get(address.target())
        .header(HOST, address.authority())
        .header(ACCEPT, FORMAT)
        .header(USER_AGENT, concat!("waf-top/", env!("CARGO_PKG_VERSION")))
        .header(CONNECTION, "close")
        .body(Empty::<Bytes>::new())
        .map_err(|error| broken(error.into()))?;
    let stream = TcpStream::connect(address.peer()).await.map_err(failed)?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| broken(error.into()))?;
    // Dropped with this function, and the connection with it.
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let response = sender.send_request(request).await.map_err(|error| broken(error.into()))?;
    let status = response.status();
    if status != StatusCode::OK {
        return Err(FetchError::Status { address: address.clone(), status });
    }
    let body = Limited::new(response.into_body(), PAGE_BYTES_MAX).collect().await.map_err(broken)?;
    String::from_utf8(body.to_bytes().into()).map_err(|_| FetchError::NoText(address.clone()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    use super::*;

    /// Result of a look at a server that answers `answer` to everybody.
    async fn answered(answer: Vec<u8>) -> Result<String, FetchError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            // A client that has read enough goes away.
            let _ = stream.write_all(&answer).await;
            let _ = stream.shutdown().await;
            stream
        });
        let page = page(&address).await;
        drop(server.await.unwrap());
        page
    }

    #[tokio::test]
    async fn pages_are_read() {
        let page = answered(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na 1".to_vec()).await;
        assert_eq!(page.unwrap(), "a 1");
        let page = answered(b"HTTP/1.1 200 OK\r\n\r\nuntil the end".to_vec()).await;
        assert_eq!(page.unwrap(), "until the end");
    }

    #[tokio::test]
    async fn whatever_else_answers_is_told_in_one_line() {
        let mut endless = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
        endless.resize(PAGE_BYTES_MAX + 1000, b'x');
        for (answer, says) in [
            (Vec::new(), "does not answer as HTTP"),
            (b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(), "does not answer as HTTP"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort".to_vec(), "does not answer as HTTP"),
            (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(), "answers with 404 Not Found"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\xfe".to_vec(), "shows no text"),
            (endless, "length limit exceeded"),
        ] {
            let said = answered(answer).await.unwrap_err().to_string();
            assert!(said.contains(says) && said.contains("metrics_port"), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }

    #[tokio::test]
    async fn a_closed_port_is_told() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: Address = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        drop(listener);
        let said = page(&address).await.unwrap_err().to_string();
        assert!(said.contains("cannot be reached") && said.contains("metrics_port"), "{said}");
    }

    #[tokio::test(start_paused = true)]
    async fn silence_has_an_end() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: Address = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let said = page(&address).await.unwrap_err().to_string();
        assert!(said.contains("does not answer within 5 s"), "{said}");
    }
}
