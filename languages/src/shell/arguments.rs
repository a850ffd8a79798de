//! Shapes of a command's arguments: options, paths, addresses, code, or plain prose. It knows no commands.

use super::word::{Traits, Word};

/// The look of one argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `-x`, `--long`.
    Option,
    /// `/x` and `/word`, as Windows programs take them.
    SlashOption,
    /// A file that is read to learn about a system: `/etc/passwd`, `…\win.ini`.
    SystemFile,
    /// A path from a Unix system's root directories.
    RootPath,
    /// `C:\…`, `%SystemRoot%\…`, `\\host\share`.
    DrivePath,
    /// Any other path.
    Path,
    /// `scheme://…`
    Url,
    /// An IP address.
    Address,
    /// A name with a dot in it: a host, a file.
    Dotted,
    /// A file with the ending of a script, as a target of `>`.
    Script,
    /// Digits.
    Number,
    /// A variable or a substitution.
    Expansion,
    /// `name=value`.
    Assignment,
    /// A command line as one argument: `sh,-c,id`.
    Program,
    /// Letters, as prose has them.
    Plain,
    /// Punctuation, foreign letters, the rest.
    Other,
}

/// The look of `word`.
pub(super) fn shape(word: &Word) -> Shape {
    let text = word.text();
    if is_system_file(text) {
        Shape::SystemFile
    } else if let Some(rest) = text.strip_prefix(b"-") {
        option(rest)
    } else if text.starts_with(b"/") {
        slash(text, word)
    } else if is_drive(text, word) {
        Shape::DrivePath
    } else if is_url(text) {
        Shape::Url
    } else if word
        .traits
        .has(Traits::VARIABLE.or(Traits::ASSEMBLED).or(Traits::SUBSTITUTED).or(Traits::HOLLOW))
    {
        Shape::Expansion
    } else {
        rest(text, word)
    }
}

fn option(rest: &[u8]) -> Shape {
    let name = rest.strip_prefix(b"-").unwrap_or(rest);
    match name.first() {
        Some(byte) if byte.is_ascii_alphanumeric() => Shape::Option,
        _ => Shape::Other,
    }
}

fn slash(text: &[u8], word: &Word) -> Shape {
    const ROOTS: &[&[u8]] = &[
        b"bin", b"boot", b"dev", b"etc", b"home", b"lib", b"lib64", b"mnt", b"opt", b"proc", b"root", b"run",
        b"sbin", b"srv", b"sys", b"tmp", b"usr", b"var",
    ];
    let inner = text.get(1..).unwrap_or_default();
    let first = inner.split(|byte| *byte == b'/').next().unwrap_or_default();
    let cut = word.traits.has(Traits::GLOB.or(Traits::CUT).or(Traits::HOLLOW).or(Traits::BACKSLASH_INSIDE));
    if text == b"/" || ROOTS.contains(&first) || cut && inner.contains(&b'/') {
        Shape::RootPath
    } else if inner.contains(&b'/') {
        Shape::Path
    } else if inner.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'?'))
        && inner.len() <= 12
    {
        Shape::SlashOption
    } else {
        Shape::Path
    }
}

fn is_drive(text: &[u8], word: &Word) -> bool {
    match text {
        [drive, b':', rest @ ..] if drive.is_ascii_alphabetic() => {
            rest.is_empty() && matches!(drive, b'c' | b'd')
                || rest.starts_with(b"/")
                || word.traits.has(Traits::BACKSLASH_INSIDE)
                || rest.starts_with(b"*")
        }
        // Names of variables begin with a letter. Two hexadecimal digits, or what begins with a digit, are a coded byte.
        [b'%', rest @ ..] if rest.first().is_some_and(u8::is_ascii_alphabetic) => {
            let name = rest.split(|byte| *byte == b'%').next().unwrap_or_default();
            let is_coded = name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit);
            name.len() < rest.len() && name.len() > 1 && !is_coded
        }
        _ => word.traits.has(Traits::BACKSLASHED) && word.traits.has(Traits::BACKSLASH_INSIDE),
    }
}

fn is_url(text: &[u8]) -> bool {
    if text.starts_with(b"javascript:") || text.starts_with(b"vbscript:") {
        return true;
    }
    text.windows(3).position(|part| part == b"://").is_some_and(|at| at > 1)
}

/// Files whose only use in a request is to learn about the machine.
fn is_system_file(text: &[u8]) -> bool {
    const NAMES: &[&[u8]] = &[
        b"etc/passwd",
        b"etc/shadow",
        b"etc/group",
        b"etc/issue",
        b"etc/sudoers",
        b"proc/self",
        b"proc/version",
        b"proc/cpuinfo",
        b"dev/tcp",
        b"dev/udp",
        b".ssh/",
        b"win.ini",
        b"boot.ini",
        b".bash_history",
        b"etc/p*",
        b"etc/pass",
    ];
    // Short words are most words; the searches below are for the rest.
    text.len() > 5
        && memchr::memchr2(b'/', b'.', text).is_some()
        && NAMES.iter().any(|name| memchr::memmem::find(text, name).is_some())
}

fn rest(text: &[u8], word: &Word) -> Shape {
    if text.iter().all(u8::is_ascii_digit) {
        return Shape::Number;
    }
    if text.windows(2).any(|pair| pair == b",-") {
        return Shape::Program;
    }
    if text.starts_with(b"?php") || text.starts_with(b"?=") || text.starts_with(b"%=") {
        return Shape::Program;
    }
    if text.starts_with(b"./") || text.starts_with(b"../") || text.starts_with(b"~/") {
        return Shape::Path;
    }
    if word.traits.has(Traits::FOREIGN) {
        return Shape::Other;
    }
    let letters = text.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-' | b'_'));
    let dot = text.iter().position(|byte| *byte == b'.');
    match dot {
        _ if letters => Shape::Plain,
        Some(at) if at > 0 && at + 1 < text.len() && is_dotted(text) => dotted(text),
        _ if text.contains(&b'=') && text.first().is_some_and(u8::is_ascii_alphabetic) => Shape::Assignment,
        _ if text.contains(&b'/') && text.iter().all(u8::is_ascii_graphic) && text.len() > 3 => Shape::Path,
        _ => trimmed(text),
    }
}

/// A word with the punctuation of a sentence is still a word.
fn trimmed(text: &[u8]) -> Shape {
    let end = text
        .iter()
        .rposition(|byte| !matches!(byte, b'.' | b',' | b'!' | b'?' | b':'))
        .map_or(0, |at| at + 1);
    let word = text.get(..end).unwrap_or_default();
    if !word.is_empty() && word.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-') {
        Shape::Plain
    } else {
        Shape::Other
    }
}

fn is_dotted(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'/'))
        && !text.windows(2).any(|pair| pair == b"..")
        && text.last().is_some_and(u8::is_ascii_alphanumeric)
}

fn dotted(text: &[u8]) -> Shape {
    const SCRIPTS: &[&[u8]] = &[
        b".php", b".phtml", b".pl", b".py", b".sh", b".jsp", b".asp", b".aspx", b".cgi", b".rb", b".ps1",
        b".bat", b".vbs", b".exe",
    ];
    let host = text.split(|byte| matches!(byte, b'/' | b':')).next().unwrap_or_default();
    let groups = host.split(|byte| *byte == b'.');
    if groups.clone().count() == 4
        && groups.clone().all(|group| !group.is_empty() && group.iter().all(u8::is_ascii_digit))
    {
        Shape::Address
    } else if SCRIPTS.iter().any(|end| text.ends_with(end)) {
        Shape::Script
    } else {
        Shape::Dotted
    }
}
