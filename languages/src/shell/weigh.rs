//! Weighs one clause: points for its place, its name and the look of its arguments. One of the three alone is never
//! enough: prose has separators, names of programs and paths, but not together. It knows no other clause.

mod arguments;
mod construct;
mod head;

use arguments::Arguments;
use head::{Head, Program};

use super::arguments::{Shape, shape};
use super::clause::{Braces, Clause, Closer, Left, Opener};
use super::commands::Name;
use super::line;
use super::scanner::Weighed;
use super::sign::ShellSign;
use super::word::Word;
use crate::language::{Context, Findings};
use crate::prose;

/// From here on a clause has no other reading.
const CERTAIN: i32 = 5;
/// Words after which a value is a text: the more of it stands before a clause, the more that has to show.
const PROSE: usize = 120;
/// From here on it is worth remembering.
const LIKELY: i32 = 3;

/// Weighs `clause` of `bytes`, reports what it is.
pub(super) fn clause(bytes: &[u8], clause: &Clause, findings: &mut Findings<'_, ShellSign>) -> Weighed {
    construct::hidden_paths(clause, findings);
    let Some(head) = Head::of(bytes, clause) else { return Weighed::Text };
    let end = clause.words().last().map_or(clause.start, |word| word.end);
    let mut tell = |sign, context| {
        findings.add(sign, context, clause.start, end.saturating_sub(clause.start));
    };
    if let Some(sign) = construct::special(bytes, clause, &head) {
        tell(sign, Context::Code);
        return Weighed::Command;
    }
    let Some(program) = head.program else { return Weighed::Text };
    let arguments = Arguments::of(clause, &head);
    let place = place(clause) + phrase(clause, &arguments) + second_line(clause, &arguments);
    let points = place + program.points + head.points + arguments.points(&program, clause);
    let points = points + bare(clause, &head, &program) - i32::from(bare_path(clause, bytes))
        + tool(clause, &head, &program)
        + label(bytes, clause, &program)
        + title(bytes, clause, &program)
        - if clause.words_before > PROSE { 3 + i32::from(clause.opener == Opener::Newline) } else { 0 };
    let points = if is_listing(clause, &program, &arguments) { points.min(LIKELY) } else { points };
    // What an application would run as it stands has no sentences behind it.
    let is_text = points >= CERTAIN
        && clause.opener == Opener::Start
        && prose::has_sentences(bytes.get(end..).unwrap_or_default(), &[]);
    let windows = program.windows || program.both && arguments.windows;
    let sign = if windows { ShellSign::WindowsCommand } else { ShellSign::UnixCommand };
    if points >= LIKELY && program.name == Name::Word {
        tell(ShellSign::EnglishWord, Context::Code);
    }
    let runs_alone = matches!(
        clause.opener,
        Opener::Substitution | Opener::Backtick | Opener::Process | Opener::Call | Opener::Start
    );
    let void = points >= CERTAIN
        && (clause.begins_line && clause.opener == Opener::Pipe && line::is_query(bytes)
            || !windows && !program.both && !runs_alone && is_void(bytes, clause));
    if points >= CERTAIN && !is_text && !void {
        tell(if windows { sign } else { placed(clause, &program) }, Context::Code);
        Weighed::Command
    } else if points >= LIKELY {
        tell(sign, Context::Prose);
        // A name alone may be part of a list.
        if clause.count > 1 { Weighed::Command } else { Weighed::Text }
    } else {
        Weighed::Text
    }
}

/// Returns `true` if a shell would not read as far as the clause, or not beyond it.
fn is_void(bytes: &[u8], clause: &Clause) -> bool {
    line::is_void(bytes, clause.start)
        || clause.opener == Opener::Newline && line::is_inside_call(bytes, clause.start)
}

/// Returns `true` for a line of routine work in a listing: below sentences, or in a script that says what it is.
fn is_listing(clause: &Clause, program: &Program, arguments: &Arguments) -> bool {
    let place = !matches!(clause.opener, Opener::Start | Opener::Call) && clause.braces == Braces::None;
    let routine = program.routine || program.interpreter && clause.opener != Opener::Pipe;
    clause.listed && place && routine && !clause.ifs && !arguments.are_sharp()
}

