//! Lines that no POSIX shell runs: a shell reads a whole line before it runs any of it, and an opening parenthesis behind a
//! word is a syntax error there (POSIX.1-2024, section 2.10). Calls of other languages have one, as in `eval x = max(a)`.

/// Words that a parenthesis may follow.
pub(super) const RESERVED: &[&[u8]] = &[
    b"if",
    b"then",
    b"elif",
    b"else",
    b"while",
    b"until",
    b"do",
    b"for",
    b"in",
    b"case",
    b"select",
    b"time",
    b"function",
    b"coproc",
    b"!",
    b"{",
];
/// Openings behind which a shell reads parentheses by another grammar: parameters, conditions, arithmetic.
const OTHER_GRAMMARS: &[&[u8]] = &[b"${", b"[[", b"(("];
/// Words of the same kind: definitions, patterns, options.
const OTHER_WORDS: &[&[u8]] = &[b"function", b"coproc", b"time", b"case"];
/// Bytes on either side that are read.
const SPAN: usize = 1024;

/// Returns `true` if the line around the separator at `at` has a parenthesis that makes all of it a syntax error. Between
/// the two is nothing that quotes: either both are quoted, or none is.
pub(super) fn is_void(bytes: &[u8], at: usize) -> bool {
    let (before, behind) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    let before = before.get(before.len().saturating_sub(SPAN)..).unwrap_or(before);
    let start = before.iter().rposition(|byte| quotes(*byte) || ends_line(*byte)).map_or(0, |last| last + 1);
    let behind = behind.get(..SPAN).unwrap_or(behind);
    let behind = behind.get(..comment(behind)).unwrap_or(behind);
    let end = behind.iter().position(|byte| quotes(*byte) || ends_line(*byte)).unwrap_or(behind.len());
    let before = before.get(start..).unwrap_or_default();
    let behind = behind.get(..end).unwrap_or_default();
    let other = |text: &[u8]| {
        OTHER_GRAMMARS.iter().any(|mark| memchr::memmem::find(text, mark).is_some())
            || OTHER_WORDS.iter().any(|word| {
                memchr::memmem::find_iter(text, word)
                    .any(|at| text.get(at + word.len()).is_some_and(u8::is_ascii_whitespace))
            })
    };
    !other(before) && !other(behind) && (has_call(before) || has_call(behind))
}

/// Lines that begin with a pipe from which on a value is a query that goes on from line to line, as ES|QL, KQL and SPL
/// write it. A shell has a command before each pipe.
const PIPED_LINES_MIN: usize = 2;

/// Returns `true` if several lines of the value begin with a single pipe, and no line before them asks to be continued.
pub(super) fn is_query(bytes: &[u8]) -> bool {
    let pipes = memchr::memchr_iter(b'\n', bytes).filter(|at| {
        let (before, behind) = bytes.split_at_checked(*at).unwrap_or_default();
        let behind = behind.trim_ascii_start();
        behind.starts_with(b"| ") && !before.trim_ascii_end().ends_with(b"\\")
    });
    pipes.take(PIPED_LINES_MIN).count() == PIPED_LINES_MIN
}

/// Lines of a list that are passed over on the way to its parenthesis.
const ENTRIES_MAX: usize = 64;

/// Returns `true` if the line break before `at` stands within the parentheses of a list: behind a word, an opening
/// parenthesis and entries that end in commas, quotes closed. A shell stops reading at that parenthesis.
pub(super) fn is_inside_call(bytes: &[u8], at: usize) -> bool {
    let lines = bytes.get(..at).unwrap_or_default().rsplit(|byte| *byte == b'\n').skip(1);
    let is_entry = |line: &[u8]| {
        let even = |quote| memchr::memchr_iter(quote, line).count().is_multiple_of(2);
        line.is_empty() || line.ends_with(b",") && even(b'"') && even(b'\'')
    };
    let mut opened = None;
    for line in lines.take(ENTRIES_MAX) {
        let line = line.get(line.len().saturating_sub(SPAN)..).unwrap_or(line).trim_ascii_end();
        opened =
            memchr::memrchr(b'(', line).and_then(|at| line.split_at_checked(at)).filter(|(_, inside)| {
                is_entry(inside.get(1..).unwrap_or_default()) && memchr::memchr(b')', inside).is_none()
            });
        if opened.is_some() || !is_entry(line) {
            break;
        }
    }
    let Some((head, _)) = opened else { return false };
    let word = head.trim_ascii_end().rsplit(|byte| !is_word(*byte)).next().unwrap_or_default();
    let compares = word == b"in"
        && !OTHER_WORDS
            .iter()
            .chain(&[&b"for"[..], b"select"])
            .any(|other| memchr::memmem::find(head, other).is_some());
    !word.is_empty() && (compares || !RESERVED.contains(&word))
}

