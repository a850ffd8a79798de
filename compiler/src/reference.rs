//! Reference pages made from the tables: the fields of the configuration, the limits, the protections, the linter with
//! its findings, and the metrics with the alert rules and the dashboard that use them.

mod alerts;
mod cell;
mod dashboard;
mod limits;
mod metrics;
mod migration;
mod presets;
mod protections;
mod samples;

use std::fmt::Write as _;

use cell::{cell, constraint};

pub use alerts::{alert_cases, alerts};
pub use dashboard::dashboard;
pub use limits::limits;
pub use metrics::metrics;
pub use migration::migration;
pub use presets::presets;
pub use protections::protections;

use crate::code;
use crate::field::{Field, FieldKind};
use crate::raw::document;

/// `docs/configuration.md`.
pub fn configuration() -> String {
    let mut out = String::from(
        "# Configuration\n\n\
         <!-- Made by `waf-compile reference configuration`; edit the rows in compiler/src/raw instead. -->\n\n\
         One YAML 1.2 file is the whole configuration:\n\n\
         ```yaml\n\
         version: v1alpha1\n\
         port: 8080\n\
         routes:\n\
         \x20 - upstream: http://127.0.0.1:3000\n\
         ```\n\n\
         `waf-compile FILE` checks a file; see [the linter](linter.md). `waf-compile schema` prints a JSON Schema for\n\
         editors. Each section below begins with a sample; samples without `routes` need the two lines of them above.\n\n\
         - Unknown and repeated fields are errors. An empty value means that the field is absent.\n\
         - Byte sizes take `B`, `KB`, `MB` or `GB` (powers of 1024); a bare whole number is bytes.\n\
         - Durations are a number and `ms`, `s`, `m` or `h`.\n\
         - Only `true` and `false` are booleans. Tags, merge keys (`<<`) and further documents are errors; anchors and\n  \
           aliases are allowed.\n\
         - Exactly one deployment mode holds: `host` (one set of hosts, automatic TLS), `match.hosts` on every route\n  \
           (hosts for each route, automatic TLS), or neither: plain HTTP on `port`.\n\
         - A route takes each value that it does not set from `global`. A list of a route replaces the global one, except\n  \
           `disable`, `enable`, `exceptions`, `use` and `strip_extra`, which are united; `inject` is merged key by key; `rate_limit` is replaced\n  \
           as a whole.\n\
         - Of `enable` and `disable` the more specific name wins: leaf over bucket over family; at the same level the\n  \
           route over `global`.\n",
    );
    section(&mut out, "Top level", "", document());
    out
}

/// Subsections that are described at their first place.
fn section(out: &mut String, title: &str, path: &str, fields: &[Field]) {
    let _ = writeln!(out, "\n## {title}");
    if let Some(sample) = samples::of(path.trim_end_matches('.')) {
        let _ = writeln!(out, "\n```yaml\n{}\n```", sample.trim_end());
    }
    let _ = write!(out, "\n| Field | Type | Default | Constraint | Meaning |\n|---|---|---|---|---|\n");
    for field in fields {
        let default = match (field.required, field.default) {
            (true, _) => "required".to_owned(),
            (false, "") => "–".to_owned(),
            (false, default) => format!("`{default}`"),
        };
        let _ = writeln!(
            out,
            "| `{path}{}` | {} | {default} | {} | {} |",
            field.name,
            type_of(&field.kind),
            cell(&constraint(field)),
            cell(field.doc)
        );
    }
    for field in fields {
        let (below, suffix) = match field.kind {
            FieldKind::Section(below) => (below, ""),
            FieldKind::List(FieldKind::Section(below))
            | FieldKind::AtLeastOne(FieldKind::Section(below), _) => (*below, "[]"),
            _ => continue,
        };
        let own = format!("{path}{}{suffix}", field.name);
        let shared = own.strip_prefix("routes[].").filter(|rest| {
            [
                "accept",
                "inspection",
                "multipart",
                "response_headers",
                "rate_limit",
                "error_response",
                "exceptions[]",
            ]
            .contains(rest)
        });
        match shared {
            Some(rest) => {
                let _ = write!(out, "\n## `{own}`\n\nThe fields of `global.{rest}`. {}\n", cell(field.bound));
            }
            None => section(out, &format!("`{own}`"), &format!("{own}."), below),
        }
    }
}

fn type_of(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Choice(words) => {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
        }
        other => other.type_name(),
    }
}

