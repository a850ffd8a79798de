//! Paths in the notation of routers and regular expressions: they are valid, and compared as they are. It knows texts
//! alone.

/// The pattern that was probably meant; `None` for a path without such a notation.
pub(super) fn glob_meant(text: &str) -> Option<String> {
    let bare = text.strip_prefix("/^").unwrap_or(text);
    let bare = bare.strip_suffix('$').unwrap_or(bare);
    let segments: Vec<&str> =
        bare.split('/').map(|segment| wildcard_meant(segment).unwrap_or(segment)).collect();
    let glob = segments.join("/");
    let glob = if glob.starts_with('/') { glob } else { format!("/{glob}") };
    (glob != text).then_some(glob)
}

/// The wildcard for a segment that is a parameter or an expression.
fn wildcard_meant(segment: &str) -> Option<&'static str> {
    let within = |open: char, close: char| segment.strip_prefix(open)?.strip_suffix(close);
    let name = within('{', '}').or_else(|| within('<', '>'));
    if let Some(name) = name.filter(|name| !name.is_empty() && !name.contains(['{', '}', '<', '>'])) {
        // `{*rest}`, `{rest...}` and `{rest:.*}` take any number of segments.
        let is_rest = name.starts_with('*') || ["...", ".*", ".+"].iter().any(|end| name.ends_with(end));
        return Some(if is_rest { "**" } else { "*" });
    }
    if segment.strip_prefix(':').is_some_and(|name| is_name(name.trim_end_matches('?'))) {
        return Some("*");
    }
    match segment.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(segment) {
        ".*" | ".+" => Some("**"),
        "[^/]+" | "[^/]*" | "\\d+" | "\\w+" | "[0-9]+" | "[a-z]+" | "[a-z0-9]+" | "[a-z0-9-]+" => Some("*"),
        _ => None,
    }
}

/// Name of a parameter.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_of_others_lead_to_globs() {
        for (text, glob) in [
            ("/users/{id}", "/users/*"),
            ("/users/{id}/posts/{post_id}", "/users/*/posts/*"),
            ("/orders/:id", "/orders/*"),
            ("/orders/:id?", "/orders/*"),
            ("/items/<int:id>", "/items/*"),
            ("/files/{*path}", "/files/**"),
            ("/files/{path...}", "/files/**"),
            ("/^api/.*$", "/api/**"),
            ("/^/api/.*", "/api/**"),
            ("/api/(.*)", "/api/**"),
            ("/v1/\\d+/x", "/v1/*/x"),
            ("/exact$", "/exact"),
        ] {
            assert_eq!(glob_meant(text).as_deref(), Some(glob), "{text}");
        }
    }

    #[test]
    fn ordinary_paths_are_left_alone() {
        for text in [
            "/",
            "/a/*",
            "/**",
            "/a:b",
            "/v1:batch",
            "/a/{",
            "/a/{}",
            "/:",
            "/10:30",
            "/~user",
            "/a.b",
            "/x(y)",
            "/$metadata",
        ] {
            assert_eq!(glob_meant(text), None, "{text}");
        }
    }
}
