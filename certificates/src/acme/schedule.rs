//! Schedule of orders: renewals by lifetime or by the authority's suggestion, and pauses after failures. Pure: times
//! come in as arguments, so that a clock that is wrong can be tested like one that is right.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::failure::Why;
use crate::disk::{Pair, Provenance, Snapshot, is_host_name};

/// Lifetimes below this are short: authorities that issue them recommend renewing at half, so that a day without the
/// authority stays without consequence.
const SHORT_LIFETIME: Duration = Duration::from_hours(10 * 24);

/// The last part of the time before a renewal over which renewals are spread, as a fraction of the lifetime: what was
/// issued together is not renewed in the same second.
const SPREAD_FRACTION: u32 = 60;

/// A certificate that was just issued is not asked for again before this fraction of its lifetime has passed here,
/// whatever the calendar says: a clock that is a day ahead must not order without end.
const FLOOR_FRACTION: u32 = 3;

/// For a certificate that was just issued to be read from disk again. One that is gone later is ordered anew.
const APPEARING: Duration = Duration::from_mins(1);

/// An authority that cannot be reached is asked again soon, and often enough not to miss its return.
const UNREACHABLE_FIRST: Duration = Duration::from_secs(2);
const UNREACHABLE_LONGEST: Duration = Duration::from_mins(5);

/// Failed proofs are counted: Let's Encrypt allows five in an hour for one host, then one every twelve minutes.
const UNPROVEN_FIRST: Duration = Duration::from_mins(1);
const UNPROVEN_FACTOR: u32 = 4;
const UNPROVEN_LONGEST: Duration = Duration::from_hours(1);

/// Without a word of the authority on how long.
const RATE_LIMITED: Duration = Duration::from_hours(1);

/// Somebody has to change something first.
const REJECTED: Duration = Duration::from_hours(6);

/// Whatever it was may be over.
const LOCAL_FIRST: Duration = Duration::from_secs(10);
const LOCAL_LONGEST: Duration = Duration::from_mins(10);

/// Longest wait that an authority can impose on one host.
const RETRY_AFTER_LONGEST: Duration = Duration::from_hours(7 * 24);

/// Between two questions for the suggested renewal time (RFC 9773 section 4.3.3).
const SUGGESTION_SHORTEST: Duration = Duration::from_mins(1);
const SUGGESTION_LONGEST: Duration = Duration::from_hours(24);

/// Names whose failures are remembered.
const REMEMBERED_MAX: usize = 20_000;

/// When a certificate should be renewed going by its lifetime: after two thirds, after half of a short one, a little
/// earlier by a time that is the certificate's own.
pub fn renewal(pair: &Pair) -> SystemTime {
    let lifetime = pair.lifetime();
    let share = if lifetime < SHORT_LIFETIME { lifetime / 2 } else { lifetime / 3 * 2 };
    let digest = Sha256::digest(&pair.chain_pem);
    let part = f64::from(digest.first().copied().unwrap_or_default()) / 256.0;
    pair.not_before + share.saturating_sub((lifetime / SPREAD_FRACTION).mul_f64(part))
}

/// A time within a suggested window, at `part` (0 to 1) of it.
pub fn within(start: SystemTime, end: SystemTime, part: f64) -> SystemTime {
    start + end.duration_since(start).unwrap_or_default().mul_f64(part.clamp(0.0, 1.0))
}

/// The pause before the next try, after `failures` in a row (1 is the first). `part` (0 to 1) spreads it by a fifth.
pub(super) fn pause(why: Why, failures: u32, retry_after: Option<Duration>, part: f64) -> Duration {
    let grown = |first: Duration, factor: u32, longest: Duration| {
        first.saturating_mul(factor.saturating_pow(failures.saturating_sub(1))).min(longest)
    };
    let pause = match why {
        Why::Unreachable | Why::NoAccount => grown(UNREACHABLE_FIRST, 2, UNREACHABLE_LONGEST),
        Why::NotReplaceable => UNREACHABLE_FIRST,
        Why::Unproven => grown(UNPROVEN_FIRST, UNPROVEN_FACTOR, UNPROVEN_LONGEST),
        Why::RateLimited if retry_after.is_some() => Duration::ZERO,
        Why::RateLimited => RATE_LIMITED,
        Why::Rejected => REJECTED,
        Why::Local => grown(LOCAL_FIRST, 2, LOCAL_LONGEST),
        // Looked at by itself, for all names together.
        Why::Disk => Duration::ZERO,
    };
    let spread = pause.mul_f64(0.2 * part.clamp(0.0, 1.0));
    let asked = retry_after.unwrap_or_default().min(RETRY_AFTER_LONGEST);
    (pause + spread).max(asked)
}

/// State of one name.
#[derive(Debug, Default, Clone)]
struct State {
    failures: u32,
    /// Not before this, after a failure.
    retry_at: Option<Instant>,
    /// Not before this, after a success.
    floor: Option<Instant>,
    /// When that success was, and the end of the validity of what was issued.
    issued: Option<(Instant, SystemTime)>,
    running: bool,
    suggestion: Option<Suggestion>,
    ask_at: Option<Instant>,
    /// True if the authority refused to see the certificate as replaced.
    plain: bool,
}

/// When the authority would like a certificate to be renewed (RFC 9773).
#[derive(Debug, Clone)]
struct Suggestion {
    /// End of the certificate's validity: another certificate, another suggestion.
    of: SystemTime,
    renew_at: SystemTime,
}

/// Due orders by name.
#[derive(Debug, Default)]
pub struct Schedule {
    names: BTreeMap<String, State>,
}

