//! Which declared path a request takes: a trie over segments, literals before templates. Every node of it is visited at
//! most once for a path, whatever the templates.

use waf_shared::plan::contract::ContractPath;
use waf_shared::route::normalize_segment;

/// All declared paths.
#[derive(Debug)]
pub(crate) struct Paths {
    nodes: Vec<Node>,
    /// Names of the template expressions of each path, in order.
    names: Vec<Vec<String>>,
}

#[derive(Debug, Default)]
struct Node {
    /// Sorted by segment.
    literals: Vec<(Box<[u8]>, usize)>,
    /// The one with most literal bytes first.
    templates: Vec<(Template, usize)>,
    /// The path that ends here.
    end: Option<usize>,
}

/// A segment with expressions: literal text before, between and behind them, one piece more than there are expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Template(Vec<Box<[u8]>>);

/// A path that was found, with the values of its expressions as sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMatch {
    /// Index into the contract's paths.
    pub(crate) path: usize,
    pub(crate) values: Vec<Vec<u8>>,
}

impl Paths {
    pub(crate) fn build(paths: &[ContractPath]) -> Paths {
        let mut built = Paths { nodes: vec![Node::default()], names: Vec::with_capacity(paths.len()) };
        for (index, path) in paths.iter().enumerate() {
            for base in &path.bases {
                built.insert(base, &path.template, index);
            }
            built.names.push(names(&path.template));
        }
        for node in &mut built.nodes {
            node.literals.sort();
            node.templates.sort_by_key(|(template, _)| {
                std::cmp::Reverse(template.0.iter().map(|piece| piece.len()).sum::<usize>())
            });
        }
        built
    }

    /// The name of the template expression `index` of a path.
    pub(crate) fn names(&self, path: usize) -> &[String] {
        self.names.get(path).map_or(&[], Vec::as_slice)
    }

    fn insert(&mut self, base: &str, template: &str, path: usize) {
        let mut at = 0;
        let segments = base.split('/').map(|segment| (segment, true));
        let segments = segments.chain(template.split('/').map(|segment| (segment, false)));
        for (segment, is_literal) in segments.filter(|(segment, _)| !segment.is_empty()) {
            let new = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else { return };
            let template = if is_literal { None } else { Template::parse(segment) };
            let next = match template {
                None => {
                    let literal = normalize_segment(segment.as_bytes()).into_boxed_slice();
                    match node.literals.iter().find(|(known, _)| *known == literal) {
                        Some((_, next)) => *next,
                        None => {
                            node.literals.push((literal, new));
                            new
                        }
                    }
                }
                Some(template) => match node.templates.iter().find(|(known, _)| *known == template) {
                    Some((_, next)) => *next,
                    None => {
                        node.templates.push((template, new));
                        new
                    }
                },
            };
            if next == new {
                self.nodes.push(Node::default());
            }
            at = next;
        }
        if let Some(node) = self.nodes.get_mut(at) {
            // The first in the document; the compiler reports a second one.
            node.end.get_or_insert(path);
        }
    }

    /// The path that `normalized` takes; its values are as sent.
    pub(crate) fn find(&self, normalized: &[u8]) -> Option<PathMatch> {
        let inner = normalized.strip_prefix(b"/")?;
        let segments: Vec<&[u8]> =
            if inner.is_empty() { Vec::new() } else { inner.split(|byte| *byte == b'/').collect() };
        let mut values = Vec::new();
        let path = self.walk(0, &segments, &mut values)?;
        Some(PathMatch { path, values })
    }

    /// Goes no deeper than the longest template.
    fn walk(&self, at: usize, segments: &[&[u8]], values: &mut Vec<Vec<u8>>) -> Option<usize> {
        let node = self.nodes.get(at)?;
        let Some((segment, rest)) = segments.split_first() else { return node.end };
        let literal = node.literals.binary_search_by(|(known, _)| known.as_ref().cmp(segment)).ok();
        if let Some((_, next)) = literal.and_then(|at| node.literals.get(at))
            && let Some(path) = self.walk(*next, rest, values)
        {
            return Some(path);
        }
        let kept = values.len();
        for (template, next) in &node.templates {
            if template.take(segment, values)
                && let Some(path) = self.walk(*next, rest, values)
            {
                return Some(path);
            }
            values.truncate(kept);
        }
        None
    }
}

