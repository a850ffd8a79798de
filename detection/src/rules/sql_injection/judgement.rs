//! What the parts of the detector share: the value, the way to report, and the account of the work done.

use crate::evidence::{Evidence, Subject};
use crate::field::Place;
use crate::lang::sql::token::CommentEnds;
use crate::rule::Rule;

/// What reading a token costs, in bytes of an ordinary pass.
const TOKEN_WORK_BYTES: usize = 8;

/// One view under judgement.
pub(super) struct Judgement<'a, 'e, 's> {
    /// The value.
    pub(super) subject: &'a Subject<'a>,
    /// Where findings go.
    pub(super) evidence: &'e mut Evidence<'s>,
    /// Where its comments can last end.
    pub(super) comment_ends: CommentEnds,
}

impl<'a> Judgement<'a, '_, '_> {
    /// The bytes.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.subject.bytes
    }

    /// Reports `rule` for the bytes from `start` to `end`.
    pub(super) fn found(&mut self, rule: &'static Rule, start: usize, end: usize) {
        self.evidence.found(rule, start, end.saturating_sub(start));
    }

    /// Counts tokens that were read; `false` once there is no time left to read more.
    pub(super) fn spend(&mut self, tokens: usize) -> bool {
        self.evidence.watch().spend(tokens * TOKEN_WORK_BYTES)
    }

    /// Whether the view is a name: names carry no prose.
    pub(super) fn is_name(&self) -> bool {
        matches!(
            self.subject.place,
            Place::QueryName | Place::FormName | Place::PartName | Place::JsonKey | Place::CookieName
        )
    }

    /// Whether the field is meant to carry queries, as in the interfaces of databases' own tools.
    pub(super) fn is_query_field(&self) -> bool {
        let last = self.subject.name.rsplit(|b| *b == b'.').next().unwrap_or_default();
        let holds = |part: &[u8]| last.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
        holds(b"sql")
            || [&b"predicate"[..], b"statement", b"ddl"].iter().any(|name| last.eq_ignore_ascii_case(name))
    }
}
