//! Events over time in a bounded number of columns, which grow wider with the time that they cover.

use std::collections::BTreeMap;

use super::counts::Counts;

/// Columns from the first to the last event.
const COLUMNS_MAX: u64 = 120;

/// Seconds of a column, each a multiple of the one before; beyond the last they double.
const WIDTHS: [u64; 9] = [60, 300, 900, 3_600, 10_800, 21_600, 86_400, 604_800, 2_419_200];

/// Events by column.
#[derive(Debug)]
pub(super) struct Timeline {
    /// Seconds of a column.
    pub(super) width: u64,
    /// By number of the column since 1970.
    columns: BTreeMap<u64, Counts>,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline { width: WIDTHS[0], columns: BTreeMap::new() }
    }
}

impl Timeline {
    pub(super) fn add(&mut self, second: u64, counts: Counts) {
        self.columns.entry(second / self.width).or_default().add(counts);
        while self.span() > COLUMNS_MAX {
            self.widen();
        }
    }

    fn span(&self) -> u64 {
        match (self.columns.first_key_value(), self.columns.last_key_value()) {
            (Some((first, _)), Some((last, _))) => last - first + 1,
            _ => 0,
        }
    }

    fn widen(&mut self) {
        let next = WIDTHS.into_iter().find(|width| *width > self.width);
        self.width_to(next.unwrap_or(self.width.saturating_mul(2)));
    }

    fn width_to(&mut self, width: u64) {
        let before = std::mem::take(&mut self.columns);
        for (column, counts) in before {
            self.columns.entry(column.saturating_mul(self.width) / width).or_default().add(counts);
        }
        self.width = width;
    }

    /// Adds what another thread has counted.
    pub(super) fn merge(&mut self, other: Timeline) {
        if other.width > self.width {
            self.width_to(other.width);
        }
        for (column, counts) in other.columns {
            self.add(column.saturating_mul(other.width), counts);
        }
    }

    /// Each column from the first to the last, with the second at which it begins.
    pub(super) fn columns(&self) -> impl Iterator<Item = (u64, Counts)> + use<'_> {
        let first = self.columns.keys().next().copied().unwrap_or(0);
        (first..first.saturating_add(self.span())).map(|column| {
            (column.saturating_mul(self.width), self.columns.get(&column).copied().unwrap_or_default())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit_event::Disposition;

    #[test]
    fn columns_stay_few_and_nothing_is_lost() {
        let one = Counts::one(Disposition::Detected);
        for step in [1, 59, 3_600, 86_400 * 3, u64::MAX / 1_000] {
            let mut whole = Timeline::default();
            let (mut odd, mut even) = (Timeline::default(), Timeline::default());
            for nth in 0..900 {
                whole.add(nth * step, one);
                (if nth % 2 == 0 { &mut even } else { &mut odd }).add(nth * step, one);
            }
            odd.merge(even);
            for timeline in [whole, odd] {
                let columns: Vec<_> = timeline.columns().collect();
                assert!(columns.len() as u64 <= COLUMNS_MAX);
                assert_eq!(columns.iter().map(|(_, counts)| counts.detected).sum::<u64>(), 900, "{step}");
            }
        }
        assert_eq!(Timeline::default().columns().count(), 0);
    }
}
