//! Work of `waf` for each command line, and its exit status: 0 fine, 1 an invalid configuration or a failed
//! start, 2 wrong usage. It puts the other modules together and knows nothing else.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::Parser;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::time::Instant;
use tracing::error;
use waf_certificates::acme;
use waf_certificates::disk::{Layout, Store};
use waf_certificates::listing;
use waf_compiler::{Compiled, Diagnostic, Options, compile_file, report};
use waf_dataplane::confinement::identity::User;
use waf_dataplane::proxy::Peers;
use waf_dataplane::proxy_protocol::ProxyProtocol;
use waf_dataplane::worker;
use waf_shared::text::is_escaped;

use crate::access_log::AccessLog;
use crate::cli::{self, Acme, Cli, Command, Process, Serve, Surroundings};
use crate::demo;
use crate::doctor;
use crate::logs;
use crate::memory;
use crate::notify::Notifier;
use crate::probe;
use crate::recording::Recording;
use crate::sockets::TlsPorts;
use crate::sockets::adopted::from_service_manager;
use crate::source::Source;
use crate::supervise::{self, Inherited, SuperviseError};
use crate::top;
use crate::upgrade::order;
use crate::upgrade::predecessor::Predecessor;
use crate::upgrade::program::Program;
use crate::user;
use crate::workers;

/// Runs the program.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    // Another library may have installed one; then it stays.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    match cli.command {
        None if cli.serve.validate.is_some() => validate(&cli.serve),
        None => serve(cli.serve),
        Some(Command::Demo { port, process }) => demo(port, &process),
        Some(Command::Certificates { config, acme }) => certificates(&config, &acme),
        Some(Command::Upgrade { pid }) => upgrade(pid),
        Some(Command::Health { url, config, live }) => probe::run(url.as_deref(), &config, live),
        Some(Command::Doctor { serve }) => doctor::run(&serve, &options(&serve.process, false)),
        Some(Command::Top(options)) => top::run(&options),
        Some(Command::Worker {
            id,
            threads,
            drain,
            log_level,
            r#become: user,
            memory: memory_bytes,
            client_share,
            proxy_protocol,
        }) => {
            logs::init(log_level.into(), Some(id));
            let drain = Duration::from_secs(drain);
            let peers = Peers { client_share, proxy_protocol: proxy_protocol_of(proxy_protocol) };
            let options =
                worker::Options { threads, drain, user, memory_bytes, peers, anchors: cli::anchors() };
            status(&worker::run(&options).inspect_err(|error| {
                error!(error = error as &dyn std::error::Error, "the worker ends");
            }))
        }
    }
}

