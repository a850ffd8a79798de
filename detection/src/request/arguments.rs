//! Meaning of an argument's name together with the head that it came with: a session identifier from a foreign page, a
//! method that replaces the request's own, a parameter that was there before.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use waf_languages::shell::is_lone_command;
use waf_shared::catalog::{Leaf, LeafSet};
use waf_shared::limits;

use super::facts::Facts;
use super::host::without_port;
use crate::rule::Rule;
use crate::rules::request_head::arguments::{
    COMMAND_PARAMETER, EXTERNAL_REFERER, METHOD_OVERRIDE, MISSING_REFERER, ODD_ARRAY, REPEATED_PARAMETER,
};

mod name;

pub(crate) use name::{Index, decode as decode_name, plain_name};

/// Origin of the page that made the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Origin {
    /// The head was not seen: nothing is judged by it.
    #[default]
    Unknown,
    /// No Referer, or one that names no host.
    NoReferer,
    Own,
    Foreign,
}

/// The kind of answer that the client takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Wants {
    /// A page, as a browser does that follows a link.
    Page,
    /// It does not say; browsers always do.
    #[default]
    Unsaid,
    /// Data, as a script does that calls an interface.
    Data,
}

const METHOD_BYTES_MAX: usize = 16;

/// The parts of the head that matter to the arguments, and the arguments that came.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    origin: Origin,
    wants: Wants,
    method: [u8; METHOD_BYTES_MAX],
    keys: RandomState,
    seen: HashSet<u64>,
}

/// Findings in one argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) rule: &'static Rule,
    /// True if its name shows it, or its value.
    pub(crate) in_name: bool,
}

impl Arguments {
    /// Forgets the request.
    pub(crate) fn reset(&mut self) {
        self.origin = Origin::Unknown;
        self.wants = Wants::Unsaid;
        self.method = [0; METHOD_BYTES_MAX];
        self.seen.clear();
    }

    /// Keeps of a head what the arguments are judged by.
    pub(crate) fn begin(&mut self, facts: &Facts<'_>) {
        self.reset();
        self.origin = origin(facts);
        self.wants = match facts.accept.first {
            None => Wants::Unsaid,
            Some(accept) if memchr::memmem::find(accept, b"text/html").is_some() => Wants::Page,
            Some(_) => Wants::Data,
        };
        if let Some(method) = self.method.get_mut(..facts.method.len()) {
            method.copy_from_slice(facts.method);
        }
    }

    /// Judges one argument as it stands between two `&`; names and values are still coded.
    pub(crate) fn judge(&mut self, leaves: &LeafSet, name: &[u8], value: &[u8]) -> Option<Found> {
        if self.origin == Origin::Unknown {
            return None;
        }
        let in_value = |rule| Some(Found { rule, in_name: false });
        if let Some(rule) = self.session(name, value) {
            return in_value(rule);
        }
        if leaves.contains(COMMAND_PARAMETER.leaf) && is_command(name, value) {
            return in_value(&COMMAND_PARAMETER);
        }
        if leaves.contains(Leaf::HttpComplianceMethodOverrideParam) && self.overrides(name, value) {
            return in_value(&METHOD_OVERRIDE);
        }
        if leaves.contains(Leaf::HttpAttacksDuplicateParameters) {
            return self.duplicates(name).map(|rule| Found { rule, in_name: true });
        }
        None
    }

