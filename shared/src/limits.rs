//! Every bound that no field of the configuration sets, each with its reason.

mod certificates;
mod protocols;

pub use certificates::*;
pub use protocols::*;

use std::time::Duration;

/// Bytes of an encoded plan. A 1,000-route configuration with inlined contracts stays far below it.
pub const PLAN_BYTES_MAX: usize = 64 << 20;

/// Bytes of a control frame: a plan and its envelope.
pub const CONTROL_FRAME_BYTES_MAX: usize = PLAN_BYTES_MAX + 4096;

/// Seconds from the first byte of a control frame to its last; a peer that takes longer is broken.
pub const CONTROL_FRAME_SECONDS: u64 = 10;

/// Listening sockets of one offer: a plain port, or 443 and 80, with room for one more pair while ports move.
pub const LISTENERS_MAX: usize = 4;

/// Descriptors that travel with one offer: those of its listening sockets, and the memory of its rate limits.
pub const DESCRIPTORS_MAX: usize = LISTENERS_MAX + 1;

/// Keys that one rate limit tracks, whatever `max_keys` says: some 5 GB of shared memory when all of them are in use.
pub const RATE_LIMIT_KEYS_MAX: u64 = 10_000_000;

/// Requests of one rate limit's window: far beyond what can be served in one.
pub const RATE_LIMIT_REQUESTS_MAX: u64 = 100_000_000_000;

/// Bytes of the memory object of all rate limits. It is address space and never reused, so that nothing that still
/// counts in an old table can be disturbed; memory is what is touched.
pub const RATE_LIMIT_SPACE_BYTES: u64 = 1 << 60;

/// Attempts to find or count a key before a request is refused. Each failed one means that another request of it was
/// counted, or the key displaced, at the same moment.
pub const RATE_LIMIT_TRIES_MAX: usize = 4096;

/// For one owner of a rate limit's lock before it is taken for dead: a hundred thousand times what it needs, so that
/// one that waits for the processor keeps it mostly, and a request that waits for a dead one is hardly late.
pub const RATE_LIMIT_LEASE: Duration = Duration::from_millis(20);

/// For a rate limit's lock before a request is refused.
pub const RATE_LIMIT_WAIT: Duration = Duration::from_secs(1);

/// Milliseconds between two looks at the memory that a worker takes.
pub const SHORT_OF_MEMORY_MILLISECONDS: u64 = 50;

/// Requests that a worker begins to serve between two looks however much memory it takes.
pub const REQUESTS_WHEN_SHORT: usize = 8;

/// Seconds for which a connection waits for one of a worker's places before it is answered 503.
pub const FULL_SECONDS: u64 = 1;

/// Connections that a worker without a free place answers 503 at once.
pub const FULL_ANSWERS_MAX: usize = 16;

/// Requests in flight that one worker's journal has room for; more than that are not written down.
pub const JOURNAL_SLOTS: usize = 1024;

/// Files for bodies that a worker waits for at once; more wait to ask.
pub const SPOOL_WAITING: usize = 256;

/// Seconds for a file of a body to be made, written or read: a disk that takes longer is as good as full.
pub const DISK_SECONDS: u64 = 10;

/// Bytes of a worker's reason for rejecting a plan. Longer reasons are cut: they are for people.
pub const REASON_BYTES_MAX: usize = 4096;

/// Bytes of a configuration file. Larger files are a mistake (a wrong path, a device).
pub const CONFIG_BYTES_MAX: usize = 16 << 20;

/// Nesting of the configuration document; the schema itself needs 6.
pub const CONFIG_DEPTH_MAX: usize = 64;

/// Nodes of the configuration document, counted with every alias expanded.
pub const CONFIG_NODES_MAX: usize = 1_000_000;

/// Routes of one configuration.
pub const ROUTES_MAX: usize = 10_000;

/// Exceptions of one route, those of `global` and of presets included: each finding is compared with all of them.
pub const EXCEPTIONS_MAX: usize = 256;

/// Entries of each list of one exception.
pub const EXCEPTION_ENTRIES_MAX: usize = 64;

/// Characters of the name that an exception has in metrics.
pub const EXCEPTION_NAME_CHARS_MAX: usize = 160;

/// Audit events that suggestions of exceptions are made from; of more the first.
pub const EVENTS_SUGGESTED_MAX: usize = 100_000;

/// Wildcards in the name of one place.
pub const PLACE_WILDCARDS_MAX: usize = 8;

/// Characters of a route's id: it is part of every event, span and metric of the route, and of messages.
pub const ROUTE_ID_BYTES_MAX: usize = 253;

/// Bytes of a request's header block that no mode forwards (431).
pub const HEAD_BYTES_MAX: usize = 1 << 20;

