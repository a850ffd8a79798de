//! Looks one after the other, and what grew between them. Times are given.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::figures::Figures;
use super::histogram::Histogram;
use super::words::whole;

/// Span of `now`: workers report once a second, so that shorter spans would jump.
const WINDOW: Duration = Duration::from_secs(10);

/// Points of the curve; wider terminals are rare.
const POINTS_MAX: usize = 512;

/// The looks of the last [`WINDOW`], and the curve of requests.
#[derive(Debug, Default)]
pub(super) struct History {
    looks: VecDeque<(Instant, Figures)>,
    points: VecDeque<u64>,
}

impl History {
    /// Adds a look. Two are kept, however long ago the earlier one was.
    pub(super) fn add(&mut self, figures: Figures, at: Instant) {
        self.looks.push_back((at, figures));
        while self.looks.len() > 2
            && self.looks.front().is_some_and(|(first, _)| at.duration_since(*first) > WINDOW)
        {
            self.looks.pop_front();
        }
        if let Some(rate) = self.rate(|figures| figures.requests.all()) {
            self.points.push_back(whole(rate.round()));
        }
        while self.points.len() > POINTS_MAX {
            self.points.pop_front();
        }
    }

    /// The latest figures; `None` before the first look.
    pub(super) fn latest(&self) -> Option<&Figures> {
        self.looks.back().map(|(_, figures)| figures)
    }

    /// Age of the latest look.
    pub(super) fn age(&self, now: Instant) -> Duration {
        self.looks.back().map_or(Duration::ZERO, |(at, _)| now.saturating_duration_since(*at))
    }

    /// Requests a second, one point for each look but the first.
    pub(super) fn points(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.points.iter().copied()
    }

    /// By how much a counter grows in a second now; `None` before the second look.
    pub(super) fn rate(&self, counter: impl Fn(&Figures) -> f64) -> Option<f64> {
        let (before, after, seconds) = self.ends()?;
        let (before, after) = (counter(before), counter(after));
        // A counter that has gone back began anew.
        let growth = if after < before { after } else { after - before };
        Some(growth / seconds)
    }

    /// Observations of a histogram now; before the second look, since the service began.
    pub(super) fn observed(&self, of: impl Fn(&Figures) -> &Histogram) -> Histogram {
        match (self.ends(), self.latest()) {
            (Some((before, after, _)), _) => of(after).since(of(before)),
            (None, Some(figures)) => of(figures).clone(),
            (None, None) => Histogram::default(),
        }
    }

    /// The first and the last look, and the seconds between them.
    fn ends(&self) -> Option<(&Figures, &Figures, f64)> {
        let ((begin, before), (end, after)) = (self.looks.front()?, self.looks.back()?);
        let seconds = end.duration_since(*begin).as_secs_f64();
        (seconds > 0.0).then_some((before, after, seconds))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::super::figures::tests::page;
    use super::*;

    fn figures(allowed: u32) -> Figures {
        Figures::read(&page(allowed)).unwrap()
    }

    fn allowed(history: &History) -> Option<f64> {
        history.rate(|figures| figures.requests.allowed)
    }

    #[test]
    fn rates_are_those_of_the_window() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut history = History::default();
        assert_eq!((allowed(&history), history.latest()), (None, None));
        history.add(figures(100), at(0));
        assert_eq!(allowed(&history), None, "one look shows no growth");
        history.add(figures(300), at(2));
        assert_eq!(allowed(&history), Some(100.0));
        for look in 2..=60 {
            history.add(figures(300), at(2 * look));
        }
        assert_eq!(allowed(&history), Some(0.0), "what is long ago does not count");
        assert!(history.looks.len() <= 6);
        history.add(figures(500), at(1120));
        assert_eq!(allowed(&history), Some(0.2), "a gap is no reason to show nothing");
        assert_eq!(history.age(at(1125)), Duration::from_secs(5));
        history.add(figures(50), at(1122));
        assert_eq!(allowed(&history), Some(25.0), "the service began anew");
    }

    #[test]
    fn the_curve_is_bounded() {
        let begin = Instant::now();
        let mut history = History::default();
        for look in 0..2000 {
            history.add(figures(look * 20), begin + Duration::from_secs(look.into()));
        }
        assert_eq!(history.points().count(), POINTS_MAX);
        assert!(history.points().all(|point| point == 20));
    }
}
