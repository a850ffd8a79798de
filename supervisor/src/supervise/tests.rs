//! The loop without workers and sockets: events go in, and its state is looked at. Each test names the parts that it
//! is about.

use std::path::Path;

use waf_compiler::{Options, compile_text};
use waf_dataplane::proxy::Peers;
use waf_shared::control::Generation;

use super::*;
use crate::access_log::AccessLog;
use crate::rollout::WorkerId;
use crate::source::SourceUpdate;
use crate::upgrade::predecessor::PredecessorMessage;
use crate::upgrade::successor::Outcome;

const CONFIG: &str = "version: v1alpha1\nport: 8080\nroutes:\n  - id: a\n    match: {paths: [/*]}\n    \
                      upstream: http://127.0.0.1\n";

fn compiled(text: &str) -> Compiled {
    let options = Options { host_checks: false, ..Options::default() };
    compile_text("waf.yaml", text, Path::new("/"), &options).expect("a valid configuration")
}

fn settings() -> ServiceSettings {
    let worker = workers::WorkerSettings {
        threads: 1,
        drain: Duration::from_secs(1),
        log_level: tracing::Level::ERROR,
        user: None,
        memory_bytes: None,
        peers: Peers::default(),
        access_log: AccessLog::None,
        shadow_log: AccessLog::None,
        recording: None,
    };
    ServiceSettings {
        // A worker would be this test's own program.
        workers: 0,
        worker,
        ports: TlsPorts { https: 8443, http: 8080 },
        acme: acme::AcmeSettings::default(),
        greeting: None,
        program: Program::default(),
        upgrade_patience: Duration::from_secs(1),
        rollback: true,
        shadow: ShadowSettings::default(),
    }
}

/// A supervisor that wants no workers, and its events.
async fn supervisor() -> (Supervisor, mpsc::Receiver<Event>, audit::Writer) {
    let (events, queue) = mpsc::channel(EVENTS_WAITING);
    let beginning = Beginning::of(Inherited::default(), &events).expect("a supervisor begins with nothing");
    let (counters, first) = (Arc::new(Counters::default()), compiled(CONFIG));
    let created = Supervisor::create(&first, settings(), beginning, &counters, events).await;
    let (supervisor, writer) = created.expect("a supervisor can be created");
    (supervisor, queue, writer)
}

fn found(text: &str) -> SourceUpdate {
    SourceUpdate::Compiled { compiled: Box::new(compiled(text)), began: Instant::now(), is_forced: false }
}

/// `beginning.rs`
#[tokio::test]
async fn a_first_supervisor_owns_the_service() {
    let (events, _queue) = mpsc::channel::<Event>(1);
    let beginning = Beginning::of(Inherited::default(), &events).expect("nothing can fail");
    assert!(beginning.ownership.is_ours() && beginning.tickets.is_none());
}

/// `plans.rs`, `tls.rs`
#[tokio::test]
async fn a_plan_that_was_found_is_offered_when_its_certificates_are_read() {
    let (mut supervisor, mut queue, _writer) = supervisor().await;
    let other = CONFIG.replace("port: 8080", "port: 8081");
    for text in [CONFIG, &other] {
        supervisor.act_on(Event::Source(found(text)));
        let event = queue.recv().await.expect("the manager reports");
        let Event::Certified(certified, _) = event else { panic!("another event came") };
        assert_eq!(certified.digest, compiled(text).digest);
    }
    assert!(supervisor.rollout.current().is_none() && supervisor.plans.in_force().is_none());
}

/// `plans.rs`: what the counters and the life say after each result of a look at the files.
#[tokio::test]
async fn a_configuration_that_cannot_be_applied_changes_nothing() {
    let (mut supervisor, _queue, _writer) = supervisor().await;
    let text =
        "version: v1alpha1\nhost: a.example\nhealth_port: 8443\nroutes:\n  - upstream: http://127.0.0.1\n";
    let options = Options { host_checks: false, ..Options::default() };
    let invalid = compile_text("waf.yaml", "version: v1alpha1\n", Path::new("/"), &options);
    let Err(invalid) = invalid else { panic!("it lacks routes") };
    let same_port = compile_text("waf.yaml", text, Path::new("/"), &options);
    let mut events = vec![
        (Event::Source(SourceUpdate::Invalid(invalid)), 1),
        (Event::Source(SourceUpdate::Missing("waf.yaml".into())), 1),
    ];
    // A port of the command line is the one of the health listener.
    events.extend(same_port.ok().map(|plan| (Event::Certified(Box::new(plan.into()), Instant::now()), 2)));
    assert_eq!(events.len(), 3, "the configuration is valid by itself");
    for (event, refused) in events {
        supervisor.act_on(event);
        assert_eq!(supervisor.reporting.counters.reloads_refused.value(), refused);
        assert!(supervisor.plans.in_force().is_none() && supervisor.life.take_end().is_none());
    }
}

