//! Messages between the supervisor and a worker, as plain data: one message each way per step of the handover
//! `Offer → Prepared | Rejected → Commit | Abandon → Active`, beside it what TLS needs and a plan never holds, and
//! reports of what workers count. It knows the bytes of a frame and nothing of the socket that carries them.

mod certificates;
mod frame;
mod shadow;

pub use certificates::{
    AlpnChallenge, CertificatePair, Certificates, Challenges, Excess, HttpChallenge, Secret, TicketKey,
    Tickets,
};

pub use shadow::{Decision, ShadowDifference, ShadowPlan, ShadowReport, ShadowResult, Share};

pub use frame::{FRAME_VERSION, FrameError, HEADER_BYTES, Header, decode, encode};

use bincode::{Decode, Encode};

use crate::metrics::Report;
use crate::plan::{Digest, Millis};

/// Number of one offer. It only grows while a supervisor lives, and every offer, also of a plan that was offered
/// before, takes a fresh one: an answer that comes late can never be taken for an answer to something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct Generation(pub u64);

impl std::fmt::Display for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Number of a bound socket, unique while a supervisor lives. A worker that already serves a socket keeps its accept
/// loop when the same number is offered again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub struct SocketId(pub u64);

/// A listening socket whose descriptor travels with the frame, in the order of [`Offer::listeners`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub struct Listener {
    /// Which socket.
    pub socket: SocketId,
    /// TCP port that it is bound to.
    pub port: u16,
    /// Protocol of the socket.
    pub role: Role,
}

/// Purpose of a listening socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub enum Role {
    /// Mode 3: plain HTTP that is proxied.
    Plain,
    /// Modes 1 and 2: HTTP over TLS that is proxied.
    Https,
    /// Modes 1 and 2: plain HTTP that is sent on to HTTPS, and challenges. Nothing is proxied there.
    Redirect,
}

/// A whole configuration, offered.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Offer {
    /// Number of this offer.
    pub generation: Generation,
    /// Name of the plan.
    pub digest: Digest,
    /// The encoded plan.
    pub plan: Vec<u8>,
    /// Sockets to serve on once committed; never more than [`crate::limits::LISTENERS_MAX`].
    pub listeners: Vec<Listener>,
    /// Memory in which requests are counted; `None` when the plan has no rate limit.
    pub counts: Option<Counts>,
}

/// Shared memory for rate limits. Its descriptor travels behind those of the listeners.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Counts {
    /// Secret of this supervisor, by which keys become places in a table: no client can aim at another's.
    pub hash_key: [u8; 16],
    /// Start of each table, in bytes, in the order of [`crate::rate_limit::tables`].
    pub offsets: Vec<u64>,
}

/// Content of a frame.
pub trait Message: Encode + Decode<()> {}

impl Message for ToWorker {}

impl Message for ToSupervisor {}

/// From the supervisor to a worker.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum ToWorker {
    /// Make this plan ready; what is in force goes on serving. Replaces an earlier offer that was not committed.
    Offer(Offer),
    /// Serve with the plan of this offer from now on.
    Commit(Generation),
    /// Forget the plan of this offer.
    Abandon(Generation),
    /// Stop accepting, finish what is in flight for at most so long, then exit.
    Drain(Millis),
    /// Serve these certificates from now on, in place of all earlier ones; connections stay as they are.
    Certificates(Certificates),
    /// Use these ticket keys from now on, in place of all earlier ones.
    Tickets(Tickets),
    /// Answer these challenges from now on, and no others.
    Challenges(Challenges),
    /// Write down in this memory what is in flight; its descriptor travels with the frame. Sent once, first of all.
    Journal,
    /// Write the access log to this file from now on; its descriptor travels with the frame.
    AccessLog,
    /// The file that was asked for under this number; its descriptor travels with the frame unless there is none.
    Spool {
        /// Which question is answered.
        ticket: u64,
        /// Reason why there is no file; at most [`crate::limits::REASON_BYTES_MAX`] bytes.
        refused: Option<String>,
    },
    /// Judge a share of the requests by this plan too, in place of an earlier one; none judges any more without one.
    Shadow(Option<ShadowPlan>),
    /// Write differences to this file from now on; its descriptor travels with the frame.
    ShadowLog,
    /// Record a share of the requests in this file from now on; its descriptor travels with the frame.
    Record {
        /// Share of the requests.
        share: Share,
        /// Bytes that the file takes at most.
        bytes_max: u64,
    },
}

/// From a worker to the supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum ToSupervisor {
    /// The plan of this offer is ready: a commit cannot fail any more.
    Prepared(Generation),
    /// The plan of this offer cannot be served.
    Rejected {
        /// Which offer.
        generation: Generation,
        /// For the operator; at most [`crate::limits::REASON_BYTES_MAX`] bytes.
        why: String,
    },
    /// The plan of this offer serves, on every socket of the offer.
    Active(Generation),
    /// Counts since the last report.
    Counted(Report),
    /// The challenges of this revision are answered.
    Challenged(u64),
    /// Clients asked for these server names, which a wildcard of the configuration covers and no certificate does.
    /// Lower case; at most [`crate::limits::UNSERVED_NAMES_MAX`] in one message, each at most once a minute from one
    /// worker.
    Unserved(Vec<String>),
    /// A body needs a file to wait in. The number is answered once.
    Spool(u64),
    /// Counts of the second plan since the last report.
    Shadowed(ShadowReport),
    /// The file of recorded requests takes no more.
    RecordFull,
}
