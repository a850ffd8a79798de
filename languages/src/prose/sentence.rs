//! Tells a sentence that begins with code from code: a program in which two plain words stand side by side does not
//! parse, so none of it would run.

use crate::script::word::{self, continues_name};

/// How much of a value is read.
const READ_BYTES_MAX: usize = 2048;

/// Whether `bytes` cannot be a program. Strings, comments and regular expressions are passed over, since an attacker is free to
/// put words there; where a template literal makes that hard to tell, the answer is no.
pub fn is_sentence(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..READ_BYTES_MAX).unwrap_or(bytes);
    if memchr::memchr(b'`', bytes).is_some() {
        return false;
    }
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        at += match byte {
            b'"' | b'\'' => match string(rest) {
                Some(length) => length,
                // A quote that nothing closes: an apostrophe, or a value cut out of a string.
                None => return false,
            },
            b'/' if rest.starts_with(b"//") => line(rest),
            b'<' if rest.starts_with(b"<!--") => line(rest),
            b'/' if rest.starts_with(b"/*") => {
                memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2)
            }
            b'/' if begins_expression(bytes, at) => regex(rest),
            _ if continues_name(byte) => {
                let Some(word) = word::word_at(bytes, at) else { return false };
                let length = word.end - at;
                let gap = rest.get(length..).unwrap_or_default();
                let blanks = gap.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                let next = gap.get(blanks..).unwrap_or_default();
                let letters = next.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
                let written = rest.get(..length).unwrap_or_default();
                if blanks > 0
                    && letters >= 2
                    && written.len() >= 2
                    && written.iter().all(u8::is_ascii_alphabetic)
                    && !is_keyword(written)
                    && !is_keyword(next.get(..letters).unwrap_or_default())
                {
                    return true;
                }
                length
            }
            _ => 1,
        };
    }
    false
}

/// Length of the string literal at the beginning of `rest`.
fn string(rest: &[u8]) -> Option<usize> {
    let quote = *rest.first()?;
    let mut escaped = false;
    for (at, &byte) in rest.iter().enumerate().skip(1) {
        if escaped {
            escaped = false;
        } else if byte == b'\\' {
            escaped = true;
        } else if byte == quote {
            return Some(at + 1);
        } else if byte == b'\n' {
            return None;
        }
    }
    None
}

/// Length of the line at the beginning of `rest`.
fn line(rest: &[u8]) -> usize {
    memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()).max(1)
}

/// Length of the regular expression at the beginning of `rest`, as far as its line goes.
fn regex(rest: &[u8]) -> usize {
    let line = rest.get(..line(rest)).unwrap_or(rest);
    let mut escaped = false;
    for (at, &byte) in line.iter().enumerate().skip(1) {
        if escaped {
            escaped = false;
        } else if byte == b'\\' {
            escaped = true;
        } else if byte == b'/' {
            return at + 1;
        }
    }
    1
}

/// Whether a slash at `at` opens a regular expression rather than dividing.
fn begins_expression(bytes: &[u8], at: usize) -> bool {
    let head = bytes.get(..at).unwrap_or_default();
    head.trim_ascii_end().last().is_none_or(|&last| !continues_name(last) && !matches!(last, b')' | b']'))
}

/// Words that may stand beside another in a program.
fn is_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"var"
            | b"let"
            | b"const"
            | b"function"
            | b"return"
            | b"typeof"
            | b"instanceof"
            | b"in"
            | b"of"
            | b"new"
            | b"delete"
            | b"void"
            | b"throw"
            | b"else"
            | b"do"
            | b"case"
            | b"async"
            | b"await"
            | b"yield"
            | b"class"
            | b"extends"
            | b"import"
            | b"export"
            | b"from"
            | b"as"
            | b"get"
            | b"set"
            | b"static"
            | b"if"
            | b"for"
            | b"while"
            | b"default"
            | b"with"
            | b"try"
            | b"catch"
            | b"finally"
            | b"break"
            | b"continue"
            | b"using"
    )
}

#[cfg(test)]
mod tests {
    use super::is_sentence;

    #[test]
    fn sentences_are_told_from_programs() {
        for text in [
            "alert() is not working in chrome",
            "document.getElementById('app').innerHTML = ''; clears the node",
            "eval('x') fails when strict mode is on",
        ] {
            assert!(is_sentence(text.as_bytes()), "{text}");
        }
        for text in [
            "alert(1)//hello there world",
            "alert(1)/* some more words */",
            "alert('some more words')",
            "alert(/some more words/)",
            "x=1/2;alert(1)<!-- some more words",
            "if (x) throw new Error('a b'); else var y = 1",
            "alert(1)\nconfirm(2)",
            "for(const x of y) alert(x)",
            "alert(`some words here`)",
            "document.cookie",
        ] {
            assert!(!is_sentence(text.as_bytes()), "{text}");
        }
    }
}
