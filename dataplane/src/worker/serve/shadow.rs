//! The second plan of a worker: built away from the threads that serve, once there is a plan in force to build it beside.

use std::sync::{Arc, Mutex, PoisonError};

use tracing::{error, info};
use waf_shared::control::ShadowPlan;

use crate::active_plan::ActivePlan;
use crate::proxy::Proxy;
use crate::shadow::Shadow;

/// State of the second plan.
#[derive(Debug, Default)]
pub(super) struct ShadowBuilder {
    /// Offered before there was a plan in force.
    waiting: Option<ShadowPlan>,
    /// Number of the latest order: what an earlier one made is dropped.
    latest: Arc<Mutex<u64>>,
}

impl ShadowBuilder {
    /// Judges by this plan from now on, or by none.
    pub(super) fn offered(
        &mut self,
        offered: Option<ShadowPlan>,
        in_force: Option<&Arc<ActivePlan>>,
        proxy: &Arc<Proxy>,
    ) {
        let order = {
            let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            *latest += 1;
            *latest
        };
        self.waiting = None;
        let Some(plan) = offered else { return proxy.set_shadow(None) };
        let Some(in_force) = in_force else {
            self.waiting = Some(plan);
            return;
        };
        let (in_force, proxy) = (Arc::clone(in_force), Arc::clone(proxy));
        let latest = Arc::clone(&self.latest);
        tokio::task::spawn_blocking(move || match Shadow::build(&plan, &in_force, proxy.shadow_log()) {
            Ok(shadow) => {
                let latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
                if *latest == order {
                    info!(plan = %plan.digest, share = %plan.share, "a second plan judges beside the plan in force");
                    proxy.set_shadow(Some(Arc::new(shadow)));
                }
            }
            Err(why) => error!(plan = %plan.digest, why, "the second plan cannot judge"),
        });
    }

    /// A plan is in force.
    pub(super) fn committed(&mut self, in_force: &Arc<ActivePlan>, proxy: &Arc<Proxy>) {
        if let Some(plan) = self.waiting.take() {
            self.offered(Some(plan), Some(in_force), proxy);
        }
    }
}
