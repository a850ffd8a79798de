//! What the parts of the detector share: the value, the way to report, and the account of the work done.

use crate::language::{Context, Findings, Input, Role};
use crate::sql::sign::SqlSign;
use crate::sql::token::CommentEnds;

/// What reading a token costs, in bytes of an ordinary pass.
const TOKEN_WORK_BYTES: usize = 8;

/// One view under judgement.
pub(super) struct Judgement<'a, 'e, 's> {
    /// The value.
    pub(super) input: &'a Input<'a>,
    /// Where findings go.
    pub(super) findings: &'e mut Findings<'s, SqlSign>,
    /// Where its comments can last end.
    pub(super) comment_ends: CommentEnds,
}

impl<'a> Judgement<'a, '_, '_> {
    /// The bytes.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.input.bytes
    }

    /// Adds `sign` for the bytes from `start` to `end`.
    pub(super) fn found(&mut self, sign: SqlSign, start: usize, end: usize) {
        self.findings.add(sign, Context::Code, start, end.saturating_sub(start));
    }

    /// Counts tokens that were read; `false` once there is no time left to read more.
    pub(super) fn spend(&mut self, tokens: usize) -> bool {
        self.input.watch.spend(tokens * TOKEN_WORK_BYTES)
    }

    /// Whether the view is a name: names carry no prose.
    pub(super) fn is_name(&self) -> bool {
        matches!(self.input.role, Role::ArgumentName | Role::Name | Role::Key)
    }

    /// Whether the field is meant to carry queries, as in the interfaces of databases' own tools.
    pub(super) fn is_query_field(&self) -> bool {
        let last = self.input.name.rsplit(|b| *b == b'.').next().unwrap_or_default();
        let holds = |part: &[u8]| last.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
        holds(b"sql")
            || [&b"predicate"[..], b"statement", b"ddl"].iter().any(|name| last.eq_ignore_ascii_case(name))
    }
}
