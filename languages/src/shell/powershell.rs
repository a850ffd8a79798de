//! `PowerShell`: cmdlets (an approved verb, a hyphen, a noun), their aliases in a command's place, .NET calls that
//! fetch or run, and encoded commands. It knows bytes alone.

use super::commands;
use super::sign::ShellSign;
use crate::language::{Context, Findings};

/// Looks for it in `bytes`.
pub(super) fn scan(bytes: &[u8], findings: &mut Findings<'_, ShellSign>) {
    for at in memchr::memchr_iter(b'-', bytes) {
        if let Some((start, end)) = cmdlet(bytes, at) {
            let context = context(bytes, start, end);
            findings.add(ShellSign::PowerShell, context, start, end - start);
        }
    }
    for at in memchr::memchr2_iter(b'i', b'I', bytes) {
        if let Some(end) = alias(bytes, at) {
            findings.add(ShellSign::PowerShell, Context::Code, at, end - at);
        }
    }
    for at in memchr::memchr2_iter(b'p', b'P', bytes) {
        if let Some(end) = invocation(bytes, at) {
            findings.add(ShellSign::PowerShell, Context::Code, at, end - at);
        }
    }
}

fn lower(bytes: &[u8]) -> ([u8; 24], usize) {
    let mut text = [0; 24];
    let mut length = 0;
    for (slot, byte) in text.iter_mut().zip(bytes.iter().filter(|byte| **byte != b'`')) {
        *slot = byte.to_ascii_lowercase();
        length += 1;
    }
    (text, length)
}

/// The cmdlet whose hyphen stands at `at`. Its letters may be cut by backticks, the escape of this shell.
fn cmdlet(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'`';
    let before = bytes.get(..at)?.iter().rev().take(16).take_while(is_letter).count();
    let behind = bytes.get(at + 1..)?.iter().take(24).take_while(is_letter).count();
    let (verb, noun) = (lower(bytes.get(at - before..at)?), lower(bytes.get(at + 1..at + 1 + behind)?));
    let (verb, noun) = (verb.0.get(..verb.1)?, noun.0.get(..noun.1)?);
    let verb = trim_backtick(verb);
    (commands::contains(VERBS, verb) && commands::contains(NOUNS, noun))
        .then_some((at - before, at + 1 + behind))
}

fn trim_backtick(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"`").unwrap_or(text)
}

/// A cmdlet is certain where a command stands or a parameter follows; a mention in prose is not.
fn context(bytes: &[u8], start: usize, end: usize) -> Context {
    let before = bytes.get(..start).unwrap_or_default().trim_ascii_end();
    let opens = before.is_empty()
        || before.last().is_some_and(|byte| {
            matches!(byte, b';' | b'|' | b'&' | b'(' | b'{' | b'"' | b'\'' | b'=' | b'\n')
        });
    let rest = bytes.get(end..).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
    let rest = rest.get(blanks..).unwrap_or_default();
    let argument = rest.get(..rest.len().min(160)).unwrap_or_default();
    let first = argument.split(|byte| *byte == b' ').next().unwrap_or_default();
    let shaped = first.starts_with(b"-") && first.get(1).is_some_and(u8::is_ascii_alphabetic)
        || first.starts_with(b"$")
        || first.starts_with(b"(")
        || first.starts_with(b"[")
        || first.contains(&b'\\')
        || first.windows(3).any(|part| part == b"://")
        || first.starts_with(b"System.")
        || first.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"net."))
        || argument
            .windows(3)
            .any(|part| matches!(part, [b' ', b'-', letter] if letter.is_ascii_alphabetic()))
        || matches!(first, [b'\'' | b'"', ..]);
    let ends = rest.is_empty() && !before.is_empty() || rest.starts_with(b";") || rest.starts_with(b"|");
    let telling = first.starts_with(b"-") || first.windows(3).any(|part| part == b"://");
    if opens && (shaped || ends) || blanks > 0 && shaped && telling { Context::Code } else { Context::Prose }
}

