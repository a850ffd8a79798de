//! The page of limits: what each is by default, how far it may be set, which protection enforces it, and what a client
//! that breaks it gets. Defaults and bounds come from the rows of the schema, statuses from the catalog.

use std::fmt::Write as _;

use waf_shared::catalog::Leaf;
use waf_shared::limits as fixed;

use super::cell::{cell, constraint};
use crate::field::{Field, FieldKind, Limit};
use crate::raw::document;

/// `docs/limits.md`.
pub fn limits() -> String {
    let mut out = String::from(
        "# Limits\n\n\
         <!-- Made by `waf-compile reference limits`; edit compiler/src/reference/limits.rs instead. -->\n\n\
         To raise limits on one route:\n\n\
         ```yaml\n\
         routes:\n\
         \x20 - id: imports\n\
         \x20   match: { paths: [/imports] }\n\
         \x20   upstream: http://127.0.0.1:3000\n\
         \x20   accept: { max_body_size: 50MB }\n\
         \x20   multipart: { file_size: 50MB }\n\
         \x20   inspection: { json_keys: 20000 }\n\
         \x20 - upstream: http://127.0.0.1:3000\n\
         ```\n\n\
         A request that breaks a limit is refused with the status below, and its connection is closed unless it was read\n\
         whole. In `detect_only` the violation is reported once and the request goes on, except where the table of fixed\n\
         limits says otherwise. A limit whose protection is off is not enforced.\n\n\
         ## Configurable\n\n\
         Those of the first table can be set in `global` and on every route.\n\n",
    );
    let (shared, global): (Vec<_>, Vec<_>) =
        rows("global").into_iter().partition(|(path, ..)| find("routes", path).is_some());
    let (_, route): (Vec<_>, Vec<_>) =
        rows("routes").into_iter().partition(|(path, ..)| find("global", path).is_some());
    table(&mut out, &shared);
    out.push_str("\nThese hold for every connection and are set in `global` alone:\n\n");
    table(&mut out, &global);
    out.push_str("\nThese are set on a route:\n\n");
    table(&mut out, &route);
    out.push_str("\nAnd at the top level:\n\n");
    table(&mut out, &rows(""));
    out.push_str(
        "\n`multipart.allowed_types` (`file-upload-limits-allowed-types`) and `multipart.double_extension`\n\
         (`file-upload-limits-double-extension`) refuse files with 403.\n",
    );
    out.push_str(NOTES);
    fixed_limits(&mut out);
    of_the_service(&mut out);
    out
}

const NOTES: &str = "\n## How they are measured\n\n\
- `max_body_size` counts a body as it is sent, without the framing of chunks, compressed or not. A declared length over\n  \
  it is refused before the body is read; without one the body ends at the limit. For gRPC it bounds each message.\n\
- `max_inspect_size` counts what rules look at: a compressed body inflated, a multipart body without the contents of its\n  \
  files. Until that part has been judged nothing is sent to the upstream. File contents stream.\n\
- `max_memory_buffer` is how much of a waiting body stays in memory. The rest waits in a file without a name in\n  \
  `data_dir/spool`, or in the system's folder for temporary files where that cannot be made.\n\
- `decompression_ratio_limit` is all that came out over all that went in: no body is too small for it. For the first 128 KB\n  \
  it is judged at the end, beyond that as the body inflates. gzip, deflate, br and zstd are known, up to two on one body;\n  \
  another coding on a body that is inspected gets 415. It is enforced on every type, and behind `max_inspect_size` too.\n\
- A refusal of a gRPC call has the status 200 and the code that clients read from the status above as `grpc-status`: 7 for\n  \
  403, 12 for 404, 14 for 429, 502, 503 and 504, 13 for 400, 2 for others. Events have the status above.\n\
- `evaluation_timeout` is CPU time that rules took for one request, not time that passed.\n\
- `slow_request_min_rate_bps` is judged over every 5 seconds of waiting for the client, from 5 seconds after the body\n  \
  began. Time in which the upstream takes nothing does not count, and gRPC calls are not measured. The same rate holds\n  \
  for clients that take an answer, over every 10 seconds in which bytes wait for them: one that takes fewer is cut, over\n  \
  HTTP/2 by its stream. Time in which the upstream has nothing to say does not count, nor that in which a stream whose\n  \
  window is open waits for others of its connection. Such a cut is no event and happens in both modes, where the\n  \
  protection is on; a client that takes no byte for 10 s is cut whatever is set. What is taken is seen in steps of some\n  \
  kilobytes, so that a client barely above the rate may be cut.\n\
- The connections of a client are those that its requests hold at the time. IPv6 clients of one /64 are one client. A\n  \
  request on an HTTP/2 connection to an upstream takes its part of that connection alone. Client addresses are known in\n  \
  modes 1 and 2, and in mode 3 with `--trusted-proxies`.\n\
- A violation that is found after a part of the body went on breaks the upstream request off. It is answered with its\n  \
  status unless a response has begun; then the connection is closed.\n";

