//! The contracts of a plan made ready, and what is counted about them. Counters outlive the plan: a route that stays
//! keeps its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use waf_contract::{BuildError, Contract};
use waf_shared::plan::{Plan, RouteId};

/// Counters of the contract of one route.
#[derive(Debug, Default)]
pub struct Counters {
    /// `waf_openapi_validation_total{result="valid"}`: requests that kept it.
    pub valid: AtomicU64,
    /// `waf_openapi_validation_total{result="invalid"}`: requests that broke it, refused or not.
    pub invalid: AtomicU64,
    /// `waf_openapi_validation_total{result="partial"}`: requests whose body was judged up to a limit or not at all.
    pub partial: AtomicU64,
    /// `waf_openapi_shadow_total`: requests for paths that it does not declare.
    pub shadow: AtomicU64,
}

/// Outcome of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    Valid,
    Invalid,
    Partial,
}

impl Counters {
    pub(crate) fn count(&self, counted: Counted) {
        let counter = match counted {
            Counted::Valid => &self.valid,
            Counted::Invalid => &self.invalid,
            Counted::Partial => &self.partial,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// The contracts of a plan, by route.
#[derive(Debug, Default)]
pub(crate) struct Contracts {
    ready: Vec<Arc<Contract>>,
    /// For each route of the plan its id and counters, where it has a contract.
    routes: Vec<Option<(RouteId, usize, Arc<Counters>)>>,
}

impl Contracts {
    /// Builds the contracts that `previous` lacks. The plan's own copies are taken out of it.
    pub(crate) fn build(plan: &mut Plan, previous: Option<&Contracts>) -> Result<Contracts, BuildError> {
        let mut ready = Vec::with_capacity(plan.contracts.len());
        for data in std::mem::take(&mut plan.contracts) {
            let known = previous.and_then(|known| known.ready.iter().find(|contract| contract.is_of(&data)));
            ready.push(match known {
                Some(contract) => Arc::clone(contract),
                None => Arc::new(Contract::build(data)?),
            });
        }
        let counters = |id: &RouteId| {
            let known = previous.into_iter().flat_map(|known| known.routes.iter().flatten());
            known.into_iter().find(|(known, _, _)| known == id).map(|(_, _, counters)| Arc::clone(counters))
        };
        let routes = plan
            .routes
            .iter()
            .map(|route| {
                let openapi = route.openapi.as_ref()?;
                let counters = counters(&route.id).unwrap_or_default();
                Some((route.id.clone(), openapi.contract as usize, counters))
            })
            .collect();
        Ok(Contracts { ready, routes })
    }

    /// The contract and the counters of a route.
    pub(crate) fn of(&self, route: usize) -> Option<(&Arc<Contract>, &Arc<Counters>)> {
        let (_, contract, counters) = self.routes.get(route)?.as_ref()?;
        Some((self.ready.get(*contract)?, counters))
    }

    /// Every route that has a contract, with what was counted.
    pub(crate) fn counters(&self) -> impl Iterator<Item = (&RouteId, &Counters)> {
        self.routes.iter().flatten().map(|(id, _, counters)| (id, counters.as_ref()))
    }
}
