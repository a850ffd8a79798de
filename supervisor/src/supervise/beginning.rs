//! The resources that a supervisor begins with: some come from others, the rest is made anew.

use std::sync::Arc;

use tokio::sync::mpsc;
use waf_certificates::tickets::TicketHandover;

use super::error::SuperviseError;
use super::upgrade_state::Ownership;
use crate::audit::WriterLock;
use crate::event::Event;
use crate::notify::Notifier;
use crate::rate_limit_memory::RateLimitRegistry;
use crate::sockets::Sockets;
use crate::sockets::adopted::Adopted;
use crate::upgrade::handover::UpgradeHandover;
use crate::upgrade::predecessor::Predecessor;

/// Resources that others prepared before this process began.
#[derive(Debug, Default)]
pub struct Inherited {
    /// Sockets of a service manager.
    pub sockets: Vec<Adopted>,
    /// The older supervisor that started this one, and what it hands over.
    pub predecessor: Option<(Predecessor, UpgradeHandover)>,
    /// The line to a service manager.
    pub notifier: Notifier,
}

/// Resources that a supervisor begins with.
pub(super) struct Beginning {
    pub(super) ownership: Ownership,
    pub(super) sockets: Sockets,
    pub(super) rate_limits: RateLimitRegistry,
    pub(super) tickets: Option<TicketHandover>,
    pub(super) writer_lock: Arc<WriterLock>,
    pub(super) notifier: Notifier,
}

impl Beginning {
    /// With what others prepared, and anew where they did not.
    pub(super) fn of(
        inherited: Inherited,
        events: &mpsc::Sender<Event>,
    ) -> Result<Beginning, SuperviseError> {
        let Inherited { sockets: activated, predecessor, notifier } = inherited;
        let (mut sockets, mut rate_limits) = (Sockets::default(), RateLimitRegistry::default());
        sockets.adopt(activated);
        let (ownership, tickets, writer_lock) = match predecessor {
            None => (Ownership::Ours, None, WriterLock::create().map_err(SuperviseError::Audit)?),
            Some((predecessor, handover)) => {
                predecessor.listen(events.clone()).map_err(SuperviseError::Line)?;
                sockets.adopt(handover.sockets);
                if let Some((memory, laid_out)) = handover.counts {
                    rate_limits.inherit(memory, &laid_out)?;
                }
                (Ownership::Predecessors(predecessor), handover.tickets, handover.writer_lock)
            }
        };
        Ok(Beginning {
            ownership,
            sockets,
            rate_limits,
            tickets,
            writer_lock: Arc::new(writer_lock),
            notifier,
        })
    }
}
