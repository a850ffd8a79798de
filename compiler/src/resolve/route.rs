//! Routes: their names, what they match, where they forward, and the ranks of all their patterns.

use std::collections::HashSet;

use waf_shared::limits::ROUTE_ID_BYTES_MAX;
use waf_shared::plan;
use waf_shared::plan::{Cors, ErrorTemplate, OpenApi, Rewrite, RouteId};

use super::exceptions::{self, Exception};
use super::lists::{entries, global_lists, route_lists};
use super::settings::{rate_limit, settings};
use crate::names::HostnameOrWildcard;
use crate::pattern::PathText;
use crate::raw;
use crate::read::At;
use crate::setting::{Lines, narrow, unique};
use crate::toggles::{self, Decision};
use crate::tree::Node;

/// A route with everything resolved, beside the lines that say so.
#[derive(Debug)]
pub(crate) struct Route {
    /// As the plan has it; a contract's digest is filled in when its file is read.
    pub(crate) plan: plan::Route,
    /// Line of the route.
    pub(crate) line: u32,
    /// Its patterns with their lines, in the order of the plan's.
    pub(crate) patterns: Vec<At<PathText>>,
    /// Which lines decided its values.
    pub(crate) lines: Lines,
    /// Which lines decided its protections.
    pub(crate) decisions: Vec<Decision>,
}