/// Names of the expressions of a template.
fn names(template: &str) -> Vec<String> {
    let behind = template.split('{').skip(1);
    behind.filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.to_owned()).collect()
}

impl Template {
    /// `None` for a segment without expressions.
    fn parse(segment: &str) -> Option<Template> {
        let mut pieces = Vec::new();
        let mut rest = segment;
        while let Some((before, after)) = rest.split_once('{') {
            let (_, behind) = after.split_once('}')?;
            pieces.push(normalize_segment(before.as_bytes()).into_boxed_slice());
            rest = behind;
        }
        if pieces.is_empty() {
            return None;
        }
        pieces.push(normalize_segment(rest.as_bytes()).into_boxed_slice());
        Some(Template(pieces))
    }

    /// Adds the values of the expressions, where the segment matches; none is empty.
    fn take(&self, segment: &[u8], values: &mut Vec<Vec<u8>>) -> bool {
        let Some((first, others)) = self.0.split_first() else { return false };
        let Some(mut rest) = segment.strip_prefix(first.as_ref()) else { return false };
        for (index, piece) in others.iter().enumerate() {
            let is_last = index + 1 == others.len();
            let length = if is_last {
                rest.len().checked_sub(piece.len()).filter(|_| rest.ends_with(piece))
            } else {
                // The shortest value that is not empty.
                let from = rest.get(1..).unwrap_or_default();
                memchr::memmem::find(from, piece).map(|at| at + 1)
            };
            match length {
                Some(length) if length > 0 => {
                    values.push(rest.get(..length).unwrap_or_default().to_vec());
                    rest = rest.get(length + piece.len()..).unwrap_or_default();
                }
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_path_wins() {
        let path = |template: &str, bases: &[&str]| ContractPath {
            template: template.to_owned(),
            bases: bases.iter().map(|base| (*base).to_owned()).collect(),
            operations: Vec::new(),
        };
        let paths = [
            path("/", &[""]),
            path("/pets/{id}", &["", "/v1"]),
            path("/pets/mine", &[""]),
            path("/pets/{id}.json", &[""]),
            path("/pets/{id}/toys/{toy}", &[""]),
            path("/files/{name}.{kind}", &[""]),
            path("/range/{from}-{to}", &[""]),
            path("/caf%C3%A9", &[""]),
            path("/{any}/end", &[""]),
            path("/pets/mine/x", &[""]),
        ];
        let built = Paths::build(&paths);
        for (request, wanted) in [
            ("/", Some((0, vec![]))),
            ("/pets/7", Some((1, vec!["7"]))),
            ("/v1/pets/7", Some((1, vec!["7"]))),
            ("/v2/pets/7", None),
            ("/pets/mine", Some((2, vec![]))),
            ("/pets/7.json", Some((3, vec!["7"]))),
            ("/pets/.json", Some((1, vec![".json"]))),
            ("/pets/7/toys/ball", Some((4, vec!["7", "ball"]))),
            ("/pets/mine/toys/ball", Some((4, vec!["mine", "ball"]))),
            ("/pets/7/toys", None),
            ("/files/a.tar.gz", Some((5, vec!["a", "tar.gz"]))),
            ("/files/a.", None),
            ("/range/1-2", Some((6, vec!["1", "2"]))),
            ("/range/12", None),
            ("/caf%C3%A9", Some((7, vec![]))),
            ("/pets/end", Some((1, vec!["end"]))),
            ("/x/end", Some((8, vec!["x"]))),
            ("/Pets/7", None),
            ("/pets", None),
            ("*", None),
        ] {
            let found = built.find(request.as_bytes()).map(|found| (found.path, found.values));
            let wanted = wanted.map(|(path, values): (usize, Vec<&str>)| {
                (path, values.iter().map(|value| value.as_bytes().to_vec()).collect())
            });
            assert_eq!(found, wanted, "{request}");
        }
        assert_eq!(built.names(4), ["id", "toy"]);
    }
}
