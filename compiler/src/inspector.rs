//! Recorded requests judged by a compiled configuration: the route, and the rules with the exceptions of the
//! route. No socket, no upstream, no contract, no rate limit.

use std::sync::Arc;

use waf_detection::Engine;
use waf_detection::budget::Budget;
use waf_detection::exceptions::Exceptions;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::Recorded;
use waf_detection::verdict::Verdict;
use waf_shared::catalog::LeafSet;
use waf_shared::plan::Plan;
use waf_shared::route::{Choice, Router};

/// A plan made ready to judge recorded requests.
pub(crate) struct Inspector<'c> {
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

impl<'c> Inspector<'c> {
    pub(crate) fn new(plan: &'c Plan) -> Inspector<'c> {
        // Names of rules and places were looked up when the file was read.
        let exceptions = |route| Exceptions::of(plan.exceptions_of(route)).ok().flatten();
        Inspector {
            plan,
            router: Router::new(plan),
            engine: Arc::new(waf_detection::rules::engine()),
            exceptions: plan.routes.iter().map(exceptions).collect(),
        }
    }

    /// The route of a request for `host`.
    pub(crate) fn choose(&self, host: Option<&[u8]>, request: &Recorded<'_>) -> Choice {
        self.router.choose(host, request.path())
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
