//! Certificates as the loop sees them: the manager, until a successor has taken over, and the states that workers
//! receive.

use std::sync::Arc;

use tokio::time::Instant;
use waf_certificates::manager::{CertificateManager, ManagerBusy, Wanted};
use waf_certificates::states::{StateReceiver, States};
use waf_certificates::tickets::TicketHandover;

use crate::candidate::PlanToOffer;
use crate::event::Event;

/// The certificate manager and the states.
pub(super) struct Tls {
    manager: Option<CertificateManager<Event>>,
    states: Arc<States>,
}

impl Tls {
    pub(super) fn new(manager: CertificateManager<Event>, states: Arc<States>) -> Self {
        Self { manager: Some(manager), states }
    }

    /// The receiver of one worker's states.
    pub(super) fn subscribe(&self) -> StateReceiver {
        self.states.subscribe()
    }

    /// Requests the certificates of a plan; [`Event::Certified`] follows. Nothing follows once the manager has ended.
    pub(super) fn prepare(&self, offered: PlanToOffer, began: Instant) -> Result<(), ManagerBusy> {
        let wanted = Wanted::by(&offered.plan);
        self.with_manager(|manager| manager.prepare(wanted, Event::Certified(Box::new(offered), began)))
    }

    /// Follows the plan in force.
    pub(super) fn follow(&self, wanted: Wanted) -> Result<(), ManagerBusy> {
        self.with_manager(|manager| manager.in_force(wanted))
    }

    fn with_manager(
        &self,
        act: impl FnOnce(&CertificateManager<Event>) -> Result<(), ManagerBusy>,
    ) -> Result<(), ManagerBusy> {
        self.manager.as_ref().map_or(Ok(()), act)
    }

    /// Passes on names below a wildcard that clients asked for in vain.
    pub(super) fn report_unserved(&self, names: Vec<String>) {
        if let Some(manager) = &self.manager {
            manager.unserved(names);
        }
    }

    /// Passes on the revision of the challenges that every worker answers.
    pub(super) fn report_challenged(&self, revision: u64) {
        if let Some(manager) = &self.manager {
            manager.answered(revision);
        }
    }

    /// The keys of session tickets for a successor.
    pub(super) fn tickets(&self) -> Option<TicketHandover> {
        self.manager.as_ref().and_then(CertificateManager::hand_over)
    }

    /// Ends the manager: orders end, and their lock is free for a successor.
    pub(super) fn end(&mut self) {
        self.manager = None;
    }
}
