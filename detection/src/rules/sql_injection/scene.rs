//! What the parts of the judge share: the value, the tokens read from a place in it, and the way to report.

use crate::evidence::{Evidence, Subject};
use crate::field::Place;
use crate::lang::sql::token::{Dialect, Lasts, Lexer, Quotes, Token};
use crate::rule::Rule;

/// Tokens that are read behind a place; a construct that needs more is not told from prose by its end.
const TOKENS_MAX: usize = 64;
/// Bytes that are read behind a place. With the bound on tokens it keeps the work linear: each place costs at most this.
const BYTES_MAX: usize = 2048;

/// One view under judgement.
pub(super) struct Scene<'a, 'e, 's> {
    /// The value.
    pub(super) subject: &'a Subject<'a>,
    /// Where findings go.
    pub(super) evidence: &'e mut Evidence<'s>,
}

impl<'a> Scene<'a, '_, '_> {
    /// The bytes.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.subject.bytes
    }

    /// Reports `rule` for the bytes from `start` to `end`.
    pub(super) fn found(&mut self, rule: &'static Rule, start: usize, end: usize) {
        self.evidence.found(rule, start, end.saturating_sub(start));
    }

    /// Whether the view is a name: names carry no prose.
    pub(super) fn is_name(&self) -> bool {
        matches!(self.subject.place, Place::QueryName | Place::FormName | Place::JsonKey | Place::CookieName)
    }

    /// Whether the field is meant to carry queries, as in the interfaces of databases' own tools.
    pub(super) fn is_query_field(&self) -> bool {
        let last = self.subject.name.rsplit(|b| *b == b'.').next().unwrap_or_default();
        let holds = |part: &[u8]| last.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
        holds(b"sql")
            || [&b"predicate"[..], b"statement", b"ddl"].iter().any(|name| last.eq_ignore_ascii_case(name))
    }
}

/// Tokens read from a place on, with the offsets of the value.
pub(super) struct Reading {
    /// The tokens.
    pub(super) tokens: Vec<Token>,
    /// Whether another dialect may read them differently.
    pub(super) ambiguous: bool,
}

/// Reads behind `from`.
pub(super) fn read(bytes: &[u8], from: usize, dialect: Dialect, quotes: Quotes) -> Reading {
    let window = bytes.get(from..).unwrap_or_default();
    let window = window.get(..window.len().min(BYTES_MAX)).unwrap_or_default();
    let mut lexer = Lexer::new(window, 0, dialect, quotes, Lasts::UNKNOWN);
    let mut tokens: Vec<Token> = Vec::with_capacity(16);
    tokens.extend(lexer.by_ref().take(TOKENS_MAX).map(|mut token| {
        token.start += from;
        token.end += from;
        token
    }));
    Reading { ambiguous: lexer.ambiguous, tokens }
}
