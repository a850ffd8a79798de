//! A request path as a server resolves it: backslashes turned, empty and dot segments taken out.

/// Appends the resolved `source` to `out`. `false` when nothing changed.
pub(super) fn resolve(source: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    for segment in source.split(is_separator) {
        match segment {
            b"" | b"." => {}
            b".." => {
                let parent = out.iter().skip(start).rposition(|byte| *byte == b'/').unwrap_or(0);
                out.truncate(start + parent);
            }
            _ => {
                out.push(b'/');
                out.extend_from_slice(segment);
            }
        }
    }
    if source.last().is_some_and(is_separator) || out.len() == start {
        out.push(b'/');
    }
    out.get(start..) != Some(source)
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn paths_are_resolved() {
        for (source, expected) in [
            ("/a/./b//c", Some("/a/b/c")),
            ("/a/../b/", Some("/b/")),
            ("/../../x", Some("/x")),
            (r"/a\b\..\c", Some("/a/c")),
            ("/..", Some("/")),
            ("/a/b", None),
            ("/", None),
        ] {
            let mut out = b"kept".to_vec();
            let changed = resolve(source.as_bytes(), &mut out);
            assert_eq!(changed.then_some(&out[4..]), expected.map(str::as_bytes), "{source}");
        }
    }

    #[test]
    fn many_steps_take_linear_time() {
        let long = "/a/..".repeat(20_000);
        let mut out = Vec::new();
        assert!(resolve(long.as_bytes(), &mut out));
        assert_eq!(out, b"/");
    }
}