impl raw::Route {
    /// Entries of `match.hosts`.
    pub(crate) fn host_entries(&self) -> &[At<HostnameOrWildcard>] {
        entries(self.r#match.as_ref().and_then(|at| at.value.hosts.as_ref()))
    }

    /// Entries of `match.paths`.
    pub(crate) fn path_entries(&self) -> &[At<PathText>] {
        entries(self.r#match.as_ref().and_then(|at| at.value.paths.as_ref()))
    }

    /// The route's id: the explicit one, or the generated one by which messages name it.
    pub(crate) fn name(&self) -> &str {
        let place = self.place.strip_prefix("routes[").and_then(|rest| rest.strip_suffix(']'));
        place.unwrap_or(&self.place)
    }
}

/// The name of every entry of `routes`: its explicit id, else one made from its first path, else from its first host,
/// else
/// `default`; made ones get `-2`, `-3` … when the name is taken. They are taken from the tree, so that messages can use them.
pub(crate) fn route_names(root: &Node) -> Vec<String> {
    let items = root.child("routes").map_or(&[][..], Node::items);
    // What is too long is refused when it is read; here it names the route in messages.
    let cut = |text: &str| text.chars().take(ROUTE_ID_BYTES_MAX).collect::<String>();
    let explicit = |item: &Node| item.child("id").and_then(Node::text).map(cut);
    let mut taken: HashSet<String> = items.iter().filter_map(|item| explicit(item)).collect();
    let mut next: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    let mut names = Vec::with_capacity(items.len());
    for item in items {
        let name = explicit(item).unwrap_or_else(|| {
            let base = cut(&generated(item));
            let mut name = base.clone();
            while taken.contains(&name) {
                let count = next.entry(base.clone()).or_insert(1);
                *count += 1;
                name = format!("{base}-{count}");
            }
            taken.insert(name.clone());
            name
        });
        names.push(name);
    }
    names
}

fn generated(item: &Node) -> String {
    let first = |field: &str| item.child("match")?.child(field)?.items().first()?.text().map(slug);
    ["paths", "hosts"]
        .into_iter()
        .filter_map(first)
        .find(|slug| !slug.is_empty())
        .unwrap_or_else(|| "default".to_owned())
}

/// Lower case; runs of anything outside `[a-z0-9]` become one hyphen; none at the ends.
fn slug(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// Resolves every route whose required parts could be read.
/// Adds their exceptions to those of `global`.
pub(super) fn routes(
    global: &raw::Global,
    raw: &[At<raw::Route>],
    exceptions: &mut Vec<Exception>,
) -> Vec<Route> {
    let shared = exceptions.clone();
    let mut routes = Vec::new();
    for at in raw {
        let Some(mut route) = route(global, &at.value) else { continue };
        let own = exceptions::of_route(&at.value, &shared);
        let indices = (0..shared.len()).chain(exceptions.len()..exceptions.len() + own.len());
        route.plan.exceptions = indices.filter_map(|index| u32::try_from(index).ok()).collect();
        exceptions.extend(own);
        routes.push(route);
    }
    rank(&mut routes);
    routes
}

fn route(global: &raw::Global, raw: &raw::Route) -> Option<Route> {
    let upstream = raw.upstream.as_ref()?.value.0.clone();
    let mut lines = Lines::default();
    let settings = settings(global, raw, &mut lines);
    let mut patterns = raw.path_entries().to_vec();
    if patterns.is_empty() {
        patterns.push(At { value: PathText::any(), line: raw.line });
    }
    let quota = match &raw.rate_limit {
        Some(own) => rate_limit(&own.value, false),
        None => global.rate_limit.as_ref().and_then(|at| rate_limit(&at.value, true)),
    };
    let plan = plan::Route {
        id: RouteId(raw.name().to_owned()),
        hosts: raw.host_entries().iter().map(|at| at.value.0.clone()).collect(),
        paths: patterns.iter().map(|at| at.value.planned()).collect(),
        upstream,
        upstream_timeout: lines.pick(
            "upstream_timeout",
            raw.upstream_timeout.as_ref(),
            raw::Route::defaults().upstream_timeout.as_ref(),
        ),
        rewrite: raw.rewrite.as_ref().map_or(Rewrite::Keep, |at| rewrite(&at.value)),
        settings,
        openapi: raw.openapi.as_ref().and_then(|at| openapi(&at.value)),
        cors: raw.cors.as_ref().and_then(|at| cors(&at.value)),
        error_response: error_response(raw.error_response.as_ref())
            .or_else(|| error_response(global.error_response.as_ref())),
        rate_limit: quota,
        exceptions: Vec::new(),
    };
    // These are taken as a whole, so that the line of the key decided about everything in them.
    for whole in ["id", "match", "upstream", "rewrite", "openapi", "cors", "error_response", "rate_limit"] {
        if let Some(line) = raw.key(whole) {
            lines.0.insert(whole.to_owned(), line);
        }
    }
    if let (Some(at), None) = (&global.rate_limit, &raw.rate_limit) {
        lines.0.insert("rate_limit".to_owned(), at.line);
    }
    if let (Some(at), None) = (&global.error_response, error_response(raw.error_response.as_ref())) {
        lines.0.insert("error_response".to_owned(), at.line);
    }
    let decisions = toggles::decisions(&[global_lists(global), route_lists(raw)]);
    Some(Route { plan, line: raw.line, patterns, lines, decisions })
}

/// The body of refusals that a section sets.
pub(super) fn error_response(section: Option<&At<raw::ErrorResponse>>) -> Option<ErrorTemplate> {
    Some(section?.value.body.as_ref()?.value.lowered.clone())
}

/// Prefixes lose their trailing slash, so that what is left of a path, or what follows, begins with one.
fn rewrite(raw: &raw::Rewrite) -> Rewrite {
    let prefix = |field: &Option<At<crate::names::PathPrefix>>| {
        field.as_ref().map_or(String::new(), |at| at.value.0.trim_end_matches('/').to_owned())
    };
    if let Some(path) = &raw.path {
        return Rewrite::Path(path.value.0.clone());
    }
    let (strip, add) = (prefix(&raw.strip_prefix), prefix(&raw.add_prefix));
    if strip.is_empty() && add.is_empty() { Rewrite::Keep } else { Rewrite::Prefix { strip, add } }
}

/// A flag of the file, else its default.
fn flag(given: Option<&At<bool>>, default: Option<&At<bool>>) -> bool {
    given.or(default).is_some_and(|at| at.value)
}

fn openapi(raw: &raw::OpenApi) -> Option<OpenApi> {
    let spec = raw.spec.as_ref()?.value.0.clone();
    Some(OpenApi {
        spec,
        spec_digest: [0; 32],
        contract: 0,
        strict: flag(raw.strict.as_ref(), raw::OpenApi::defaults().strict.as_ref()),
    })
}

fn cors(raw: &raw::Cors) -> Option<Cors> {
    let origins = unique(raw.allow_origins.as_ref()?.value.iter().map(|at| at.value.0.clone()));
    let names = |list: Option<&At<Vec<At<crate::names::HeaderName>>>>| {
        unique(entries(list).iter().map(|at| at.value.0.clone()))
    };
    let defaults = raw::Cors::defaults();
    let methods = entries(raw.allow_methods.as_ref().or(defaults.allow_methods.as_ref()));
    let star = origins.iter().any(|origin| origin == "*");
    Some(Cors {
        allow_origins: if star { vec!["*".to_owned()] } else { origins },
        allow_methods: unique(methods.iter().map(|at| at.value.0.clone())),
        allow_headers: names(raw.allow_headers.as_ref()),
        expose_headers: names(raw.expose_headers.as_ref()),
        allow_credentials: flag(raw.allow_credentials.as_ref(), defaults.allow_credentials.as_ref()),
        max_age: narrow(raw.max_age.as_ref().or(defaults.max_age.as_ref())?.value),
    })
}

/// Orders all patterns: by specificity, then as the file does.
fn rank(routes: &mut [Route]) {
    let mut order: Vec<(crate::pattern::Rank, usize, usize)> = Vec::new();
    for (index, route) in routes.iter().enumerate() {
        for (position, pattern) in route.patterns.iter().enumerate() {
            order.push((pattern.value.rank, index, position));
        }
    }
    order.sort_unstable();
    for (rank, (_, index, position)) in order.into_iter().enumerate() {
        let pattern = routes.get_mut(index).and_then(|route| route.plan.paths.get_mut(position));
        if let Some(pattern) = pattern {
            pattern.rank = u32::try_from(rank).unwrap_or(u32::MAX);
        }
    }
}
