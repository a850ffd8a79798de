//! What a rule looks for in a response: words, what must follow them, and in whose voice they must stand.

use super::Spot;

/// One way in which a rule shows. A literal finds it, in exactly this case: machines do not vary their messages.
#[derive(Debug, Clone, Copy)]
pub struct Sign {
    /// The words as they are sent; at least three bytes.
    pub literal: &'static str,
    /// What follows them, as a shape: see [`super::fits`].
    pub rest: &'static str,
    /// Who must be speaking.
    pub voice: Voice,
}

/// Who speaks the words.
#[derive(Debug, Clone, Copy)]
pub enum Voice {
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
    Proved(fn(&Spot<'_>) -> bool),
}

/// A message that leads.
pub(crate) const fn leads(literal: &'static str, rest: &'static str) -> Sign {
    Sign { literal, rest, voice: Voice::Leads }
}

/// Words that are spoken.
pub(crate) const fn spoken(literal: &'static str, rest: &'static str) -> Sign {
    Sign { literal, rest, voice: Voice::Spoken }
}

/// Markup as it is made.
pub(crate) const fn raw(literal: &'static str, rest: &'static str) -> Sign {
    Sign { literal, rest, voice: Voice::Raw }
}

/// The first words of the body.
pub(crate) const fn opens(literal: &'static str, rest: &'static str) -> Sign {
    Sign { literal, rest, voice: Voice::Opens }
}

/// Words that `proof` looks at.
pub(crate) const fn proved(literal: &'static str, rest: &'static str, proof: fn(&Spot<'_>) -> bool) -> Sign {
    Sign { literal, rest, voice: Voice::Proved(proof) }
}

impl Sign {
    /// Whether the sign stands at `spot`.
    pub(super) fn stands(&self, spot: &Spot<'_>) -> bool {
        let Some(after) = spot.after().strip_prefix(self.literal.as_bytes()) else { return false };
        super::fits(after, self.rest)
            && match self.voice {
                Voice::Leads => spot.leads(),
                Voice::Spoken => spot.is_spoken(),
                Voice::Raw => true,
                Voice::Opens => spot.opens(),
                Voice::Proved(proof) => proof(spot),
            }
    }
}