/// Judges the configuration and prints the verdict on stdout.
fn validate(serve: &Serve) -> ExitCode {
    let named = serve.validate.iter().flatten().next();
    let config = named.unwrap_or(&serve.config);
    let outcome = compile_file(config, &tested(serve));
    let outcome = outcome.map_err(|diagnostics| with_remedy(config, diagnostics));
    let shown = if io::stdout().is_terminal() { report::terminal } else { report::text };
    anstream::print!("{}", shown(&printable(config), &outcome));
    let denied = serve.deny_warnings && !report::findings(&outcome).is_empty();
    if outcome.is_ok() && !denied { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The findings, with the way out where nobody named a file and the default one is missing.
fn with_remedy(config: &Path, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if config == Path::new(cli::DEFAULT_CONFIG) && !config.exists() {
        for diagnostic in diagnostics.iter_mut().filter(|one| one.code == waf_compiler::code::UNREADABLE) {
            diagnostic.help = Some("name one with `--config FILE`, or try `waf demo`".to_owned());
        }
    }
    diagnostics
}

fn serve(serve: Serve) -> ExitCode {
    let began = Instant::now();
    logs::init(serve.process.log_level.into(), None);
    let options = tested(&serve);
    let ports = TlsPorts { https: serve.https_port, http: serve.http_port };
    let acme = serve.acme.settings();
    let config = serve.config.clone();
    if let Err(error) = serve.shadow.shadow_log.open() {
        error!("{error}");
        return ExitCode::FAILURE;
    }
    let shadow = shadow_settings(&serve);
    let recording = serve.record.settings(serve.process.workers.get());
    let recording = match recording.map(Recording::prepare).transpose() {
        Ok(recording) => recording,
        Err(error) => {
            error!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match Source::open(serve.config, options) {
        Ok((compiled, source)) => {
            supervise(&serve.process, ports, acme, None, async |mut settings, inherited| {
                settings.worker.shadow_log = serve.shadow.shadow_log;
                settings.shadow = shadow;
                settings.worker.recording = recording;
                supervise::supervise(compiled, Some(source), settings, inherited, began).await
            })
        }
        Err(diagnostics) => invalid(&with_remedy(&config, diagnostics)),
    }
}

fn demo(port: u16, process: &Process) -> ExitCode {
    let began = Instant::now();
    logs::init(process.log_level.into(), None);
    let options = options(process, true);
    let greeting = demo::greeting(port);
    supervise(
        process,
        TlsPorts::default(),
        acme::AcmeSettings::default(),
        Some(greeting),
        async |settings, inherited| {
            let (shop, upstream) = demo::upstream().map_err(SuperviseError::Demo)?;
            let compiled = demo::compile(port, upstream, &options).map_err(|diagnostics| {
                print_errors(&diagnostics);
                SuperviseError::Invalid
            })?;
            let shop = tokio::spawn(shop);
            let outcome = supervise::supervise(compiled, None, settings, inherited, began).await;
            shop.abort();
            outcome
        },
    )
}

/// Prints which certificate serves which host. It reads what a running service has written, and changes nothing.
fn certificates(config: &Path, acme: &Acme) -> ExitCode {
    let options = Options { host_checks: false, ..Options::default() };
    let plan = match compile_file(config, &options) {
        Ok(Compiled { plan, .. }) => plan,
        Err(diagnostics) => return invalid(&with_remedy(config, diagnostics)),
    };
    let hosts = plan.listen.hosts();
    if hosts.is_empty() {
        anstream::println!("{}: mode 3, plain HTTP: no certificates", printable(config));
        return ExitCode::SUCCESS;
    }
    let layout = Layout::new(Path::new(&plan.data_dir), &acme.settings().directory);
    let snapshot = Store::reading(layout).load(hosts);
    anstream::print!("{}", listing::text(hosts, &snapshot, SystemTime::now()));
    ExitCode::SUCCESS
}

/// Gives the supervisor a runtime. It has one thread: it is never on a request's way.
fn supervise<F>(
    process: &Process,
    ports: TlsPorts,
    acme: acme::AcmeSettings,
    greeting: Option<String>,
    main: F,
) -> ExitCode
where
    F: AsyncFnOnce(supervise::ServiceSettings, supervise::Inherited) -> Result<(), SuperviseError>,
{
    raise_file_limit();
    let surroundings = Surroundings::of_this_process();
    let program = Program::of_this_process(&surroundings.search_path);
    let user = match user::of_workers(process.user.as_deref()) {
        Ok(user) => user,
        Err(error) => {
            error!("{error}");
            return ExitCode::FAILURE;
        }
    };
    // Each worker gets it opened anew; what cannot be opened is an error of the start.
    if let Err(error) = process.access_log.open() {
        error!("{error}");
        return ExitCode::FAILURE;
    }
    let settings = supervise::ServiceSettings {
        workers: process.workers.get(),
        worker: worker_settings(process, user),
        ports,
        acme,
        greeting,
        program,
        upgrade_patience: Duration::from_secs(process.upgrade_timeout),
        rollback: process.rollback,
        shadow: supervise::ShadowSettings::default(),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            error!(%error, "the runtime does not start");
            return ExitCode::FAILURE;
        }
    };
    let outcome = runtime.block_on(async {
        let inherited = inherited(&surroundings)?;
        main(settings, inherited).await
    });
    // A look at a file that hangs must not keep the process.
    runtime.shutdown_background();
    status(&outcome.inspect_err(|error| {
        if !matches!(error, SuperviseError::Invalid) {
            error!("{error}");
        }
    }))
}

fn worker_settings(process: &Process, user: Option<User>) -> workers::WorkerSettings {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    workers::WorkerSettings {
        threads: (cores / process.workers.get()).max(1),
        drain: Duration::from_secs(process.drain),
        log_level: process.log_level.into(),
        user,
        memory_bytes: process.worker_memory.or_else(|| memory::share(process.workers.get())),
        peers: Peers {
            client_share: process.client_share,
            proxy_protocol: proxy_protocol_of(process.proxy_protocol),
        },
        access_log: process.access_log.clone(),
        shadow_log: AccessLog::None,
        recording: None,
    }
}

/// A second plan is served nowhere: what depends on this machine is not checked of it.
fn shadow_settings(serve: &Serve) -> supervise::ShadowSettings {
    let file = serve.shadow.shadow.clone().map(|file| (file, options(&serve.process, false)));
    supervise::ShadowSettings {
        file,
        share: serve.shadow.shadow_share,
        gate: serve.shadow.reload_gate,
        gate_share: serve.shadow.reload_gate_share,
    }
}

fn proxy_protocol_of(is_sent: bool) -> ProxyProtocol {
    if is_sent { ProxyProtocol::FromTrustedPeers } else { ProxyProtocol::Off }
}

/// Takes what others prepared. Inside the runtime, since a service manager is shown life from here on.
fn inherited(surroundings: &Surroundings) -> Result<Inherited, SuperviseError> {
    let sockets = surroundings.listen.as_ref().map(from_service_manager).transpose()?.unwrap_or_default();
    let predecessor = surroundings.has_predecessor.then(Predecessor::meet).transpose()?;
    let notify_socket = surroundings.notify_socket.as_deref();
    let notifier = Notifier::new(notify_socket, surroundings.watchdog, predecessor.is_some());
    Ok(Inherited { sockets, predecessor, notifier })
}

/// Asks the running service to upgrade itself, and says how it went.
fn upgrade(pid: Option<i32>) -> ExitCode {
    match order::upgrade(pid) {
        Ok((old, new)) => {
            anstream::println!("upgraded: process {new} serves in place of process {old}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Each connection takes a descriptor or two; workers inherit the limit.
fn raise_file_limit() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        // The limit as it was is then in force.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

/// The options of a service that is configured by a file.
fn tested(serve: &Serve) -> Options {
    let policy_tests = serve.policy_tests.clone();
    Options { policy_tests, ..options(&serve.process, !serve.no_host_checks) }
}

fn options(process: &Process, host_checks: bool) -> Options {
    let trusted_proxies = process.trusted_proxies.iter().flatten().copied().collect();
    Options { host_checks, trusted_proxies, tracing: cli::tracing_environment(), ..Options::default() }
}

fn invalid(diagnostics: &[Diagnostic]) -> ExitCode {
    print_errors(diagnostics);
    ExitCode::FAILURE
}

fn print_errors(diagnostics: &[Diagnostic]) {
    let shown = if io::stderr().is_terminal() { report::coloured } else { ToString::to_string };
    for diagnostic in diagnostics {
        anstream::eprintln!("{}", shown(diagnostic));
    }
    anstream::eprintln!("{}", report::error_count(diagnostics));
}

/// A path as it may be shown on a terminal.
fn printable(path: &Path) -> String {
    path.display().to_string().chars().map(|c| if is_escaped(c) { '\u{fffd}' } else { c }).collect()
}

fn status<E>(outcome: &Result<(), E>) -> ExitCode {
    if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
