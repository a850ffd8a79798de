//! Sections of the manual pages that no command line knows: how a program ends, its files, signals and variables, and
//! examples. One entry a page.

use std::fmt::Write as _;

/// Sections of one page.
struct Page {
    name: &'static str,
    exit: &'static [(&'static str, &'static str)],
    files: &'static [(&'static str, &'static str)],
    signals: &'static [(&'static str, &'static str)],
    environment: &'static [(&'static str, &'static str)],
    /// Command and meaning.
    examples: &'static [(&'static str, &'static str)],
}

const FINE: (&str, &str) = ("0", "Fine.");
const USAGE: (&str, &str) = ("2", "Wrong usage.");
const CONFIG: (&str, &str) = ("/etc/waf/waf.yaml", "The configuration, where --config names no other file.");

const PLAIN: Page =
    Page { name: "", exit: &[FINE, USAGE], files: &[], signals: &[], environment: &[], examples: &[] };

const PAGES: &[Page] = &[
    Page {
        name: "waf",
        exit: &[
            ("0", "A stop that was asked for, or a valid configuration with --validate."),
            ("1", "An invalid configuration, a failed start, or a warning with --deny-warnings."),
            USAGE,
        ],
        files: &[
            CONFIG,
            (
                "/data/waf",
                "Certificates, the account at the authority, and bodies that wait; the field data_dir names another folder.",
            ),
        ],
        signals: &[
            ("SIGHUP", "Reads the configuration again, also when nothing changed."),
            (
                "SIGTERM, SIGINT",
                "Stops: /readyz answers 503, requests in flight get the time of --drain. A second signal ends at once.",
            ),
            ("SIGUSR2", "Replaces the program as waf upgrade does."),
        ],
        environment: &[
            ("WAF_TRUSTED_PROXIES", "Value of --trusted-proxies."),
            (
                "WAF_ACME_DIRECTORY, WAF_ACME_CONTACT, WAF_ACME_EAB_KID, WAF_ACME_EAB_KEY, WAF_ACME_ROOT, WAF_ACME_CHALLENGES, WAF_ACME_DNS_HOOK",
                "Values of the options of the same names.",
            ),
            (
                "OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TIMEOUT, OTEL_RESOURCE_ATTRIBUTES",
                "Traces, where the configuration leaves the field empty.",
            ),
            ("SSL_CERT_FILE, SSL_CERT_DIR", "Trust anchors in place of the system's."),
            ("NO_COLOR", "No colours, whatever the terminal can show."),
        ],
        examples: &[
            ("waf demo", "Tries the service with a small shop behind it."),
            ("waf -t waf.yaml", "Checks a configuration."),
            ("waf -c waf.yaml --trusted-proxies 10.0.0.0/8", "Serves behind a balancer."),
            ("kill -HUP $(pidof -s waf)", "Reads the configuration again."),
        ],
    },
    Page {
        name: "waf-demo",
        exit: &[FINE, ("1", "A failed start."), USAGE],
        examples: &[("waf demo -p 8081", "Listens on another port.")],
        ..PLAIN
    },
    Page {
        name: "waf-certificates",
        exit: &[FINE, ("1", "An invalid configuration."), USAGE],
        files: &[CONFIG],
        examples: &[("waf certificates -c waf.yaml", "Lists host, issuer, expiry and next renewal.")],
        ..PLAIN
    },
    Page {
        name: "waf-upgrade",
        exit: &[
            ("0", "The new program serves."),
            ("1", "The old program serves on; the reason is on standard error."),
            USAGE,
        ],
        examples: &[
            ("waf upgrade", "Replaces the only service of this machine."),
            ("waf upgrade --pid 4711", "Replaces one of several."),
        ],
        ..PLAIN
    },
    Page {
        name: "waf-health",
        exit: &[
            ("0", "Ready, or alive with --live."),
            ("1", "Not so, or nobody answers; the reason is on standard error."),
            USAGE,
        ],
        files: &[CONFIG],
        examples: &[
            ("waf health", "Asks the port that the configuration names."),
            ("waf health --url http://127.0.0.1:9090/readyz", "Asks a URL."),
        ],
        ..PLAIN
    },
    Page {
        name: "waf-doctor",
        exit: &[("0", "The service could run; there may be warnings."), ("1", "It could not."), USAGE],
        files: &[CONFIG],
        examples: &[("waf doctor -c waf.yaml", "Tries rights, ports, folders and trust anchors.")],
        ..PLAIN
    },
    Page {
        name: "waf-top",
        exit: &[FINE, ("1", "No service to see, or no terminal."), USAGE],
        files: &[CONFIG],
        examples: &[
            ("waf top", "Looks at the service of this machine."),
            ("waf top -c waf.yaml --once", "Prints one look as text."),
            ("waf top -u http://waf-metrics:9091/metrics", "Looks at another machine."),
        ],
        ..PLAIN
    },
    Page {
        name: "waf-compile",
        exit: &[
            ("0", "Every file is valid."),
            ("1", "A file is invalid, or has a warning with --deny-warnings; a name that is not known."),
            USAGE,
        ],
        environment: &[("NO_COLOR", "No colours, whatever the terminal can show.")],
        examples: &[
            ("waf-compile waf.yaml", "Checks a file."),
            ("waf-compile -f sarif --no-host-checks waf.yaml > findings.sarif", "Checks in a pipeline."),
            ("waf-compile diff old.yaml new.yaml", "Shows what a change means."),
        ],
        ..PLAIN
    },
    Page {
        name: "waf-compile-catalog",
        exit: &[FINE, ("1", "There is no such name."), USAGE],
        examples: &[
            ("waf-compile catalog sql-injection", "Shows a bucket."),
            ("waf-compile catalog 942100", "Finds the protection for the id of a CRS rule."),
        ],
        ..PLAIN
    },
    Page {
        name: "waf-compile-rules",
        exit: &[FINE, ("1", "There is no such name."), USAGE],
        examples: &[("waf-compile rules -l sql-injection-generic", "Shows the rules of a leaf.")],
        ..PLAIN
    },
    Page {
        name: "waf-compile-check-request",
        exit: &[
            ("0", "The request passes."),
            ("1", "The request is refused."),
            (
                "2",
                "No answer is possible: the file cannot be read or is not a request, the configuration is invalid, or wrong usage.",
            ),
        ],
        examples: &[("waf-compile check-request -c waf.yaml request.txt", "Explains one request.")],
        ..PLAIN
    },
    Page {
        name: "waf-compile-suggest",
        exit: &[
            FINE,
            ("1", "The exceptions could not be written."),
            ("2", "The configuration or the events cannot be read, or wrong usage."),
        ],
        examples: &[(
            "waf-compile suggest --config waf.yaml events.jsonl",
            "Shows likely false alarms, with exceptions for them.",
        )],
        ..PLAIN
    },
    Page {
        name: "waf-compile-import-exclusions",
        exit: &[FINE, ("1", "The file cannot be read."), USAGE],
        examples: &[(
            "waf-compile import-exclusions exclusions.conf",
            "Prints exceptions in place of exclusions.",
        )],
        ..PLAIN
    },
    Page {
        name: "waf-compile-test",
        exit: &[("0", "Every test holds."), ("1", "A test fails, or a file is at fault."), USAGE],
        examples: &[("waf-compile test --config waf.yaml tests.yaml", "Runs the tests of a file.")],
        ..PLAIN
    },
    Page {
        name: "waf-compile-replay",
        exit: &[
            ("0", "There is no difference, or one configuration alone was replayed."),
            ("1", "There is a difference."),
            (
                "2",
                "No answer is possible: a file cannot be read, a configuration is invalid, or wrong usage.",
            ),
        ],
        examples: &[
            ("waf-compile replay --config waf.yaml access.log", "Shows what would be refused of a log."),
            (
                "waf-compile replay --config new.yaml --against waf.yaml access.log",
                "Compares two configurations.",
            ),
        ],
        ..PLAIN
    },
    Page {
        name: "waf-compile-report",
        exit: &[("0", "The page was made."), ("2", "A file cannot be read or written, or wrong usage.")],
        examples: &[("waf-compile report events.jsonl -o report.html", "Makes a page of audit events.")],
        ..PLAIN
    },
    Page {
        name: "waf-compile-schema",
        examples: &[("waf-compile schema > waf.schema.json", "Writes the schema for an editor.")],
        ..PLAIN
    },
    Page {
        name: "waf-compile-plan",
        exit: &[FINE, ("1", "The configuration is invalid."), USAGE],
        examples: &[(
            "waf-compile plan waf.yaml | jq -r .digest",
            "Prints the name of the plan, as /readyz shows it.",
        )],
        ..PLAIN
    },
    Page {
        name: "waf-compile-diff",
        exit: &[
            ("0", "Both mean the same."),
            ("1", "They differ."),
            ("2", "A configuration is invalid, or wrong usage."),
        ],
        examples: &[(
            "git show HEAD:waf.yaml > old.yaml; waf-compile diff old.yaml waf.yaml",
            "Shows what the change at hand means.",
        )],
        ..PLAIN
    },
    Page {
        name: "waf-compile-effective",
        exit: &[FINE, ("1", "The configuration is invalid, or has no such route."), USAGE],
        examples: &[("waf-compile effective waf.yaml -r shop", "Shows what holds on a route.")],
        ..PLAIN
    },
    Page {
        name: "waf-compile-reference",
        examples: &[("waf-compile reference limits", "Prints the page of limits.")],
        ..PLAIN
    },
];

/// The sections of a page, in the format of manual pages.
pub(super) fn of(name: &str) -> String {
    let Some(page) = PAGES.iter().find(|page| page.name == name) else { return String::new() };
    let mut out = String::new();
    for (title, rows) in [
        ("EXIT STATUS", page.exit),
        ("FILES", page.files),
        ("SIGNALS", page.signals),
        ("ENVIRONMENT", page.environment),
        ("EXAMPLES", page.examples),
    ] {
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(out, ".SH \"{title}\"");
        for (term, text) in rows {
            let _ = writeln!(out, ".TP\n\\fB{}\\fR\n{}", escaped(term), escaped(text));
        }
    }
    out
}

/// Text without characters that mean something to the formatter.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_escaped() {
        assert_eq!(escaped(".a --b"), "\\&.a \\-\\-b");
        assert!(of("waf").contains(".SH \"SIGNALS\"\n.TP\n\\fBSIGHUP\\fR\n"));
        assert_eq!(of("unknown"), "");
    }
}
