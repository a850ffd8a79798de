//! `waf health`: one question to a running service, for health checks of containers that hold neither a shell nor curl. It
//! knows one request and one answer of HTTP/1.1, nothing of what the service does.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use http::Uri;
use waf_compiler::{Options, compile_file};
use waf_shared::limits::CONFIG_BYTES_MAX;

/// For everything: a health check that waits longer has its answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Bytes of an answer that are read; the reason stands at its beginning.
const ANSWER_BYTES_MAX: u64 = 16 << 10;

/// Bytes of the reason that are shown.
const REASON_BYTES_SHOWN: usize = 200;

/// A fault of a configuration that should name a port.
#[derive(Debug, thiserror::Error)]
pub enum NoPort {
    /// The file cannot be read.
    #[error("{0} cannot be read: {1}; name the file with --config, or ask with --url")]
    Unreadable(String, std::io::Error),
    /// The field is absent or 0.
    #[error("{0} names no {1}: set one, or ask with --url")]
    Unset(String, &'static str),
}

/// A fault of a service that is not healthy, or cannot be asked.
#[derive(Debug, thiserror::Error)]
enum Unhealthy {
    #[error("`{0}` is not an http:// URL with a host")]
    Url(String),
    #[error(transparent)]
    Port(#[from] NoPort),
    #[error("{0} does not answer: {1}")]
    Silent(String, std::io::Error),
    #[error("{0} answers with something else than HTTP")]
    Foreign(String),
    #[error("{0} answers {1}: {2}")]
    Status(String, u16, String),
}

/// Asks, and says in one line why not.
pub fn run(url: Option<&str>, config: &Path, live: bool) -> ExitCode {
    let asked = match url {
        Some(url) => ask(url),
        None => configured_port(config, "health_port").map_err(Unhealthy::Port).and_then(|port| {
            ask(&format!("http://127.0.0.1:{port}/{}", if live { "healthz" } else { "readyz" }))
        }),
    };
    match asked {
        Ok(()) => {
            anstream::println!("ok");
            ExitCode::SUCCESS
        }
        Err(why) => {
            anstream::eprintln!("{}", why.to_string().replace(char::is_control, " "));
            ExitCode::FAILURE
        }
    }
}

/// The port that a field of a configuration names: `health_port` or `metrics_port`. A file that is broken just now says
/// nothing about the service, which serves on with the one before: then the line that names the port is enough.
pub fn configured_port(config: &Path, field: &'static str) -> Result<u16, NoPort> {
    let name = || config.display().to_string();
    let options = Options { host_checks: false, ..Options::default() };
    let port = match compile_file(config, &options) {
        Ok(compiled) if field == "metrics_port" => compiled.plan.metrics_port,
        Ok(compiled) => compiled.plan.health_port,
        Err(_) => named(&read(config).map_err(|error| NoPort::Unreadable(name(), error))?, field),
    };
    port.ok_or_else(|| NoPort::Unset(name(), field))
}

fn read(config: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(config)?.take(CONFIG_BYTES_MAX as u64).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn named(text: &str, field: &str) -> Option<u16> {
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    let value = value.split('#').next()?.trim().trim_matches(['"', '\'']);
    value.parse().ok().filter(|port| *port != 0)
}

fn ask(url: &str) -> Result<(), Unhealthy> {
    let end = Instant::now() + PATIENCE;
    let uri: Uri = url.parse().map_err(|_| Unhealthy::Url(url.to_owned()))?;
    let (Some("http"), Some(host)) = (uri.scheme_str(), uri.host()) else {
        return Err(Unhealthy::Url(url.to_owned()));
    };
    let silent = |error| Unhealthy::Silent(url.to_owned(), error);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let mut stream = connect(bare, uri.port_u16().unwrap_or(80), end).map_err(silent)?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let authority = uri.authority().map_or(host, |authority| authority.as_str());
    let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    stream.set_write_timeout(Some(left(end))).map_err(silent)?;
    stream.write_all(request.as_bytes()).map_err(silent)?;
    let answer = answer(&mut stream, end).map_err(silent)?;
    let foreign = || Unhealthy::Foreign(url.to_owned());
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let mut words = head.split(' ');
    let version = words.next().filter(|version| version.starts_with("HTTP/1.")).ok_or_else(foreign)?;
    match words.next().and_then(|status| status.parse().ok()) {
        Some(200) => Ok(()),
        Some(status) => {
            let reason = body.lines().next().unwrap_or(version);
            let cut = reason.floor_char_boundary(REASON_BYTES_SHOWN);
            Err(Unhealthy::Status(url.to_owned(), status, reason.get(..cut).unwrap_or_default().to_owned()))
        }
        None => Err(foreign()),
    }
}

/// Tries each address of a name, within the time that is left.
fn connect(host: &str, port: u16, end: Instant) -> std::io::Result<TcpStream> {
    let mut last = std::io::Error::from(std::io::ErrorKind::AddrNotAvailable);
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, left(end)) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Reads until the end of the answer, at most for as long as there is time.
fn answer(stream: &mut TcpStream, end: Instant) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let mut piece = [0; 1024];
    while (bytes.len() as u64) < ANSWER_BYTES_MAX {
        if Instant::now() >= end {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left(end)))?;
        match stream.read(&mut piece)? {
            0 => break,
            read => bytes.extend_from_slice(piece.get(..read).unwrap_or_default()),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The rest of the time, and never nothing: a timeout of nothing is an error.
fn left(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A server that answers once.
    fn once(text: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/readyz", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 1024];
            let _ = stream.read(&mut head);
            let _ = stream.write_all(text.as_bytes());
        });
        url
    }

    fn said(text: &'static str) -> String {
        let url = once(text);
        ask(&url).map_or_else(|why| why.to_string().replace(&url, "URL"), |()| "ok".to_owned())
    }

    #[test]
    fn only_200_is_healthy() {
        assert_eq!(said("HTTP/1.1 200 OK\r\n\r\nok"), "ok");
        assert_eq!(said("HTTP/1.0 200 OK\r\n\r\n"), "ok");
        assert_eq!(
            said("HTTP/1.1 503 Service Unavailable\r\n\r\nstarting\nmore"),
            "URL answers 503: starting"
        );
        assert_eq!(said("HTTP/1.1 204 No Content\r\n\r\n"), "URL answers 204: HTTP/1.1");
        assert_eq!(said("SSH-2.0-x\r\n"), "URL answers with something else than HTTP");
        assert_eq!(said(""), "URL answers with something else than HTTP");
    }

    #[test]
    fn what_is_no_url_or_does_not_listen_is_said() {
        for wrong in ["", "readyz", "https://127.0.0.1/", "http:///x", "ftp://a/"] {
            assert!(matches!(ask(wrong), Err(Unhealthy::Url(_))), "{wrong}");
        }
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert!(matches!(ask(&format!("http://{closed}/")), Err(Unhealthy::Silent(..))));
    }

    #[test]
    fn a_broken_file_still_names_its_port() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("waf.yaml");
        for (text, expected) in [
            ("version: v1alpha1\nhealth_port: 8081 # probes\nroutes: [\n", Some(8081)),
            ("health_port: \"8081\"\nroutes: 7\n", Some(8081)),
            ("version: v1alpha1\nhealth_port: 8081\nroutes:\n  - upstream: http://a\n", Some(8081)),
            ("version: v1alpha1\nroutes:\n  - upstream: http://a\n", None),
            ("health_port: 0\n: :", None),
            ("x:\n  health_port: 8081\n", None),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(configured_port(&file, "health_port").ok(), expected, "{text}");
            let text = text.replace("health_port", "metrics_port");
            std::fs::write(&file, &text).unwrap();
            assert_eq!(configured_port(&file, "metrics_port").ok(), expected, "{text}");
        }
        let missing = configured_port(Path::new("/nothing/waf.yaml"), "health_port");
        assert!(matches!(missing, Err(NoPort::Unreadable(..))));
    }
}