/// A limit of the configuration: its path, its field, and its row.
type LimitRow = (String, &'static Field, Limit);

/// Every limit of the section `root`, by its path below it, in the order of the fields; for the empty `root` every
/// limit outside of `global` and `routes`.
fn rows(root: &str) -> Vec<LimitRow> {
    fn walk(fields: &'static [Field], path: &str, out: &mut Vec<LimitRow>) {
        for field in fields {
            let own = if path.is_empty() { field.name.to_owned() } else { format!("{path}.{}", field.name) };
            out.extend(field.limit.map(|limit| (own.clone(), field, limit)));
            if let FieldKind::Section(below) = field.kind {
                walk(below, &own, out);
            }
        }
    }
    let mut out = Vec::new();
    let below =
        document().iter().filter(|field| field.name == root).find_map(|field| section_of(&field.kind));
    walk(below.unwrap_or(document()), "", &mut out);
    if root.is_empty() {
        out.retain(|(path, ..)| path.split('.').next() != Some("global"));
    }
    out
}

/// The fields of a section or of a list of sections.
fn section_of(kind: &FieldKind) -> Option<&'static [Field]> {
    match kind {
        FieldKind::Section(below) => Some(below),
        FieldKind::List(FieldKind::Section(below)) | FieldKind::AtLeastOne(FieldKind::Section(below), _) => {
            Some(below)
        }
        _ => None,
    }
}

fn table(out: &mut String, rows: &[LimitRow]) {
    out.push_str("| Limit | Default | Bounds | Protection | Status |\n|---|---|---|---|---|\n");
    for (path, field, limit) in rows {
        let default =
            if field.default.is_empty() { "–".to_owned() } else { format!("`{}`", field.default) };
        let names: Vec<String> = limit.leaves.iter().map(|leaf| format!("`{}`", leaf.name())).collect();
        let _ = writeln!(
            out,
            "| `{path}` | {default} | {} | {} | {} |",
            cell(&constraint(field)),
            if names.is_empty() { "–".to_owned() } else { names.join(", ") },
            status(limit),
        );
    }
}

fn status(limit: &Limit) -> String {
    match (limit.answer, limit.leaves.first()) {
        (Some(answer), _) => answer.to_owned(),
        (None, Some(leaf)) => leaf.row().status.to_string(),
        (None, None) => String::new(),
    }
}

/// The row of the schema at a path below a section, list or not.
fn find(root: &str, path: &str) -> Option<&'static Field> {
    let mut fields = document();
    let mut found = None;
    for name in root.split('.').chain(path.split('.')).filter(|name| !name.is_empty()) {
        let field = fields.iter().find(|field| field.name == name)?;
        found = Some(field);
        fields = section_of(&field.kind).unwrap_or_default();
    }
    found
}

