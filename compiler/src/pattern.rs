//! Path patterns: their normal form, their rank, and whether two of them share a path. It must not know routes.

use std::cmp::Reverse;

use waf_shared::plan::{PathPattern, Segment};

use crate::diagnostic::quoted;
use crate::field::Syntax;
use crate::names::{Mistake, Word};

/// Cells of the table that compares two patterns; longer patterns are taken to share no path.
const OVERLAP_CELLS_MAX: usize = 1 << 20;

/// A path pattern in normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathText {
    /// As written; empty for a route without paths.
    pub(crate) text: String,
    /// Normal form.
    pub(crate) segments: Vec<Segment>,
    /// Its specificity.
    pub(crate) rank: Rank,
}

/// Specificity of a pattern, most specific first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Rank {
    /// No wildcard.
    Literal,
    /// Literal segments before the first wildcard, more of them first, then the wildcard.
    Wildcard(Reverse<usize>, Wildcard),
    /// A route without paths.
    AnyPath,
}

/// A wildcard segment as far as ranks are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Wildcard {
    /// `*`, also at the end.
    Star,
    /// `**`.
    DoubleStar,
}

impl Word for PathText {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a path that starts with `/`",
        pattern: "^/",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<PathText, Mistake> {
        let Some(below) = text.strip_prefix('/') else {
            let mistake = Mistake::because("must start with `/`");
            let bare = text.trim_start_matches('^');
            let is_path =
                bare.starts_with(|c: char| c == '/' || c.is_ascii_alphanumeric()) && bare.len() <= 100;
            let meant = if bare.starts_with('/') { bare.to_owned() } else { format!("/{bare}") };
            return Err(if is_path {
                mistake.help(format!("did you mean {}?", quoted(&meant)))
            } else {
                mistake
            });
        };
        if text.chars().any(char::is_control) {
            return Err(Mistake::because("contains control characters"));
        }
        let mut segments: Vec<(Segment, Option<Wildcard>)> = Vec::new();
        let mut parts = below.split('/').peekable();
        while let Some(part) = parts.next() {
            match part {
                "*" => segments.push((Segment::One, Some(Wildcard::Star))),
                "**" => segments.push((Segment::AnyNumber, Some(Wildcard::DoubleStar))),
                _ => match normal(part).as_str() {
                    "." => {}
                    "" if parts.peek().is_none() => {}
                    ".." => drop(segments.pop()),
                    literal => segments.push((Segment::Literal(literal.to_owned()), None)),
                },
            }
        }
        let first = segments.iter().position(|(_, wildcard)| wildcard.is_some());
        let rank = match first.and_then(|at| segments.get(at).map(|(_, wildcard)| (at, *wildcard))) {
            Some((literals, Some(wildcard))) => Rank::Wildcard(Reverse(literals), wildcard),
            _ => Rank::Literal,
        };
        let mut segments: Vec<Segment> = segments.into_iter().map(|(segment, _)| segment).collect();
        if let Some(last @ Segment::One) = segments.last_mut() {
            *last = Segment::AnyNumber;
        }
        Ok(PathText { text: text.to_owned(), segments, rank })
    }
}

impl PathText {
    /// The pattern of a route without paths.
    pub(crate) fn any() -> PathText {
        PathText { text: String::new(), segments: vec![Segment::AnyNumber], rank: Rank::AnyPath }
    }

    /// As the plan has it; the rank is given when all patterns are known.
    pub(crate) fn planned(&self) -> PathPattern {
        PathPattern { text: self.text.clone(), segments: self.segments.clone(), rank: 0 }
    }

    /// Literal segments before the first wildcard.
    pub(crate) fn literals(&self) -> Vec<&str> {
        let literal = |segment: &'_ Segment| matches!(segment, Segment::Literal(_));
        let leading = self.segments.iter().take_while(|segment| literal(segment));
        leading
            .filter_map(|segment| match segment {
                Segment::Literal(text) => Some(text.as_str()),
                Segment::One | Segment::AnyNumber => None,
            })
            .collect()
    }

