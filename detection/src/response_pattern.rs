//! Patterns of responses: words, what must follow them, and who must say them. The types lie below the rules, which list
//! patterns; the scan of a body is [`crate::response`].

mod kind;
mod match_context;
mod page_context;
mod shape;
mod window;

pub use kind::Kind;
pub use match_context::MatchContext;

pub(crate) use kind::{of, sniff};
pub(crate) use page_context::{MARKS, Mark, PageContext};
pub(crate) use shape::{fits, length as shape_length};
pub(crate) use window::{AHEAD_BYTES, BEHIND_BYTES, STRING_END};

/// One way in which a rule shows. A literal finds it, in exactly this case: machines do not vary their messages.
#[derive(Debug, Clone, Copy)]
pub struct ResponsePattern {
    /// The words as they are sent; at least three bytes.
    pub literal: &'static str,
    /// What follows them, as a shape: see `shape.rs`.
    pub rest: &'static str,
    /// Who must be speaking.
    pub position: Position,
}

/// Who speaks the words.
#[derive(Debug, Clone, Copy)]
pub enum Position {
    /// The server: the words begin a line, a text of the page or a string, perhaps after a label such as `Error: `, and
    /// stand in nothing that quotes.
    Leads,
    /// The server, anywhere in its text: the words stand in nothing that quotes.
    Spoken,
    /// Whoever: markup of its own, which a page that shows it to a reader would have escaped.
    Raw,
    /// The server, as the first words of the whole body.
    Opens,
    /// As a closer look says.
    Checked(fn(&MatchContext<'_>) -> bool),
}

/// A message that leads.
pub(crate) const fn leads(literal: &'static str, rest: &'static str) -> ResponsePattern {
    ResponsePattern { literal, rest, position: Position::Leads }
}

/// Words that are spoken.
pub(crate) const fn spoken(literal: &'static str, rest: &'static str) -> ResponsePattern {
    ResponsePattern { literal, rest, position: Position::Spoken }
}

/// Markup as it is made.
pub(crate) const fn raw(literal: &'static str, rest: &'static str) -> ResponsePattern {
    ResponsePattern { literal, rest, position: Position::Raw }
}

/// The first words of the body.
pub(crate) const fn opens(literal: &'static str, rest: &'static str) -> ResponsePattern {
    ResponsePattern { literal, rest, position: Position::Opens }
}

/// Words that `proof` looks at.
pub(crate) const fn checked(
    literal: &'static str,
    rest: &'static str,
    proof: fn(&MatchContext<'_>) -> bool,
) -> ResponsePattern {
    ResponsePattern { literal, rest, position: Position::Checked(proof) }
}

impl ResponsePattern {
    /// Whether the sign stands at `spot`.
    pub(crate) fn stands(&self, context: &MatchContext<'_>) -> bool {
        let Some(after) = context.after().strip_prefix(self.literal.as_bytes()) else { return false };
        fits(after, self.rest)
            && match self.position {
                Position::Leads => context.leads(),
                Position::Spoken => context.is_spoken(),
                Position::Raw => true,
                Position::Opens => context.opens(),
                Position::Checked(proof) => proof(context),
            }
    }
}
