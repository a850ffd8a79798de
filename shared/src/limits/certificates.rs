//! Bounds of certificates, session tickets and TLS handshakes.

/// Seconds for one order, from the first request to the certificate.
pub const ACME_ORDER_SECONDS: u64 = 300;

/// Keys that open session tickets: the one that makes them and as many as their lifetime needs.
pub const TICKET_KEYS_MAX: usize = 4;

/// Seconds for which a ticket key makes tickets.
pub const TICKET_KEY_SECONDS: u64 = 6 * 3600;

/// Seconds for which a ticket is good: the keys before the current one are kept as long as that.
pub const TICKET_SECONDS: u64 = 2 * TICKET_KEY_SECONDS;

/// Challenges of a certificate authority that are open at once, of each kind.
pub const CHALLENGES_MAX: usize = 1_000;

/// Bytes of one challenge's answer.
pub const CHALLENGE_BYTES_MAX: usize = 8 << 10;

/// Server names without a certificate that one message from a worker reports.
pub const UNSERVED_NAMES_MAX: usize = 64;

/// Seconds for which a worker does not report the same server name again.
pub const UNSERVED_PAUSE_SECONDS: u64 = 60;

/// Seconds from the first byte of a TLS handshake, or the connection before it, to its end.
pub const HANDSHAKE_SECONDS: u64 = 10;

/// TLS handshakes of one worker at once; more connections wait to be accepted.
pub const HANDSHAKES_MAX: usize = 4_096;
