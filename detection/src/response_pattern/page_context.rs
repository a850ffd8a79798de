//! What part of a page the reader is in: elements that quote, scripts, fenced code. Kept up by the same pass over the bytes
//! that finds the signs.

use super::kind::Kind;

/// Marks that open or close something, in the two cases in which people write them.
pub(crate) const MARKS: &[(&str, Mark)] = &[
    ("<pre", Mark::Open(Element::Pre)),
    ("<PRE", Mark::Open(Element::Pre)),
    ("</pre", Mark::Close(Element::Pre)),
    ("</PRE", Mark::Close(Element::Pre)),
    ("<code", Mark::Open(Element::Code)),
    ("<CODE", Mark::Open(Element::Code)),
    ("</code", Mark::Close(Element::Code)),
    ("</CODE", Mark::Close(Element::Code)),
    ("<samp", Mark::Open(Element::Code)),
    ("</samp", Mark::Close(Element::Code)),
    ("<textarea", Mark::Open(Element::Textarea)),
    ("<TEXTAREA", Mark::Open(Element::Textarea)),
    ("</textarea", Mark::Close(Element::Textarea)),
    ("</TEXTAREA", Mark::Close(Element::Textarea)),
    ("<blockquote", Mark::Open(Element::Quote)),
    ("</blockquote", Mark::Close(Element::Quote)),
    ("<script", Mark::Open(Element::Script)),
    ("<SCRIPT", Mark::Open(Element::Script)),
    ("</script", Mark::Close(Element::Script)),
    ("</SCRIPT", Mark::Close(Element::Script)),
    ("<style", Mark::Open(Element::Script)),
    ("</style", Mark::Close(Element::Script)),
    ("<article", Mark::Discusses),
    ("```", Mark::Fence),
];

/// What a mark does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Open(Element),
    Close(Element),
    /// The page is about something: it holds an article, or code that is marked up as code.
    Discusses,
    /// A line of three backquotes.
    Fence,
}

/// Elements whose content is not the page's own voice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Pre,
    Code,
    Textarea,
    Quote,
    Script,
}

/// Where in a page the reader is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PageContext {
    open: u8,
    pre_is_styled: bool,
    discusses: bool,
    fenced: bool,
}

impl PageContext {
    /// Notes a mark; `next` is the byte behind its literal.
    pub(crate) fn pass(&mut self, mark: Mark, kind: Kind, next: Option<&u8>) {
        let is_page = matches!(kind, Kind::Html | Kind::Xml);
        // Inside a script nothing but its own end means anything.
        if self.is_in(Element::Script) && mark != Mark::Close(Element::Script) {
            return;
        }
        match mark {
            Mark::Fence => self.fenced ^= !is_page,
            _ if !is_page || next.is_some_and(u8::is_ascii_alphanumeric) => {}
            Mark::Open(element) => {
                self.open |= bit(element);
                match element {
                    Element::Pre => self.pre_is_styled = next != Some(&b'>'),
                    Element::Code | Element::Quote => self.discusses = true,
                    Element::Textarea | Element::Script => {}
                }
            }
            Mark::Close(element) => self.open &= !bit(element),
            Mark::Discusses => self.discusses = true,
        }
    }

    pub(crate) fn is_in(self, element: Element) -> bool {
        self.open & bit(element) != 0
    }

    /// Whether what stands here is shown rather than said.
    pub(crate) fn quotes(self) -> bool {
        self.fenced
            || self.is_in(Element::Code)
            || self.is_in(Element::Textarea)
            || self.is_in(Element::Quote)
            || self.is_in(Element::Pre) && (self.pre_is_styled || self.discusses)
    }

    /// Whether the page has shown itself to be about such things.
    pub(crate) fn discusses(self) -> bool {
        self.discusses
    }
}

const fn bit(element: Element) -> u8 {
    1 << element as u8
}
