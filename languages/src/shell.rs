//! Shell command lines inside values: what a POSIX shell, `cmd.exe` or `PowerShell` would execute of a value that reaches
//! it. A linear tokenizer cuts the value into clauses (what stands between two separators), each word as the shell
//! would read it once quotes, escapes and empty expansions are gone; [`weigh`] decides where a clause stands, what it
//! would run and what its arguments look like. It knows bytes alone, neither places nor rules.

mod arguments;
mod clause;
mod commands;
mod document;
mod expansion;
mod function;
mod line;
mod powershell;
mod prefilter;
mod scanner;
mod sign;
mod triggers;
mod weigh;
mod windows;
mod word;

#[cfg(test)]
mod tests;

pub use sign::ShellSign;

use clause::Clause;
use document::Document;

use crate::language::{Finding, Findings, Input, Language, Prefilter};

/// Words of a command that stands alone.
const LONE_WORDS_MAX: usize = 8;

/// Returns `true` if `value` is one command and nothing else: a program that says something without arguments (`id`,
/// `ipconfig`), or any program with an option, a file or an address (`cat x.txt`, `ls -la`). Names that services give to
/// operations of their own, such as `ping` and `start`, take arguments to count.
pub fn is_lone_command(value: &[u8]) -> bool {
    let mut words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let Some(head) = words.next() else { return false };
    let name = head.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or(head).to_ascii_lowercase();
    let Some(known) = commands::unix(&name).max(commands::windows(&name)) else { return false };
    let is_idle = commands::is_network(&name)
        || commands::is_filter(&name)
        || commands::is_interpreter(&name)
        || commands::is_routine(&name) && commands::unix(&name) > Some(commands::Name::Terse);
    let (mut count, mut structured) = (0, false);
    for word in words.by_ref().take(LONE_WORDS_MAX) {
        count += 1;
        structured |=
            word.starts_with(b"-") || word.iter().any(|byte| matches!(byte, b'/' | b'.' | b'\\' | b':'));
    }
    words.next().is_none() && if count == 0 { known > commands::Name::Word && !is_idle } else { structured }
}

/// The command lines of POSIX shells, `cmd.exe` and `PowerShell`.
#[derive(Debug)]
pub struct Shell;

impl Language for Shell {
    type Sign = ShellSign;
    const NAME: &'static str = "shell";
    const TRIGGERS: &'static [&'static str] = triggers::TRIGGERS;
    const PREFILTER: Option<Prefilter> =
        Some(Prefilter { triggers: triggers::COMMON, may_match: prefilter::may_match });

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, ShellSign>) {
        let bytes = input.bytes;
        let mut document = Document::new(bytes);
        let mut receive = |finding: Finding<ShellSign>| {
            if let Some(Finding { sign, context, span }) = document.place(finding) {
                findings.add(sign, context, span.offset, span.length);
            }
        };
        let findings = &mut Findings::new(&mut receive);
        function::scan(bytes, findings);
        powershell::scan(bytes, findings);
        expansion::scan(bytes, findings);
        scanner::scan(bytes, input.role, &mut |clause: &Clause| weigh::clause(bytes, clause, findings));
    }
}
