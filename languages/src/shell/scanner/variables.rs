//! Variables that a value assigns and then runs: `a=c;b=at;$a$b`. It knows nothing of words.

/// Variables that the value itself assigns, a few of them.
#[derive(Debug, Default)]
pub(super) struct Variables<'a> {
    known: [(&'a [u8], &'a [u8]); 8],
    count: usize,
}

impl<'a> Variables<'a> {
    pub(super) fn assign(&mut self, raw: &'a [u8], depth: u8) {
        let raw = raw.strip_prefix(b"^").unwrap_or(raw);
        let Some(equals) = raw.iter().take(24).position(|byte| *byte == b'=') else { return };
        let (name, value) =
            (raw.get(..equals).unwrap_or_default(), raw.get(equals + 1..).unwrap_or_default());
        let sound = name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if sound && let Some(slot) = self.known.get_mut(self.count) {
            *slot = (name, value.get(..value.len().min(48)).unwrap_or_default());
            self.count += 1;
        }
        // A parameter may carry an assignment as its value.
        if depth == 0 {
            self.assign(value, 1);
        }
    }

    pub(super) fn value(&self, name: &[u8]) -> Option<&'a [u8]> {
        let known = self.known.get(..self.count)?;
        known.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}