/// `iex (`, `iwr http`, `irm …`: an alias in a command's place with an argument of its kind.
fn alias(bytes: &[u8], at: usize) -> Option<usize> {
    let before = bytes.get(..at)?;
    if before
        .last()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/'))
    {
        return None;
    }
    let name = bytes.get(at..)?.iter().take(8).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (text, length) = lower(bytes.get(at..at + name)?);
    if !commands::contains(ALIASES, text.get(..length)?) {
        return None;
    }
    let rest = bytes.get(at + name..)?;
    let argument = rest.trim_ascii_start();
    let argument = argument.get(..argument.len().min(24)).unwrap_or_default().to_ascii_lowercase();
    let shaped = [
        b"(new-object".as_slice(),
        b"(iwr",
        b"(irm",
        b"(invoke",
        b"(get-",
        b"($",
        b"(\"",
        b"('",
        b"([",
        b"http",
        b"-",
        b"$",
        b"\"",
        b"'",
        b"{",
    ]
    .iter()
    .any(|start| argument.starts_with(start));
    let piped = before.trim_ascii_end().ends_with(b"|") && argument.is_empty();
    let spaced = rest.len() > argument.len()
        || rest.starts_with(b"(")
        || rest.first().is_some_and(u8::is_ascii_whitespace);
    (shaped && spaced || piped).then_some(at + name)
}

/// `powershell -e…`, `pwsh -w hidden`: the program with an option that matters.
fn invocation(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let begins = |name: &[u8]| rest.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    if !begins(b"powershell") && !begins(b"pwsh") {
        return None;
    }
    let rest = rest.get(..rest.len().min(96)).unwrap_or_default().to_ascii_lowercase();
    let behind = rest.strip_prefix(b"powershell").or_else(|| rest.strip_prefix(b"pwsh"))?;
    let behind = behind.strip_prefix(b".exe").unwrap_or(behind);
    if !behind.first().is_some_and(u8::is_ascii_whitespace) {
        return None;
    }
    behind
        .split(u8::is_ascii_whitespace)
        .filter_map(|word| word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"/")))
        .any(|option| OPTIONS.iter().any(|known| !option.is_empty() && known.as_bytes().starts_with(option)))
        .then(|| at + rest.len().min(16))
}

const OPTIONS: &[&str] = &[
    "command",
    "encodedcommand",
    "ec",
    "executionpolicy",
    "ep",
    "file",
    "inputformat",
    "noexit",
    "noninteractive",
    "nologo",
    "noprofile",
    "nop",
    "noni",
    "sta",
    "version",
    "windowstyle",
];

const ALIASES: &[&str] = &["icm", "iex", "ihy", "ipmo", "ipsn", "irm", "iwmi", "iwr"];

const VERBS: &[&str] = &[
    "add",
    "clear",
    "compress",
    "connect",
    "convertfrom",
    "convertto",
    "copy",
    "disable",
    "download",
    "enable",
    "enter",
    "expand",
    "export",
    "find",
    "foreach",
    "format",
    "get",
    "import",
    "install",
    "invoke",
    "join",
    "mount",
    "move",
    "new",
    "out",
    "read",
    "receive",
    "register",
    "remove",
    "rename",
    "restart",
    "resume",
    "save",
    "select",
    "send",
    "set",
    "show",
    "sort",
    "split",
    "start",
    "stop",
    "suspend",
    "tee",
    "test",
    "uninstall",
    "unregister",
    "update",
    "wait",
    "where",
    "write",
];

const NOUNS: &[&str] = &[
    "acl",
    "adcomputer",
    "addomain",
    "adgroup",
    "adgroupmember",
    "aduser",
    "alias",
    "apppackage",
    "appxpackage",
    "archive",
    "bitstransfer",
    "childitem",
    "ciminstance",
    "cimmethod",
    "cimsession",
    "clipboard",
    "command",
    "computer",
    "computerinfo",
    "computerrestore",
    "content",
    "credential",
    "csv",
    "custom",
    "dllinjection",
    "drive",
    "event",
    "eventlog",
    "executionpolicy",
    "expression",
    "hotfix",
    "item",
    "itemproperty",
    "job",
    "json",
    "keystrokes",
    "localgroup",
    "localgroupmember",
    "localuser",
    "member",
    "mimikatz",
    "mppreference",
    "mpcomputerstatus",
    "netadapter",
    "netconnection",
    "netfirewallprofile",
    "netfirewallrule",
    "netipaddress",
    "netipconfiguration",
    "nettcpconnection",
    "null",
    "object",
    "package",
    "printer",
    "process",
    "psdrive",
    "psexec",
    "psprovider",
    "pssession",
    "restmethod",
    "scheduledtask",
    "scheduledtaskaction",
    "scheduledtasktrigger",
    "script",
    "securestring",
    "service",
    "shellcode",
    "sleep",
    "smbshare",
    "string",
    "transcript",
    "tracesource",
    "type",
    "variable",
    "webclient",
    "webproxy",
    "webproxyservice",
    "webrequest",
    "windowsfeature",
    "winevent",
    "wmievent",
    "wmimethod",
    "wmiobject",
];