/// `docs/linter.md`.
pub fn linter() -> String {
    let mut out = String::from(
        "# waf-compile\n\n\
         <!-- Made by `waf-compile reference linter`; edit compiler/src/reference.rs instead. -->\n\n\
         `waf-compile` checks configurations without starting the service. It finds all errors in one run.\n\n\
         ```sh\n\
         waf-compile waf.yaml\n\
         ```\n\n\
         ```\n\
         waf-compile FILE...                     check files; `-` is standard input\n\
         \x20           --format text|json|sarif  how findings are printed (text); -f\n\
         \x20           --deny-warnings           exit status 1 for warnings too; -W\n\
         \x20           --no-host-checks          leave out what depends on this machine\n\
         waf-compile effective FILE --route ID   what holds on a route, with the line that decided each value\n\
         waf-compile diff OLD NEW                what a change means: routes, protections, settings\n\
         waf-compile plan FILE                   the compiled plan and its digest as JSON\n\
         waf-compile catalog [NAME]              all protections, or one name at any level\n\
         waf-compile rules [--leaf NAME]         detection rules, with what each catches and allows\n\
         waf-compile check-request --config FILE [REQUEST]\n\
         \x20                                       what is found in a recorded request, and why\n\
         waf-compile suggest --config FILE [--apply] [--unclear] EVENTS...\n\
         \x20                                       exceptions for what audit events show to be false alarms\n\
         waf-compile import-exclusions FILE      exclusions of ModSecurity as exceptions\n\
         waf-compile test --config FILE [--format text|json|junit] TESTS...\n\
         \x20                                       requests with the verdicts that a configuration has to give\n\
         waf-compile schema                      JSON Schema (draft-07) for editors\n\
         waf-compile reference PAGE              the reference pages `configuration`, `limits`, `linter`, `metrics`,\n\
         \x20                                       `migration`, `presets` and `protections`, alert rules (`alerts`, `alert-cases`), a\n\
         \x20                                       `dashboard`\n\
         ```\n\n\
         Findings are `<file>:<line>: <message>`, warnings `<file>:<line>: warning: <message>`, by line; then comes\n\
         `<file>: ok` or the number of errors, all on standard output. A terminal gets columns and colours (not with `NO_COLOR`).\n\
         The exit status is 0 when every file is valid, 1 when one is not, 2 for wrong usage. Warnings do not change it\n\
         without `--deny-warnings`.\n\n\
         `--no-host-checks` leaves out whether `data_dir` can be written to and whether contracts with absolute paths\n\
         exist, so that a check gives the same result everywhere.\n\n\
         `check-request` reads a request as it stood on the wire (request line, header lines, an empty line, the body) and\n\
         checks its head against the route's settings and everything against the engine. It prints each finding with its\n\
         place, view and bytes, the rule, the protection with the line that enabled it, the narrowest `disable` list that\n\
         allows the request, and what was not checked. Its exit status is 0 when the request passes, 1 when it is refused,\n\
         2 when there is no answer: a file that cannot be read or is not a request, an invalid configuration.\n\n\
         `diff` compares what holds, not what is written: its exit status is 0 when both files mean the same, 1 when they\n\
         differ, 2 when one is invalid.\n\n\
         For editors with the YAML language server: write the schema to a file with `waf-compile schema` and begin the\n\
         configuration with `# yaml-language-server: $schema=<that file>`.\n\n\
         ## Findings\n\n\
         JSON and SARIF carry the code of each finding.\n\n\
         | Code | What was found |\n|---|---|\n",
    );
    for (code, summary) in code::ALL {
        let _ = writeln!(out, "| `{code}` | {} |", cell(summary));
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn committed_pages_are_current() {
        let pages = [
            ("configuration", "docs/configuration.md", super::configuration()),
            ("limits", "docs/limits.md", super::limits()),
            ("linter", "docs/linter.md", super::linter()),
            ("metrics", "docs/metrics.md", super::metrics()),
            ("presets", "docs/presets.md", super::presets()),
            ("migration", "docs/crs-ids.md", super::migration()),
            ("protections", "docs/protections.md", super::protections()),
            ("alerts", "ops/alerts.yaml", super::alerts()),
            ("alert-cases", "ops/alerts.test.yaml", super::alert_cases()),
            ("dashboard", "ops/dashboard.json", super::dashboard()),
        ];
        for (name, file, page) in pages {
            let path = format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"));
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                committed == page,
                "{file} is not current; fix it with\n  cargo run -p waf-compiler --bin waf-compile -- reference {name} > {file}"
            );
        }
    }
}
