//! `servers`: the paths under which a document's own paths stand.

use super::location::Location;
use super::node::Node;

/// Combinations of variables that are written out for one server.
const COMBINATIONS_MAX: usize = 64;

/// The base paths of a list of servers, without a trailing slash; `None` where there is no such list.
pub(super) fn bases(holder: &Location<'_>) -> Option<Vec<String>> {
    let servers = holder.get("servers")?;
    let mut bases = Vec::new();
    for server in servers.items() {
        let Some(url) = server.node.get("url").and_then(Node::text) else { continue };
        for url in filled(url, server.node.get("variables")) {
            let base = path(&url).trim_end_matches('/').to_owned();
            if !bases.contains(&base) {
                bases.push(base);
            }
        }
    }
    (!bases.is_empty()).then_some(bases)
}

/// The URL with every value that its variables may have.
fn filled(url: &str, variables: Option<&Node>) -> Vec<String> {
    let mut urls = vec![url.to_owned()];
    for (name, variable) in variables.and_then(Node::members).unwrap_or_default() {
        let expression = format!("{{{name}}}");
        let default = variable.get("default");
        let values =
            default.into_iter().chain(variable.get("enum").and_then(Node::items).unwrap_or_default());
        let values: Vec<String> = values
            .filter_map(|value| match value {
                Node::Text(text) | Node::Number(text) => Some(text.clone()),
                _ => None,
            })
            .collect();
        if urls.iter().any(|url| url.contains(&expression)) {
            urls = urls
                .iter()
                .flat_map(|url| values.iter().map(|value| url.replace(&expression, value)))
                .take(COMBINATIONS_MAX)
                .collect();
        }
    }
    urls
}

/// The path of a URL that may be relative.
fn path(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let behind_scheme = url.split_once("://").map(|(_, rest)| rest).or_else(|| url.strip_prefix("//"));
    match behind_scheme {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default().to_owned(),
        None if url.starts_with('/') => url.to_owned(),
        None if url.is_empty() || url == "." || url == "./" => String::new(),
        None => format!("/{}", url.trim_start_matches("./")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_server() {
        for (url, want) in [
            ("https://api.example.com/v1", "/v1"),
            ("https://api.example.com", ""),
            ("//api.example.com/v1/?x", "/v1/"),
            ("/v2", "/v2"),
            ("v3", "/v3"),
            ("./", ""),
            ("", ""),
        ] {
            assert_eq!(path(url), want, "{url}");
        }
    }
}
