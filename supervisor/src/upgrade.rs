//! Hot upgrade: a running supervisor starts the program that lies on disk now, hands it what must not be lost, and
//! leaves once the new one serves. If that does not come to pass, it goes on as if nothing had happened.
//!
//! In reading order: which program is started ([`program`]), what is handed over ([`handover`]) and how it travels
//! ([`packet`]), the old side ([`successor`]), the new side ([`predecessor`]), where anybody can read how it went
//! ([`status`]), and the command that asks for it ([`order`]).
//!
//! ```text
//! old                                         new
//! start the program, its standard input the line
//! handover, descriptors ──────────────────────►  adopt, compile, start workers, serve
//!                     ◄──────────────────────  Ready
//! Go                  ──────────────────────►  in charge
//! drain, exit 0
//! ```

pub mod handover;
pub mod order;
pub mod packet;
pub mod predecessor;
pub mod program;
pub mod status;
pub mod successor;
