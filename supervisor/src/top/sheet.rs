//! Content of the view, whatever draws it: facts with words, and tables. It knows no terminal.

use std::time::{SystemTime, UNIX_EPOCH};

use super::address::Address;
use super::figures::{Counts, Figures};
use super::histogram::Histogram;
use super::history::History;
use super::words::{age, count, quantile, rate};

/// Weight of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Good,
    Bad,
}

/// A line with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) name: &'static str,
    pub(super) text: String,
    pub(super) tone: Tone,
}

/// Rows of cells; the first column is a name, the others are numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) head: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
}

/// Everything that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sheet {
    pub(super) title: String,
    pub(super) facts: Vec<Fact>,
    /// Requests a second, the latest last.
    pub(super) points: Vec<u64>,
    pub(super) protections: Table,
    pub(super) routes: Table,
}

impl Sheet {
    /// Of what was seen so far; rates where there were two looks.
    pub(super) fn of(address: &Address, history: &History, now: SystemTime) -> Sheet {
        let nothing = Figures::default();
        let figures = history.latest().unwrap_or(&nothing);
        Sheet {
            title: format!("waf {} ({}) at {address}", figures.version, figures.commit),
            facts: facts(figures, history, now),
            points: history.points().collect(),
            protections: protections(figures, history),
            routes: routes(figures, history),
        }
    }
}

fn facts(figures: &Figures, history: &History, now: SystemTime) -> Vec<Fact> {
    let fact = |name, text, tone| Fact { name, text, tone };
    let bad_when = |is_bad| if is_bad { Tone::Bad } else { Tone::Plain };
    let degraded = if figures.degraded.is_empty() {
        fact("degraded", "nothing".to_owned(), Tone::Good)
    } else {
        fact("degraded", figures.degraded.join(", "), Tone::Bad)
    };
    vec![
        fact("plan", plan(figures, now), bad_when(figures.plan.is_empty())),
        degraded,
        fact(
            "workers",
            format!("{}, restarted {}", count(figures.workers), count(figures.worker_restarts)),
            bad_when(figures.workers < 1.0),
        ),
        fact(
            "reloads",
            format!("{}, refused {}", count(figures.reloads), count(figures.reloads_refused)),
            Tone::Plain,
        ),
        fact("requests", requests(figures, history), Tone::Plain),
        fact("latency", quantiles(&history.observed(|figures| &figures.durations)), Tone::Plain),
        fact("inspection", quantiles(&history.observed(|figures| &figures.inspections)), Tone::Plain),
        fact(
            "upstreams",
            format!("{} failures", with_rate(figures.upstream_errors, history.rate(|f| f.upstream_errors))),
            Tone::Plain,
        ),
        fact(
            "audit",
            format!("{} events, {} refused", count(figures.audit_events), count(figures.audit_refused)),
            bad_when(history.rate(|figures| figures.audit_refused).is_some_and(|rate| rate > 0.0)),
        ),
        fact("traces", format!("{} spans dropped", count(figures.spans_dropped)), Tone::Plain),
    ]
}

fn plan(figures: &Figures, now: SystemTime) -> String {
    if figures.plan.is_empty() {
        return "none in force".to_owned();
    }
    let now_s = now.duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
    format!("{}, in force for {}", figures.plan, age(now_s - figures.in_force_since_s))
}

fn requests(figures: &Figures, history: &History) -> String {
    let Counts { allowed, detected, blocked } = figures.requests;
    format!(
        "{}: {} allowed, {} detected, {} blocked; {} in flight",
        with_rate(figures.requests.all(), history.rate(|figures| figures.requests.all())),
        count(allowed),
        count(detected),
        count(blocked),
        count(figures.in_flight)
    )
}

/// A total, and how it grows.
fn with_rate(total: f64, growth: Option<f64>) -> String {
    match growth {
        Some(growth) => format!("{} ({}/s)", count(total), rate(growth)),
        None => count(total),
    }
}

fn quantiles(histogram: &Histogram) -> String {
    let shown = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)]
        .map(|(name, share)| format!("{name} {}", quantile(histogram.quantile(share))));
    shown.join(", ")
}

fn protections(figures: &Figures, history: &History) -> Table {
    let hits = |figures: &Figures, name: &str| figures.protections.get(name).map_or(0.0, Counts::all);
    let rows =
        figures.protections.iter().filter(|(_, counts)| counts.all() > 0.0).map(|(name, counts)| Row {
            name,
            numbers: vec![count(counts.blocked), count(counts.detected)],
            growth: history.rate(|figures| hits(figures, name)),
            total: counts.all(),
        });
    table(vec!["PROTECTION", "BLOCKED", "DETECTED"], rows)
}

