//! Plans, heads and clients for the unit tests of the stages. Everything lies in memory; no test here opens a socket.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use waf_shared::catalog::{Leaf, LeafSet};
use waf_shared::plan::contract::{
    Contract, ContractPath, Keyword, Media, Operation, Parameter, ParameterId, Place, RequestBody, Response,
    Schema, SchemaId, StatusRange, Style, types,
};
use waf_shared::plan::{
    self, Accept, AuditFormat, Inspection, Listen, Millis, Mode, Multipart, OpenApi, PathPattern, Plan,
    Protocol, ResponseHeaders, Rewrite, Route, RouteId, Scheme, Segment, Settings, Upstream,
};

use super::admit::{self, Admitted};
use super::contract::{self, Contracted};
use super::{Arrival, Behind, ConnectionFate, ConnectionInfo, Exchange, Rejection};
use crate::active_plan::ActivePlan;
use crate::head::{RequestHead, ResponseHead};
use crate::http1::reader::Reader;
use crate::message::{Client, Sink, Source};
use crate::metrics::Metrics;
use crate::overload::Overload;
use crate::proxy::{Peers, Proxy};
use crate::spool::Spool;
use crate::stream::Stream;
use crate::tls::Tls;

const MB: u64 = 1 << 20;

fn settings() -> Settings {
    Settings {
        mode: Mode::Blocking,
        leaves: LeafSet::defaults(),
        accept: Accept {
            methods: ["GET", "HEAD", "POST", "PUT", "OPTIONS"].map(str::to_owned).to_vec(),
            content_types: Vec::new(),
            max_body_size: MB,
            max_url_length: 2_048,
            max_header_size: 16 << 10,
            max_header_count: 64,
            require_host_header: true,
        },
        inspection: Inspection {
            evaluation_timeout: Millis(10_000),
            max_inspect_size: MB,
            max_memory_buffer: MB,
            decompression_ratio_limit: 100,
            json_depth: 32,
            json_keys: 1_000,
            xml_depth: 32,
            xml_entities: 0,
        },
        multipart: Multipart {
            file_limit: 10,
            file_size: MB,
            allowed_types: Vec::new(),
            double_extension: true,
        },
        response_headers: ResponseHeaders { add: Vec::new(), strip: Vec::new() },
    }
}

fn route() -> Route {
    Route {
        id: RouteId("all".to_owned()),
        hosts: Vec::new(),
        paths: vec![PathPattern { text: String::new(), segments: vec![Segment::AnyNumber], rank: 0 }],
        upstream: Upstream {
            scheme: Scheme::Http,
            host: "upstream.test".to_owned(),
            port: 80,
            base_path: String::new(),
            authority: "upstream.test".to_owned(),
        },
        upstream_timeout: Millis(1_000),
        rewrite: Rewrite::Keep,
        settings: settings(),
        openapi: None,
        cors: None,
        error_response: None,
        rate_limit: None,
        exceptions: Vec::new(),
    }
}

/// A plan with one route for every request, as `change` leaves it.
pub(super) fn active_plan(change: impl FnOnce(&mut Plan, &mut Route)) -> Arc<ActivePlan> {
    // The engine of the first plan serves all of them.
    static FIRST: OnceLock<Arc<ActivePlan>> = OnceLock::new();
    let mut plan = Plan {
        listen: Listen::Plain { port: 8080 },
        data_dir: String::new(),
        health_port: None,
        metrics_port: None,
        audit_format: AuditFormat::Ocsf,
        tracing: None,
        trusted_proxies: Vec::new(),
        protocol: Protocol {
            slow_request_header_timeout: Millis(10_000),
            slow_request_min_rate_bps: 0,
            http2_max_concurrent_streams: 100,
            http2_max_continuation_frames: 8,
            http2_max_decoded_header_bytes: 64 << 10,
        },
        shadow_api_logging: false,
        error_response: None,
        global: settings(),
        contracts: Vec::new(),
        exceptions: Vec::new(),
        routes: Vec::new(),
    };
    let mut route = route();
    change(&mut plan, &mut route);
    plan.routes.push(route);
    let (bytes, _) = plan::encode(&plan).expect("a plan can be encoded");
    let (metrics, spool) = (Metrics::new(1), Spool::new(Overload::default()).0);
    let active = ActivePlan::build(&bytes, None, FIRST.get(), &metrics, &spool).expect("the plan is valid");
    FIRST.get_or_init(|| Arc::clone(&active));
    active
}

/// The JSON media type with the schema of this index.
fn json(id: u32) -> Media {
    Media { range: "application/json".to_owned(), schema: Some(SchemaId(id)), encodings: Vec::new() }
}

/// A parameter that is an integer.
fn parameter(name: &str, place: Place, style: Style) -> Parameter {
    Parameter {
        name: name.to_owned(),
        place,
        required: place == Place::Path,
        allows_empty: false,
        is_json: false,
        style,
        explode: false,
        schema: Some(SchemaId(0)),
    }
}

/// The schema of an object that has this member.
fn object(member: &str) -> Schema {
    Schema { keywords: vec![Keyword::Types(types::OBJECT), Keyword::Required(vec![member.to_owned()])] }
}