/// Fields of a request's header block that no mode forwards (431).
pub const HEAD_FIELDS_MAX: usize = 10_000;

/// Bytes of a request target that no mode forwards (414).
pub const TARGET_BYTES_MAX: usize = 65_534;

/// Bytes of an upstream's response head. Larger than any server sends by default.
pub const RESPONSE_HEAD_BYTES_MAX: usize = 256 << 10;

/// Interim (1xx) responses before the final one: an upstream that never ends them is broken.
pub const INTERIM_RESPONSES_MAX: usize = 64;

/// Arguments of one request that are inspected as such (`request-validation-argument-limits`).
pub const ARGUMENTS_MAX: usize = 1_000;

/// Bytes of an argument's name (`request-validation-argument-limits`). Grids and trackers write whole paths into names.
pub const ARGUMENT_NAME_BYTES_MAX: usize = 1_024;

/// Bytes of the name of a field, or of its path through a document, that are kept and that events show.
pub const FIELD_NAME_BYTES_MAX: usize = 256;

/// Evidence that blocks.
pub const SCORE_BLOCKS: u32 = 5;

/// Matches that one verdict keeps in full; the audit contract allows 64.
pub const MATCHES_MAX: usize = 32;

/// Bytes of a matched value that an event may quote.
pub const EXCERPT_BYTES_MAX: usize = 64;

/// Seconds after which an idle client connection is closed.
pub const KEEP_ALIVE_SECONDS: u64 = 75;

/// Seconds for which no byte may pass through an upgraded connection, in either direction.
pub const TUNNEL_IDLE_SECONDS: u64 = 3600;

/// Seconds for which a client may take no byte of its answer, and over which its rate of taking is judged.
pub const CLIENT_STALL_SECONDS: u64 = 10;

/// Bytes of an answer that wait unsent in the kernel for a client. Beyond half of it a write waits: what a slow client
/// takes is seen in steps of this half, which have to be smaller than what it must take in [`CLIENT_STALL_SECONDS`].
pub const CLIENT_UNSENT_BYTES: u32 = 16 << 10;

/// Bytes that are kept of what a client sends while it waits for an answer. Beyond it is not read, nor seen leaving.
pub const PIPELINED_BYTES_MAX: usize = 64 << 10;

/// Bytes of audit events that wait in the supervisor for a slow consumer of stdout.
pub const AUDIT_QUEUE_BYTES_MAX: usize = 64 << 20;

/// Bytes of one line of a worker's audit stream. Events quote at most a few kilobytes.
pub const AUDIT_LINE_BYTES_MAX: usize = 1 << 20;

/// Seconds for which a request waits for room in the audit queue before it is refused.
pub const AUDIT_WAIT_SECONDS: u64 = 10;

/// Bytes of one line of the access log, and of what is written of it at once: a pipe takes as much without mixing it with
/// what others write (POSIX `PIPE_BUF` on Linux).
pub const ACCESS_LINE_BYTES_MAX: usize = 4096;

/// Lines of the access log that wait for the file. More are dropped, and counted: a file that hangs must cost memory only
/// so far, and no request.
pub const ACCESS_LINES_WAITING: usize = 4096;

/// Kinds of differences between two plans that a worker counts apart between two reports. Beyond them the rule is not
/// named.
pub const SHADOW_DIFFERENCES_MAX: usize = 1024;

/// Rules of one request that a difference is counted for.
pub const SHADOW_RULES_MAX: usize = 8;

/// Bytes of a recorded body. A longer one is left out of its recording.
pub const RECORD_BODY_BYTES_MAX: usize = 64 << 10;

/// Recorded requests that wait for their file. More are dropped and counted.
pub const RECORD_LINES_WAITING: usize = 64;

/// Seconds that the lines that wait get at the end of a worker.
pub const ACCESS_FLUSH_SECONDS: u64 = 1;

/// Bytes of addresses and TLVs in a PROXY protocol header of version 2. A client's certificate fits; the field could
/// announce four times as much.
pub const PROXY_HEADER_BYTES_MAX: usize = 16 << 10;

/// Exchanges whose spans wait for the export. More are dropped, and counted: a slow collector must cost memory only so
/// far.
pub const TRACE_QUEUE_EXCHANGES_MAX: usize = 4_096;

/// Spans of one export, as the OpenTelemetry specification has it.
pub const TRACE_BATCH_SPANS_MAX: usize = 512;

/// Milliseconds for which a span waits for others to be exported with.
pub const TRACE_DELAY_MILLISECONDS: u64 = 1_000;

/// Seconds for one export where no timeout is set (OpenTelemetry protocol exporter specification).
pub const TRACE_TIMEOUT_SECONDS: u64 = 10;

