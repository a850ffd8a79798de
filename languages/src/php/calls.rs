//! Calls: every opening parenthesis with a callee before it, and what the pair of them says.

use super::bytes::{is_name, is_punctuation};
use super::callee::{self, Callee, Gap, Kind};
use super::names::is_superglobal;
use super::names::{self, Function};
use super::sign::PhpSign;
use crate::language::{Context, Findings};

/// Bytes in which the parenthesis of a call closes.
const ARGUMENTS_BYTES_MAX: usize = 512;

/// What a call's arguments begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Argument {
    Empty,
    Quoted,
    Variable,
    /// A variable that the client fills.
    Tainted,
    /// Digits and nothing else.
    Number,
    Word,
    Other,
}

/// A call as it stands.
struct Call<'a> {
    bytes: &'a [u8],
    callee: Callee,
    argument: Argument,
    /// What stands between the parentheses, as far as it is read.
    inside: &'a [u8],
    /// Whether its parenthesis closes, or may do so behind what is read.
    closed: bool,
    /// What follows the call.
    after: &'a [u8],
    surroundings: Context,
}

pub(super) fn scan(bytes: &[u8], surroundings: Context, findings: &mut Findings<'_, PhpSign>) {
    for paren in memchr::memchr_iter(b'(', bytes) {
        let Some(callee) = callee::before(bytes, paren) else { continue };
        let rest = bytes.get(paren + 1..).unwrap_or_default();
        let close = closing(bytes, paren);
        let end = close.unwrap_or(bytes.len());
        let call = Call {
            bytes,
            callee,
            argument: argument(rest),
            inside: rest.get(..(end - paren).saturating_sub(2).min(ARGUMENTS_BYTES_MAX)).unwrap_or(rest),
            closed: close.is_some() || rest.len() > ARGUMENTS_BYTES_MAX,
            after: bytes.get(end..).unwrap_or_default().trim_ascii_start(),
            surroundings,
        };
        // One or several of them: `file(s)`, `copy(es)`.
        if matches!(call.inside, b"s" | b"es" | b"S") {
            continue;
        }
        let Some(sign) = call.sign() else { continue };
        let sole = surroundings != Context::Prose && call.stands_alone();
        findings.add(
            sign,
            if sole { Context::Sole } else { surroundings },
            callee.start,
            close.unwrap_or(paren + 1).saturating_sub(callee.start),
        );
    }
}

/// A number and a unit behind it, which is no expression of PHP: `-7 days`.
fn is_quantity(inside: &[u8]) -> bool {
    let digits = inside.strip_prefix(b"-").or(inside.strip_prefix(b"+")).unwrap_or(inside);
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unit = digits.get(length..).and_then(|rest| rest.strip_prefix(b" ")).unwrap_or_default();
    length > 0 && !unit.is_empty() && unit.iter().all(u8::is_ascii_alphabetic)
}

/// Whether anything stands before a parenthesis that could be called: told without looking at what it is called with.
pub(super) fn may_call(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'(', bytes).any(|paren| {
        match callee::before(bytes, paren).map(|callee| callee.kind) {
            Some(Kind::Name { from, to }) => bytes
                .get(from..to)
                .is_some_and(|name| names::function(name).is_some() || names::ends_dangerously(name)),
            Some(_) => true,
            None => false,
        }
    })
}