/// `plans.rs`, `shutdown.rs`: a service that stops takes no plan any more.
#[tokio::test]
async fn nothing_begins_after_a_stop() {
    let (mut supervisor, mut queue, _writer) = supervisor().await;
    supervisor.act_on(Event::Signal(Signal::Stop));
    assert!(supervisor.life.is_stopping());
    assert!(matches!(supervisor.life.take_end(), Some(Ok(()))), "no worker has to end first");
    supervisor.act_on(Event::Source(found(CONFIG)));
    supervisor.act_on(Event::Certified(Box::new(compiled(CONFIG).into()), Instant::now()));
    supervisor.act_on(Event::Signal(Signal::Reload));
    assert!(queue.try_recv().is_err() && supervisor.plans.in_force().is_none());
    assert_eq!(supervisor.reporting.counters.reloads_refused.value(), 0);
    supervisor.act_on(Event::Signal(Signal::Stop));
    assert!(matches!(supervisor.life.take_end(), Some(Err(SuperviseError::Cut))));
}

/// `shutdown.rs`
#[tokio::test]
async fn a_flush_ends_when_nobody_writes() {
    let (mut supervisor, _queue, writer) = supervisor().await;
    supervisor.act_on(Event::Signal(Signal::Stop));
    let flushed = tokio::time::timeout(Duration::from_secs(5), supervisor.flush(writer)).await;
    assert!(flushed.is_ok());
}

/// `upgrading.rs`: an upgrade that cannot begin, and reports that are about nothing.
#[tokio::test]
async fn an_upgrade_begins_only_while_the_service_serves() {
    let (mut supervisor, _queue, _writer) = supervisor().await;
    supervisor.act_on(Event::Signal(Signal::Upgrade));
    assert!(!supervisor.upgrade.is_under_way(), "it is still starting");
    for outcome in [Outcome::Ready, Outcome::Failed("it ended".to_owned())] {
        supervisor.act_on(Event::Successor(1, outcome));
        assert!(supervisor.upgrade.ownership.is_ours() && !supervisor.life.is_stopping());
    }
    for message in [PredecessorMessage::Go, PredecessorMessage::Gone] {
        supervisor.act_on(Event::Predecessor(message));
        assert!(supervisor.upgrade.ownership.is_ours());
    }
    // A process that handed over does not take the service back.
    supervisor.upgrade.ownership = Ownership::Successors;
    supervisor.act_on(Event::Predecessor(PredecessorMessage::Go));
    assert!(matches!(supervisor.upgrade.ownership, Ownership::Successors));
}

/// `actions.rs`, `worker_exit.rs`: messages of workers that are not there any more.
#[tokio::test]
async fn messages_of_workers_that_are_gone_change_nothing() {
    let (mut supervisor, _queue, _writer) = supervisor().await;
    let worker = WorkerId(7);
    for event in [
        Event::Said(worker, ToSupervisor::Active(Generation(1))),
        Event::Said(worker, ToSupervisor::Challenged(3)),
        Event::Said(worker, ToSupervisor::Unserved(vec!["b.example".to_owned()])),
        Event::Gone(worker, "signal 9".to_owned()),
        Event::Due,
    ] {
        supervisor.act_on(event);
        assert!(supervisor.fleet.get(worker).is_none() && supervisor.life.take_end().is_none());
        assert_eq!(supervisor.rollout.serving(), 0);
    }
    supervisor.kill(worker);
    assert_eq!(supervisor.reporting.counters.worker_restarts.value(), 0);
}

/// `tls.rs`
#[tokio::test]
async fn without_a_manager_nothing_is_asked_for() {
    let (mut supervisor, mut queue, _writer) = supervisor().await;
    supervisor.tls.end();
    assert!(supervisor.tls.prepare(compiled(CONFIG).into(), Instant::now()).is_ok());
    assert!(supervisor.tls.tickets().is_none() && queue.try_recv().is_err());
}

/// `endpoints.rs`
#[tokio::test]
async fn endpoints_without_a_socket_are_not_served() {
    let (mut supervisor, _queue, _writer) = supervisor().await;
    let status = watch::Sender::new(crate::readiness::HealthStatus {
        ready: Err(NotReady::Starting),
        rolled_back: None,
        plan: None,
        missing: Arc::default(),
    });
    let endpoints = &mut supervisor.reporting.endpoints;
    endpoints.follow_health(None, &status);
    endpoints.retire();
    assert_eq!(status.receiver_count(), 0);
}
