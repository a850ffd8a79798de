//! Rules of this bucket and the detector that reports them: what values and request paths would mean to a file system.

use waf_languages::path::{self, Origin, Resolved, Sensitivity, Target, Token};

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule};
use crate::rules::php_injection::names_a_file;
use crate::view::View;

mod dot_dot;
mod dotfiles;
mod places;
mod system_files;
mod triggers;

use dot_dot::{CLIMBS_OUT, DISGUISED, IN_FILE_NAME, IN_REQUEST_PATH, STEP_UP};
use dotfiles::{
    ASSISTANT_FILE, ASSISTANT_FILE_REQUESTED, DOTFILE, DOTFILE_REQUESTED, DOTFILE_UPLOADED,
    PROJECT_FILE_REQUESTED,
};
use system_files::{SYSTEM_FILE, SYSTEM_FILE_IN_TEXT, SYSTEM_FILE_REQUESTED, WRITES_TO_TEMPORARY};
use triggers::TRIGGERS;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[
        &CLIMBS_OUT,
        &STEP_UP,
        &DISGUISED,
        &IN_REQUEST_PATH,
        &IN_FILE_NAME,
        &SYSTEM_FILE,
        &SYSTEM_FILE_IN_TEXT,
        &SYSTEM_FILE_REQUESTED,
        &WRITES_TO_TEMPORARY,
        &DOTFILE,
        &DOTFILE_REQUESTED,
        &DOTFILE_UPLOADED,
        &PROJECT_FILE_REQUESTED,
        &ASSISTANT_FILE,
        &ASSISTANT_FILE_REQUESTED,
    ]],
    detectors: &[&DETECTOR],
};

/// Runs the path tokenizer.
static DETECTOR: Detector =
    Detector { name: "path", triggers: &[TRIGGERS], prefilter: None, places: Places::REQUEST, run: judge };

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    match subject.place {
        Place::Path => request_path(subject.bytes, evidence),
        Place::FileName => file_name(subject.bytes, evidence),
        Place::Header if names_a_file(subject.name) => {
            file_name(subject.bytes, evidence);
            value(subject, subject.bytes, evidence);
        }
        // A segment is part of the path, which is judged whole; only what was hidden in it is an argument.
        Place::PathSegment if !matches!(subject.view, View::Base64 | View::Combined) => {}
        _ => {
            value(subject, subject.bytes, evidence);
            garbled(subject.bytes, evidence);
            if let Some(bytes) = path::without_spelt_bytes(subject.bytes) {
                value(subject, &bytes, evidence);
                if Resolved::of(&bytes).ups > 0 {
                    evidence.found(&DISGUISED, 0, subject.bytes.len());
                }
            }
        }
    }
}

/// Known files behind escapes that nothing decodes to the letter.
fn garbled(bytes: &[u8], evidence: &mut Evidence<'_>) {
    if waf_languages::prose::has_several_words(bytes) {
        return;
    }
    // What stands before the dots is left again.
    let leads = |names: &[u8]| path::target(&Resolved::of(names), Origin::Absolute) > Target::Ordinary;
    let leads_somewhere = |names: Vec<u8>| {
        memchr::memchr_iter(b'/', &names).any(|at| leads(names.get(at..).unwrap_or_default()))
    };
    if path::garbled_names(bytes).is_some_and(leads_somewhere) {
        evidence.found(&DISGUISED, 0, bytes.len());
    }
}

fn request_path(bytes: &[u8], evidence: &mut Evidence<'_>) {
    garbled(bytes, evidence);
    let spelt = path::without_spelt_bytes(bytes);
    let bytes = spelt.as_deref().unwrap_or(bytes);
    let resolved = Resolved::of(bytes);
    let mut found = |rule, holds: bool| {
        if holds {
            evidence.found(rule, 0, bytes.len());
        }
    };
    let target = path::target(&resolved, Origin::Url);
    found(&IN_REQUEST_PATH, resolved.ups > 0);
    found(
        &DISGUISED,
        resolved.disguised > 0
            || resolved.long_dots > 1
            || resolved.long_dots == 1 && target == Target::Proof,
    );
    found(&SYSTEM_FILE_REQUESTED, target == Target::Proof);
    found(&DOTFILE_REQUESTED, path::is_secret_dotfile(&resolved, Sensitivity::Requested));
    found(&PROJECT_FILE_REQUESTED, path::is_published_by_mistake(&resolved));
    found(&ASSISTANT_FILE_REQUESTED, path::is_assistant_file(&resolved));
}