/// A command in a substitution is that leaf's, elsewhere the program's.
fn placed(clause: &Clause, program: &Program) -> ShellSign {
    match clause.opener {
        Opener::Substitution | Opener::Backtick | Opener::Process => ShellSign::Substitution,
        _ if clause.braces != Braces::None => ShellSign::BraceExpansion,
        _ if program.name == Name::Word && clause.left == Left::Prose && clause.opener == Opener::Start => {
            ShellSign::EnglishWord
        }
        _ => ShellSign::UnixCommand,
    }
}

/// Points for where the clause stands.
#[allow(clippy::match_same_arms, reason = "one row a place, in the order in which they are distinguished")]
fn place(clause: &Clause) -> i32 {
    let tight = clause.byte_before.is_some_and(|byte| !byte.is_ascii_whitespace());
    match (clause.opener, clause.left) {
        (Opener::Start, _) => -1 - i32::from(clause.document),
        // A parameter that is named like a command is no command; one with arguments is.
        (Opener::Background, Left::Token) if clause.byte_before.is_none() && clause.count == 1 => -9,
        (Opener::Tail, _) => -9,
        (Opener::Call, Left::Prose) if clause.count == 1 => 1,
        (Opener::Call, _) => 4,
        (Opener::Group, _) => -9,
        // Nobody writes a substitution into a word but a shell's user.
        (Opener::Substitution, _) if clause.byte_before.is_some_and(joins) => 5,
        (Opener::Substitution, Left::Prose) => 2,
        (Opener::Substitution, _) => 4,
        (Opener::Process, Left::Prose) => 1,
        (Opener::Process, _) => 4,
        (Opener::Backtick, Left::Nothing) if clause.byte_before.is_none() && clause.byte_behind.is_none() => {
            3
        }
        (Opener::Backtick, _) if clause.byte_before.is_some_and(glues) => 4,
        // The argument of a call in a language that runs what stands between backticks.
        (Opener::Backtick, Left::Nothing | Left::Token) if clause.byte_before == Some(b'(') => 5,
        (Opener::Backtick, Left::Nothing | Left::Token) => 0,
        (Opener::Backtick, _) => -3,
        (Opener::Pipe, Left::Command | Left::Prose) if clause.pipeline_from_start => 1,
        (Opener::Semicolon, Left::Nothing) => 4,
        (Opener::Background, Left::Token) if tight && clause.glued => 1 + 2 * i32::from(clause.target),
        (Opener::Background, Left::Token) => 2 + i32::from(clause.target),
        (Opener::Newline, Left::Token) => 2 + i32::from(clause.target),
        (Opener::Newline, Left::Command | Left::Phrase | Left::Prose) => 0,
        (_, Left::Nothing | Left::Token | Left::Command) => 3,
        (_, Left::Phrase | Left::Prose) => 1,
    }
}

/// Points for a separator behind a name of two or three words, where the command has an argument that only a program takes.
fn phrase(clause: &Clause, arguments: &Arguments) -> i32 {
    let separates = matches!(
        clause.opener,
        Opener::Semicolon | Opener::And | Opener::Or | Opener::Pipe | Opener::Background
    );
    if clause.left == Left::Phrase && separates && arguments.name_something() { 2 } else { 0 }
}

/// Points for a command with a file or an address that is all there is behind one word and the end of its line.
fn second_line(clause: &Clause, arguments: &Arguments) -> i32 {
    let opened = clause.opener == Opener::Newline && clause.left == Left::Token;
    i32::from(opened && clause.closer == Closer::End && arguments.name_only_something())
}

/// Bytes that join what a substitution gives to a word; in prose a blank or a bracket stands before a code span.
fn glues(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'=' | b'/' | b'{')
}

/// Bytes of a word or of an expansion that a substitution goes on with.
fn joins(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b')'
}

