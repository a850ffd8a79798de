//! Costs and gains of a connection. Frames that make work without carrying anything are charged, data and
//! finished exchanges pay back; a connection that spends everything is a flood, whichever frames it is made of.

use std::time::Instant;

/// Credit of a fresh connection, and the most that is ever saved up.
const CREDIT_MAX: u32 = 1_000;

/// Credit that comes back by itself each second.
const CREDIT_PER_SECOND: u32 = 50;

/// A frame that makes work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cost {
    /// PING, PRIORITY, WINDOW_UPDATE or a frame of an unknown type.
    Control,
    /// A stream beyond the limit, refused.
    Refused,
    /// A stream broken off by either side: work that was begun for nothing.
    Reset,
    /// SETTINGS, which must be applied and answered.
    Settings,
    /// DATA without data that does not end anything.
    EmptyData,
}

impl Cost {
    const fn credits(self) -> u32 {
        match self {
            Cost::Control | Cost::Refused => 1,
            Cost::Reset => 5,
            Cost::Settings | Cost::EmptyData => 10,
        }
    }
}

/// Something that a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gain {
    /// Data from the client.
    Received,
    /// Data to the client: it will give back windows for it.
    Sent,
    /// An answer that was sent whole.
    Answered,
}

impl Gain {
    const fn credits(self) -> u32 {
        match self {
            Gain::Received => 1,
            Gain::Sent => 3,
            Gain::Answered => 5,
        }
    }
}

/// The account of one connection.
#[derive(Debug)]
pub(super) struct FloodBudget {
    credit: u32,
    refilled: Instant,
}

impl FloodBudget {
    pub(super) fn new(now: Instant) -> FloodBudget {
        FloodBudget { credit: CREDIT_MAX, refilled: now }
    }

    /// Charges a frame; `false` when nothing is left to pay it with.
    pub(super) fn charge(&mut self, cost: Cost, now: Instant) -> bool {
        let seconds = now.saturating_duration_since(self.refilled).as_secs();
        if seconds > 0 {
            self.refilled = now;
            let refill = u32::try_from(seconds).unwrap_or(u32::MAX).saturating_mul(CREDIT_PER_SECOND);
            self.add(refill);
        }
        match self.credit.checked_sub(cost.credits()) {
            Some(left) => {
                self.credit = left;
                true
            }
            None => false,
        }
    }

    pub(super) fn earn(&mut self, gain: Gain) {
        self.add(gain.credits());
    }

    fn add(&mut self, credits: u32) {
        self.credit = self.credit.saturating_add(credits).min(CREDIT_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn affordable(cost: Cost) -> u32 {
        let now = Instant::now();
        let mut flood_budget = FloodBudget::new(now);
        (0..100_000).take_while(|_| flood_budget.charge(cost, now)).count() as u32
    }

    #[test]
    fn floods_run_out() {
        assert_eq!(affordable(Cost::Control), 1_000);
        assert_eq!(affordable(Cost::Reset), 200);
        assert_eq!(affordable(Cost::Settings), 100);
    }

    #[test]
    fn what_a_connection_is_for_pays() {
        let start = Instant::now();
        let mut flood_budget = FloodBudget::new(start);
        for _ in 0..10_000 {
            assert!(flood_budget.charge(Cost::Reset, start));
            flood_budget.earn(Gain::Answered);
            assert!(flood_budget.charge(Cost::Control, start) && flood_budget.charge(Cost::Control, start));
            flood_budget.earn(Gain::Sent);
        }
        while flood_budget.charge(Cost::Control, start) {}
        assert!(flood_budget.charge(Cost::Settings, start + Duration::from_secs(1)));
    }
}