/// Gives `route` a contract that is enforced: `GET /orders/{id}` and `POST /orders`.
pub(super) fn add_contract(plan: &mut Plan, route: &mut Route) {
    let path = |template: &str, operation| ContractPath {
        template: template.to_owned(),
        bases: vec![String::new()],
        operations: vec![operation],
    };
    let get = Operation {
        method: "GET".to_owned(),
        parameters: vec![ParameterId(0), ParameterId(1)],
        body: None,
        responses: vec![Response {
            status: StatusRange::Class(2),
            content: vec![json(2)],
            headers: Vec::new(),
        }],
    };
    let post = Operation {
        method: "POST".to_owned(),
        parameters: Vec::new(),
        body: Some(RequestBody { required: true, content: vec![json(1)] }),
        responses: Vec::new(),
    };
    plan.contracts.push(Contract {
        paths: vec![path("/orders/{id}", get), path("/orders", post)],
        parameters: vec![
            parameter("id", Place::Path, Style::Simple),
            parameter("limit", Place::Query, Style::Form),
        ],
        schemas: vec![
            Schema { keywords: vec![Keyword::Types(types::INTEGER)] },
            object("name"),
            object("id"),
        ],
        patterns: Vec::new(),
        query_keys: Vec::new(),
    });
    let (spec, spec_digest) = ("orders.yaml".to_owned(), [0; 32]);
    route.openapi = Some(OpenApi { spec, spec_digest, contract: 0, strict: true });
    route.settings.leaves.insert(Leaf::ResponseInspectionOpenapiValidation);
}

/// A connection without TLS from 192.0.2.1.
pub(super) fn connection(arrival: Arrival) -> ConnectionInfo {
    let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
    let (peer, local) = (address("192.0.2.1:4000"), address("192.0.2.2:8080"));
    ConnectionInfo { peer, behind: Behind::Itself, local, arrival }
}

/// The head that `lines` are, without their last line ends.
pub(super) fn head(lines: &str) -> RequestHead {
    let text = lines.replace('\n', "\r\n") + "\r\n\r\n";
    RequestHead::parse(Bytes::from(text)).expect("a valid head")
}

/// The head of a response that `lines` are, without their last line ends.
pub(super) fn response(lines: &str) -> ResponseHead {
    let text = lines.replace('\n', "\r\n") + "\r\n\r\n";
    ResponseHead::parse(Bytes::from(text)).expect("a valid head")
}

/// A message of a database that a response must not carry.
pub(super) const LEAK: &str = "You have an error in your SQL syntax; check the manual that corresponds to your \
                               MySQL server version for the right syntax to use near ''1''' at line 1";

/// An exchange on a plan that `change` makes.
pub(super) fn exchange(change: impl FnOnce(&mut Plan, &mut Route)) -> Exchange {
    Exchange::new(active_plan(change), connection(Arrival::Plain))
}

/// Takes a head through admission.
pub(super) fn admit(head: RequestHead, exchange: &mut Exchange) -> Result<Admitted, Rejection> {
    let head = Arc::new(head);
    exchange.context.add_head(Arc::clone(&head));
    let arrived = admit::arrive(head, &mut exchange.findings)?;
    let route = admit::route(&arrived, &exchange.context, &mut exchange.findings)?;
    exchange.context.add_route(route);
    Ok(admit::admit(arrived, route, &exchange.context, &mut exchange.findings)?)
}

/// Takes a head through admission and the comparison with its contract.
pub(super) fn contracted(head: RequestHead, exchange: &mut Exchange) -> Contracted {
    let admitted = admit(head, exchange).expect("it is admitted");
    contract::head(admitted, &exchange.context, &mut exchange.findings).expect("it has no contract")
}

/// A proxy whose audit events are read and dropped.
pub(super) fn proxy() -> Arc<Proxy> {
    let (events, mut out) = std::os::unix::net::UnixStream::pair().expect("a pair");
    std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
    let sink = crate::audit::sink::Sink::new(events).expect("a sink");
    let tls = Tls::new(mpsc::channel(1).0).expect("settings of TLS");
    Proxy::new(sink, tls, Overload::default(), Peers::default())
}

/// The result of `run`, the answer that a client reads that sent `bytes` after its head, and the rest of its bytes.
pub(super) async fn with_client<T>(
    bytes: &[u8],
    run: impl AsyncFnOnce(&mut Client<'_>) -> T,
) -> (T, String, Vec<u8>) {
    let (ours, mut theirs) = tokio::io::duplex(1 << 20);
    theirs.write_all(bytes).await.expect("taken");
    let (reader, mut writer) = tokio::io::split(Stream::Memory(ours));
    let mut reader = Reader::new(reader);
    if !bytes.is_empty() {
        reader.fill().await.expect("read");
    }
    let mut client = Client { reader: Source::http1(&mut reader), writer: Sink::to_client(&mut writer) };
    let result = run(&mut client).await;
    let left = reader.buffered().to_vec();
    drop((reader, writer));
    let mut answer = Vec::new();
    theirs.read_to_end(&mut answer).await.expect("an end");
    (result, String::from_utf8_lossy(&answer).into_owned(), left)
}

/// Runs a whole exchange for a request, whose body and followers are `rest`.
pub(super) async fn run(
    lines: &str,
    rest: &[u8],
    exchange: &mut Exchange,
    proxy: &Proxy,
) -> (ConnectionFate, String) {
    let head = head(lines);
    let (fate, answer, _) =
        with_client(rest, async |client| super::run(head, client, proxy, exchange).await).await;
    (fate, answer)
}
