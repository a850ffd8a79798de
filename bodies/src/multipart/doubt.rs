//! Doubts: things that two readers of a multipart body might understand differently.

/// A doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubt {
    /// The thing that is in doubt.
    pub about: About,
    /// A sentence without its full stop.
    pub reason: &'static str,
}

/// The thing that is in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The end of a part, a name or a file name.
    Boundary,
    /// The head of a part.
    Head,
    /// The type of a part.
    MediaType,
    /// The transfer encoding of a part.
    Encoding,
}

impl Doubt {
    pub(super) const fn boundary(reason: &'static str) -> Doubt {
        Doubt { about: About::Boundary, reason }
    }

    pub(super) const fn head(reason: &'static str) -> Doubt {
        Doubt { about: About::Head, reason }
    }

    pub(super) const fn media_type(reason: &'static str) -> Doubt {
        Doubt { about: About::MediaType, reason }
    }

    pub(super) const fn encoding(reason: &'static str) -> Doubt {
        Doubt { about: About::Encoding, reason }
    }
}