/// Bytes of a collector's answer that are read.
pub const TRACE_ANSWER_BYTES_MAX: usize = 64 << 10;

/// Seconds that spans get to leave at a stop, within what is left of the drain.
pub const TRACE_FLUSH_SECONDS: u64 = 2;

/// Seconds that requests in flight get to finish at a stop.
pub const DRAIN_SECONDS: u64 = 30;

/// Seconds that requests in flight get at most in a worker whose supervisor is dead, so that the process is gone within
/// 30: nobody is left to end it, and a new supervisor's workers need its memory.
pub const ORPHAN_DRAIN_SECONDS: u64 = 28;

/// Seconds that a new program gets to become ready at an upgrade; what serves goes on serving meanwhile.
pub const UPGRADE_SECONDS: u64 = 30;

/// Listening sockets that a service manager or an older supervisor may hand over: one message carries them all.
pub const HANDED_SOCKETS_MAX: usize = 64;

/// Bytes of what an older supervisor hands over beside descriptors: some 250 bytes for each rate limit.
pub const HANDOVER_BYTES_MAX: usize = 16 << 20;

/// Seconds in which a worker has to answer an offered plan before it is replaced.
pub const PREPARE_SECONDS: u64 = 10;

/// Seconds for which a client may send no byte of a body that it announced (408).
pub const BODY_STALL_SECONDS: u64 = 15;

/// Seconds for which a gRPC call may send nothing: calls that stay open wait for what their client has to say.
pub const STREAM_STALL_SECONDS: u64 = 600;

/// Seconds for connecting to an upstream, TLS included; `upstream_timeout` may be shorter.
pub const CONNECT_SECONDS: u64 = 10;

/// Addresses of one upstream's name that are used; of more the first.
pub const UPSTREAM_ADDRESSES_MAX: usize = 64;

/// Addresses that one request tries to connect to.
pub const UPSTREAM_ATTEMPTS_MAX: usize = 8;

/// Seconds after which an upstream's name is resolved again although every request finds an open connection.
pub const UPSTREAM_RESOLVE_SECONDS: u64 = 5;

/// Seconds for which open connections to an address serve that the last answers of the resolver lack: a resolver that
/// names a few of many in turn must not cost a new connection for each request.
pub const UPSTREAM_ADDRESS_SECONDS: u64 = 10;

/// Seconds for which an address that accepts no connections is left out at most; the first time it is one second, and
/// each time it doubles.
pub const UPSTREAM_PAUSE_MAX_SECONDS: u64 = 60;

/// Open connections of one worker to one upstream. More requests wait for one to become free.
pub const UPSTREAM_CONNECTIONS_MAX: usize = 1_024;

/// Upgraded connections of one worker to one upstream; they last for hours, and must not take the place of requests.
pub const UPSTREAM_TUNNELS_MAX: usize = 1_024;

/// Percent of the connections to one upstream that one client may take, where client addresses are known.
pub const CLIENT_SHARE_KNOWN_PERCENT: u8 = 25;

/// The same where a balancer in front may stand for many clients: what is left is for everybody else.
pub const CLIENT_SHARE_UNKNOWN_PERCENT: u8 = 75;

/// Idle connections that one worker keeps to one upstream.
pub const UPSTREAM_IDLE_MAX: usize = 128;

/// Seconds after which an idle upstream connection is closed: below what common servers allow (60 s).
pub const UPSTREAM_IDLE_SECONDS: u64 = 50;

/// Seconds of idleness after which an upstream connection serves only requests that may be tried again:
/// several servers close at 5 s, and a request with a body lost in that race cannot be repeated.
pub const UPSTREAM_FRESH_SECONDS: u64 = 3;

/// Bytes asked of a socket in one read.
pub const READ_BYTES: usize = 16 << 10;

/// Bytes and seconds for which a closing connection is still read, so that the client gets its answer before a reset.
pub const LINGER_BYTES_MAX: usize = 1 << 20;

/// See [`LINGER_BYTES_MAX`].
pub const LINGER_SECONDS: u64 = 2;

/// Client connections of one worker, when the limit on open files allows them.
pub const CLIENT_CONNECTIONS_MAX: usize = 20_000;

/// Milliseconds for which an idle connection may still bring a request after a stop began: the client may have sent it
/// before it could know.
pub const STOP_GRACE_MILLISECONDS: u64 = 500;

/// Bytes of a recorded request that the linter reads: the largest body that is inspected, and a head.
pub const RECORDED_REQUEST_BYTES_MAX: u64 = 12 << 20;

