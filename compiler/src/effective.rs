//! Effective settings of a route, as YAML with the line that decided each value. It must not decide anything itself.

use std::fmt::Write as _;

use waf_shared::plan::{self, ErrorTemplate, RateLimitSource, Rewrite, Scheme, TemplatePart};

use crate::headers::ADDED;
use crate::names::host_text;
use crate::raw;
use crate::resolve::{Exception, Route};
use crate::setting::{PlanValue as _, Settings as _, duration, list, string};
use crate::{Compiled, diagnostic};

impl Compiled {
    /// The ids of all routes, in the order of the file.
    pub fn route_ids(&self) -> impl Iterator<Item = &str> {
        self.plan.routes.iter().map(|route| route.id.0.as_str())
    }

    /// The route id closest to `text`, when it is at most two edits away.
    pub fn closest_route(&self, text: &str) -> Option<&str> {
        diagnostic::closest(text, self.route_ids())
    }

    fn exceptions(&self, page: &mut Page<'_>, plan: &plan::Route) {
        let all = &self.resolved.exceptions;
        for exception in plan.exceptions.iter().filter_map(|index| all.get(*index as usize)) {
            let origin = match exception.preset {
                Some(name) => format!("preset {name}, line {}", exception.line),
                None => format!("line {}", exception.line),
            };
            page.item("exceptions", &exception_text(exception), &origin);
        }
    }

    /// The effective settings of a route, as YAML; each value has the line of the file that decided it, or `default`,
    /// as a comment. `None` when there is no such route.
    pub fn effective(&self, route: &str) -> Option<String> {
        let route = self.resolved.routes.iter().find(|candidate| candidate.plan.id.0 == route)?;
        let mut page = Page { route, out: String::new(), open: Vec::new() };
        head(&mut page, &route.plan);
        settings(&mut page, &route.plan.settings);
        tail(&mut page, &route.plan);
        self.exceptions(&mut page, &route.plan);
        for row in waf_shared::catalog::TABLE {
            let word = if route.plan.settings.leaves.contains(row.leaf) { "on" } else { "off" };
            let decision = route.decisions.iter().find(|decision| decision.leaf == row.leaf);
            page.line(
                &format!("protections.{}", row.name),
                word,
                decision.and_then(|decision| decision.line),
            );
        }
        Some(page.out)
    }
}

/// The text so far, and the mappings that are open.
struct Page<'a> {
    route: &'a Route,
    out: String,
    open: Vec<String>,
}

impl Page<'_> {
    /// A value whose line is looked up: its own, or that of the section that was given as a whole.
    fn put(&mut self, path: &str, value: &str) {
        let lines = &self.route.lines.0;
        let section = path.split('.').next().unwrap_or_default();
        let line = lines.get(path).or_else(|| lines.get(section)).copied();
        self.line(path, value, line);
    }

    /// An entry of the list `name`, in a line.
    fn item(&mut self, name: &str, value: &str, origin: &str) {
        if self.open != [name] {
            let _ = writeln!(self.out, "{name}:");
            self.open = vec![name.to_owned()];
        }
        let _ = writeln!(self.out, "  - {value} # {origin}");
    }

    fn line(&mut self, path: &str, value: &str, line: Option<u32>) {
        let mut parts: Vec<&str> = path.split('.').collect();
        let Some(name) = parts.pop() else { return };
        let shared = parts.iter().zip(&self.open).take_while(|(part, open)| *part == open).count();
        for (depth, part) in parts.iter().enumerate().skip(shared) {
            let _ = writeln!(self.out, "{}{part}:", "  ".repeat(depth));
        }
        let indent = "  ".repeat(parts.len());
        self.open = parts.into_iter().map(str::to_owned).collect();
        let origin = line.map_or("default".to_owned(), |line| format!("line {line}"));
        let _ = writeln!(self.out, "{indent}{name}: {value} # {origin}");
    }
}

/// An exception as a mapping in YAML's flow style.
fn exception_text(exception: &Exception) -> String {
    let texts = |texts: &[&str]| list(texts.iter().map(|text| (*text).to_owned()));
    let plan = &exception.plan;
    let mut parts = Vec::new();
    if !exception.protections.is_empty() {
        parts.push(format!("protections: {}", texts(&exception.protections)));
    }
    if !plan.rules.is_empty() {
        parts.push(format!("rules: {}", list(plan.rules.iter().cloned())));
    }
    parts.push(format!("in: {}", list(exception.places.iter().cloned())));
    if !plan.methods.is_empty() {
        parts.push(format!("methods: {}", list(plan.methods.iter().cloned())));
    }
    if !plan.paths.is_empty() {
        parts.push(format!("paths: {}", list(plan.paths.iter().map(|path| path.text.clone()))));
    }
    if let Some(reason) = &exception.reason {
        parts.push(format!("reason: {}", string(reason)));
    }
    if let Some(expires) = exception.expires {
        parts.push(format!("expires: {expires}"));
    }
    format!("{{{}}}", parts.join(", "))
}

