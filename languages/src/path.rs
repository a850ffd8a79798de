//! Meaning of a value as a file system path, on Unix, on Windows, behind a servlet container. It finds the paths in a
//! value, resolves their dot segments and says where they lead. It knows nothing of places, rules or weights.

use std::borrow::Cow;

mod garbled;
mod names;
mod resolved;
mod tokens;

pub use garbled::names as garbled_names;
pub use names::{
    Sensitivity, Target, is_assistant_file, is_installed, is_internal, is_published_by_mistake,
    is_secret_dotfile, is_system_folder, target,
};
pub use resolved::{Origin, Resolved, Token};
pub use tokens::tokens;

/// The value with dots and separators that are spelt as C numbers (`0x2e0x2e0x2f`) put in their place.
pub fn without_spelt_bytes(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let spelt = |at: &[u8]| match at {
        [b'0', b'x' | b'X', b'2', b'e' | b'E', ..] => Some(b'.'),
        [b'0', b'x' | b'X', b'2', b'f' | b'F', ..] => Some(b'/'),
        [b'0', b'x' | b'X', b'5', b'c' | b'C', ..] => Some(b'\\'),
        _ => None,
    };
    // Nearly no value has one.
    if !memchr::memchr2_iter(b'x', b'X', bytes).any(|at| at > 0 && bytes.get(at - 1) == Some(&b'0')) {
        return None;
    }
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
