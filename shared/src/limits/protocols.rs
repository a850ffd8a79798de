//! Bounds of protocols on top of HTTP: WebSocket and GraphQL.

/// Brackets around the innermost field of a GraphQL document. Introspection by tools takes 20.
pub const GRAPHQL_DEPTH_MAX: u64 = 50;

/// Aliases of a GraphQL document.
pub const GRAPHQL_ALIASES_MAX: u64 = 500;

/// Fields of a GraphQL document.
pub const GRAPHQL_FIELDS_MAX: u64 = 5_000;

/// Directives of a GraphQL document.
pub const GRAPHQL_DIRECTIVES_MAX: u64 = 500;

/// GraphQL documents in one request.
pub const GRAPHQL_BATCH_MAX: u32 = 100;

/// Seconds in which a message of a WebSocket that waits for its verdict has to be whole. Its bytes lie in memory.
pub const WEBSOCKET_MESSAGE_SECONDS: u64 = 60;

/// Fragments of a message that waits for its verdict: their heads lie in memory beside it.
pub const WEBSOCKET_FRAGMENTS_MAX: u32 = 16_384;

/// Control frames and empty fragments in one second on a WebSocket. Clients send a ping every few seconds.
pub const WEBSOCKET_CONTROL_FRAMES_MAX: u32 = 500;

/// Messages in one second on a WebSocket; more are read later, so that one connection does not take a core for itself.
pub const WEBSOCKET_MESSAGES_MAX: u32 = 50_000;

/// Seconds that either side gets to take its close frame and to close.
pub const WEBSOCKET_CLOSE_SECONDS: u64 = 5;

/// Audit events of one WebSocket in `detect_only`; later messages are counted alone.
pub const WEBSOCKET_EVENTS_MAX: u32 = 100;