fn routes(figures: &Figures, history: &History) -> Table {
    let requests = |figures: &Figures, name: &str| figures.routes.get(name).map_or(0.0, Counts::all);
    let rows = figures.routes.iter().map(|(name, counts)| Row {
        name,
        numbers: vec![count(counts.all()), count(counts.detected), count(counts.blocked)],
        growth: history.rate(|figures| requests(figures, name)),
        total: counts.all(),
    });
    table(vec!["ROUTE", "REQUESTS", "DETECTED", "BLOCKED"], rows)
}

struct Row<'a> {
    name: &'a str,
    numbers: Vec<String>,
    growth: Option<f64>,
    total: f64,
}

/// The fastest growth is first, then the largest count.
fn table<'a>(mut head: Vec<&'static str>, rows: impl Iterator<Item = Row<'a>>) -> Table {
    let mut rows: Vec<Row<'_>> = rows.collect();
    rows.sort_by(|a, b| {
        let growth = b.growth.unwrap_or_default().total_cmp(&a.growth.unwrap_or_default());
        growth.then(b.total.total_cmp(&a.total)).then(a.name.cmp(b.name))
    });
    if rows.iter().any(|row| row.growth.is_some()) {
        head.push("A SECOND");
    }
    let cells = |row: Row<'_>| {
        let name = std::iter::once(row.name.to_owned());
        name.chain(row.numbers).chain(row.growth.map(rate)).collect()
    };
    Table { head, rows: rows.into_iter().map(cells).collect() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
pub(super) mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::super::figures::tests::page;
    use super::*;

    /// After looks at so many allowed requests, two seconds apart.
    pub(in crate::top) fn sheet(allowed: &[u32]) -> Sheet {
        let begin = Instant::now();
        let mut history = History::default();
        for (look, allowed) in (0..).zip(allowed) {
            let figures = Figures::read(&page(*allowed)).unwrap();
            history.add(figures, begin + Duration::from_secs(2 * look));
        }
        let address = "http://127.0.0.1:9090/metrics".parse().unwrap();
        Sheet::of(&address, &history, UNIX_EPOCH + Duration::from_secs(1_000_000_075))
    }

    fn fact<'a>(sheet: &'a Sheet, name: &str) -> (&'a str, Tone) {
        let fact = sheet.facts.iter().find(|fact| fact.name == name).unwrap();
        (&fact.text, fact.tone)
    }

    #[test]
    fn one_look_shows_totals() {
        let sheet = sheet(&[90]);
        assert_eq!(sheet.title, "waf 1.2.3 (abc) at http://127.0.0.1:9090/metrics");
        let plan = format!("{}, in force for 1 min 14 s", "5e".repeat(32));
        assert_eq!(fact(&sheet, "plan"), (plan.as_str(), Tone::Plain));
        assert_eq!(fact(&sheet, "degraded"), ("configuration", Tone::Bad));
        let requests = "100: 90 allowed, 1 detected, 9 blocked; 4 in flight";
        assert_eq!(fact(&sheet, "requests"), (requests, Tone::Plain));
        assert_eq!(fact(&sheet, "latency").0, "p50 1.00 ms, p90 > 1.00 ms, p99 > 1.00 ms");
        assert_eq!(fact(&sheet, "inspection").0, "p50 –, p90 –, p99 –");
        assert_eq!(sheet.protections.head, ["PROTECTION", "BLOCKED", "DETECTED"]);
        assert_eq!(sheet.protections.rows[0], ["sql-injection-union-select", "6", "0"]);
        assert_eq!(sheet.routes.rows, [["shop", "98", "1", "7"], ["-", "2", "0", "2"]]);
        assert!(sheet.points.is_empty());
    }

    #[test]
    fn more_looks_show_rates() {
        let sheet = sheet(&[90, 100, 110]);
        let requests = "120 (5.0/s): 110 allowed, 1 detected, 9 blocked; 4 in flight";
        assert_eq!(fact(&sheet, "requests").0, requests);
        assert_eq!(fact(&sheet, "latency").0, "p50 –, p90 –, p99 –", "nothing ended in between");
        assert_eq!(sheet.routes.head, ["ROUTE", "REQUESTS", "DETECTED", "BLOCKED", "A SECOND"]);
        assert_eq!(sheet.routes.rows[0], ["shop", "118", "1", "7", "5.0"]);
        assert_eq!(sheet.points, [5, 5]);
    }

    #[test]
    fn a_service_without_a_plan_is_shown() {
        let mut history = History::default();
        history.add(Figures { version: "1".into(), ..Figures::default() }, Instant::now());
        let sheet = Sheet::of(&"http://a/".parse().unwrap(), &history, UNIX_EPOCH);
        assert_eq!(fact(&sheet, "plan"), ("none in force", Tone::Bad));
        assert_eq!(fact(&sheet, "workers"), ("0, restarted 0", Tone::Bad));
        assert_eq!(fact(&sheet, "degraded"), ("nothing", Tone::Good));
        assert!(sheet.routes.rows.is_empty());
    }
}
