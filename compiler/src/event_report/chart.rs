//! Charts as SVG: columns over time, and bars of a table. They have no style but classes.

use std::fmt::Write as _;

use super::counts::Counts;
use super::markup::{Text, number};
use super::timeline::Timeline;
use crate::audit_event::stamp;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 200.0;
/// Room for the labels of the axes.
const LEFT: f64 = 76.0;
const BOTTOM: f64 = 24.0;

/// Events over time: columns of blocked, detected and logged events, one above the other.
pub(super) fn timeline(timeline: &Timeline) -> String {
    let columns: Vec<(u64, Counts)> = timeline.columns().collect();
    let most = columns.iter().map(|(_, counts)| counts.all()).max().unwrap_or(0).max(1);
    let step = (WIDTH - LEFT) / columns.len().max(1) as f64;
    let plot = HEIGHT - BOTTOM - 8.0;
    let mut out = format!(
        "<svg class=\"timeline\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Events over time\">"
    );
    for part in 0..=2_u32 {
        let y = 8.0 + plot * f64::from(part) / 2.0;
        let value = most * u64::from(2 - part) / 2;
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"axis end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT - 8.0,
            y + 4.0,
            number(value)
        );
    }
    for (nth, (second, counts)) in columns.iter().enumerate() {
        let x = LEFT + step * nth as f64;
        let mut y = 8.0 + plot;
        let _ = write!(out, "<g><title>{}</title>", Text(&described(*second, counts)));
        let parts = [("blocked", counts.blocked), ("detected", counts.detected), ("logged", counts.logged)];
        for (class, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
            let height = (plot * count as f64 / most as f64).max(0.5);
            y -= height;
            let width = (step - 1.0).clamp(0.5, 24.0);
            let _ = write!(
                out,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
            );
        }
        out.push_str("</g>");
    }
    for nth in label_positions(columns.len()) {
        if let Some((second, _)) = columns.get(nth) {
            let x = LEFT + step * nth as f64;
            let _ = write!(
                out,
                "<text class=\"axis\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                HEIGHT - 6.0,
                label(*second, timeline.width)
            );
        }
    }
    out.push_str("</svg>");
    out
}

/// Columns below which a time stands.
fn label_positions(columns: usize) -> impl Iterator<Item = usize> {
    let apart = columns.div_ceil(5).max(1);
    (0..columns).step_by(apart).filter(move |nth| *nth + apart / 2 < columns || columns <= 5)
}

/// The day, with the time where columns are shorter than a day.
fn label(second: u64, width: u64) -> String {
    let stamp = stamp(second);
    let (day, time) = stamp.split_once('T').unwrap_or((&stamp, ""));
    if width >= 86_400 {
        day.to_owned()
    } else {
        format!("{} {}", day.get(5..).unwrap_or_default(), time.get(..5).unwrap_or_default())
    }
}

fn described(second: u64, counts: &Counts) -> String {
    format!(
        "{}: {} blocked, {} detected, {} logged",
        stamp(second).replace('T', " "),
        number(counts.blocked),
        number(counts.detected),
        number(counts.logged)
    )
}

/// A bar for `counts` where `most` is the full width.
pub(super) fn bar(counts: &Counts, most: u64) -> String {
    let share = |count: u64| 100.0 * count as f64 / most.max(1) as f64;
    let mut out =
        "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            .to_owned();
    let mut x = 0.0;
    for (class, count) in
        [("blocked", counts.blocked), ("detected", counts.detected), ("logged", counts.logged)]
    {
        if count > 0 {
            let width = share(count);
            let _ = write!(
                out,
                "<rect class=\"{class}\" x=\"{x:.2}\" y=\"0\" width=\"{width:.2}\" height=\"8\"/>"
            );
            x += width;
        }
    }
    out.push_str("</svg>");
    out
}
