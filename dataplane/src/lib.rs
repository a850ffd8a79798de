//! The data plane: a reverse proxy that inspects. A worker holds one [`proxy::Proxy`]; each connection runs exchanges;
//! an exchange goes through the stages of `exchange.rs`. It knows plans, never YAML or the operator's files.

pub mod active_plan;

pub mod proxy;

mod accept;

mod connection;

mod exchange;

mod inspection_pool;

mod refusal;

mod answer;

mod grpc;

mod coding;

mod target;

pub mod client_address;

pub mod contracts;
pub mod rate_limit;

mod request_id;

pub mod upstream;

pub mod stream;

pub mod tls;

mod error_text;

mod wire;

mod min_rate;

mod message;

mod websocket;

pub mod head;

pub mod http1;

mod http2;

pub mod audit;

pub mod metrics;

pub mod trace;

pub mod confinement;

pub mod overload;

pub mod spool;

pub mod journal;

mod access_log;

mod record;

mod shadow;

mod turns;

pub mod proxy_protocol;

pub mod worker;
