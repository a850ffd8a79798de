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
