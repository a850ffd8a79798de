//! Attacks in every disguise that is known: technique by technique, and encodings at random over everything.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "evasion/encodings.rs"]
mod encodings;
#[path = "evasion/sent.rs"]
mod sent;
#[path = "evasion/techniques.rs"]
mod techniques;
