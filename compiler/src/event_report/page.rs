//! The page: sections in the order in which a reader asks. Every text of an event goes through [`Text`].

use std::fmt::Write as _;

use super::chart;
use super::counts::Counts;
use super::gathered::Gathered;
use super::markup::{Text, number, policy};
use super::sample::{Kind, Sample};
use super::top::Top;
use crate::audit_event::stamp;
use crate::suggest::{Candidate, candidates};

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// Rows of a table.
const ROWS_MAX: usize = 15;

/// Likely false alarms that are shown.
const CANDIDATES_MAX: usize = 20;

/// The page.
pub(super) fn page(gathered: &Gathered) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>Audit events</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<main>\n",
        policy(SCRIPT, STYLE)
    );
    header(&mut out, gathered);
    over_time(&mut out, gathered);
    let all = gathered.all.all();
    out.push_str("<div class=\"pair\">\n");
    table(&mut out, "Protections", "Deciding protection", &gathered.protections);
    table(&mut out, "Routes", "Route", &gathered.routes);
    table(&mut out, "Sources", "Client address", &gathered.sources);
    table(&mut out, "Paths", "Path", &gathered.paths);
    out.push_str("</div>\n");
    false_alarms(&mut out, &candidates(&gathered.events));
    uninspected(&mut out, gathered, all);
    single_events(&mut out, &sampled(gathered));
    let _ = write!(out, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// Samples of every protection, and of the names that the tables show.
fn sampled(gathered: &Gathered) -> Vec<&Sample> {
    let tables =
        [(Kind::Route, &gathered.routes), (Kind::Source, &gathered.sources), (Kind::Path, &gathered.paths)];
    let names: Vec<(Kind, &str)> = tables
        .into_iter()
        .flat_map(|(kind, top)| top.ranked(ROWS_MAX).into_iter().map(move |(name, _)| (kind, name)))
        .collect();
    gathered.samples.ordered(|kind, name| kind == Kind::Protection || names.contains(&(kind, name)))
}

fn header(out: &mut String, gathered: &Gathered) {
    out.push_str("<h1>Audit events</h1>\n");
    if let (Some(first), Some(last)) = (gathered.first, gathered.last) {
        let show = |second| stamp(second).replace('T', " ");
        let _ = writeln!(out, "<p class=\"faint\">{} to {} UTC</p>", show(first), show(last));
    }
    if gathered.unread > 0 {
        let _ =
            writeln!(out, "<p class=\"faint\">{} lines are not audit events.</p>", number(gathered.unread));
    }
    for fault in &gathered.faults {
        let _ = writeln!(out, "<p class=\"faint\">{}</p>", Text(fault));
    }
    out.push_str("<div class=\"tiles\">\n");
    let all = &gathered.all;
    for (class, name, value) in [
        ("blocked", "blocked", number(all.blocked)),
        ("detected", "detected, forwarded", number(all.detected)),
        ("logged", "logged", number(all.logged)),
        ("sources", "client addresses", gathered.sources.size()),
    ] {
        let _ = writeln!(
            out,
            "<div class=\"tile {class}\"><b>{value}</b><span class=\"faint\">{name}</span></div>"
        );
    }
    out.push_str("</div>\n");
}

fn over_time(out: &mut String, gathered: &Gathered) {
    let width = gathered.timeline.width;
    let width = match width {
        0..3_600 => format!("{} min", width / 60),
        3_600..86_400 => format!("{} h", width / 3_600),
        _ => format!("{} d", width / 86_400),
    };
    let _ = write!(
        out,
        "<section>\n<h2>Over time</h2>\n{}\n<p class=\"faint\">A column is {width}.\
         <span class=\"key blocked\"></span>blocked<span class=\"key detected\"></span>detected\
         <span class=\"key logged\"></span>logged</p>\n</section>\n",
        chart::timeline(&gathered.timeline)
    );
}

/// A table of the most frequent names; each name filters the events below.
fn table(out: &mut String, title: &str, column: &str, top: &Top) {
    let rows = top.ranked(ROWS_MAX);
    let most = rows.iter().map(|(_, counts)| counts.all()).max().unwrap_or(0);
    let _ = write!(
        out,
        "<section>\n<h2>{title} <span class=\"faint\">{}</span></h2>\n<table class=\"bars\">\n\
         <tr><th>{column}</th><th></th><th class=\"count\">Events</th></tr>\n",
        top.size()
    );
    for (name, counts) in rows {
        let shown = if name.is_empty() { "unknown" } else { name };
        row(out, &filtering(shown, name), &counts, most);
    }
    out.push_str("</table>\n</section>\n");
}

fn row(out: &mut String, name: &str, counts: &Counts, most: u64) {
    let _ = writeln!(
        out,
        "<tr><td>{name}</td><td class=\"share\">{}</td><td class=\"count\">{}</td></tr>",
        chart::bar(counts, most),
        number(counts.all())
    );
}

/// A text that filters the events.
fn filtering(shown: &str, words: &str) -> String {
    format!("<button type=\"button\" data-filter=\"{}\">{}</button>", Text(words), Text(shown))
}

fn false_alarms(out: &mut String, list: &[Candidate]) {
    out.push_str("<section>\n<h2>Likely false alarms</h2>\n");
    if list.is_empty() {
        out.push_str("<p class=\"faint\">None was recognised.</p>\n</section>\n");
        return;
    }
    out.push_str(
        "<p class=\"faint\">Judged as <code>waf-compile suggest</code> does, which also writes the exceptions.</p>\n\
         <table>\n<tr><th>Where</th><th>Rules and reasons</th><th class=\"count\">Requests</th></tr>\n",
    );
    for candidate in list.iter().take(CANDIDATES_MAX) {
        let rules: Vec<String> = candidate.rules.iter().map(|rule| filtering(rule, rule)).collect();
        let mut reasons = String::new();
        for reason in &candidate.reasons {
            let _ = write!(reasons, "<li>{}</li>", Text(reason));
        }
        let _ = writeln!(
            out,
            "<tr><td><code>{} {}</code><br>{}<br><span class=\"faint\">route {}</span></td>\
             <td>{}<ul class=\"reasons\">{reasons}</ul></td>\
             <td class=\"count\">{}<br><span class=\"faint\">{} clients</span></td></tr>",
            Text(&candidate.methods),
            Text(&candidate.path),
            filtering(&candidate.place, &candidate.place),
            Text(&candidate.route),
            rules.join("<br>"),
            number(candidate.requests as u64),
            number(candidate.clients as u64)
        );
    }
    out.push_str("</table>\n");
    if let Some(rest @ 1..) = list.len().checked_sub(CANDIDATES_MAX) {
        let _ = writeln!(out, "<p class=\"faint\">{rest} more.</p>");
    }
    out.push_str("</section>\n");
}

fn uninspected(out: &mut String, gathered: &Gathered, all: u64) {
    let share = if all == 0 { 0.0 } else { 100.0 * gathered.partly as f64 / all as f64 };
    let _ = write!(
        out,
        "<section>\n<h2>Not inspected</h2>\n<p>{} of {} events ({share:.1} %) have a part that no rule looked at.</p>\n",
        number(gathered.partly),
        number(all)
    );
    let rows = gathered.uninspected.ranked(ROWS_MAX);
    if !rows.is_empty() {
        out.push_str(
            "<table class=\"bars\">\n<tr><th>Part</th><th></th><th class=\"count\">Events</th></tr>\n",
        );
        for (name, counts) in rows {
            row(out, &Text(name).to_string(), &counts, all);
        }
        out.push_str("</table>\n");
    }
    out.push_str("</section>\n");
}

fn single_events(out: &mut String, samples: &[&Sample]) {
    let _ = write!(
        out,
        "<section class=\"events\" id=\"events\">\n<h2>Single events</h2>\n\
         <p class=\"faint\">Some events of each name in the tables, {} in all. Click on a name above to filter them.</p>\n\
         <div class=\"script\"><input id=\"filter\" type=\"search\" aria-label=\"Filter\" \
         placeholder=\"Filter: words of an event\" autocomplete=\"off\">\
         <p class=\"faint\" id=\"shown\" aria-live=\"polite\"></p></div>\n",
        samples.len()
    );
    for sample in samples {
        single(out, sample);
    }
    out.push_str("</section>\n");
}

fn single(out: &mut String, sample: &Sample) {
    let disposition = sample.disposition.word();
    let _ = write!(
        out,
        "<details>\n<summary><span>{}</span><span class=\"badge {disposition}\">{disposition}</span>\
         <span class=\"mono request\">{}</span><span class=\"client faint\">{}</span></summary>\n<dl>\n",
        Text(&sample.stamp.replace('T', " ")),
        Text(&sample.request),
        Text(&sample.client)
    );
    let status = sample.status.map(|status| status.to_string()).unwrap_or_default();
    let facts = [
        ("Client", &sample.client),
        ("Route", &sample.route),
        ("Protection", &sample.protection),
        ("Request", &sample.request),
        ("Status", &status),
    ];
    let more = sample.facts.iter().map(|(name, value)| (*name, value));
    for (name, value) in facts.into_iter().chain(more).filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "<dt>{name}</dt><dd class=\"mono\">{}</dd>", Text(value));
    }
    for found in &sample.findings {
        let _ = writeln!(
            out,
            "<dt>Finding</dt><dd><code>{}</code> in <code>{}</code><br>{}<br><code>{}</code></dd>",
            Text(&found.rule),
            Text(&found.place),
            Text(&found.reason),
            Text(&found.excerpt)
        );
    }
    out.push_str("</dl>\n</details>\n");
}
