//! Names below a wildcard that clients ask for: which of them are ordered, and how many in an hour. HTTP-01 and
//! TLS-ALPN-01 cannot prove a wildcard, so that each name gets a certificate of its own; as clients choose the names,
//! the number is bounded. Pure: times come in as arguments.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;
use waf_shared::limits::NEW_NAMES_PER_HOUR;

use crate::disk::{covers, is_host_name};

const HOUR: Duration = Duration::from_hours(1);

/// Names that wait for their turn. Whoever is refused asks again.
const WAITING_MAX: usize = 20;

/// Names that were asked for, and when new ones were ordered.
#[derive(Debug, Default)]
pub struct Demand {
    waiting: VecDeque<String>,
    /// When new names were ordered within the last hour.
    ordered: VecDeque<Instant>,
}

impl Demand {
    /// Clients ask for `name`. Whether it waits now.
    pub fn ask(&mut self, name: &str, hosts: &[String]) -> bool {
        let fits = self.waiting.len() < WAITING_MAX
            && is_host_name(name)
            && wildcard_over(name, hosts).is_some()
            && !self.waiting.iter().any(|waiting| waiting == name);
        if fits {
            self.waiting.push_back(name.to_owned());
        }
        fits
    }

    /// The next name to order, if the hour has room for one. `needed` says whether it still has none.
    pub fn next(&mut self, now: Instant, needed: impl Fn(&str) -> bool) -> Option<String> {
        self.waiting.retain(|name| needed(name));
        self.forget(now);
        if self.ordered.len() >= NEW_NAMES_PER_HOUR {
            return None;
        }
        let name = self.waiting.pop_front()?;
        self.ordered.push_back(now);
        Some(name)
    }

    /// When there is room again for a name that waits.
    pub fn due_at(&mut self, now: Instant) -> Option<Instant> {
        self.forget(now);
        if self.waiting.is_empty() {
            return None;
        }
        match self.ordered.front() {
            Some(first) if self.ordered.len() >= NEW_NAMES_PER_HOUR => Some(*first + HOUR),
            _ => Some(now),
        }
    }

    /// When new names were ordered within the last hour, by the calendar: for whoever goes on after a restart.
    pub fn ordered(&self, now: Instant, wall: SystemTime) -> Vec<SystemTime> {
        let wall_of = |at: &Instant| wall.checked_sub(now.saturating_duration_since(*at)).unwrap_or(wall);
        self.ordered.iter().map(wall_of).collect()
    }

    /// Takes over orders of another replica, as [`Demand::ordered`] gave them. A time to come, by a clock that was set
    /// back since, counts as now.
    pub fn recall(&mut self, ordered: &[SystemTime], now: Instant, wall: SystemTime) {
        let ages = ordered.iter().map(|at| wall.duration_since(*at).unwrap_or_default());
        let mut ages: Vec<Duration> = ages.filter(|age| *age < HOUR).collect();
        ages.sort();
        ages.truncate(NEW_NAMES_PER_HOUR);
        self.ordered = ages.into_iter().rev().map(|age| now.checked_sub(age).unwrap_or(now)).collect();
    }

    /// Earlier orders cannot be known: there may have been as many as an hour has room for.
    pub fn recall_nothing(&mut self, now: Instant) {
        self.ordered = std::iter::repeat_n(now, NEW_NAMES_PER_HOUR).collect();
    }

    fn forget(&mut self, now: Instant) {
        while self.ordered.front().is_some_and(|at| now.saturating_duration_since(*at) >= HOUR) {
            self.ordered.pop_front();
        }
    }
}

/// The wildcard of a configuration that covers `name`, unless the name itself stands there.
pub fn wildcard_over<'a>(name: &str, hosts: &'a [String]) -> Option<&'a str> {
    if hosts.iter().any(|host| host == name) {
        return None;
    }
    hosts.iter().find(|host| covers(host, name)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> Vec<String> {
        ["*.shop.example", "named.shop.example", "other.example"].map(str::to_owned).to_vec()
    }

    #[test]
    fn only_names_below_a_wildcard_are_taken_each_once() {
        let mut demand = Demand::default();
        for (name, taken) in [
            ("a.shop.example", true),
            ("a.shop.example", false),
            ("b.a.shop.example", true),
            ("shop.example", false),
            ("named.shop.example", false),
            ("other.example", false),
            ("evil.example", false),
            ("a_b.shop.example", false),
            ("*.shop.example", false),
        ] {
            assert_eq!(demand.ask(name, &hosts()), taken, "{name}");
        }
        let now = Instant::now();
        assert_eq!(demand.next(now, |name| name != "a.shop.example").as_deref(), Some("b.a.shop.example"));
        assert_eq!(demand.next(now, |_| true), None);
    }

    #[test]
    fn an_hour_has_room_for_so_many_new_names() {
        let mut demand = Demand::default();
        let start = Instant::now();
        let mut ordered = 0;
        // Somebody asks for a new name every second for two hours.
        for second in 0..7200 {
            let now = start + Duration::from_secs(second);
            demand.ask(&format!("n{second}.shop.example"), &hosts());
            while demand.next(now, |_| true).is_some() {
                ordered += 1;
            }
            assert!(demand.waiting.len() <= WAITING_MAX && demand.ordered.len() <= NEW_NAMES_PER_HOUR);
        }
        assert_eq!(ordered, 2 * NEW_NAMES_PER_HOUR);
        assert!(demand.due_at(start + HOUR * 2).is_some());
    }

    #[test]
    fn a_restart_forgets_nothing_of_the_hour() {
        let (mut before, start, wall) = (Demand::default(), Instant::now(), SystemTime::now());
        let at = |minutes: u64| Duration::from_mins(minutes);
        for number in 0..NEW_NAMES_PER_HOUR as u64 {
            before.ask(&format!("n{number}.shop.example"), &hosts());
            assert!(before.next(start + at(number), |_| true).is_some());
        }
        let end = at(NEW_NAMES_PER_HOUR as u64);
        let written = before.ordered(start + end, wall + end);
        // Another process has other instants.
        let (mut after, begin) = (Demand::default(), start + at(500));
        after.recall(&written, begin, wall + end);
        after.ask("more.shop.example", &hosts());
        assert_eq!(after.next(begin, |_| true), None);
        assert_eq!(after.due_at(begin), Some(begin + HOUR - end));
        assert!(after.next(begin + HOUR - end, |_| true).is_some());
        // A clock that was set back does not make room, and one that was set ahead by an hour does.
        after.recall(&written, begin, wall - HOUR);
        assert_eq!(after.due_at(begin).map(|at| at >= begin), None, "nothing waits");
        after.ask("more.shop.example", &hosts());
        assert_eq!(after.due_at(begin), Some(begin + HOUR));
        after.recall(&written, begin, wall + HOUR * 2);
        assert_eq!(after.due_at(begin), Some(begin));
        after.recall_nothing(begin);
        assert_eq!(after.due_at(begin), Some(begin + HOUR));
    }
}
