//! No two listeners share a port.

use super::sections::uses_tls;
use crate::code;
use crate::diagnostic::Sink;
use crate::raw::Document;
use crate::read::At;
use crate::resolve;

pub(super) fn check(document: &Document, sink: &mut Sink) {
    let automatic_tls = uses_tls(document);
    let mut taken: Vec<Taken> = Vec::new();
    match (&document.port, document.key("port")) {
        (Some(port), _) => taken.push(Taken { name: "port".to_owned(), port: port.value, line: port.line }),
        (None, None) if !automatic_tls => {
            let port = resolve::plain_port(document);
            taken.push(Taken { name: format!("port ({port} by default)"), port, line: 0 });
        }
        _ => {}
    }
    let mut listeners: Vec<(&str, &At<u64>)> =
        [("health_port", document.health_port.as_ref()), ("metrics_port", document.metrics_port.as_ref())]
            .into_iter()
            .filter_map(|(name, field)| field.filter(|at| at.value != 0).map(|at| (name, at)))
            .collect();
    listeners.sort_by_key(|(_, at)| at.line);
    for (name, at) in listeners {
        let this = Taken { name: name.to_owned(), port: at.value, line: at.line };
        if automatic_tls && [443, 80].contains(&at.value) {
            let message =
                format!("{name} must differ from 443 and 80, which automatic TLS takes, got {}", at.value);
            sink.error(code::PORT_CONFLICT, at.line, message);
        } else if let Some(other) = taken.iter().find(|other| other.port == at.value) {
            let message = format!("{name} must differ from {}, both are {}", other.name, at.value);
            sink.error(code::PORT_CONFLICT, at.line.max(other.line), message);
        }
        taken.push(this);
    }
}

/// A port that a listener has.
struct Taken {
    name: String,
    port: u64,
    line: u32,
}