/// Points for a command without arguments: what follows decides whether it is one.
fn bare(clause: &Clause, head: &Head, program: &Program) -> i32 {
    if head.index + 1 < clause.words().len() || clause.count > clause.words().len() || clause.ifs {
        return 0;
    }
    let name = clause.words().get(program.index).map(Word::base).unwrap_or_default();
    let piped = clause.opener == Opener::Pipe
        && match clause.left {
            Left::Nothing | Left::Command => true,
            Left::Token => clause.glued,
            Left::Phrase | Left::Prose => name.ends_with(b"sh"),
        };
    // A program that waits for what to do is a name in a list.
    let idle = match program.name {
        _ if piped || program.points > 4 => 0,
        Name::Solid => 2,
        Name::Exclusive if program.interpreter => 3,
        _ => 0,
    };
    match clause.closer {
        Closer::CallParenthesis => -4,
        _ if program.interpreter && piped => 3,
        Closer::End | Closer::ParenthesisEnd | Closer::BacktickEnd => {
            -i32::from(matches!(clause.left, Left::Phrase | Left::Prose)) - idle
        }
        Closer::Separator if clause.left == Left::Nothing => 0,
        // What goes on with another word is a list.
        Closer::Separator if head.keyword => 0,
        Closer::Separator if clause.byte_behind.is_some_and(|byte| byte.is_ascii_alphanumeric()) => -2,
        Closer::Separator => -idle,
        Closer::Parenthesis | Closer::Substitution | Closer::Backtick => 0,
    }
}

/// Points for a value that is nothing but the name of an administrator's tool and its plain words: `ansible-doc plugin ping`.
fn tool(clause: &Clause, head: &Head, program: &Program) -> i32 {
    let words = clause.words();
    let hyphenated = words.get(head.index).is_some_and(|word| word.text().contains(&b'-'));
    let whole = clause.opener == Opener::Start && clause.closer != Closer::Parenthesis && !clause.document;
    let short = (2..=5).contains(&clause.count);
    let plain =
        words.iter().skip(1).all(|word| matches!(shape(word), Shape::Plain | Shape::Dotted | Shape::Script));
    if program.name == Name::Exclusive && hyphenated && whole && short && plain { 3 } else { 0 }
}

/// Points against a name in capitals with numbers behind it: a version, a sum of money, an abbreviation (`PHP 8.2; MySQL
/// 8.0`, `ID 100234`, `Total:` and `RM 50.00`). Systems that tell capitals apart have no such program, and what runs on the
/// others does nothing with a number alone.
fn label(bytes: &[u8], clause: &Clause, program: &Program) -> i32 {
    let raw = |word: &Word| bytes.get(word.start..word.end).unwrap_or_default();
    let number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    let (named, behind) = clause.words().split_at_checked(program.index + 1).unwrap_or_default();
    let name = named.last().map(raw).unwrap_or_default();
    let capital =
        name.first().is_some_and(u8::is_ascii_uppercase) && name.iter().all(u8::is_ascii_alphanumeric);
    let whole = clause.count == clause.words().len() && !clause.ifs && !program.numbered;
    let numbers = !behind.is_empty() && behind.iter().all(|word| raw(word).iter().all(number));
    if capital && whole && numbers && program.index == 0 { -4 } else { 0 }
}

/// Points against a name in title case without arguments (`Load | Uptime`): systems that tell capitals apart have none such.
fn title(bytes: &[u8], clause: &Clause, program: &Program) -> i32 {
    let word = clause.words().get(program.index).and_then(|word| bytes.get(word.start..word.end));
    let is_title = word.and_then(<[u8]>::split_first).is_some_and(|(first, rest)| {
        first.is_ascii_uppercase() && !rest.is_empty() && rest.iter().all(u8::is_ascii_lowercase)
    });
    if is_title && clause.count == 1 && !program.windows && !program.both { -9 } else { 0 }
}

/// A program's path that is the whole of a document's scalar: configurations name programs.
fn bare_path(clause: &Clause, bytes: &[u8]) -> bool {
    clause.document && clause.opener == Opener::Start && clause.count == 1 && bytes.starts_with(b"/")
}
