//! What a value would mean as a file system path, on Unix, on Windows, behind a servlet container. It finds the paths in a
//! value, resolves their dot segments and says where they lead. It knows nothing of places, rules or weights.

use std::borrow::Cow;

mod names;
mod tokens;

pub use names::{Sensitivity, Target, is_assistant_file, is_published_by_mistake, is_secret_dotfile, target};
pub use tokens::tokens;

/// Segments of a path that are kept by name; deeper ones are only counted.
const SEGMENTS_MAX: usize = 24;

/// Where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// At the place where the application looks.
    Relative,
    /// At the root: `/`, `\`, a drive, a share, a `file:` URL.
    Absolute,
    /// At a host of the network: the path of a URL.
    Url,
}

/// A path in a value.
#[derive(Debug, Clone, Copy)]
pub struct Token<'a> {
    /// Where it begins in the value.
    pub offset: usize,
    /// The path, without a scheme or a host.
    pub bytes: &'a [u8],
    /// The place that it starts at.
    pub origin: Origin,
    /// Written as a `file:` URL or with another scheme that opens local files.
    pub by_scheme: bool,
    /// The byte before it in the value.
    pub before: Option<u8>,
}

/// A path with its dot segments resolved.
#[derive(Debug)]
pub struct Resolved<'a> {
    segments: [&'a [u8]; SEGMENTS_MAX],
    kept: usize,
    /// Parent steps.
    pub ups: usize,
    /// How far it leads above its start.
    pub climbs: usize,
    /// Segments of three dots or more, which naive filters turn into two.
    pub long_dots: usize,
    /// Parent steps dressed up for a container that cuts path parameters off (`..;/`), or with a stray percent sign.
    pub disguised: usize,
}

impl<'a> Resolved<'a> {
    /// Resolves `path`; separators are `/` and `\`.
    pub fn of(path: &'a [u8]) -> Resolved<'a> {
        let mut resolved = Resolved {
            segments: [&[]; SEGMENTS_MAX],
            kept: 0,
            ups: 0,
            climbs: 0,
            long_dots: 0,
            disguised: 0,
        };
        let mut depth = 0_usize;
        for raw in path.split(|byte| matches!(byte, b'/' | b'\\')) {
            // What follows a NUL is lost to C libraries.
            let segment = raw.split(|byte| *byte == 0).next().unwrap_or_default();
            if resolved.step(segment) {
                if depth == 0 {
                    resolved.climbs += 1;
                }
                depth = depth.saturating_sub(1);
                resolved.kept = resolved.kept.min(depth);
            } else if !segment.is_empty() && !segment.iter().all(|byte| *byte == b'.') {
                if let Some(slot) = resolved.segments.get_mut(depth.min(SEGMENTS_MAX - 1)) {
                    *slot = segment;
                    resolved.kept = (depth + 1).min(SEGMENTS_MAX);
                }
                depth += 1;
            }
        }
        resolved
    }

    /// Counts a dot segment; whether it is a parent step.
    fn step(&mut self, segment: &[u8]) -> bool {
        let up = match segment {
            b".." => true,
            [b'.', b'.', b';', ..] | [b'.', b'.', b'%'] => {
                self.disguised += 1;
                true
            }
            [b'.', b'.', b'.', rest @ ..] if rest.iter().all(|byte| *byte == b'.') => {
                self.long_dots += 1;
                false
            }
            _ => false,
        };
        self.ups += usize::from(up);
        up
    }

    /// The names that remain, outermost first.
    pub fn segments(&self) -> &[&'a [u8]] {
        self.segments.get(..self.kept).unwrap_or_default()
    }
}

/// The value with dots and separators that are spelt as C numbers (`0x2e0x2e0x2f`) put in their place.
pub fn without_spelt_bytes(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let spelt = |at: &[u8]| match at {
        [b'0', b'x' | b'X', b'2', b'e' | b'E', ..] => Some(b'.'),
        [b'0', b'x' | b'X', b'2', b'f' | b'F', ..] => Some(b'/'),
        [b'0', b'x' | b'X', b'5', b'c' | b'C', ..] => Some(b'\\'),
        _ => None,
    };
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        if let Some(meant) = spelt(rest) {
            out.push(meant);
            rest = rest.get(4..).unwrap_or_default();
        } else {
            out.push(byte);
            rest = after;
        }
    }
    (out.len() != bytes.len()).then_some(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, ups: usize, climbs: usize, left: &str) {
        let resolved = Resolved::of(path.as_bytes());
        let names: Vec<_> =
            resolved.segments().iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect();
        assert_eq!((resolved.ups, resolved.climbs, names.join("/").as_str()), (ups, climbs, left), "{path}");
    }

    #[test]
    fn dot_segments_are_resolved() {
        check("../../etc/passwd", 2, 2, "etc/passwd");
        check("/static/img/../../etc/passwd", 2, 0, "etc/passwd");
        check(r"..\/..\/..\windows/win.ini", 3, 3, "windows/win.ini");
        check("/./.././.././../windows/win.ini", 3, 3, "windows/win.ini");
        check("a/..;/b", 1, 0, "b");
        check("..\0/x\0.jpg", 1, 1, "x");
        check("wait...", 0, 0, "wait...");
        check("1..2", 0, 0, "1..2");
    }

    #[test]
    fn deep_paths_are_bounded() {
        let deep = "a/".repeat(5000) + &"../".repeat(5001) + "etc/passwd";
        let resolved = Resolved::of(deep.as_bytes());
        assert_eq!((resolved.climbs, resolved.segments().len()), (1, 2));
    }

    #[test]
    fn spelt_bytes_are_read() {
        let read = |text: &str| {
            without_spelt_bytes(text.as_bytes()).map(|b| String::from_utf8_lossy(&b).into_owned())
        };
        assert_eq!(read("0x2e0x2e0X2Fetc").as_deref(), Some("../etc"));
        assert_eq!(read("0xff 0x2"), None);
    }
}