fn head(page: &mut Page<'_>, plan: &plan::Route) {
    let generated = if page.route.lines.0.contains_key("id") { None } else { Some(page.route.line) };
    match generated {
        Some(line) => page.line("id", &string(&plan.id.0), Some(line)),
        None => page.put("id", &string(&plan.id.0)),
    }
    page.put("match.hosts", &list(plan.hosts.iter().map(host_text)));
    let written = plan.paths.iter().map(|path| path.text.clone()).filter(|text| !text.is_empty());
    page.put("match.paths", &list(written));
    let upstream = &plan.upstream;
    let scheme = match upstream.scheme {
        Scheme::Http => "http",
        Scheme::Https => "https",
    };
    page.put("upstream", &string(&format!("{scheme}://{}{}", upstream.authority, upstream.base_path)));
    page.put("upstream_timeout", &duration(plan.upstream_timeout.0));
    match &plan.rewrite {
        Rewrite::Keep => {}
        Rewrite::Prefix { strip, add } => {
            for (path, value) in [("rewrite.strip_prefix", strip), ("rewrite.add_prefix", add)] {
                if !value.is_empty() {
                    page.put(path, &string(value));
                }
            }
        }
        Rewrite::Path(path) => page.put("rewrite.path", &string(path)),
    }
}

fn settings(page: &mut Page<'_>, settings: &plan::Settings) {
    page.put("mode", &settings.mode.shown(&raw::MODES));
    let sections = [
        raw::Accept::values(&settings.accept),
        raw::Inspection::values(&settings.inspection),
        raw::Multipart::values(&settings.multipart),
    ];
    for (path, value) in sections.into_iter().flatten() {
        page.put(path, &value);
    }
    for header in &settings.response_headers.add {
        let leaf = ADDED.iter().find(|(_, name, _)| *name == header.name).map(|(leaf, _, _)| leaf.name());
        if let Some(leaf) = leaf {
            page.put(&format!("response_headers.inject.{leaf}"), &string(&header.value));
        }
    }
    page.put("response_headers.strip", &list(settings.response_headers.strip.iter().cloned()));
}

fn tail(page: &mut Page<'_>, plan: &plan::Route) {
    if let Some(openapi) = &plan.openapi {
        page.put("openapi.spec", &string(&openapi.spec));
        page.put("openapi.strict", &openapi.strict.to_string());
    }
    if let Some(cors) = &plan.cors {
        page.put("cors.allow_origins", &list(cors.allow_origins.iter().cloned()));
        page.put("cors.allow_methods", &list(cors.allow_methods.iter().cloned()));
        page.put("cors.allow_headers", &list(cors.allow_headers.iter().cloned()));
        page.put("cors.expose_headers", &list(cors.expose_headers.iter().cloned()));
        page.put("cors.allow_credentials", &cors.allow_credentials.to_string());
        page.put("cors.max_age", &cors.max_age.to_string());
    }
    if let Some(template) = &plan.error_response {
        page.put("error_response.body", &string(&template_text(template)));
    }
    if let Some(quota) = &plan.rate_limit {
        page.put("rate_limit.requests", &quota.requests.to_string());
        page.put("rate_limit.window", &duration(quota.window.0));
        match &quota.source {
            RateLimitSource::Ip => page.put("rate_limit.source.type", "ip"),
            RateLimitSource::Header(name) => {
                page.put("rate_limit.source.type", "header");
                page.put("rate_limit.source.key", &string(name));
            }
        }
        page.put("rate_limit.backend.max_keys", &quota.max_keys.to_string());
        page.put("rate_limit.backend.ttl", &duration(quota.ttl.0));
    }
}

fn template_text(template: &ErrorTemplate) -> String {
    let part = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => text.clone(),
        TemplatePart::RequestId => "{{.RequestID}}".to_owned(),
        TemplatePart::Timestamp => "{{.Timestamp}}".to_owned(),
    };
    template.parts.iter().map(part).collect()
}