fn fixed_limits(out: &mut String) {
    out.push_str(
        "\n## Fixed\n\n\
         | Limit | Value | Protection | Status | In `detect_only` |\n|---|---|---|---|---|\n",
    );
    let arguments = Leaf::RequestValidationArgumentLimits;
    let slow = Leaf::RequestValidationSlowClients;
    let rows: [(&str, String, Leaf, &str); 14] = [
        ("Arguments of one request", fixed::ARGUMENTS_MAX.to_string(), arguments, "logged"),
        ("Bytes of an argument's name", fixed::ARGUMENT_NAME_BYTES_MAX.to_string(), arguments, "logged"),
        (
            "Levels of a GraphQL document",
            fixed::GRAPHQL_DEPTH_MAX.to_string(),
            Leaf::GraphqlMaxDepth,
            "logged",
        ),
        (
            "Aliases of a GraphQL document",
            fixed::GRAPHQL_ALIASES_MAX.to_string(),
            Leaf::GraphqlMaxAliases,
            "logged",
        ),
        (
            "Fields of a GraphQL document",
            fixed::GRAPHQL_FIELDS_MAX.to_string(),
            Leaf::GraphqlMaxFields,
            "logged",
        ),
        (
            "Directives of a GraphQL document",
            fixed::GRAPHQL_DIRECTIVES_MAX.to_string(),
            Leaf::GraphqlMaxDirectives,
            "logged",
        ),
        (
            "GraphQL documents in one request",
            fixed::GRAPHQL_BATCH_MAX.to_string(),
            Leaf::GraphqlMaxBatch,
            "logged",
        ),
        ("Codings stacked on one body", "2".to_owned(), Leaf::HttpComplianceMalformedBody, "logged"),
        (
            "Bytes of a request target",
            fixed::TARGET_BYTES_MAX.to_string(),
            Leaf::RequestValidationMaxUrlLength,
            "refused",
        ),
        (
            "Bytes of all header fields",
            fixed::HEAD_BYTES_MAX.to_string(),
            Leaf::RequestValidationMaxHeaderSize,
            "refused",
        ),
        (
            "Header fields",
            fixed::HEAD_FIELDS_MAX.to_string(),
            Leaf::RequestValidationMaxHeaderCount,
            "refused",
        ),
        ("Silence inside a body", format!("{} s", fixed::BODY_STALL_SECONDS), slow, "refused"),
        ("Silence inside a gRPC call", format!("{} s", fixed::STREAM_STALL_SECONDS), slow, "refused"),
        ("A body that ends before its length", "–".to_owned(), slow, "refused"),
    ];
    for (what, value, leaf, mode) in rows {
        // An unknown coding is a matter of the media type, whatever leaf it is reported under.
        let status = if leaf == Leaf::HttpComplianceMalformedBody { 415 } else { leaf.row().status };
        let _ = writeln!(out, "| {what} | {value} | `{}` | {status} | {mode} |", leaf.name());
    }
}

/// Limits around requests. No protection names these: nobody turns them off.
fn of_the_service(out: &mut String) {
    out.push_str(
        "\n## Around requests\n\n\
         These hold in every mode; no configuration sets them.\n\n\
         | Limit | Value | Beyond it |\n|---|---|---|\n",
    );
    for (what, value, beyond) in of_connections().into_iter().chain(of_the_rest()) {
        let _ = writeln!(out, "| {what} | {value} | {beyond} |");
    }
}

fn seconds(seconds: u64) -> String {
    format!("{seconds} s")
}

fn megabytes(bytes: usize) -> String {
    format!("{} MB", bytes >> 20)
}

/// Limits of connections to clients and upstreams.
fn of_connections() -> Vec<(&'static str, String, &'static str)> {
    vec![
        (
            "Client connections of one worker, if the limit on open files allows them",
            fixed::CLIENT_CONNECTIONS_MAX.to_string(),
            "503 when no place becomes free within a second",
        ),
        ("A TLS handshake, from the connection on", seconds(fixed::HANDSHAKE_SECONDS), "closed"),
        (
            "TLS handshakes of one worker at once, or half of its connections where that is less",
            fixed::HANDSHAKES_MAX.to_string(),
            "more wait to be accepted",
        ),
        ("An idle client connection", seconds(fixed::KEEP_ALIVE_SECONDS), "closed"),
        ("A client that takes no byte of its answer", seconds(fixed::CLIENT_STALL_SECONDS), "closed"),
        (
            "What a client sends while it waits for an answer, and is kept",
            format!("{} KB", fixed::PIPELINED_BYTES_MAX >> 10),
            "waits unread; whether the client leaves is not seen then",
        ),
        (
            "Silence on an upgraded connection, in both directions",
            seconds(fixed::TUNNEL_IDLE_SECONDS),
            "closed",
        ),
        (
            "Connecting to an upstream, TLS included, or `upstream_timeout` where that is less",
            seconds(fixed::CONNECT_SECONDS),
            "504",
        ),
        ("Addresses of an upstream's name", fixed::UPSTREAM_ADDRESSES_MAX.to_string(), "the first are used"),
        (
            "Of these, those that one request tries to connect to",
            fixed::UPSTREAM_ATTEMPTS_MAX.to_string(),
            "502, or 504 for one that is silent",
        ),
        (
            "The pause of an address that accepts no connections, after 1 s at first",
            seconds(fixed::UPSTREAM_PAUSE_MAX_SECONDS),
            "it is tried again",
        ),
        (
            "Connections of one worker to one upstream",
            fixed::UPSTREAM_CONNECTIONS_MAX.to_string(),
            "503 when none is free within `upstream_timeout`",
        ),
        (
            "Of these, those of one client where client addresses are known, unless `--client-share` says otherwise",
            format!("{} %", fixed::CLIENT_SHARE_KNOWN_PERCENT),
            "503 when none is free within `upstream_timeout`",
        ),
        (
            "Of these, those of one address where it may be a balancer's, unless `--client-share` says otherwise",
            format!("{} %", fixed::CLIENT_SHARE_UNKNOWN_PERCENT),
            "503 when none is free within `upstream_timeout`",
        ),
    ]
}

