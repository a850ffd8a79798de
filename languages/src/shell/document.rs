//! Long texts with command lines in them: manuals, wiki pages, posts about administration. What stands there as code is
//! shown, not run: a command is a hint there, and a hint is nothing. Short values are never documents, whatever they look like.

use super::sign::ShellSign;
use crate::language::{Context, Finding};
use crate::prose;

/// Shorter values are no documents.
const DOCUMENT_BYTES_MIN: usize = 1500;
/// Plain words of a document: padding that looks like this is a document.
const DOCUMENT_WORDS_MIN: usize = 150;
/// Findings that are looked at; the places of more are not worth the time.
const FINDINGS_MAX: usize = 64;

/// A value that may be a document.
pub(super) struct Document<'a> {
    bytes: &'a [u8],
    /// Whether it is one; found out when the first finding asks.
    is_one: Option<bool>,
    asked: usize,
    /// Up to where lines were read, and whether a fence of code is open there.
    read: usize,
    fenced: bool,
}

impl<'a> Document<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Document<'a> {
        let is_one = (bytes.len() < DOCUMENT_BYTES_MIN).then_some(false);
        Document { bytes, is_one, asked: 0, read: 0, fenced: false }
    }

    /// The finding as it counts at its place, if it does.
    pub(super) fn place(&mut self, finding: Finding<ShellSign>) -> Option<Finding<ShellSign>> {
        let lines = matches!(
            finding.sign,
            ShellSign::UnixCommand
                | ShellSign::Substitution
                | ShellSign::WindowsCommand
                | ShellSign::PowerShell
        );
        if !lines || self.is_one == Some(false) || self.asked >= FINDINGS_MAX {
            return Some(finding);
        }
        let is_one = *self.is_one.get_or_insert_with(|| {
            prose::sentence_words(self.bytes, &[], DOCUMENT_WORDS_MIN) == DOCUMENT_WORDS_MIN
        });
        if !is_one {
            return Some(finding);
        }
        self.asked += 1;
        match finding.context {
            _ if !self.shows_code(finding.span.offset) => Some(finding),
            Context::Code | Context::Sole => Some(Finding { context: Context::Prose, ..finding }),
            Context::Prose => None,
        }
    }

    /// Whether code is shown at `offset`: in a fence, behind an indent or a prompt, between backticks of a line.
    fn shows_code(&mut self, offset: usize) -> bool {
        let head = self.bytes.get(..offset).unwrap_or_default();
        let start = memchr::memrchr(b'\n', head).map_or(0, |end| end + 1);
        self.read_to(start);
        let line = head.get(start..).unwrap_or_default();
        let prompt = [&b"$ "[..], b"# ", b"> ", b"% "]
            .iter()
            .any(|prompt| line.trim_ascii_start().starts_with(prompt));
        let behind = self.bytes.get(offset..).unwrap_or_default();
        let ticks = memchr::memchr_iter(b'`', line).count();
        let closed = behind.iter().take_while(|byte| **byte != b'\n').any(|byte| *byte == b'`');
        self.fenced
            || prompt
            || line.starts_with(b"    ")
            || line.starts_with(b"\t")
            || ticks % 2 == 1 && closed
    }

    /// Counts fences up to the line at `start`.
    fn read_to(&mut self, start: usize) {
        if start < self.read {
            (self.read, self.fenced) = (0, false);
        }
        for line in self.bytes.get(self.read..start).unwrap_or_default().split(|byte| *byte == b'\n') {
            let line = line.trim_ascii_start();
            self.fenced ^= line.starts_with(b"```") || line.starts_with(b"~~~");
        }
        self.read = start;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shell, ShellSign};
    use crate::language::{Context, Input, Role, findings};

    fn is_certain(text: &str) -> bool {
        findings::<Shell>(&Input { role: Role::Scalar, ..Input::value(text.as_bytes()) })
            .iter()
            .any(|finding| finding.context == Context::Code && finding.sign == ShellSign::UnixCommand)
    }

    #[test]
    fn code_that_is_shown_is_a_hint() {
        let words =
            "People who look after machines read pages like this one and copy a line here and there. "
                .repeat(20);
        for code in [
            "\n```sh\ncd /srv; cat /etc/hostname\n```\n",
            "\n    x; cat /etc/hostname\n",
            "- `x; cat /etc/hostname` shows it\n",
        ] {
            assert!(!is_certain(&format!("{words}{code}")), "{code:?}");
        }
    }

    #[test]
    fn what_is_not_shown_as_code_stays_certain() {
        let words =
            "People who look after machines read pages like this one and copy a line here and there. "
                .repeat(20);
        assert!(is_certain("`x; cat /etc/hostname`"));
        assert!(is_certain(&format!("10.0.0.1;cat /etc/hostname\n{words}")));
    }
}
