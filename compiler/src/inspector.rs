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
        Inspector::with(plan, Arc::new(waf_detection::rules::engine()))
    }

    /// An inspector that shares its engine with others.
    pub(crate) fn with(plan: &'c Plan, engine: Arc<Engine>) -> Inspector<'c> {
        // Names of rules and places were looked up when the file was read.
        let exceptions = |route| Exceptions::of(plan.exceptions_of(route)).ok().flatten();
        Inspector {
            plan,
            router: Router::new(plan),
            engine,
            exceptions: plan.routes.iter().map(exceptions).collect(),
        }
    }

    /// The route of a request for `host`.
    pub(crate) fn choose(&self, host: Option<&[u8]>, request: &Recorded<'_>) -> Choice {
        self.router.choose(host, request.path())
    }

    /// Runs the rules of `leaves` over a request on the route at `index`.
    pub(crate) fn inspect(&self, index: usize, leaves: LeafSet, request: &Recorded<'_>) -> Inspected {
        let mut inspection = self.inspection();
        let verdict = self.judge(&mut inspection, (index, leaves), request).clone();
        Inspected { verdict, spared: inspection.spared().cloned().collect() }
    }

    /// Buffers for [`Inspector::judge`], which keeps them from request to request.
    pub(crate) fn inspection(&self) -> Inspection {
        let bounds = Bounds::of(&self.plan.global);
        Inspection::new(Arc::clone(&self.engine), LeafSet::EMPTY, bounds, OnHit::GoOn, Budget::UNLIMITED)
    }

    /// Runs the rules of `leaves` over a request on the route at `index`, in the buffers of `inspection`.
    pub(crate) fn judge<'i>(
        &self,
        inspection: &'i mut Inspection,
        (index, leaves): (usize, LeafSet),
        request: &Recorded<'_>,
    ) -> &'i Verdict {
        let settings = self.plan.routes.get(index).map_or(&self.plan.global, |route| &route.settings);
        inspection.reset(leaves, Bounds::of(settings), OnHit::GoOn, Budget::UNLIMITED);
        inspection.except(self.exceptions.get(index).and_then(Option::as_ref));
        request.show(inspection);
        inspection.verdict()
    }
}
