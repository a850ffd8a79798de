//! Content of an audit event. The exchange builds an [`Event`]; this module knows only facts and how the
//! published schemas spell them. It must not know connections, stages or the configuration.
//! The field contract is described in `docs/audit.md`.

pub(crate) mod access;
mod authority;
pub(crate) mod difference;
mod event;
mod facts;
mod json;
mod mask;
pub(crate) mod recorded;
mod text;
mod timestamp;
pub(crate) mod url;

mod ecs;
mod ocsf;
mod product;

pub mod reference;
pub mod sink;

use waf_shared::plan::AuditFormat;

pub use event::{DECIDES, Disposition, Event, EventFinding, Protection, REMARK, Tls, Trace, deciding_first};
use facts::Facts;
use json::Object;

/// Bytes that most lines have, and more for each match: a guess that spares the line from growing piece by piece.
const LINE_BYTES: usize = 2 << 10;
const MATCH_BYTES: usize = 320;

/// Appends `event` to `out` in `format`, as one line with its newline. Each call makes a new event id.
pub fn write(event: &Event<'_>, format: AuditFormat, out: &mut Vec<u8>) {
    let facts = Facts::of(event);
    let mut uid = uuid::Uuid::encode_buffer();
    let uid = &*uuid::Uuid::now_v7().as_hyphenated().encode_lower(&mut uid);
    out.reserve(LINE_BYTES + facts.matches.len() * MATCH_BYTES);
    Object::write(out, |document| match format {
        AuditFormat::Ocsf => ocsf::write(event, &facts, uid, document),
        AuditFormat::Ecs => ecs::write(event, &facts, uid, document),
    });
    out.push(b'\n');
}

#[cfg(test)]
mod tests;
