//! Programs written with brackets, parentheses, plus and exclamation marks alone.

use crate::language::{Context, Findings, Input, Language};

/// Fewest opening brackets in one run; fewer occur in honest code.
const BRACKETS_MIN: usize = 3;

/// The only sign of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsfuckSign {
    /// A program.
    Program,
}

/// Programs of brackets and marks.
#[derive(Debug)]
pub struct Jsfuck;

impl Language for Jsfuck {
    type Sign = JsfuckSign;
    const NAME: &'static str = "jsfuck";
    const TRIGGERS: &'static [&'static str] = &["![", "=~[", "+[", "[+", "[ !"];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, JsfuckSign>) {
        if let Some(offset) = find(input.bytes) {
            findings.add_line(JsfuckSign::Program, Context::Code, input.bytes, offset);
        }
    }
}

/// The beginning of the first such program in `bytes`.
fn find(bytes: &[u8]) -> Option<usize> {
    brackets(bytes).or_else(|| symbols(bytes))
}

/// Programs of symbols that count upwards from `~[]`.
fn symbols(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(bytes, b"=~[]").find(|&at| {
        let rest = bytes.get(at..).unwrap_or_default();
        memchr::memmem::find(rest.get(..64).unwrap_or(rest), b"++").is_some()
    })
}

fn brackets(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'[', bytes.get(at..)?).map(|offset| at + offset) {
        // The run may begin before its first bracket.
        let lead = bytes.get(at..start)?.iter().rev().take(16).take_while(|&&byte| belongs(byte)).count();
        let from = start - lead;
        let length = bytes.get(from..)?.iter().take_while(|&&byte| belongs(byte)).count();
        if is_program(bytes.get(from..from + length)?) {
            return Some(from);
        }
        at = from + length.max(lead + 1);
    }
    None
}

fn belongs(byte: u8) -> bool {
    matches!(byte, b'[' | b']' | b'(' | b')' | b'!' | b'+' | b' ' | b'\n' | b'\t')
}

fn is_program(run: &[u8]) -> bool {
    let mut brackets = 0;
    let mut operators = 0;
    let mut parentheses = 0;
    let mut before = b' ';
    for &byte in run.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        match byte {
            b'[' => {
                brackets += 1;
                operators += usize::from(matches!(before, b'!' | b'+'));
            }
            b'(' => parentheses += 1,
            // `[+…]` counts like `+[…]`; a plus may have become a space on the way.
            b'+' | b'!' if before == b'[' => operators += 1,
            _ => {}
        }
        before = byte;
    }
    brackets >= BRACKETS_MIN && operators >= 2 && (parentheses >= 1 || operators >= 4)
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn programs_are_told_from_punctuation() {
        for text in ["(![]+[])[+!+[]]", "(![] [])[ ! []]", "x=[][(![]+[])[+[]]+([![]]+[][[]])[+!+[]+[+[]]]]"]
        {
            assert!(find(text.as_bytes()).is_some(), "{text}");
        }
        for text in [
            "what!!!!!!! (really) [sic]",
            "[ ] [x] [ ]",
            "int[][][] x",
            "a[i][j] + b[k]",
            "[](){}",
            "[[],[],[]]",
            "++++++",
        ] {
            assert!(find(text.as_bytes()).is_none(), "{text}");
        }
    }
}