/// Limits of answers, events and files.
fn of_the_rest() -> Vec<(&'static str, String, &'static str)> {
    vec![
        (
            "Upgraded connections of one worker to one upstream, with the same shares for one client",
            fixed::UPSTREAM_TUNNELS_MAX.to_string(),
            "503",
        ),
        (
            "A message of a WebSocket that waits for its verdict",
            seconds(fixed::WEBSOCKET_MESSAGE_SECONDS),
            "closed with 1008",
        ),
        ("Its fragments", fixed::WEBSOCKET_FRAGMENTS_MAX.to_string(), "closed with 1008"),
        (
            "Control frames and empty fragments in a second on a WebSocket",
            fixed::WEBSOCKET_CONTROL_FRAMES_MAX.to_string(),
            "closed with 1008",
        ),
        (
            "Messages in a second on a WebSocket",
            fixed::WEBSOCKET_MESSAGES_MAX.to_string(),
            "the rest is read in the next second",
        ),
        ("Taking a close frame and closing, on a WebSocket", seconds(fixed::WEBSOCKET_CLOSE_SECONDS), "cut"),
        (
            "Audit events of one WebSocket in `detect_only`",
            fixed::WEBSOCKET_EVENTS_MAX.to_string(),
            "messages are counted alone",
        ),
        ("The head of an upstream's answer", format!("{} KB", fixed::RESPONSE_HEAD_BYTES_MAX >> 10), "502"),
        ("Interim (1xx) answers to one request", fixed::INTERIM_RESPONSES_MAX.to_string(), "502"),
        (
            "Audit events that wait for a slow consumer",
            megabytes(fixed::AUDIT_QUEUE_BYTES_MAX),
            "a request that has one waits for room",
        ),
        ("That wait", seconds(fixed::AUDIT_WAIT_SECONDS), "503"),
        (
            "Lines of the access log that wait in a worker",
            fixed::ACCESS_LINES_WAITING.to_string(),
            "dropped and counted",
        ),
        (
            "Addresses and TLVs of a PROXY protocol header",
            format!("{} KB", fixed::PROXY_HEADER_BYTES_MAX >> 10),
            "the connection is closed",
        ),
        (
            "A file of a body that is made, written or read",
            seconds(fixed::DISK_SECONDS),
            "as if the disk were full",
        ),
        (
            "Requests in flight when the service stops, unless `--drain` says otherwise",
            seconds(fixed::DRAIN_SECONDS),
            "broken off",
        ),
        ("A configuration file", megabytes(fixed::CONFIG_BYTES_MAX), "refused"),
        ("Routes", fixed::ROUTES_MAX.to_string(), "refused"),
        (
            "Exceptions of a route, those of `global` and of presets included",
            fixed::EXCEPTIONS_MAX.to_string(),
            "refused",
        ),
        ("Entries of each list of an exception", fixed::EXCEPTION_ENTRIES_MAX.to_string(), "refused"),
        ("Characters of a route's id", fixed::ROUTE_ID_BYTES_MAX.to_string(), "refused"),
        ("Hosts, each with its certificate", fixed::CERTIFICATES_MAX.to_string(), "refused"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_numeric_field_of_global_is_a_limit() {
        fn walk(fields: &[Field], path: &str) {
            for field in fields {
                let own = format!("{path}.{}", field.name);
                match field.kind {
                    FieldKind::Int(_) | FieldKind::Size(_) | FieldKind::Duration(_) => {
                        assert!(field.limit.is_some(), "{own}");
                    }
                    FieldKind::Section(below) => walk(below, &own),
                    _ => assert!(field.limit.is_none(), "{own}"),
                }
            }
        }
        let global = document().iter().find(|field| field.name == "global").expect("there is one");
        let FieldKind::Section(fields) = global.kind else { panic!("a section") };
        walk(fields, "global");
    }
}
