//! A second plan that judges a share of the requests beside the plan in force. The exchange judges
//! (`exchange/shadow.rs`). It must not know requests or answers: nothing here changes what a client gets.

mod counts;

use std::sync::Arc;

use waf_shared::control::ShadowPlan;
use waf_shared::limits::REASON_BYTES_MAX;

use crate::access_log::AccessLog;
use crate::active_plan::ActivePlan;
use crate::error_text;
use crate::inspection_pool::InspectionPool;
pub(crate) use counts::{Compared, ShadowCounts};

/// The second plan of a worker.
#[derive(Debug)]
pub(crate) struct Shadow {
    active_plan: Arc<ActivePlan>,
    inspections: InspectionPool,
    log: Arc<AccessLog>,
    counts: ShadowCounts,
}

impl Shadow {
    /// Makes a plan ready to judge beside `in_force`, whose engine and upstream pools it shares. Differences are written
    /// to `log`.
    pub(crate) fn build(
        offered: &ShadowPlan,
        in_force: &Arc<ActivePlan>,
        log: &Arc<AccessLog>,
    ) -> Result<Shadow, String> {
        let active_plan = ActivePlan::build_shadow(&offered.plan, in_force)
            .map_err(|error| error_text::with_causes(&error, REASON_BYTES_MAX))?;
        let counts = ShadowCounts::new(offered.number, offered.share);
        Ok(Shadow::new(active_plan, counts, Arc::clone(log)))
    }

    pub(crate) fn new(active_plan: Arc<ActivePlan>, counts: ShadowCounts, log: Arc<AccessLog>) -> Shadow {
        Shadow { active_plan, inspections: InspectionPool::default(), log, counts }
    }

    /// The plan.
    pub(crate) fn active_plan(&self) -> &Arc<ActivePlan> {
        &self.active_plan
    }

    /// Inspections of this plan between requests.
    pub(crate) fn inspections(&self) -> &InspectionPool {
        &self.inspections
    }

    /// Destination of differences.
    pub(crate) fn log(&self) -> &AccessLog {
        &self.log
    }

    /// Counts of its decisions.
    pub(crate) fn counts(&self) -> &ShadowCounts {
        &self.counts
    }
}
