//! Exceptions suggested by audit events: findings grouped by route, path and place, each group judged a likely false alarm
//! or an attack with its reasons, and the narrowest exception for it with what it would have spared. It reads events and
//! a compiled configuration, and writes nothing but the text of the configuration that [`applied`] returns.

mod apply;
mod effect;
mod event;
mod events;
mod group;
mod page;
mod suggestion;

pub use apply::{ApplyError, applied};
pub use events::Events;
pub use suggestion::Suggestion;

use std::io::Write as _;
use std::path::Path;

use crate::{Compiled, Options, Severity, compile_text, source};
pub(crate) use group::path_of;
use group::{Group, Judgement};

/// The groups in words, and the exceptions for those that are likely false alarms.
#[derive(Debug)]
pub struct Suggested {
    /// For people.
    pub text: String,
    /// For [`applied`].
    pub exceptions: Vec<Suggestion>,
}

/// Writes suggestions into the configuration at `path`, in one step, and returns their number. A text that does not
/// compile is not written.
pub fn write(path: &Path, suggestions: &[Suggestion]) -> Result<usize, WriteError> {
    if suggestions.is_empty() {
        return Ok(0);
    }
    // A link stays a link.
    let path = path.canonicalize()?;
    let text = applied(&std::fs::read_to_string(&path)?, suggestions)?;
    let options = Options { host_checks: false, ..Options::default() };
    if let Err(faults) = compile_text("the new text", &text, &source::base_dir(&path), &options) {
        let first = faults.iter().find(|fault| fault.severity == Severity::Error);
        return Err(WriteError::Invalid(first.map_or(String::new(), ToString::to_string)));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&new)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| std::fs::metadata(&path))
        .and_then(|known| std::fs::set_permissions(&new, known.permissions()))
        .and_then(|()| std::fs::rename(&new, &path));
    if written.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    written?;
    Ok(suggestions.len())
}

/// A fault that keeps suggestions from being written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The text has no place for them.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The text would not be valid.
    #[error("the configuration would not be valid: {0}")]
    Invalid(String),
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] std::io::Error),
}

/// A group that is likely a false alarm.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) route: String,
    pub(crate) methods: String,
    pub(crate) path: String,
    pub(crate) place: String,
    pub(crate) rules: Vec<&'static str>,
    pub(crate) requests: usize,
    pub(crate) clients: usize,
    pub(crate) reasons: Vec<String>,
}

/// Likely false alarms of `events`, the largest first.
pub(crate) fn candidates(events: &Events) -> Vec<Candidate> {
    let groups = group::groups(None, &events.list).into_iter();
    let candidates = groups.filter(|group| group.judgement == Judgement::FalseAlarm).map(|group| Candidate {
        route: group.route,
        methods: group.methods.into_iter().collect::<Vec<_>>().join(" "),
        path: group.path,
        place: group.place,
        rules: group.rules.into_keys().collect(),
        requests: group.requests,
        clients: group.clients,
        reasons: group.reasons,
    });
    candidates.collect()
}

impl Compiled {
    /// Groups the findings of `events`. With `unclear`, groups that are neither alarm nor attack have exceptions too.
    pub fn suggest(&self, events: &Events, unclear: bool) -> Suggested {
        let groups = group::groups(Some(&self.plan), &events.list);
        let is_proposed = |group: &Group| match group.judgement {
            Judgement::FalseAlarm => true,
            Judgement::Unclear => unclear,
            Judgement::Attack => false,
        };
        let is_new = |group: &&Group| is_proposed(group) && !group.effect.is_there;
        let exceptions = groups.iter().filter(is_new).filter_map(|group| {
            let lines = group.lines()?;
            Some(Suggestion { route: group.route.clone(), lines })
        });
        let exceptions = exceptions.collect();
        Suggested { text: page::page(events, &groups, is_proposed), exceptions }
    }
}
