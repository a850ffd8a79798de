//! Commands of mail protocols (SMTP, IMAP, POP3) and headers of messages behind a line break: what a mail library would
//! send on if it put the value into a line of its own. It knows bytes alone, neither places nor rules.

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

/// A thing that a value would put into a mail session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailSign {
    /// A command with its arguments, in a form that nothing else has.
    Command,
    /// A lone word that is a command, with nothing but commands beside it.
    Word,
    /// A recipient's header behind an address.
    Recipient,
}

/// Lines that are read; a mail session needs few.
const LINES_MAX: usize = 64;
/// Longest first line that may be the rest of an argument.
const OPENING_BYTES_MAX: usize = 80;

/// How a line reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Empty,
    Command,
    Word,
    Recipient,
    Text,
}

/// Sessions of mail protocols and headers of messages.
#[derive(Debug)]
pub struct Mail;

impl Language for Mail {
    type Sign = MailSign;
    const NAME: &'static str = "mail";
    const TRIGGERS: &'static [&'static str] = &["\n", "\r", "rcpt to:", "mail from:"];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, MailSign>) {
        let bytes = input.bytes;
        let mut prose = None;
        let mut tell = |sign, line: &[u8], offset| {
            let prose = *prose.get_or_insert_with(|| prose::has_sentences(bytes, &[]));
            findings.add(sign, Context::of_text(prose), offset, line.len());
        };
        let mut lines = bytes.split(|byte| matches!(byte, b'\n' | b'\r'));
        let first = lines.next().unwrap_or_default();
        let whole = first.len() == bytes.len();
        let opening = first.trim_ascii();
        if envelope(unquoted(opening)) == Some(true) && opening.contains(&b'<') {
            tell(MailSign::Command, first, 0);
        }
        if whole {
            return;
        }
        let token = opening.len() <= OPENING_BYTES_MAX && !opening.contains(&b' ');
        let mut offset = first.len() + 1;
        let (mut word, mut other) = (None, false);
        for line in lines.take(LINES_MAX) {
            match read(line) {
                Line::Command => tell(MailSign::Command, line, offset),
                Line::Recipient if token && opening.contains(&b'@') => {
                    tell(MailSign::Recipient, line, offset)
                }
                Line::Word => word = word.or(Some((line, offset))),
                Line::Text | Line::Recipient => other = true,
                Line::Empty => {}
            }
            offset += line.len() + 1;
        }
        if let Some((line, offset)) = word
            && token
            && !other
        {
            tell(MailSign::Word, line, offset);
        }
    }
}

/// What follows opening quotes.
fn unquoted(line: &[u8]) -> &[u8] {
    let quotes = line.iter().take_while(|byte| matches!(byte, b'\'' | b'"' | b' ')).count();
    line.get(quotes..).unwrap_or_default()
}

fn read(line: &[u8]) -> Line {
    let line = line.trim_ascii();
    if line.is_empty() || line == b"." {
        return Line::Empty;
    }
    match envelope(line) {
        Some(true) => return Line::Command,
        Some(false) => return Line::Word,
        None => {}
    }
    if recipient(line) {
        return Line::Recipient;
    }
    let mut tokens = line.split(|byte| *byte == b' ').filter(|token| !token.is_empty());
    let (first, second) = (tokens.next().unwrap_or_default(), tokens.next());
    let rest = tokens.next();
    let lines =
        [simple(first, second, rest), second.filter(|_| is_tag(first)).map(|command| imap(command, rest))];
    lines.into_iter().flatten().find(|line| *line != Line::Text).unwrap_or(Line::Text)
}

/// `MAIL FROM:` and `RCPT TO:`; whether an address follows.
fn envelope(line: &[u8]) -> Option<bool> {
    let rest = after(line, b"MAIL", b"FROM:").or_else(|| after(line, b"RCPT", b"TO:"))?.trim_ascii_start();
    Some(rest.first() == Some(&b'<') || rest.contains(&b'@') || !rest.is_empty() && !rest.contains(&b' '))
}

/// What follows two words.
fn after<'a>(line: &'a [u8], verb: &[u8], object: &[u8]) -> Option<&'a [u8]> {
    let rest = strip(line, verb)?;
    let trimmed = rest.trim_ascii_start();
    if trimmed.len() == rest.len() {
        return None;
    }
    strip(trimmed, object)
}

fn strip<'a>(line: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = line.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
}

/// `Bcc: somebody@example.org`.
fn recipient(line: &[u8]) -> bool {
    [&b"to"[..], b"cc", b"bcc"]
        .iter()
        .filter_map(|name| strip(line, name))
        .filter_map(|rest| rest.trim_ascii_start().strip_prefix(b":"))
        .any(|value| value.contains(&b'@'))
}