/// Files that servers and programs read, whatever is appended to their names.
const CONFIGURATIONS: &[&[u8]] = &[b"wp-config", b"web.config"];

fn file_name(bytes: &[u8], evidence: &mut Evidence<'_>) {
    let resolved = Resolved::of(bytes);
    let configures = resolved.segments().last().is_some_and(|name| {
        let begins =
            |known: &&[u8]| name.get(..known.len()).is_some_and(|head| head.eq_ignore_ascii_case(known));
        CONFIGURATIONS.iter().any(begins)
    });
    if configures || path::is_secret_dotfile(&resolved, Sensitivity::Requested) {
        evidence.found(&DOTFILE_UPLOADED, 0, bytes.len());
    }
    if resolved.ups > 0 {
        evidence.found(&IN_FILE_NAME, 0, bytes.len());
    }
}

fn value(subject: &Subject<'_>, bytes: &[u8], evidence: &mut Evidence<'_>) {
    let prose = waf_languages::prose::has_several_words(bytes);
    for token in path::tokens(bytes) {
        one_path(subject, prose, &token, evidence);
    }
}

/// Words of parameters that choose a part of a page.
const PARTS: &[&[u8]] = &[
    b"content",
    b"img",
    b"image",
    b"inc",
    b"include",
    b"lang",
    b"layout",
    b"load",
    b"page",
    b"show",
    b"site",
    b"style",
    b"template",
    b"test",
    b"theme",
    b"type",
    b"view",
];
/// Words of parameters that choose a file, and of members that report one.
const FILES: &[&[u8]] = &[
    b"conf",
    b"doc",
    b"document",
    b"download",
    b"file",
    b"filename",
    b"folder",
    b"log",
    b"path",
    b"pdf",
    b"read",
    b"source",
    b"src",
    b"url",
];