    /// Judges a path's parameter `jsessionid`, which servlet containers write where cookies are unknown.
    pub(crate) fn judge_path(&self, path: &[u8]) -> Option<&'static Rule> {
        let mut parameters = path.split(|byte| matches!(byte, b';' | b'/')).skip(1);
        let is_session = |parameter: &[u8]| {
            parameter.get(..11).is_some_and(|start| start.eq_ignore_ascii_case(b"jsessionid="))
        };
        (self.origin == Origin::Foreign && memchr::memchr(b';', path).is_some() && parameters.any(is_session))
            .then_some(&EXTERNAL_REFERER)
    }

    fn session(&self, name: &[u8], value: &[u8]) -> Option<&'static Rule> {
        // Interfaces for programs have session parameters too: those count where a browser is at work.
        let (rule, is_browser) = match self.origin {
            Origin::Foreign => (&EXTERNAL_REFERER, self.wants != Wants::Data),
            // Links that are written down or typed have no Referer: there only the name of a server's cookie counts.
            Origin::NoReferer => (&MISSING_REFERER, false),
            Origin::Own | Origin::Unknown => return None,
        };
        let kind = name::session_kind(name)?;
        // Checkout pages of payment services hand their own identifiers over this way.
        let is_checkout = value.starts_with(b"cs_live_") || value.starts_with(b"cs_test_");
        let counts = kind == name::Session::Cookie || is_browser && !is_checkout;
        (counts && !value.is_empty()).then_some(rule)
    }

    fn overrides(&self, name: &[u8], value: &[u8]) -> bool {
        let (mut buffer, mut wanted) = ([0; name::NAME_BYTES_MAX], [0; METHOD_BYTES_MAX]);
        if name::decode(name, &mut buffer) != Some(b"_method") {
            return false;
        }
        let Some(wanted) = name::decode(value, &mut wanted) else { return false };
        let own = self.method.split(|byte| *byte == 0).next().unwrap_or_default();
        (3..=10).contains(&wanted.len())
            && wanted.iter().all(u8::is_ascii_alphabetic)
            && !wanted.eq_ignore_ascii_case(own)
    }

    fn duplicates(&mut self, name: &[u8]) -> Option<&'static Rule> {
        let mut buffer = [0; limits::ARGUMENT_NAME_BYTES_MAX];
        let name = name::decode(name, &mut buffer)?;
        if let Some(open) = memchr::memchr(b'[', name) {
            let brackets = name.get(open..).unwrap_or_default();
            if !is_array(brackets) {
                return Some(&ODD_ARRAY);
            }
            if brackets.ends_with(b"[]") {
                return None;
            }
        }
        let known = self.seen.len() < limits::ARGUMENTS_MAX && !self.seen.insert(self.keys.hash_one(name));
        known.then_some(&REPEATED_PARAMETER)
    }
}

/// Names of parameters that back doors and careless interfaces run.
const RUN: &[&[u8]] = &[
    b"cmd",
    b"command",
    b"commandline",
    b"cmdline",
    b"exec",
    b"execute",
    b"shell",
    b"shellcmd",
    b"syscmd",
    b"runcmd",
    b"oscmd",
];
/// Longest command that is looked at in such a parameter.
const COMMAND_BYTES_MAX: usize = 128;

/// Returns `true` for a parameter that is run and holds a command.
fn is_command(name: &[u8], value: &[u8]) -> bool {
    let (mut named, mut text) = ([0; name::NAME_BYTES_MAX], [0; COMMAND_BYTES_MAX]);
    let Some(name) = name::decode(name, &mut named) else { return false };
    let is_name = |known: &&[u8]| {
        let letters = name.iter().filter(|byte| !matches!(byte, b'_' | b'-'));
        letters.map(u8::to_ascii_lowercase).eq(known.iter().copied())
    };
    RUN.iter().any(is_name) && name::decode(value, &mut text).is_some_and(is_lone_command)
}

/// `[a][b]…` to the end.
fn is_array(mut brackets: &[u8]) -> bool {
    while let Some(inner) = brackets.strip_prefix(b"[") {
        let Some(close) = memchr::memchr2(b'[', b']', inner).filter(|at| inner.get(*at) == Some(&b']'))
        else {
            return false;
        };
        brackets = inner.get(close + 1..).unwrap_or_default();
    }
    brackets.is_empty()
}

/// Hosts of one site are the same, or one lies under the other.
fn origin(facts: &Facts<'_>) -> Origin {
    let referer = facts.referer.first.unwrap_or_default();
    let Some(at) = memchr::memmem::find(referer, b"://") else { return Origin::NoReferer };
    let rest = referer.get(at + 3..).unwrap_or_default();
    let authority = rest.split(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\')).next().unwrap_or_default();
    let authority = authority.rsplit(|byte| *byte == b'@').next().unwrap_or_default();
    let page = without_port(authority);
    let host = without_port(facts.host.first.unwrap_or_default());
    if page.eq_ignore_ascii_case(host) || is_below(page, host) || is_below(host, page) {
        Origin::Own
    } else {
        Origin::Foreign
    }
}

fn is_below(name: &[u8], parent: &[u8]) -> bool {
    let start = name.len().checked_sub(parent.len()).filter(|_| memchr::memchr(b'.', parent).is_some());
    start
        .and_then(|start| name.split_at_checked(start))
        .is_some_and(|(front, end)| front.ends_with(b".") && end.eq_ignore_ascii_case(parent))
}