impl Schedule {
    /// Names among `names` that an order is due for, those that have waited longest first.
    pub fn due<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        snapshot: &Snapshot,
        wall: SystemTime,
        now: Instant,
    ) -> Vec<&'a str> {
        let mut due: Vec<(Option<Instant>, &str)> = names
            .filter(|name| is_host_name(name.strip_prefix("*.").unwrap_or(name)))
            .filter_map(|name| {
                let state = self.names.get(name);
                if state.is_some_and(|state| state.running) {
                    return None;
                }
                let at = self.due_at(name, snapshot, wall, now)?;
                (at <= now).then(|| (state.and_then(|state| state.retry_at), name))
            })
            .collect();
        due.sort_by_key(|(waited, _)| *waited);
        due.into_iter().map(|(_, name)| name).collect()
    }

    /// When an order for `name` is due; `None` when it needs none.
    pub fn due_at(&self, name: &str, snapshot: &Snapshot, wall: SystemTime, now: Instant) -> Option<Instant> {
        let state = self.names.get(name);
        let wanted = match snapshot.of(name) {
            None => state.and_then(|state| state.issued).map_or(now, |(issued, _)| issued + APPEARING),
            Some(pair) if pair.provenance == Provenance::Own => return None,
            Some(pair) => {
                let left = self.renew_at(name, pair).duration_since(wall).unwrap_or_default();
                let floor = state.and_then(|state| state.floor).unwrap_or(now);
                // A year is as good as any later time, and never overflows.
                (now + left.min(Duration::from_hours(365 * 24))).max(floor)
            }
        };
        Some(state.and_then(|state| state.retry_at).map_or(wanted, |retry| retry.max(wanted)))
    }

    /// When the certificate of `name` is to be renewed: as the authority suggests, else by its lifetime.
    pub fn renew_at(&self, name: &str, pair: &Pair) -> SystemTime {
        let suggestion = self.names.get(name).and_then(|state| state.suggestion.as_ref());
        match suggestion {
            Some(suggestion) if suggestion.of == pair.not_after => suggestion.renew_at.min(pair.not_after),
            _ => renewal(pair),
        }
    }

    /// True if the authority should be asked when `pair`, which serves `name`, is to be renewed. Not about one whose
    /// successor was issued a moment ago and is not read yet: the answer would be of no use.
    pub fn ask_due(&self, name: &str, pair: &Pair, now: Instant) -> bool {
        let Some(state) = self.names.get(name) else { return true };
        let is_replaced = state.issued.is_some_and(|(at, end)| now < at + APPEARING && end != pair.not_after);
        !state.running && !is_replaced && state.ask_at.is_none_or(|at| at <= now)
    }

    /// An order for `name` has begun, or a question about it.
    pub fn begin(&mut self, name: &str) {
        self.state(name).running = true;
    }

    /// An order came to a certificate.
    pub fn succeeded(&mut self, name: &str, pair: &Pair, now: Instant) {
        let state = self.state(name);
        let floor = Some(now + pair.lifetime() / FLOOR_FRACTION);
        *state = State { floor, issued: Some((now, pair.not_after)), ..State::default() };
    }

    /// An order came to nothing. Returns the pause before the next try.
    pub(super) fn failed(
        &mut self,
        name: &str,
        why: Why,
        retry_after: Option<Duration>,
        now: Instant,
        part: f64,
    ) -> Duration {
        let state = self.state(name);
        state.running = false;
        if why == Why::Disk {
            return Duration::ZERO;
        }
        state.failures = state.failures.saturating_add(1);
        state.plain |= why == Why::NotReplaceable;
        let pause = pause(why, state.failures, retry_after, part);
        state.retry_at = Some(now + pause);
        pause
    }

    /// The authority has answered a question, or not: `window` is none when it has nothing to suggest.
    pub fn suggested(
        &mut self,
        name: &str,
        pair: &Pair,
        window: Option<(SystemTime, SystemTime)>,
        ask_again: Duration,
        now: Instant,
        part: f64,
    ) {
        let state = self.state(name);
        state.running = false;
        state.ask_at = Some(now + ask_again.clamp(SUGGESTION_SHORTEST, SUGGESTION_LONGEST));
        let known = state.suggestion.take().filter(|known| known.of == pair.not_after);
        state.suggestion = window.map(|(start, end)| match known {
            // A time once drawn stays, as long as it lies within what is suggested.
            Some(known) if (start..=end).contains(&known.renew_at) => known,
            _ => Suggestion { of: pair.not_after, renew_at: within(start, end, part) },
        });
    }

    /// Failed orders for `name` in a row.
    pub fn failures(&self, name: &str) -> u32 {
        self.names.get(name).map_or(0, |state| state.failures)
    }

    /// True if the pause behind a failed order for `name` is not over.
    pub fn is_paused(&self, name: &str, now: Instant) -> bool {
        self.names.get(name).and_then(|state| state.retry_at).is_some_and(|at| now < at)
    }

    /// True if a certificate for `name` is being ordered, or was issued a moment ago and is not read yet.
    pub fn is_under_way(&self, name: &str, now: Instant) -> bool {
        let is_fresh = |state: &State| state.issued.is_some_and(|(at, _)| now < at + APPEARING);
        self.names.get(name).is_some_and(|state| state.running || is_fresh(state))
    }

    /// True if an order for `name` must not say which certificate it replaces.
    pub fn is_plain(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|state| state.plain)
    }

    fn state(&mut self, name: &str) -> &mut State {
        if self.names.len() >= REMEMBERED_MAX && !self.names.contains_key(name) {
            self.names.retain(|_, state| state.running || state.suggestion.is_some());
        }
        self.names.entry(name.to_owned()).or_default()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests;
