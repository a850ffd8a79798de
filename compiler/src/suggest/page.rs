//! Groups and suggestions as text: what people read are comments, what configurations take is YAML.

use std::fmt::Write as _;

use super::events::Events;
use super::group::{Group, Judgement, counted};
use crate::diagnostic::printable;

/// Groups that are shown; the largest come first.
const GROUPS_SHOWN_MAX: usize = 200;

/// The page.
pub(super) fn page(events: &Events, groups: &[Group], is_proposed: impl Fn(&Group) -> bool) -> String {
    let mut out = String::new();
    let of = |judgement| groups.iter().filter(|group| group.judgement == judgement).count();
    let _ = writeln!(
        out,
        "# {}: {}, {}, {} unclear",
        counted(events.list.len(), "event"),
        counted(of(Judgement::FalseAlarm), "likely false alarm"),
        counted(of(Judgement::Attack), "likely attack"),
        of(Judgement::Unclear),
    );
    if events.unread > 0 {
        let _ = writeln!(out, "# {} no events of blocked or detected requests", lines(events.unread));
    }
    if events.left_out > 0 {
        let _ = writeln!(out, "# {} more left out", events.left_out);
    }
    let of_checks = events.list.iter().filter(|event| !event.checks.is_empty()).count();
    if of_checks > 0 {
        let _ = writeln!(
            out,
            "# {} {} a finding that no exception takes away: a limit, or a check of the whole message",
            counted(of_checks, "request"),
            if of_checks == 1 { "has" } else { "have" }
        );
    }
    for group in groups.iter().take(GROUPS_SHOWN_MAX) {
        shown(&mut out, group, is_proposed(group));
    }
    if let Some(rest @ 1..) = groups.len().checked_sub(GROUPS_SHOWN_MAX) {
        let _ = writeln!(out, "\n# {rest} more groups");
    }
    out
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line is".to_owned() } else { format!("{count} lines are") }
}

fn shown(out: &mut String, group: &Group, is_proposed: bool) {
    let word = match group.judgement {
        Judgement::FalseAlarm => "likely a false alarm",
        Judgement::Unclear => "unclear",
        Judgement::Attack => "likely an attack",
    };
    let _ = writeln!(
        out,
        "\n# route {}, {} {}, {}: {} of {}, {word}",
        printable(&group.route),
        group.methods.iter().map(|method| printable(method)).collect::<Vec<_>>().join(" "),
        printable(&group.path),
        printable(&group.place),
        counted(group.requests, "request"),
        counted(group.clients, "client"),
    );
    for reason in &group.reasons {
        let _ = writeln!(out, "#   {reason}");
    }
    let _ = writeln!(out, "#   found: {}", group.rules.keys().copied().collect::<Vec<_>>().join(" "));
    let effect = &group.effect;
    if effect.is_there {
        let _ = writeln!(out, "#   the configuration has an exception for it already");
        return;
    }
    let Some(fields) = group.lines() else {
        let _ = writeln!(out, "#   no exception can name this place");
        return;
    };
    let _ = writeln!(
        out,
        "#   an exception alone would have spared {} of {}, {} of them of clients that look like attackers",
        counted(effect.spared, "request"),
        counted(effect.clients, "client"),
        effect.of_attackers
    );
    if !is_proposed {
        return;
    }
    let _ = writeln!(out, "# routes[{}]:\nexceptions:", printable(&group.route));
    for (nth, field) in fields.iter().enumerate() {
        let _ = writeln!(out, "  {} {field}", if nth == 0 { "-" } else { " " });
    }
}