/// Returns `true` if a value may name a file that nobody reads because of it: in a document unless it chooses a part of a page, in
/// a parameter unless it chooses a file.
fn names_files(subject: &Subject<'_>) -> bool {
    let has = |list: &[&[u8]]| {
        subject
            .name
            .split(|byte| !byte.is_ascii_alphanumeric())
            .any(|word| list.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    match subject.place {
        Place::Json | Place::Xml | Place::Body => !has(PARTS),
        Place::Query | Place::Form | Place::Part => !has(PARTS) && !has(FILES),
        _ => false,
    }
}

/// Longest value that is nothing but the URL of a root: `file:///c:/`.
const LISTING_BYTES_MAX: usize = 16;
/// Parent steps of one path that nobody writes who only wants to name a neighbour.
const ZIGZAG_STEPS_MIN: usize = 3;

fn one_path(subject: &Subject<'_>, prose: bool, token: &Token<'_>, evidence: &mut Evidence<'_>) {
    let resolved = Resolved::of(token.bytes);
    let target = path::target(&resolved, token.origin);
    let path = ValuePath {
        subject,
        token,
        target,
        prose,
        placed: token.origin == Origin::Absolute || resolved.climbs > 0,
        document: matches!(subject.place, Place::Json | Place::Xml | Place::Body),
        resolved,
    };
    let found = path.climbing().into_iter().chain(path.system()).chain(path.hidden());
    for (rule, _) in found.filter(|(_, holds)| *holds) {
        evidence.found(rule, token.offset, token.bytes.len());
    }
}

/// A path of a value and what it would mean to a file system.
struct ValuePath<'s, 'b> {
    subject: &'s Subject<'b>,
    token: &'s Token<'b>,
    resolved: Resolved<'b>,
    target: Target,
    /// True if the value is several words.
    prose: bool,
    /// True if the path does not begin where the application looks.
    placed: bool,
    /// True in JSON, XML and bodies: configuration files are sent so, and they do refer to their neighbours.
    document: bool,
}

impl ValuePath<'_, '_> {
    /// Rules about parent steps, and whether each holds.
    fn climbing(&self) -> [(&'static Rule, bool); 3] {
        let ValuePath { resolved, token, prose, .. } = self;
        // Parent steps between names that are there to be stepped back from.
        let most = if self.document { ZIGZAG_STEPS_MIN } else { ZIGZAG_STEPS_MIN - 1 };
        let zigzags = !prose && token.origin != Origin::Url && resolved.ups >= most;
        let out = climbs_out(resolved, token, self.target, *prose, self.document) || zigzags;
        let up = resolved.climbs > 0 && token.origin == Origin::Relative;
        let long = resolved.long_dots > 1 || resolved.long_dots == 1 && self.target > Target::Ordinary;
        [
            (&CLIMBS_OUT, out),
            (&STEP_UP, !prose && !out && up),
            (&DISGUISED, !prose && (resolved.disguised > 0 || long)),
        ]
    }

    /// Rules about files of the system, and whether each holds.
    fn system(&self) -> [(&'static Rule, bool); 4] {
        let ValuePath { resolved, token, target, .. } = self;
        let is_proof = *target == Target::Proof;
        let is_system =
            token.origin != Origin::Url && *target > Target::Ordinary && (self.placed || is_proof);
        // Configurations and reports name installed programs, logs and pages.
        let installed = resolved.climbs == 0 && path::is_installed(resolved);
        let named = !is_proof && installed && names_files(self.subject);
        let certain = !self.prose && !named || token.by_scheme && is_proof;
        let written = token.before == Some(b'>') && token.origin == Origin::Absolute;
        [
            (&SYSTEM_FILE, self.lists_root()),
            (&SYSTEM_FILE, is_system && certain),
            (&SYSTEM_FILE_IN_TEXT, is_system && !certain),
            (&WRITES_TO_TEMPORARY, written && is_temporary(resolved.segments())),
        ]
    }

    /// Returns `true` if the value is the URL of a root, which lists it where a file is opened by its URL.
    fn lists_root(&self) -> bool {
        let bytes = self.subject.bytes;
        self.token.by_scheme
            && self.resolved.segments().is_empty()
            && self.resolved.ups == 0
            && bytes.len() <= LISTING_BYTES_MAX
            && matches!(bytes.trim_ascii_end().last(), Some(b'/' | b'\\'))
            && self.subject.place != Place::Header
    }

    /// Rules about hidden files, and whether each holds.
    fn hidden(&self) -> [(&'static Rule, bool); 2] {
        let ValuePath { resolved, token, placed, document, .. } = self;
        // `.htaccess redirect` is what people ask about.
        let whole = token.bytes.len() == self.subject.bytes.trim_ascii().len();
        let nested = resolved.segments().len() > 1 || resolved.climbs > 0 || !document && whole;
        let sensitivity = if *document { Sensitivity::Placed } else { Sensitivity::Requested };
        let secret = path::is_secret_dotfile(resolved, Sensitivity::Anywhere) && nested
            || *placed && path::is_secret_dotfile(resolved, sensitivity);
        [
            (&DOTFILE, !self.prose && token.origin != Origin::Url && secret),
            (&ASSISTANT_FILE, !self.prose && *placed && path::is_assistant_file(resolved)),
        ]
    }
}

/// Returns `true` if a path leads further up than a relative path of a program or a text does.
fn climbs_out(
    resolved: &Resolved<'_>,
    token: &Token<'_>,
    target: Target,
    prose: bool,
    document: bool,
) -> bool {
    match resolved.climbs {
        0 => {
            let file = resolved.ups > 0 && path::is_internal(resolved);
            file && !document && !prose && token.origin != Origin::Url
        }
        _ if target > Target::Ordinary => true,
        _ if prose => target == Target::Proof,
        1 if token.origin == Origin::Absolute => !token.bytes.starts_with(b"\\..."),
        1 => path::is_system_folder(resolved) || !document && path::is_internal(resolved),
        2 => !document,
        _ => true,
    }
}

/// Returns `true` for a file in a folder that everybody may write to.
fn is_temporary(names: &[&[u8]]) -> bool {
    match names {
        [first, _, ..] if first.eq_ignore_ascii_case(b"tmp") => true,
        [first, second, _, ..] => {
            *first == b"var" && *second == b"tmp" || *first == b"dev" && *second == b"shm"
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_hold_a_trigger() {
        for rule in BUCKET.rules() {
            for attack in
                rule.attacks.iter().filter(|attack| !attack.contains('%') && !attack.starts_with("L3"))
            {
                let lower = attack.to_ascii_lowercase();
                assert!(TRIGGERS.iter().any(|trigger| lower.contains(trigger)), "{attack}");
            }
        }
    }
}
