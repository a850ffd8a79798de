//! The compiler from outside: one program, so that it is linked once.
#![allow(clippy::unwrap_used, reason = "a failing fixture fails the test")]

mod bounds;
mod cli;
mod common;
mod contracts;
mod event_report;
mod exceptions;
mod exclusions;
mod messages;
mod openapi;
mod plans;
mod policy;
mod presets;
mod replay;
mod robust;
mod settings;
mod suggest;
mod warnings;