/// Offset of the comment that ends a line, or its length: a `#` at the beginning of a word.
fn comment(line: &[u8]) -> usize {
    let begins = |at: &usize| {
        at.checked_sub(1).and_then(|before| line.get(before)).is_none_or(|byte| {
            byte.is_ascii_whitespace() || matches!(byte, b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
        })
    };
    memchr::memchr_iter(b'#', line).find(begins).unwrap_or(line.len())
}

/// Returns `true` if a word of a command is followed by an opening parenthesis that encloses something.
fn has_call(text: &[u8]) -> bool {
    memchr::memchr_iter(b'(', text).any(|at| {
        let (before, behind) = text.split_at_checked(at).unwrap_or_default();
        let inside = behind.get(1..).unwrap_or_default().trim_ascii_start();
        let head = before.trim_ascii_end();
        let word = head.rsplit(|byte| !is_word(*byte)).next().unwrap_or_default();
        // A definition has nothing in its parentheses.
        !word.is_empty() && !RESERVED.contains(&word) && inside.first().is_some_and(|byte| *byte != b')')
    })
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b':' | b'/' | b',' | b'%')
}

const fn quotes(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'`' | b'\\')
}

const fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::{is_inside_call, is_query, is_void};

    fn void(text: &str) -> bool {
        is_void(text.as_bytes(), text.find('|').unwrap_or_default() + 1)
    }

    #[test]
    fn a_line_with_a_call_is_no_command() {
        for text in [
            "from logs | eval user.id = max(user.id)",
            "sum(rate(x[5m])) | id",
            "a, b (c) | sort d",
            "x | where length(name) > 3",
        ] {
            assert!(void(text), "{text}");
        }
    }

    #[test]
    fn lists_of_query_languages_are_no_lines_of_a_shell() {
        let inside = |text: &str| is_inside_call(text.as_bytes(), text.find("sh x").unwrap_or_default());
        for text in ["process.line in (\n  \"sh x\",", "x like (\"a b\",\n\"c d\",\n \"sh x\")", "f (\nsh x"]
        {
            assert!(inside(text), "{text}");
        }
        for text in [
            "for i in (\nsh x",
            "x\nsh x",
            "f (a\nsh x",
            "f (\n'a,\nsh x",
            "while (\nsh x",
            "case a in (\nsh x",
        ] {
            assert!(!inside(text), "{text}");
        }
    }

    #[test]
    fn a_query_goes_on_behind_pipes_at_the_beginning_of_lines() {
        assert!(is_query(b"from logs\n| eval a = 1\n| where b == 2"));
        assert!(is_query(b"from logs\r\n  | eval a = 1\r\n  | where b == 2"));
        assert!(!is_query(b"x\n| id"));
        assert!(!is_query(b"x \\\n| id \\\n| sh"));
        assert!(!is_query(b"x | id\n| sh"));
    }

    #[test]
    fn what_a_shell_runs_stays_a_command() {
        for text in [
            "x | id",
            "x | id;#a(b)",
            "x | id&#a(b)",
            "x | id;echo ${y:-a(b)}",
            "x | [[ a =~ a(b)* ]]&&id",
            "x | function f (id);f",
            "x | for((i=0;i<f(1);i++));do :;done;id",
            "x | id;case a in (a) :;; esac",
            "x | id; (cat y)",
            "x | cat $(ls)",
            "x | id # (a comment)",
            "x | id \n y(z)",
            "\"x(1)\" | id",
            "x(\"| id",
            "x | a() { id; }",
            "x | if (id) then id; fi",
            "x | for i in (a)",
            "x | diff <(id) >(id)",
            "x | echo a=(b) ?(c) @(d)",
            "x(1)\n| id",
            "x | id;echo \\(a",
        ] {
            assert!(!void(text), "{text}");
        }
    }
}
