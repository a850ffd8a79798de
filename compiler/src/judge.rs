//! Recorded requests judged by a compiled configuration: the route, the checks of a head that a recorded request shows,
//! and the rules with the exceptions of the route. No socket, no upstream, no contract, no rate limit.

use std::sync::Arc;

use waf_detection::Engine;
use waf_detection::budget::Budget;
use waf_detection::exceptions::Exceptions;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::Recorded;
use waf_detection::verdict::Verdict;
use waf_shared::catalog::{Leaf, LeafSet};
use waf_shared::plan::{Plan, Route};
use waf_shared::route::{Choice, Router};

/// A plan made ready to judge recorded requests.
pub(crate) struct Judge<'c> {
    plan: &'c Plan,
    router: Router,
    engine: Arc<Engine>,
    /// By route.
    exceptions: Vec<Option<Arc<Exceptions>>>,
}

/// The findings of rules in a request.
pub(crate) struct Inspected {
    pub(crate) verdict: Verdict,
    /// Exceptions without which the request would have an event.
    pub(crate) spared: Vec<Arc<str>>,
}

impl<'c> Judge<'c> {
    pub(crate) fn new(plan: &'c Plan) -> Judge<'c> {
        // Names of rules and places were looked up when the file was read.
        let exceptions = |route| Exceptions::of(plan.exceptions_of(route)).ok().flatten();
        Judge {
            plan,
            router: Router::new(plan),
            engine: Arc::new(waf_detection::rules::engine()),
            exceptions: plan.routes.iter().map(exceptions).collect(),
        }
    }

    /// The route of a request.
    pub(crate) fn choose(&self, request: &Recorded<'_>) -> Choice {
        self.router.choose(request.field("host"), request.path())
    }

    /// Runs the rules of `leaves` over a request on the route at `index`.
    pub(crate) fn inspect(&self, index: usize, leaves: LeafSet, request: &Recorded<'_>) -> Inspected {
        let settings = self.plan.routes.get(index).map_or(&self.plan.global, |route| &route.settings);
        let bounds = Bounds::of(settings);
        let engine = Arc::clone(&self.engine);
        let mut inspection = Inspection::new(engine, leaves, bounds, OnHit::GoOn, Budget::UNLIMITED);
        inspection.except(self.exceptions.get(index).and_then(Option::as_ref));
        request.show(&mut inspection);
        Inspected { verdict: inspection.verdict().clone(), spared: inspection.spared().cloned().collect() }
    }
}

/// The first protection of the head that the request breaks, in the order in which the service checks.
pub(crate) fn head_violation(route: &Route, request: &Recorded<'_>) -> Option<Leaf> {
    let accept = &route.settings.accept;
    let method = std::str::from_utf8(request.method).unwrap_or_default();
    let essence = request.field("content-type").map(essence);
    let has_body = !request.body.is_empty();
    let header_bytes: usize = request.fields.iter().map(|(name, value)| name.len() + value.len()).sum();
    let over = |length: usize, most: u64| u64::try_from(length).unwrap_or(u64::MAX) > most;
    let checks = [
        (
            Leaf::RequestValidationRequireHostHeader,
            accept.require_host_header && request.field("host").is_none(),
        ),
        (
            Leaf::RequestValidationAllowedMethods,
            method == "CONNECT" || !accept.methods.iter().any(|known| known == method),
        ),
        (Leaf::RequestValidationMaxUrlLength, over(request.target.len(), u64::from(accept.max_url_length))),
        (
            Leaf::RequestValidationMaxHeaderCount,
            over(request.fields.len(), u64::from(accept.max_header_count)),
        ),
        (Leaf::RequestValidationMaxHeaderSize, over(header_bytes, accept.max_header_size)),
        (Leaf::RequestValidationRequireContentType, has_body && essence.is_none()),
        (
            Leaf::HttpComplianceAllowedContentTypes,
            has_body
                && !accept.content_types.is_empty()
                && essence.is_some_and(|essence| !accept.content_types.contains(&essence)),
        ),
        (Leaf::RequestValidationMaxBodySize, over(request.body.len(), accept.max_body_size)),
    ];
    let broken = |(leaf, is_broken): &(Leaf, bool)| *is_broken && route.settings.leaves.contains(*leaf);
    checks.iter().find(|check| broken(check)).map(|(leaf, _)| *leaf)
}

/// The media type without parameters, in lower case.
fn essence(value: &[u8]) -> String {
    let essence = value.split(|byte| *byte == b';').next().unwrap_or_default();
    String::from_utf8_lossy(essence.trim_ascii()).to_ascii_lowercase()
}