impl Call<'_> {
    fn sign(&self) -> Option<PhpSign> {
        let Callee { kind, start, gap, .. } = self.callee;
        match kind {
            Kind::Name { from, to } => self.named(self.bytes.get(from..to)?),
            Kind::Variable => {
                let name = self.bytes.get(start + 1..).unwrap_or_default();
                let length = name.iter().take_while(|byte| is_name(**byte)).count();
                let helper = names::is_helper(name.get(..length).unwrap_or_default());
                let apart = gap == Gap::Space && matches!(self.argument, Argument::Word | Argument::Other);
                // One that never closes is noise: a password has as much.
                (self.closed && !apart && !helper && !is_quantity(self.inside))
                    .then_some(PhpSign::VariableCall)
            }
            Kind::Parenthesized | Kind::Indexed => {
                matches!(self.argument, Argument::Quoted | Argument::Tainted).then_some(PhpSign::IndirectCall)
            }
            // `(system) (file)`: words in brackets, unless a statement ends behind them.
            Kind::Folded(_, false) if self.argument == Argument::Word && gap == Gap::Space => {
                self.after.starts_with(b";").then_some(PhpSign::IndirectCall)
            }
            Kind::Folded(_, quoted) => {
                (quoted || self.argument != Argument::Other).then_some(PhpSign::IndirectCall)
            }
        }
    }

    fn named(&self, name: &[u8]) -> Option<PhpSign> {
        let function =
            names::function(name).or_else(|| names::ends_dangerously(name).then_some(Function::Dangerous))?;
        let (gap, argument) = (self.callee.gap, self.argument);
        if gap == Gap::Comment || gap == Gap::LineComment && self.surroundings != Context::Prose {
            return Some(PhpSign::CommentedCall);
        }
        if self.callee.member {
            return None;
        }
        if argument == Argument::Tainted {
            return Some(PhpSign::TaintedCall);
        }
        let holds = |bytes: &[u8]| self.inside.iter().any(|byte| bytes.contains(byte));
        // `File (1)`, `System (default)`: titles.
        let title =
            gap == Gap::Space && matches!(argument, Argument::Word | Argument::Number | Argument::Other);
        let meant = match function {
            Function::Dangerous => return Some(PhpSign::DangerousCall),
            Function::Specific => return Some(PhpSign::PhpCall),
            Function::English | Function::Other | Function::Shows if title => return None,
            // Other languages assert conditions, PHP evaluates a string.
            Function::English if name.eq_ignore_ascii_case(b"assert") => holds(b"'\"$"),
            Function::English | Function::Shared => true,
            Function::Shows => holds(b"($`"),
            Function::Includes => {
                holds(b"$") || memchr::memmem::find(self.inside, b"://").is_some() || self.names_a_root()
            }
            Function::Other => false,
        };
        Some(if meant { PhpSign::SharedCall } else { PhpSign::OtherCall })
    }

    /// Whether the argument is a string that begins with a slash or climbs.
    fn names_a_root(&self) -> bool {
        let told = self.inside.trim_ascii_start();
        let told = told.strip_prefix(b"'").or_else(|| told.strip_prefix(b"\"")).unwrap_or_default();
        told.starts_with(b"/") || told.starts_with(b"../../")
    }

    /// Whether the call is all that the value holds, but for punctuation and other calls that are tied to it.
    fn stands_alone(&self) -> bool {
        let before = self.bytes.get(..self.callee.start).unwrap_or_default();
        let tied = matches!(self.after, [b'.', b'$' | b'\'' | b'"', ..]);
        (before.len() <= MARGIN_BYTES_MAX && is_punctuation(before) || breaks_out(before))
            && (tied || self.after.len() <= MARGIN_BYTES_MAX && is_punctuation(self.after))
    }
}

fn argument(rest: &[u8]) -> Argument {
    let rest = rest.trim_ascii_start();
    match rest.first() {
        None | Some(b')') => Argument::Empty,
        Some(b'\'' | b'"') => Argument::Quoted,
        Some(b'$') => {
            let name = rest.get(1..).unwrap_or_default();
            let length = name.iter().take_while(|byte| is_name(**byte)).count();
            let tainted = is_superglobal(name.get(..length).unwrap_or_default());
            if tainted { Argument::Tainted } else { Argument::Variable }
        }
        Some(b'0'..=b'9') => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let closed = rest.get(digits..).unwrap_or_default().trim_ascii_start().first() == Some(&b')');
            if closed { Argument::Number } else { Argument::Other }
        }
        Some(byte) if is_name(*byte) => Argument::Word,
        Some(_) => Argument::Other,
    }
}

/// Just behind the parenthesis that closes the one at `paren`.
fn closing(bytes: &[u8], paren: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bytes.get(paren..)?.iter().enumerate().take(ARGUMENTS_BYTES_MAX) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(paren + at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// What may stand before and behind a call that stands alone.
const MARGIN_BYTES_MAX: usize = 256;
/// What a value may begin with before a call that breaks out of it.
const TOKEN_BYTES_MAX: usize = 24;

/// One word that is ended, as the value that the application expected: `1;`, `x').`, `a"}`.
fn breaks_out(before: &[u8]) -> bool {
    let ended = matches!(
        before.trim_ascii_end().last(),
        Some(b';' | b'\'' | b'"' | b'{' | b'}' | b')' | b'|' | b'&')
    );
    before.len() <= TOKEN_BYTES_MAX && ended && !before.trim_ascii_end().iter().any(u8::is_ascii_whitespace)
}
