//! A set of fixed words with what each means, built once and asked for nearly every word of nearly every value that a detector
//! reads: strangers are told by their first byte and length, or by one empty slot. It knows words, not languages.

/// Longest word that a table can hold.
pub(crate) const WORD_BYTES_MAX: usize = 63;

/// Words in lower case and what they mean.
#[derive(Debug)]
pub(crate) struct Table<T: 'static> {
    /// Row numbers, from 1 on, by hash; zero marks an empty slot. A power of two, at least four times the rows.
    slots: Vec<u16>,
    rows: Vec<(u64, &'static str, T)>,
    /// For each first byte a bit for each length that occurs.
    lengths: [u64; 256],
}

impl<T: Copy> Table<T> {
    /// Of `words`; the first row of a word counts.
    pub(crate) fn new(words: impl Iterator<Item = (&'static str, T)>) -> Table<T> {
        let rows: Vec<_> = words.map(|(word, meaning)| (head_of(word.as_bytes()), word, meaning)).collect();
        let mut table =
            Table { slots: vec![0; (rows.len() * 4).next_power_of_two()], rows, lengths: [0; 256] };
        for (nth, (head, word, _)) in table.rows.iter().enumerate() {
            let word = word.as_bytes();
            assert!((1..=WORD_BYTES_MAX).contains(&word.len()) && nth < usize::from(u16::MAX));
            if let Some(lengths) = word.first().and_then(|first| table.lengths.get_mut(usize::from(*first))) {
                *lengths |= 1_u64 << word.len();
            }
            let mut slot = slot_of(*head, word.len(), table.slots.len());
            while table.slots.get(slot).is_some_and(|taken| *taken != 0) {
                slot = (slot + 1) % table.slots.len();
            }
            if let Some(free) = table.slots.get_mut(slot) {
                *free = nth as u16 + 1;
            }
        }
        table
    }

    /// What `lower`, a word in lower case, means.
    pub(crate) fn find(&self, lower: &[u8]) -> Option<T> {
        let lengths = self.lengths.get(usize::from(*lower.first()?))?;
        if lower.len() > WORD_BYTES_MAX || lengths & 1_u64 << lower.len() == 0 {
            return None;
        }
        let head = head_of(lower);
        let mut slot = slot_of(head, lower.len(), self.slots.len());
        loop {
            let row = usize::from(*self.slots.get(slot)?).checked_sub(1)?;
            let (other, word, meaning) = self.rows.get(row)?;
            if *other == head && word.as_bytes() == lower {
                return Some(*meaning);
            }
            slot = (slot + 1) % self.slots.len();
        }
    }
}

/// The first eight bytes as a number.
fn head_of(word: &[u8]) -> u64 {
    match word.first_chunk::<8>() {
        Some(head) => u64::from_be_bytes(*head),
        None => word.iter().fold(0, |head, byte| head << 8 | u64::from(*byte)),
    }
}

fn slot_of(head: u64, length: usize, slots: usize) -> usize {
    let mixed = (head ^ (length as u64) << 57).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize & (slots - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_and_strangers_are_not() {
        let words = ["a", "ab", "information_schema", "information_schemb", "select", "selects"];
        let table = Table::new(words.iter().enumerate().map(|(nth, word)| (*word, nth)));
        for (nth, word) in words.iter().enumerate() {
            assert_eq!(table.find(word.as_bytes()), Some(nth));
        }
        for stranger in [
            "",
            "b",
            "selec",
            "information_schemc",
            "a-word-that-is-longer-than-any-table-holds-because-no-language-has-one",
        ] {
            assert_eq!(table.find(stranger.as_bytes()), None);
        }
        assert_eq!(Table::<u8>::new(std::iter::empty()).find(b"a"), None);
    }
}
