//! The command line of `waf-compile`: its words and values, nothing of what they bring about. Man page and completions
//! are made from it.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::replay::InputFormat;

/// Checks WAF configurations, and shows what they mean.
#[derive(Debug, Parser)]
#[command(name = "waf-compile", version, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// Check the files and report every finding; files without another task are checked too.
    #[arg(short = 't', long, requires = "files")]
    pub validate: bool,
    /// Format of findings.
    #[arg(short, long, value_enum, default_value_t = Format::Text, requires = "files")]
    pub format: Format,
    /// Leave out what depends on this machine, such as a writable `data_dir`.
    #[arg(long, requires = "files")]
    pub no_host_checks: bool,
    /// Take warnings for errors in the exit status.
    #[arg(short = 'W', long, requires = "files")]
    pub deny_warnings: bool,
    /// Configurations; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Another task than the check of files.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Format of findings.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Format {
    /// A line for each.
    Text,
    /// One document.
    Json,
    /// SARIF 2.1.0.
    Sarif,
}

/// Another task than the check of files.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show all protections, or one name at any level.
    Catalog {
        /// A family, a bucket or a leaf.
        name: Option<String>,
    },
    /// Show the detection rules with what they catch and what they allow.
    Rules {
        /// Only those of a leaf, a bucket or a family.
        #[arg(short, long, value_name = "NAME")]
        leaf: Option<String>,
    },
    /// Run a recorded request through the checks of its route and explain the outcome. The exit status is 0 when it
    /// passes, 1 when it is refused, 2 when there is no answer.
    CheckRequest {
        /// The configuration.
        #[arg(short, long, value_name = "FILE")]
        config: PathBuf,
        /// Rebuild the request from the audit event with this request id; the file is one of events then.
        #[arg(long, value_name = "REQUEST-ID")]
        id: Option<String>,
        /// The request: request line, header lines, an empty line, the body; `-` is standard input.
        #[arg(default_value = "-")]
        request: PathBuf,
    },
    /// Group the findings of audit events, tell likely false alarms from attacks, and print the narrowest exceptions.
    Suggest {
        /// The configuration.
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
        /// Write the exceptions into the configuration; comments stay.
        #[arg(long)]
        apply: bool,
        /// Propose exceptions for groups that are neither too.
        #[arg(long)]
        unclear: bool,
        /// Files of audit events, a JSON document a line; `-` is standard input.
        #[arg(value_name = "EVENTS", required = true)]
        events: Vec<PathBuf>,
    },
    /// Translate exclusions of ModSecurity and the Core Rule Set into exceptions, and list those without a counterpart.
    ImportExclusions {
        /// The file of directives.
        file: PathBuf,
    },
    /// Run policy tests: requests with the verdicts that a configuration has to give. The exit status is 1 when one
    /// fails.
    Test {
        /// The configuration.
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
        /// Format of the results.
        #[arg(long, value_enum, default_value_t = TestFormat::Text)]
        format: TestFormat,
        /// Files of tests.
        #[arg(value_name = "TESTS", required = true)]
        tests: Vec<PathBuf>,
    },
    /// Make a page of HTML of audit events: over time, protections, routes, sources, likely false alarms, single events.
    Report {
        /// The page; `-` is standard output.
        #[arg(short, long, value_name = "FILE", default_value = "-")]
        output: PathBuf,
        /// Files of audit events, or folders of them; gzip is read, `-` is standard input.
        #[arg(value_name = "EVENTS", required = true)]
        events: Vec<PathBuf>,
    },
    /// Replay recorded traffic: what a configuration refuses of it, and the difference to another one. The exit status is 0
    /// when there is no difference, 1 when there is one, 2 when there is no answer.
    Replay {
        /// The configuration.
        #[arg(long, value_name = "FILE")]
        config: PathBuf,
        /// The configuration that it is compared with.
        #[arg(long, value_name = "FILE")]
        against: Option<PathBuf>,
        /// Format of the report.
        #[arg(long, value_enum, default_value_t = ReplayFormat::Text)]
        format: ReplayFormat,
        /// Format of the recordings.
        #[arg(long, value_enum, default_value_t = InputFormat::Auto)]
        input_format: InputFormat,
        /// Host of requests whose recording names none [default: the first host of the configuration].
        #[arg(long, value_name = "NAME")]
        host: Option<String>,
        /// Recordings, access logs, or folders of them; gzip is read, `-` is standard input.
        #[arg(value_name = "INPUT", required = true)]
        inputs: Vec<PathBuf>,
    },
    /// Print the JSON Schema (draft-07) of the configuration.
    Schema,
    /// Print the compiled plan and its digest as JSON.
    Plan {
        /// The configuration; `-` is standard input.
        file: PathBuf,
    },
    /// Show what a change means: routes, protections and settings that differ. The exit status is 0 when both files mean
    /// the same, 1 when they differ, 2 when one is invalid.
    Diff {
        /// The configuration before the change.
        old: PathBuf,
        /// The configuration after it; `-` is standard input.
        new: PathBuf,
    },
    /// Show what holds on a route, and the line that decided each value.
    Effective {
        /// The configuration; `-` is standard input.
        file: PathBuf,
        /// Id of the route.
        #[arg(short, long, value_name = "ID")]
        route: String,
    },
    /// Print a reference page.
    Reference {
        /// Which one.
        page: Page,
    },
}

/// Format of the results of tests.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum TestFormat {
    /// A line for each test that fails.
    Text,
    /// One document.
    Json,
    /// JUnit XML.
    Junit,
}

/// Format of the report of a replay.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ReplayFormat {
    /// Tables with examples.
    Text,
    /// One document.
    Json,
}

/// A reference page, or a file of `ops/`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Page {
    /// `docs/configuration.md`
    Configuration,
    /// `docs/linter.md`
    Linter,
    /// `docs/limits.md`
    Limits,
    /// `docs/metrics.md`
    Metrics,
    /// `docs/presets.md`
    Presets,
    /// `docs/protections.md`
    Protections,
    /// `docs/crs-ids.md`
    Migration,
    /// `ops/alerts.yaml`
    Alerts,
    /// `ops/alerts.test.yaml`
    AlertCases,
    /// `ops/dashboard.json`
    Dashboard,
}
