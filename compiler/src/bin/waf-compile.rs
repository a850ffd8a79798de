//! The linter: checks configurations, and shows what they mean. Everything that it knows is in the library.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use waf_compiler::cli::{Arguments, Command, Format, Page, ReplayFormat, TestFormat};
use waf_compiler::event_report::EventReport;
use waf_compiler::progress_bar::Bar;
use waf_compiler::replay;
use waf_compiler::report::{self, Outcome};
use waf_compiler::suggest::Events;
use waf_compiler::{
    Compiled, Options, catalog, check_request, compile_file, compile_stream, difference, exclusions,
    reference, rules, schema,
};

/// Output and exit status.
struct Answer {
    text: String,
    status: u8,
}

impl Answer {
    fn of(text: String) -> Answer {
        Answer { text, status: 0 }
    }

    /// The name or the line, on a line of its own.
    fn failed(text: &str, status: u8) -> Answer {
        Answer { text: format!("{text}\n"), status }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let answer = match &arguments.command {
        Some(command) => run(command),
        None if !arguments.files.is_empty() => validate(&arguments),
        None => {
            let mut command = Arguments::command();
            command
                .error(clap::error::ErrorKind::MissingRequiredArgument, "nothing to do: see --help")
                .exit();
        }
    };
    // Colours are left out where nobody sees them, or where NO_COLOR is set. A reader that closes the pipe early has
    // seen what it wanted.
    let _ = anstream::stdout().lock().write_all(answer.text.as_bytes());
    ExitCode::from(answer.status)
}

fn validate(arguments: &Arguments) -> Answer {
    let options = Options { host_checks: !arguments.no_host_checks, ..Options::default() };
    let outcomes: Vec<Outcome> = arguments.files.iter().map(|file| compile(file, &options)).collect();
    let is_fine = |outcome: &Outcome| {
        outcome.is_ok() && (!arguments.deny_warnings || report::findings(outcome).is_empty())
    };
    let status = u8::from(!outcomes.iter().all(is_fine));
    let text = match arguments.format {
        Format::Text => {
            let named = arguments.files.iter().zip(&outcomes);
            named.map(|(file, outcome)| text_of(file, outcome)).collect()
        }
        Format::Json => report::json(&outcomes),
        Format::Sarif => report::sarif(&outcomes),
    };
    Answer { text, status }
}

fn run(command: &Command) -> Answer {
    match command {
        Command::Catalog { name: None } => Answer::of(catalog::table()),
        Command::Catalog { name: Some(name) } => listing(catalog::entry(name)),
        Command::Rules { leaf } => listing(rules::listing(leaf.as_deref())),
        Command::CheckRequest { config, id: None, request } => {
            with_compiled(config, 2, |compiled| check_request(compiled, request))
        }
        Command::CheckRequest { config, id: Some(id), request } => {
            with_compiled(config, 2, |compiled| check_event(compiled, request, id))
        }
        Command::Suggest { config, apply, unclear, events } => {
            with_compiled(config, 2, |compiled| suggest(compiled, config, events, (*apply, *unclear)))
        }
        Command::ImportExclusions { file } => match waf_compiler::read_text(file) {
            Ok(text) => Answer::of(exclusions::translate(&text)),
            Err(error) => Answer::failed(&error, 1),
        },
        Command::Test { config, format, tests } => {
            with_compiled(config, 1, |compiled| test(compiled, tests, *format))
        }
        Command::Report { output, events } => event_report(output, events),
        Command::Replay { config, against, format, input_format, host, inputs } => {
            let options =
                replay::Options { inputs, format: *input_format, host: host.as_deref(), threads: threads() };
            with_compiled(config, 2, |new| match against {
                None => replayed((config, new), None, &options, *format),
                Some(against) => with_compiled(against, 2, |old| {
                    replayed((config, new), Some((against, old)), &options, *format)
                }),
            })
        }
        Command::Schema => Answer::of(schema::schema()),
        Command::Reference { page } => Answer::of(page_of(*page)),
        Command::Plan { file } => with_compiled(file, 1, |compiled| Answer::of(compiled.json())),
        Command::Diff { old, new } => with_compiled(old, 2, |old| {
            with_compiled(new, 2, |new| {
                let text = difference::text(old, new);
                let status = u8::from(!text.is_empty());
                Answer {
                    text: if text.is_empty() { "both mean the same\n".to_owned() } else { text },
                    status,
                }
            })
        }),
        Command::Effective { file, route } => with_compiled(file, 1, |compiled| effective(compiled, route)),
    }
}

fn listing(found: Result<String, String>) -> Answer {
    match found {
        Ok(text) => Answer::of(text),
        Err(text) => Answer::failed(&text, 1),
    }
}

fn page_of(page: Page) -> String {
    match page {
        Page::Configuration => reference::configuration(),
        Page::Limits => reference::limits(),
        Page::Linter => reference::linter(),
        Page::Metrics => reference::metrics(),
        Page::Protections => reference::protections(),
        Page::Migration => reference::migration(),
        Page::Presets => reference::presets(),
        Page::Alerts => reference::alerts(),
        Page::AlertCases => reference::alert_cases(),
        Page::Dashboard => reference::dashboard(),
    }
}

fn test(compiled: &Compiled, tests: &[PathBuf], format: TestFormat) -> Answer {
    let report = compiled.policy_tests(tests);
    let text = match format {
        TestFormat::Text => report.text(),
        TestFormat::Json => report.json(),
        TestFormat::Junit => report.junit(),
    };
    Answer { text, status: u8::from(!report.is_ok()) }
}

fn replayed(
    (config, new): (&Path, &Compiled),
    old: Option<(&PathBuf, &Compiled)>,
    options: &replay::Options<'_>,
    format: ReplayFormat,
) -> Answer {
    let bar = Bar::default();
    let replay = match new.replay(old.map(|(_, old)| old), options, &|progress| bar.show(progress)) {
        Ok(replay) => replay,
        Err(error) => return Answer::failed(&format!("the recordings cannot be read: {error}"), 2),
    };
    bar.clear();
    let (config, old) = (name(config), old.map(|(file, _)| name(file)));
    let text = match format {
        ReplayFormat::Text => replay.text(&config, old.as_deref()),
        ReplayFormat::Json => replay.json(&config, old.as_deref()),
    };
    let status = if replay.requests() == 0 { 2 } else { u8::from(replay.differs()) };
    Answer { text, status }
}

fn effective(compiled: &Compiled, route: &str) -> Answer {
    if let Some(text) = compiled.effective(route) {
        return Answer::of(text);
    }
    let help = match compiled.closest_route(route) {
        Some(id) => format!("did you mean `{id}`?"),
        None => format!("routes: {}", compiled.route_ids().collect::<Vec<_>>().join(", ")),
    };
    Answer::failed(&format!("there is no such route; {help}"), 1)
}

fn suggest(compiled: &Compiled, config: &Path, files: &[PathBuf], (apply, unclear): (bool, bool)) -> Answer {
    let mut events = Events::default();
    for file in files {
        let read = if file == Path::new("-") {
            events.read(std::io::stdin().lock())
        } else {
            std::fs::File::open(file).and_then(|file| events.read(std::io::BufReader::new(file)))
        };
        if let Err(error) = read {
            return Answer::failed(&format!("{}: the events cannot be read: {error}", name(file)), 2);
        }
    }
    let suggested = compiled.suggest(&events, unclear);
    if !apply {
        return Answer::of(suggested.text);
    }
    let (line, status) = match waf_compiler::suggest::write(config, &suggested.exceptions) {
        Ok(count) => (format!("{}: {count} exceptions written", name(config)), 0),
        Err(error) => (format!("{}: nothing was written: {error}", name(config)), 1),
    };
    Answer { text: format!("{}\n# {line}\n", suggested.text), status }
}

fn check_request(compiled: &Compiled, request: &Path) -> Answer {
    let limit = waf_shared::limits::RECORDED_REQUEST_BYTES_MAX;
    let mut raw = Vec::new();
    let read = if request == Path::new("-") {
        std::io::stdin().lock().take(limit + 1).read_to_end(&mut raw)
    } else {
        std::fs::File::open(request).and_then(|file| file.take(limit + 1).read_to_end(&mut raw))
    };
    match read {
        Err(error) => Answer::failed(&format!("{}: the request cannot be read: {error}", name(request)), 2),
        Ok(bytes) if bytes as u64 > limit => {
            Answer::failed(&format!("{}: the request is over {limit} bytes", name(request)), 2)
        }
        Ok(_) => explained(&compiled.explain(&raw), ""),
    }
}

/// Explains the request of an event.
fn check_event(compiled: &Compiled, events: &Path, id: &str) -> Answer {
    let lines = match waf_compiler::lines(events) {
        Ok(lines) => lines,
        Err(error) => return Answer::failed(&format!("{}: {error}", name(events)), 2),
    };
    match check_request::event::rebuilt(lines, id) {
        Ok(rebuilt) => explained(&compiled.explain(&rebuilt.raw), &rebuilt.text),
        Err(error) => Answer::failed(&format!("{}: {error}", name(events)), 2),
    }
}

fn explained(explanation: &check_request::Explanation, front: &str) -> Answer {
    let status = match explanation.outcome {
        check_request::Outcome::Passed => 0,
        check_request::Outcome::Refused => 1,
        check_request::Outcome::NotARequest => 2,
    };
    Answer { text: format!("{front}{}", explanation.text), status }
}

fn event_report(output: &Path, events: &[PathBuf]) -> Answer {
    let bar = Bar::default();
    let report = EventReport::read(events, threads(), &|progress| bar.show(progress));
    bar.clear();
    let report = match report {
        Ok(report) if report.events() == 0 => return Answer::failed("there are no audit events", 2),
        Ok(report) => report,
        Err(error) => return Answer::failed(&format!("the events cannot be read: {error}"), 2),
    };
    let html = report.html();
    if output == Path::new("-") {
        return Answer::of(html);
    }
    match std::fs::write(output, html) {
        Ok(()) => Answer::of(format!("{}: {} events\n", name(output), report.events())),
        Err(error) => Answer::failed(&format!("{}: the page cannot be written: {error}", name(output)), 2),
    }
}

/// Threads that read recordings and events.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Compiles a file and shows something of it; `failed` is the exit status for an invalid one.
fn with_compiled(file: &Path, failed: u8, show: impl FnOnce(&Compiled) -> Answer) -> Answer {
    let outcome = compile(file, &Options { host_checks: false, ..Options::default() });
    match &outcome {
        Ok(compiled) => show(compiled),
        Err(_) => Answer { text: text_of(file, &outcome), status: failed },
    }
}

/// Findings, with columns and colours where somebody looks.
fn text_of(file: &Path, outcome: &Outcome) -> String {
    let shown = if std::io::stdout().is_terminal() { report::terminal } else { report::text };
    shown(&name(file), outcome)
}

fn compile(file: &Path, options: &Options) -> Outcome {
    if file == Path::new("-") {
        return compile_stream(&name(file), std::io::stdin().lock(), Path::new("."), options);
    }
    compile_file(file, options)
}

fn name(file: &Path) -> String {
    if file == Path::new("-") { "<stdin>".to_owned() } else { file.display().to_string() }
}
