//! The linter: checks configurations, and shows what they mean. Everything that it knows is in the library.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use waf_compiler::cli::{Arguments, Command, Format, Page, TestFormat};
use waf_compiler::report::{self, Outcome};
use waf_compiler::suggest::Events;
use waf_compiler::{
    Compiled, Options, catalog, compile_file, compile_stream, exclusions, reference, rules, schema,
};

/// Output, and the verdict for the exit status.
struct Answer {
    text: String,
    valid: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let answer = match &arguments.command {
        Some(command) => run(command),
        None if arguments.validate => validate(&arguments),
        None => {
            let mut command = Arguments::command();
            command
                .error(clap::error::ErrorKind::MissingRequiredArgument, "nothing to do: see --help")
                .exit();
        }
    };
    // A reader that closes the pipe early has seen what it wanted.
    let _ = std::io::stdout().lock().write_all(answer.text.as_bytes());
    if answer.valid { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn validate(arguments: &Arguments) -> Answer {
    let options = Options { host_checks: !arguments.no_host_checks, ..Options::default() };
    let outcomes: Vec<Outcome> = arguments.files.iter().map(|file| compile(file, &options)).collect();
    let valid = outcomes.iter().all(Result::is_ok);
    let text = match arguments.format {
        Format::Text => {
            let named = arguments.files.iter().zip(&outcomes);
            named.map(|(file, outcome)| report::text(&name(file), outcome)).collect()
        }
        Format::Json => report::json(&outcomes),
        Format::Sarif => report::sarif(&outcomes),
    };
    Answer { text, valid }
}

fn run(command: &Command) -> Answer {
    match command {
        Command::Catalog { name: None } => Answer { text: catalog::table(), valid: true },
        Command::Catalog { name: Some(name) } => match catalog::entry(name) {
            Ok(text) => Answer { text, valid: true },
            Err(text) => Answer { text: format!("{text}\n"), valid: false },
        },
        Command::Rules { leaf } => match rules::listing(leaf.as_deref()) {
            Ok(text) => Answer { text, valid: true },
            Err(text) => Answer { text: format!("{text}\n"), valid: false },
        },
        Command::CheckRequest { config, request } => {
            with_compiled(config, |compiled| check_request(compiled, request))
        }
        Command::Suggest { config, apply, unclear, events } => {
            with_compiled(config, |compiled| suggest(compiled, config, events, (*apply, *unclear)))
        }
        Command::ImportExclusions { file } => match waf_compiler::read_text(file) {
            Ok(text) => Answer { text: exclusions::translate(&text), valid: true },
            Err(error) => Answer { text: format!("{error}\n"), valid: false },
        },
        Command::Test { config, format, tests } => with_compiled(config, |compiled| {
            let report = compiled.policy_tests(tests);
            let text = match format {
                TestFormat::Text => report.text(),
                TestFormat::Json => report.json(),
                TestFormat::Junit => report.junit(),
            };
            Answer { text, valid: report.is_ok() }
        }),
        Command::Schema => Answer { text: schema::schema(), valid: true },
        Command::Reference { page } => Answer { text: reference_page(*page), valid: true },
        Command::Plan { file } => with_compiled(file, |compiled| Answer {
            text: format!(
                "{:#?}\n{} bytes, digest {}\n",
                compiled.plan,
                compiled.bytes.len(),
                compiled.digest
            ),
            valid: true,
        }),
        Command::Effective { file, route } => with_compiled(file, |compiled| effective(compiled, route)),
    }
}

fn reference_page(page: Page) -> String {
    match page {
        Page::Configuration => reference::configuration(),
        Page::Limits => reference::limits(),
        Page::Linter => reference::linter(),
        Page::Metrics => reference::metrics(),
        Page::Presets => reference::presets(),
        Page::Protections => reference::protections(),
        Page::Alerts => reference::alerts(),
        Page::AlertCases => reference::alert_cases(),
        Page::Dashboard => reference::dashboard(),
    }
}

fn effective(compiled: &Compiled, route: &str) -> Answer {
    if let Some(text) = compiled.effective(route) {
        return Answer { text, valid: true };
    }
    let help = match compiled.closest_route(route) {
        Some(id) => format!("did you mean `{id}`?"),
        None => format!("routes: {}", compiled.route_ids().collect::<Vec<_>>().join(", ")),
    };
    Answer { text: format!("there is no such route; {help}\n"), valid: false }
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
            let text = format!("{}: the events cannot be read: {error}\n", name(file));
            return Answer { text, valid: false };
        }
    }
    let suggested = compiled.suggest(&events, unclear);
    if !apply {
        return Answer { text: suggested.text, valid: true };
    }
    let (line, valid) = match waf_compiler::suggest::write(config, &suggested.exceptions) {
        Ok(count) => (format!("{}: {count} exceptions written", name(config)), true),
        Err(error) => (format!("{}: nothing was written: {error}", name(config)), false),
    };
    Answer { text: format!("{}\n# {line}\n", suggested.text), valid }
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
        Err(error) => {
            Answer { text: format!("{}: the request cannot be read: {error}\n", name(request)), valid: false }
        }
        Ok(bytes) if bytes as u64 > limit => {
            Answer { text: format!("{}: the request is over {limit} bytes\n", name(request)), valid: false }
        }
        Ok(_) => {
            let explanation = compiled.explain(&raw);
            Answer { text: explanation.text, valid: explanation.passes }
        }
    }
}

fn with_compiled(file: &Path, show: impl FnOnce(&Compiled) -> Answer) -> Answer {
    let outcome = compile(file, &Options { host_checks: false, ..Options::default() });
    match &outcome {
        Ok(compiled) => show(compiled),
        Err(_) => Answer { text: report::text(&name(file), &outcome), valid: false },
    }
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
