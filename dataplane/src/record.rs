//! Recordings of requests for a later replay: which requests are recorded, and their way into a file that the supervisor
//! opened. It must not know what a line says.

use std::os::fd::OwnedFd;

use waf_shared::control::Share;
use waf_shared::limits::RECORD_LINES_WAITING;

use crate::access_log::AccessLog;
use crate::turns::Turns;

/// The recording of a worker; off until a file is installed.
#[derive(Debug)]
pub(crate) struct Recording {
    turns: Turns,
    log: AccessLog,
}

impl Default for Recording {
    fn default() -> Recording {
        Recording { turns: Turns::new(Share(0)), log: AccessLog::bounded("recording", RECORD_LINES_WAITING) }
    }
}

impl Recording {
    /// Records this share of the requests from now on, at most so many bytes of them into this file.
    pub(crate) fn install(&self, file: OwnedFd, share: Share, bytes_max: u64) {
        self.turns.set(share);
        self.log.install_bounded(file, bytes_max);
    }

    /// Reports whether the next request is recorded.
    pub(crate) fn takes_next(&self) -> bool {
        self.log.is_on() && self.turns.takes_next()
    }

    /// The file that lines are written to.
    pub(crate) fn log(&self) -> &AccessLog {
        &self.log
    }
}
