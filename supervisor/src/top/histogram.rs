//! Observations counted by upper bound, as a page shows them, and what can be read off them. It knows no page.

/// Bounds of one histogram; ours have sixteen at most.
const BOUNDS_MAX: usize = 64;

/// Counts of observations up to a bound: `(seconds, count)`, bounds ascending.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Histogram(Vec<(f64, f64)>);

/// Below what a share of the observations lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quantile {
    /// About so many seconds.
    About(f64),
    /// More seconds than the highest bound.
    Above(f64),
}

impl Histogram {
    /// Adds `count` observations of at most `bound` seconds. Histograms with the same bounds add up to one.
    pub(super) fn add(&mut self, bound: f64, count: f64) {
        match self.0.binary_search_by(|(known, _)| known.total_cmp(&bound)) {
            Ok(at) => self.0[at].1 += count,
            Err(at) if self.0.len() < BOUNDS_MAX && !bound.is_nan() => self.0.insert(at, (bound, count)),
            Err(_) => {}
        }
    }

    /// Observations after `earlier`. Where counts have gone back, whoever counts has begun anew: then all of it.
    pub(super) fn since(&self, earlier: &Histogram) -> Histogram {
        let difference = |(bound, count): &(f64, f64)| {
            let before = earlier
                .0
                .iter()
                .find(|(known, _)| known.total_cmp(bound).is_eq())
                .map_or(0.0, |(_, count)| *count);
            (*bound, count - before)
        };
        let differences: Vec<(f64, f64)> = self.0.iter().map(difference).collect();
        let has_gone_back = differences.iter().any(|(_, count)| *count < 0.0);
        if has_gone_back { self.clone() } else { Histogram(differences) }
    }

    /// The value below which `share` (0 to 1) of the observations lie, as Prometheus's `histogram_quantile` has it:
    /// within a bucket they are taken to lie evenly. `None` without observations.
    pub(super) fn quantile(&self, share: f64) -> Option<Quantile> {
        let (_, all) = self.0.last().filter(|(_, all)| *all > 0.0)?;
        let rank = all * share;
        let at = self.0.iter().position(|(_, count)| *count >= rank)?;
        let (bound, count) = self.0[at];
        let (low, below) = at.checked_sub(1).map_or((0.0, 0.0), |before| self.0[before]);
        Some(match bound {
            _ if bound.is_infinite() => Quantile::Above(low.max(0.0)),
            _ if count > below => {
                Quantile::About(low + (bound - low) * (rank - below).max(0.0) / (count - below))
            }
            _ => Quantile::About(bound),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(buckets: &[(f64, f64)]) -> Histogram {
        let mut histogram = Histogram::default();
        for (bound, count) in buckets {
            histogram.add(*bound, *count);
        }
        histogram
    }

    #[test]
    fn quantiles_are_those_of_prometheus() {
        let histogram = of(&[(0.001, 50.0), (f64::INFINITY, 100.0), (0.002, 90.0)]);
        for (share, quantile) in [
            (0.5, Quantile::About(0.001)),
            (0.25, Quantile::About(0.0005)),
            (0.7, Quantile::About(0.0015)),
            (0.9, Quantile::About(0.002)),
            (0.99, Quantile::Above(0.002)),
        ] {
            assert_eq!(histogram.quantile(share), Some(quantile), "{share}");
        }
        assert_eq!(of(&[]).quantile(0.5), None);
        assert_eq!(of(&[(1.0, 0.0), (f64::INFINITY, 0.0)]).quantile(0.5), None);
        assert_eq!(of(&[(f64::INFINITY, 3.0)]).quantile(0.5), Some(Quantile::Above(0.0)));
    }

    #[test]
    fn sums_and_differences() {
        let mut all = of(&[(1.0, 2.0), (2.0, 3.0)]);
        all.add(1.0, 4.0);
        assert_eq!(all, of(&[(1.0, 6.0), (2.0, 3.0)]));
        let earlier = of(&[(1.0, 1.0), (2.0, 2.0)]);
        let later = of(&[(1.0, 4.0), (2.0, 6.0), (3.0, 7.0)]);
        assert_eq!(later.since(&earlier), of(&[(1.0, 3.0), (2.0, 4.0), (3.0, 7.0)]));
        assert_eq!(earlier.since(&later), earlier, "it has begun anew");
    }

    proptest! {
        #[test]
        fn any_numbers_are_taken(buckets in proptest::collection::vec(any::<(f64, f64)>(), 0..200), share in 0.0..1.0) {
            let histogram = of(&buckets);
            prop_assert!(histogram.0.len() <= BOUNDS_MAX);
            let _ = histogram.quantile(share);
            let _ = histogram.since(&of(&buckets[..buckets.len() / 2])).quantile(share);
        }
    }
}
