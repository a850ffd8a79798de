//! Constructs of `cmd.exe` that are no plain command: `for %x in (…) do`, `if exist …`, and the dot commands of the
//! SQLite shell. It knows only the bytes from a command's first letter on.

use super::commands;

/// How far a construct is read.
const SPAN: usize = 384;

/// Whether a `for` or `if` of `cmd.exe` starts here.
pub(super) fn construct(rest: &[u8]) -> bool {
    let rest = rest.get(..rest.len().min(SPAN)).unwrap_or_default();
    let text = rest.to_ascii_lowercase();
    let mut tokens = Tokens { rest: &text };
    match tokens.next() {
        Some(b"for" | b"@for") => for_loop(tokens.rest),
        Some(b"if" | b"@if") => condition(tokens),
        _ => false,
    }
}

/// Whether `text` is a variable that holds the path of `cmd.exe`.
pub(super) fn is_interpreter_variable(text: &[u8]) -> bool {
    text == b"%comspec%"
}

/// `%name:~3,1%`: letters cut out of a variable.
pub(super) fn is_substring(text: &[u8]) -> bool {
    let Some(at) = text.windows(2).position(|pair| pair == b":~") else { return false };
    let name =
        text.get(..at).and_then(|before| before.rsplit(|byte| *byte == b'%').next()).unwrap_or_default();
    let opens = at.checked_sub(name.len() + 1).and_then(|at| text.get(at)) == Some(&b'%');
    let number = text.get(at + 2).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
    opens && !name.is_empty() && number
}

/// Whether `text` is a command of the SQLite shell that reaches beyond the database.
pub(super) fn is_dot_command(text: &[u8]) -> bool {
    const COMMANDS: &[&str] = &[
        ".archive",
        ".backup",
        ".clone",
        ".databases",
        ".dump",
        ".excel",
        ".import",
        ".load",
        ".log",
        ".once",
        ".open",
        ".output",
        ".read",
        ".restore",
        ".save",
        ".sh",
        ".shell",
        ".system",
    ];
    commands::contains(COMMANDS, text)
}

/// `[/f "options"] %x in (…) do`
fn for_loop(rest: &[u8]) -> bool {
    let Some(percent) = rest.iter().position(|byte| *byte == b'%') else { return false };
    let Some(behind) = rest.get(percent..) else { return false };
    let name = behind.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let Some(rest) = behind.get(name..).map(<[u8]>::trim_ascii_start) else { return false };
    let Some(rest) = rest.strip_prefix(b"in").map(<[u8]>::trim_ascii_start) else { return false };
    let Some(set) = rest.strip_prefix(b"(") else { return false };
    // The set may hold parentheses of its own: any of them may be the last.
    (2..=32).contains(&name)
        && set
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b')')
            .take(8)
            .any(|(at, _)| set.get(at + 1..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"do")))
}

/// `[/i] [not] exist F | defined V | errorlevel N | A == B | A equ B`, then a command.
fn condition(mut tokens: Tokens<'_>) -> bool {
    let mut token = tokens.next();
    while matches!(token, Some(b"/i" | b"not")) {
        token = tokens.next();
    }
    match token {
        Some(b"exist") => {
            let Some(file) = tokens.next() else { return false };
            body(tokens.rest) || file.contains(&b'\\') && !tokens.rest.is_empty()
        }
        Some(b"defined") => tokens.next().is_some() && body(tokens.rest),
        Some(b"errorlevel" | b"cmdextversion") => {
            tokens.next().is_some_and(|number| number.iter().all(u8::is_ascii_digit))
                && !tokens.rest.trim_ascii().is_empty()
        }
        Some(first) => comparison(first, tokens),
        None => false,
    }
}

fn comparison(first: &[u8], mut tokens: Tokens<'_>) -> bool {
    let start = tokens.rest;
    if let Some(at) = first.windows(2).position(|pair| pair == b"==") {
        let right = first.get(at + 2..).unwrap_or_default();
        let operands = is_operand(first);
        return !right.is_empty() && (body(start) || operands && !start.trim_ascii().is_empty());
    }
    match tokens.next() {
        Some(b"equ" | b"neq" | b"lss" | b"leq" | b"gtr" | b"geq") => tokens.next().is_some(),
        Some(b"==") => {
            let Some(second) = tokens.next() else { return false };
            is_operand(first) || is_operand(second) || body(tokens.rest) && !first.starts_with(b"(")
        }
        _ => false,
    }
}

/// Whether an operand has a form that only `cmd.exe` gives it: `%x%`, `"%~1"`, `[%1]`.
fn is_operand(operand: &[u8]) -> bool {
    operand.windows(2).any(|pair| matches!(pair, [b'%', next] if next.is_ascii_alphanumeric() || matches!(next, b'%' | b'_' | b'~')))
}

/// Whether a command of `cmd.exe` follows.
fn body(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"do ").unwrap_or(rest);
    let rest = rest.strip_prefix(b"(").unwrap_or(rest).trim_ascii_start();
    let rest = rest.strip_prefix(b"@").unwrap_or(rest);
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
    rest.get(..name).is_some_and(|name| name == b"if" || commands::windows(name).is_some())
}

/// Words, where a quotation or a bracketed operand is one word.
struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.trim_ascii_start();
        let mut quoted = false;
        let end = rest.iter().position(|byte| {
            quoted ^= *byte == b'"';
            byte.is_ascii_whitespace() && !quoted
        });
        let end = end.unwrap_or(rest.len());
        let (token, rest) = rest.split_at_checked(end)?;
        self.rest = rest;
        (!token.is_empty()).then_some(token)
    }
}
