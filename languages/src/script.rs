//! JavaScript in a value: calls that run text or open a dialog, reaching for the page's objects, and the detours around
//! those names. A scanner over names and what stands around them, not a parser: a value is seldom a whole
//! program. It knows bytes alone.

use crate::language::{Context, Findings, Input, Language};

pub mod angular;
pub(crate) mod attribute;
mod break_out;
pub mod jsfuck;
mod page;
mod place;
mod scan;
mod sign;
mod sink;
mod triggers;
pub(crate) mod word;

pub use sign::JavascriptSign;

/// Script of a page.
#[derive(Debug)]
pub struct Javascript;

impl Language for Javascript {
    type Sign = JavascriptSign;
    const NAME: &'static str = "javascript";
    const TRIGGERS: &'static [&'static str] = triggers::TRIGGERS;

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, JavascriptSign>) {
        let bytes = input.bytes;
        scan::conclude(bytes, &mut |sign, context, offset| findings.add_line(sign, context, bytes, offset));
        if let Some(offset) = break_out::find(bytes) {
            findings.add_line(JavascriptSign::StringBreak, Context::Code, bytes, offset);
        }
    }
}