/// Commands of SMTP and POP3. Those that are words are commands in capitals alone.
fn simple(first: &[u8], second: Option<&[u8]>, third: Option<&[u8]>) -> Option<Line> {
    let is = |names: &[&str]| names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(first));
    let capitals = first.iter().all(u8::is_ascii_uppercase);
    let number = |token: Option<&[u8]>| {
        token.is_some_and(|token| !token.is_empty() && token.iter().all(u8::is_ascii_digit))
    };
    let line = match (second, third) {
        (Some(_), None) if is(&["EHLO", "HELO", "LHLO", "VRFY", "EXPN", "ETRN"]) => Line::Command,
        (Some(_), None) if is(&["RETR", "DELE", "UIDL"]) && number(second) => Line::Command,
        (Some(_), Some(_)) if is(&["TOP"]) && number(second) && number(third) => Line::Command,
        (Some(_), Some(_)) if is(&["APOP"]) && capitals => Line::Command,
        (Some(method), _)
            if is(&["AUTH"]) && capitals && method.iter().all(|byte| !byte.is_ascii_lowercase()) =>
        {
            Line::Command
        }
        (None, None) if is(&["STARTTLS"]) => Line::Command,
        (None, _)
            if capitals
                && is(&["DATA", "QUIT", "RSET", "NOOP", "HELP", "STAT", "LIST", "CAPA", "UIDL", "STLS"]) =>
        {
            Line::Word
        }
        (Some(_), None) if capitals && is(&["HELP", "NOOP", "USER", "PASS", "LIST", "AUTH"]) => Line::Word,
        _ => return None,
    };
    Some(line)
}

/// A tag of IMAP: some letters, then digits; or one letter.
fn is_tag(token: &[u8]) -> bool {
    let letters = token.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let digits = token.get(letters..).unwrap_or_default();
    letters <= 4
        && digits.len() <= 6
        && digits.iter().all(u8::is_ascii_digit)
        && (!digits.is_empty() || letters == 1)
}

/// A command of IMAP behind its tag.
fn imap(command: &[u8], argument: Option<&[u8]>) -> Line {
    let is = |names: &[&str]| names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(command));
    let capitals = command.iter().all(u8::is_ascii_uppercase);
    let formal = argument.is_some_and(|argument| {
        argument.iter().all(|byte| !byte.is_ascii_lowercase())
            || argument.iter().any(|byte| matches!(byte, b'"' | b'(' | b'{' | b'*' | b':' | b'\\' | b'/'))
            || argument.iter().all(u8::is_ascii_digit)
    });
    match argument {
        Some(what) if is(&["UID"]) => {
            let acts = [&b"store"[..], b"fetch", b"search", b"copy", b"expunge"];
            if acts.iter().any(|act| act.eq_ignore_ascii_case(what)) { Line::Command } else { Line::Text }
        }
        Some(_) if is(&["AUTHENTICATE", "EXAMINE", "LSUB", "SUBSCRIBE", "UNSUBSCRIBE"]) => Line::Command,
        Some(_)
            if is(&["STORE", "FETCH", "SELECT", "APPEND", "SEARCH", "LIST", "STATUS", "COPY", "LOGIN"])
                && (formal || capitals) =>
        {
            Line::Command
        }
        Some(_) if is(&["CREATE", "DELETE", "RENAME"]) && capitals => Line::Command,
        None if is(&["CAPABILITY", "STARTTLS", "EXPUNGE", "LOGOUT"]) => Line::Command,
        None if capitals && is(&["NOOP", "CHECK", "CLOSE", "QUIT", "IDLE"]) => Line::Word,
        _ => Line::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: &str) -> Vec<MailSign> {
        crate::language::signs::<Mail>(value)
    }

    #[test]
    fn commands_are_read() {
        for (value, sign) in [
            ("\r\nMAIL FROM:<a@b.com>", MailSign::Command),
            ("\nRCPT TO: test@evil.com\n", MailSign::Command),
            ("'RCPT To: <user@[203.0.113.9]>',", MailSign::Command),
            ("x\r\nEHLO test.com", MailSign::Command),
            ("\r\nDATA", MailSign::Word),
            ("\r\nHELP Postmaster", MailSign::Word),
            ("\r\na001 authenticate PLAIN\r\n", MailSign::Command),
            ("\r\na001 uid store 231:233\r\n", MailSign::Command),
            ("\r\nd store 2 +FLAGS (\\Deleted)", MailSign::Command),
            ("\r\nA1 QUIT", MailSign::Word),
            ("\r\nV100 CAPABILITY\r\nV101 FETCH 4791", MailSign::Command),
            ("\nRETR 123", MailSign::Command),
            ("me@example.org\nBcc: you@example.com", MailSign::Recipient),
        ] {
            assert!(found(value).contains(&sign), "{value:?}: {:?}", found(value));
        }
    }

    #[test]
    fn texts_are_texts() {
        for value in [
            "Hello,\r\nplease help\r\nme to quit",
            "line one\nDATA\nline three is longer",
            "Dear Sir,\nTo: whom it may concern\nBye",
            "a list:\n1 apple\n2 pears\n3 select your fruit",
            "\nI login here\nand you",
            "data\nquit\nhelp",
            "MAIL FROM: THE FRONT",
        ] {
            assert!(found(value).is_empty(), "{value:?}: {:?}", found(value));
        }
    }
}
