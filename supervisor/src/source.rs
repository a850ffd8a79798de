//! Source of plans: the configuration file, compiled at the start, and again when it or a file that it names
//! changes. It knows the compiler and files, nothing of workers.

mod settle;
mod snapshot;
mod trail;
mod watch;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use waf_compiler::{Compiled, Diagnostic, Options, compile_file};

use snapshot::Snapshot;
use watch::{Change, Watch, take};

/// Looks in a row at files that move while they are read, before the last one counts.
const TRIES_MAX: usize = 5;

/// Result of a look at the configuration.
pub enum SourceUpdate {
    /// It compiles.
    Compiled {
        /// The plan.
        compiled: Box<Compiled>,
        /// When the look began.
        began: Instant,
        /// True if an operator asked for it, whether or not anything changed.
        is_forced: bool,
    },
    /// It does not compile.
    Invalid(Vec<Diagnostic>),
    /// This file is gone.
    Missing(PathBuf),
}

/// The configuration file.
pub struct Source {
    config: PathBuf,
    options: Arc<Options>,
    known: Snapshot,
}

impl Source {
    /// Compiles for the first time.
    pub fn open(config: PathBuf, options: Options) -> Result<(Compiled, Self), Vec<Diagnostic>> {
        let before = Snapshot::take([&config]);
        let compiled = compile_file(&config, &options)?;
        let mut known = Snapshot::take(&files(&config, &compiled));
        if before.differs(&known) {
            // It changed while it was read: the state before is the known one, and the first look finds the change.
            known = before;
        }
        Ok((compiled, Self { config, options: Arc::new(options), known }))
    }

    /// The file before the first look at it.
    pub fn unread(config: PathBuf, options: Options) -> Self {
        let known = Snapshot::take([&config]);
        Self { config, options: Arc::new(options), known }
    }

    /// Reports every change until the receiver is gone. `force` makes it look at once, whether or not anything
    /// changed.
    pub async fn follow<E: From<SourceUpdate>>(self, events: mpsc::Sender<E>, force: Arc<Notify>) {
        let Self { config, options, known } = self;
        let mut follower = Follower { config, options, watch: Watch::new(known), last_fault: None };
        loop {
            let found = tokio::select! {
                () = force.notified() => follower.compile(true).await,
                change = follower.watch.changed() => match change {
                    Change::Missing(file) => Some(SourceUpdate::Missing(file)),
                    Change::Settled(_) => follower.compile(false).await,
                },
            };
            if let Some(found) = found
                && events.send(found.into()).await.is_err()
            {
                return;
            }
        }
    }
}

struct Follower {
    config: PathBuf,
    options: Arc<Options>,
    watch: Watch,
    /// The last report, when it was a fault.
    last_fault: Option<Vec<Diagnostic>>,
}

impl Follower {
    /// Compiles what is there now. `None` when there is nothing new to say.
    async fn compile(&mut self, forced: bool) -> Option<SourceUpdate> {
        let began = Instant::now();
        for _ in 0..TRIES_MAX {
            let watched: Vec<_> = self.watch.known().paths().cloned().collect();
            let before = take(watched).await;
            let (config, options) = (self.config.clone(), self.options.clone());
            let compiling = tokio::task::spawn_blocking(move || compile_file(&config, &options));
            let Ok(outcome) = compiling.await else {
                return self.invalid(before, Vec::new(), forced);
            };
            let compiled = match outcome {
                Ok(compiled) => compiled,
                Err(diagnostics) => return self.invalid(before, diagnostics, forced),
            };
            let after = take(files(&self.config, &compiled).into_iter().collect()).await;
            if before.differs(&after) {
                if forced {
                    continue;
                }
                self.watch.again();
                return None;
            }
            self.last_fault = None;
            self.watch.accept(after, false);
            return Some(SourceUpdate::Compiled { compiled: Box::new(compiled), began, is_forced: forced });
        }
        self.watch.again();
        None
    }

    /// A fault is said once until something changes; while it lasts, every poll looks again, for a file that is named
    /// and missing may appear.
    fn invalid(
        &mut self,
        before: Snapshot,
        diagnostics: Vec<Diagnostic>,
        forced: bool,
    ) -> Option<SourceUpdate> {
        let changed = !before.same_contents(self.watch.known());
        self.watch.accept(before, true);
        let new = forced || changed || self.last_fault.as_ref() != Some(&diagnostics);
        self.last_fault = Some(diagnostics.clone());
        new.then_some(SourceUpdate::Invalid(diagnostics))
    }
}

/// The configuration and every file that it names.
fn files(config: &std::path::Path, compiled: &Compiled) -> BTreeSet<PathBuf> {
    compiled.files.iter().cloned().chain([config.to_path_buf()]).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests;