    /// True if a path matches both.
    pub(crate) fn overlaps(&self, other: &PathText) -> bool {
        let (a, b) = (&self.segments, &other.segments);
        if a == b {
            return true;
        }
        if ends_differ(a.iter().zip(b)) || ends_differ(a.iter().rev().zip(b.iter().rev())) {
            return false;
        }
        if (a.len() + 1).saturating_mul(b.len() + 1) > OVERLAP_CELLS_MAX {
            return false;
        }
        // `below` answers for the rest after segment i of `a`, `row` for the rest from i: position j is the rest of `b`.
        let mut below: Vec<bool> = Vec::new();
        for rest_a in (0..=a.len()).rev().map(|i| a.get(i)) {
            let mut row = vec![false; b.len() + 1];
            for j in (0..=b.len()).rev() {
                let at = |cells: &[bool], j: usize| cells.get(j).copied().unwrap_or(false);
                let shared = match (rest_a, b.get(j)) {
                    (None, None) => true,
                    (Some(Segment::AnyNumber), Some(_)) => at(&below, j) || at(&row, j + 1),
                    (Some(Segment::AnyNumber), None) => at(&below, j),
                    (_, Some(Segment::AnyNumber)) => at(&row, j + 1) || (rest_a.is_some() && at(&below, j)),
                    (Some(x), Some(y)) => agree(x, y) && at(&below, j + 1),
                    (Some(_), None) | (None, Some(_)) => false,
                };
                if let Some(cell) = row.get_mut(j) {
                    *cell = shared;
                }
            }
            below = row;
        }
        below.first().copied().unwrap_or(false)
    }
}

/// True if two literals differ before the first wildcard of either: the usual case, found without a table.
fn ends_differ<'a>(mut pairs: impl Iterator<Item = (&'a Segment, &'a Segment)>) -> bool {
    let wild = |segment: &Segment| !matches!(segment, Segment::Literal(_));
    pairs.find(|(a, b)| wild(a) || wild(b) || a != b).is_some_and(|(a, b)| !wild(a) && !wild(b))
}

fn agree(a: &Segment, b: &Segment) -> bool {
    match (a, b) {
        (Segment::Literal(a), Segment::Literal(b)) => a == b,
        _ => true,
    }
}

/// A literal segment as the path of a request is compared: escapes of unreserved characters decoded, other escapes in
/// upper case, and what cannot stand in a request target escaped.
fn normal(segment: &str) -> String {
    let mut out = String::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let (byte, escaped, after) = match (byte, tail) {
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, true, after),
                _ => (byte, false, tail),
            },
            _ => (byte, false, tail),
        };
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if unreserved || (!escaped && b"!$&'()*+,;=:@\\".contains(&byte)) {
            out.push(char::from(byte));
        } else {
            let digit =
                |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0').to_ascii_uppercase();
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
        rest = after;
    }
    out
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> PathText {
        PathText::parse(text).expect("a pattern")
    }

    #[test]
    fn normal_form() {
        let literals = |text: &str| -> Vec<String> {
            let shown = |segment: &Segment| match segment {
                Segment::Literal(text) => text.clone(),
                Segment::One => "?".to_owned(),
                Segment::AnyNumber => "...".to_owned(),
            };
            pattern(text).segments.iter().map(shown).collect()
        };
        for (text, expected) in [
            ("/", &[][..]),
            ("/a/", &["a"]),
            ("/a/./b/../c", &["a", "c"]),
            ("/%61%2fb", &["a%2Fb"]),
            ("/caf\u{e9}", &["caf%C3%A9"]),
            ("/v1/*", &["v1", "..."]),
            ("/v1/*/", &["v1", "..."]),
            ("/v1/*/x", &["v1", "?", "x"]),
            ("/**/x", &["...", "x"]),
            ("/a//b", &["a", "", "b"]),
            ("/a//", &["a", ""]),
            ("/a/.", &["a"]),
            ("/a/b/..", &["a"]),
            ("/a\\b%zz", &["a\\b%25zz"]),
            ("/*.pdf", &["*.pdf"]),
        ] {
            assert_eq!(literals(text), expected, "{text}");
        }
        assert!(
            PathText::parse("a").is_err() && PathText::parse("").is_err() && PathText::parse("*").is_err()
        );
    }

    #[test]
    fn ranks() {
        let order = ["/v1/users/profile", "/v1/users/*", "/v1/users/**", "/v1/*", "/v1/**/x", "/*", "/**"];
        for pair in order.windows(2) {
            assert!(pattern(pair[0]).rank < pattern(pair[1]).rank, "{pair:?}");
        }
        assert!(pattern("/**").rank < PathText::any().rank);
        assert_eq!(pattern("/v1/*").rank, pattern("/v1/*/x").rank);
        assert_eq!(pattern("/").rank, pattern("/a").rank);
    }

    #[test]
    fn overlaps() {
        for (a, b, expected) in [
            ("/a/*", "/a/*/b", true),
            ("/a/*/b", "/a/*/c", false),
            ("/a/*/b", "/a/x/*", true),
            ("/**/b", "/a/**", true),
            ("/**/b", "/**/c", false),
            ("/**/b/**", "/**/c", true),
            ("/a", "/a/*", true),
            ("/a", "/a/*/b", false),
            ("/a", "/b", false),
            ("/", "/**", true),
            ("/*/x", "/*/*/x", false),
        ] {
            assert_eq!(pattern(a).overlaps(&pattern(b)), expected, "{a} {b}");
            assert_eq!(pattern(b).overlaps(&pattern(a)), expected, "{b} {a}");
        }
    }
}
