//! Checks of the configuration against this machine: validity, ports, the folder for data, trust anchors.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::Path;

use waf_compiler::report::{counted, error_count};
use waf_compiler::{Compiled, Options, Severity, compile_file};
use waf_shared::plan::{Listen, Plan, Scheme};

use super::row::Row;
use crate::cli::Serve;

pub(super) fn rows(serve: &Serve, options: &Options) -> Vec<Row> {
    let file = serve.config.display();
    let plan = match compile_file(&serve.config, options) {
        Ok(Compiled { plan, .. }) => plan,
        Err(diagnostics) => {
            let first = diagnostics.iter().find(|one| one.severity == Severity::Error);
            let first = first.map(ToString::to_string).unwrap_or_default();
            let said = format!("{}, the first: {first}", error_count(&diagnostics));
            let remedy = format!("waf --validate {file} prints all of them");
            return vec![Row::error("configuration", said, remedy)];
        }
    };
    let mut rows = vec![Row::ok("configuration", format!("{file}: {}", counted(plan.routes.len(), "route")))];
    let traffic = match plan.listen {
        Listen::Plain { port } => vec![("port", port)],
        Listen::Tls { .. } => vec![("--https-port", serve.https_port), ("--http-port", serve.http_port)],
    };
    let others = [("health_port", plan.health_port), ("metrics_port", plan.metrics_port)];
    let others = others.into_iter().filter_map(|(field, port)| Some((field, port?)));
    rows.extend(traffic.into_iter().chain(others).map(|(field, port)| bind(field, port)));
    rows.push(data_dir(&plan));
    rows.push(anchors(&plan));
    rows
}

/// Binds the port and lets it go at once.
fn bind(field: &'static str, port: u16) -> Row {
    let dual = SocketAddr::from((Ipv6Addr::UNSPECIFIED, port));
    let outcome = match TcpListener::bind(dual) {
        Err(error) if !matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied) => {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, port))
        }
        outcome => outcome,
    };
    match outcome {
        Ok(_) => Row::ok(field, format!("{port} can be bound")),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Row::error(
            field,
            format!("{port}: ports below {} need a right that this user has not", first_free_port()),
            "give it CAP_NET_BIND_SERVICE (AmbientCapabilities= of the unit), let systemd hand over the socket, or lower \
             net.ipv4.ip_unprivileged_port_start",
        ),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Row::warning(
            field,
            format!("{port} is in use"),
            "fine if this service runs already; else stop what listens there (ss -ltnp)",
        ),
        Err(error) => Row::error(field, format!("{port}: {error}"), "choose another port"),
    }
}

fn first_free_port() -> String {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    text.map_or_else(|_| "1024".to_owned(), |text| text.trim().to_owned())
}

/// Tries to make a file without a name. A folder that does not exist yet is tried at its nearest parent. Without TLS
/// nothing needs it: bodies wait in the system's folder for temporary files.
fn data_dir(plan: &Plan) -> Row {
    let folder = Path::new(&plan.data_dir);
    let shown = folder.display();
    let existing = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let is_default = waf_compiler::document()
        .iter()
        .any(|field| field.name == "data_dir" && field.default == plan.data_dir);
    match tempfile::tempfile_in(existing) {
        Ok(_) if existing == folder => Row::ok("data_dir", format!("{shown} can be written")),
        Ok(_) => Row::ok("data_dir", format!("{shown} will be made in {}", existing.display())),
        Err(error) => {
            let fault = format!("{}: {error}", existing.display());
            let remedy =
                format!("make {shown} and give it to the user of the service, or mount a volume there");
            if is_default && plan.listen.hosts().is_empty() {
                Row::warning("data_dir", fault, remedy)
            } else {
                Row::error("data_dir", fault, remedy)
            }
        }
    }
}

fn anchors(plan: &Plan) -> Row {
    let found = rustls_native_certs::load_native_certs();
    let collector = plan.tracing.iter().map(|tracing| &tracing.collector);
    let upstreams = plan.routes.iter().map(|route| &route.upstream);
    let is_needed = upstreams.chain(collector).any(|upstream| upstream.scheme == Scheme::Https);
    let remedy = "install the system's CA certificates, or name a file by SSL_CERT_FILE";
    match found.certs.len() {
        0 if is_needed => {
            Row::error("trust anchors", "none were found, and an https:// upstream needs them", remedy)
        }
        0 => {
            Row::warning("trust anchors", "none were found; https:// upstreams could not be verified", remedy)
        }
        count => Row::ok("trust anchors", format!("{count} certificates")),
    }
}