/// Bytes of one HTTP/2 stream's body that may be on their way before we have taken any.
pub const HTTP2_STREAM_WINDOW_BYTES: u32 = 256 << 10;

/// Bytes of all bodies of one HTTP/2 connection that may be on their way: what a client can make us hold.
pub const HTTP2_CONNECTION_WINDOW_BYTES: u32 = 512 << 10;

/// Bytes of one HTTP/2 stream's answer that wait for its client.
pub const HTTP2_SEND_BUFFER_BYTES: usize = 64 << 10;

/// Seconds for which data of an HTTP/2 request is passed over that was answered before it was whole.
pub const HTTP2_LATE_SECONDS: u64 = 10;

/// Seconds for which an HTTP/2 stream may wait for its turn while others of its connection move.
pub const HTTP2_TURN_SECONDS: u64 = 60;

/// Milliseconds of silence after which a response of unknown length streams, judged or not: its reader may be waiting.
pub const RESPONSE_SILENCE_MILLISECONDS: u64 = 50;

/// Bytes of all answers of one HTTP/2 connection to an upstream that may be on their way.
pub const HTTP2_UPSTREAM_WINDOW_BYTES: u32 = 1 << 20;

/// Requests at once on one HTTP/2 connection to an upstream; more open another one.
pub const HTTP2_UPSTREAM_STREAMS_MAX: usize = 100;

/// Bytes of the head of a multipart part: many times what a browser writes.
pub const PART_HEAD_BYTES_MAX: usize = 8 << 10;

/// Headers of a multipart part.
pub const PART_FIELDS_MAX: usize = 16;

/// Seconds between two reports of a worker's counters: what a killed worker takes with it at most.
pub const REPORT_SECONDS: u64 = 1;

/// Upstreams of one report; more are sent in several.
pub const REPORT_UPSTREAMS_MAX: usize = 512;

/// Routes of one report; more are sent in several.
pub const REPORT_ROUTES_MAX: usize = 512;

/// Certificates that one service holds. With chains of some kilobytes they fit into one control frame.
pub const CERTIFICATES_MAX: usize = 10_000;

/// Bytes of a certificate chain in PEM: many times what authorities issue.
pub const CHAIN_BYTES_MAX: usize = 64 << 10;

/// Bytes of a private key in PEM. An RSA key of 16,384 bits takes 13 KB.
pub const PRIVATE_KEY_BYTES_MAX: usize = 16 << 10;

/// Certificates for names below wildcards that one service holds: clients choose those names.
pub const CERTIFICATES_ON_DEMAND_MAX: usize = 1_000;
/// Files that one OpenAPI document may refer to.
pub const CONTRACT_FILES_MAX: usize = 256;

/// Values of all files of one OpenAPI document, aliases expanded.
pub const CONTRACT_NODES_MAX: usize = 4_000_000;

/// Schemas of one contract.
pub const CONTRACT_SCHEMAS_MAX: usize = 200_000;

/// References that lead from one to the next before one of them is taken for a circle.
pub const CONTRACT_REFERENCES_MAX: usize = 64;

/// Values of one JSON text or form that are judged; what follows is judged as if it were cut off there.
pub const CONTRACT_VALUES_MAX: usize = 1 << 18;

/// Nesting of a JSON text that is judged; `json_depth` allows at most 1,000.
pub const CONTRACT_DEPTH_MAX: usize = 1_024;

/// Schemas that are applied within one another while one value is judged. An honest document of the greatest depth
/// takes a few for each of its levels.
pub const CONTRACT_NESTING_MAX: u32 = 2_560;

/// Keywords that are judged for one message: milliseconds, where a large honest message takes microseconds.
pub const CONTRACT_STEPS_MAX: u32 = 2_000_000;

/// Bytes of a regular expression of a contract, compiled.
pub const CONTRACT_PATTERN_BYTES_MAX: usize = 4 << 20;

/// New names below wildcards that certificates are ordered for in an hour; Let's Encrypt issues fifty in a week for one
/// registered domain, and takes five failures an hour for one name.
pub const NEW_NAMES_PER_HOUR: usize = 20;

/// Orders for certificates under way at once.
pub const ACME_ORDERS_MAX: usize = 8;

/// Seconds for one request to a certificate authority, connecting included.
pub const ACME_REQUEST_SECONDS: u64 = 30;

/// Bytes of one answer of a certificate authority.
pub const ACME_ANSWER_BYTES_MAX: usize = 1 << 20;

/// Seconds for the program that adds a record for DNS-01 or removes it, waiting for its name servers included.
pub const DNS_HOOK_SECONDS: u64 = 120;

/// Messages of one run of that program that are logged.
pub const DNS_HOOK_LINES_MAX: usize = 50;
