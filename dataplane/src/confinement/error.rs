//! Faults of confinement that keep a worker from starting.

use std::io;

use super::identity::User;

/// The reason why a worker cannot be confined.
#[derive(Debug, thiserror::Error)]
pub enum ConfinementError {
    /// Started as root without the capabilities that changing the user takes.
    #[error(
        "the user cannot be changed to {user}: give root CAP_SETUID and CAP_SETGID, start as that user instead, \
         or stay root with `--user 0:0`"
    )]
    User {
        /// Who the worker should have become.
        user: User,
        /// Error of the system.
        #[source]
        source: io::Error,
    },
    /// A right that could not be given up.
    #[error("{what} cannot be given up")]
    Right {
        /// Which one.
        what: &'static str,
        /// Error of the system.
        #[source]
        source: io::Error,
    },
    /// A resource limit cannot be set.
    #[error("the limit on {what} cannot be set")]
    Limit {
        /// Which one.
        what: &'static str,
        /// Error of the system.
        #[source]
        source: io::Error,
    },
    /// Landlock is there and refuses the rules.
    #[error("access to files cannot be restricted")]
    Files(#[from] landlock::RulesetError),
    /// The list of system calls cannot be made into a filter.
    #[error("the list of system calls cannot be compiled")]
    Compile(#[from] seccompiler::BackendError),
    /// seccomp is there and refuses the filter.
    #[error("system calls cannot be restricted")]
    Calls(#[from] seccompiler::Error),
}
