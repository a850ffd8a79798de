//! Cuts a stream into whole lines. It keeps what has no end yet, up to a bound; it knows bytes alone.

/// Lines that a piece of the stream completed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fed {
    /// Whole lines, each with its line feed.
    pub(super) whole: Vec<u8>,
    /// Their number.
    pub(super) lines: u64,
    /// Lines that turned out to be over the bound; they are dropped.
    pub(super) overlong: u64,
}

/// The state between pieces.
#[derive(Debug)]
pub(super) struct Lines {
    bytes_max: usize,
    partial: Vec<u8>,
    /// True if the line under way is over the bound already.
    skipping: bool,
}

impl Lines {
    /// Lines of at most `bytes_max` bytes, line feed included.
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, partial: Vec::new(), skipping: false }
    }

    /// Takes the next piece.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Fed {
        let mut fed = Fed::default();
        let mut rest = piece;
        while !rest.is_empty() {
            let (end, ends) = match memchr::memchr(b'\n', rest) {
                Some(at) => (at + 1, true),
                None => (rest.len(), false),
            };
            let (part, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            rest = after;
            if !self.skipping && self.partial.len() + part.len() > self.bytes_max {
                self.skipping = true;
                self.partial = Vec::new();
                fed.overlong += 1;
            }
            match (self.skipping, ends) {
                (true, _) => self.skipping = !ends,
                (false, true) => {
                    fed.whole.append(&mut self.partial);
                    fed.whole.extend_from_slice(part);
                    fed.lines += 1;
                }
                (false, false) => self.partial.extend_from_slice(part),
            }
        }
        fed
    }

    /// The stream has ended: bytes of a line that never ended.
    pub(super) fn finish(self) -> usize {
        self.partial.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn feed(lines: &mut Lines, piece: &str) -> (String, u64, u64) {
        let fed = lines.feed(piece.as_bytes());
        (String::from_utf8_lossy(&fed.whole).into_owned(), fed.lines, fed.overlong)
    }

    #[test]
    fn only_whole_lines_come_out() {
        let mut lines = Lines::new(100);
        assert_eq!(feed(&mut lines, "{\"a\":1}\n{\"b\""), ("{\"a\":1}\n".into(), 1, 0));
        assert_eq!(feed(&mut lines, ":2}"), (String::new(), 0, 0));
        assert_eq!(feed(&mut lines, "\n\nx\ny"), ("{\"b\":2}\n\nx\n".into(), 3, 0));
        assert_eq!(lines.finish(), 1);
    }

    #[test]
    fn a_line_over_the_bound_is_dropped_and_the_next_one_is_not() {
        let mut lines = Lines::new(4);
        assert_eq!(feed(&mut lines, "abc\nabcd\nx\n"), ("abc\nx\n".into(), 2, 1));
        assert_eq!(feed(&mut lines, "ab"), (String::new(), 0, 0));
        assert_eq!(feed(&mut lines, "cde"), (String::new(), 0, 1));
        assert_eq!(feed(&mut lines, "fgh"), (String::new(), 0, 0));
        assert_eq!(feed(&mut lines, "i\nok\n"), ("ok\n".into(), 1, 0));
        assert_eq!(lines.finish(), 0);
    }

    proptest! {
        #[test]
        fn any_cutting_of_a_stream_gives_the_same_lines(
            stream in proptest::collection::vec(prop_oneof![Just(b'\n'), b'a'..=b'e'], 0..200),
            cuts in proptest::collection::vec(1usize..20, 0..200),
        ) {
            let whole = Lines::new(8).feed(&stream);
            let mut lines = Lines::new(8);
            let mut pieces = Fed::default();
            let mut rest = stream.as_slice();
            for cut in cuts.into_iter().chain([usize::MAX]) {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                let fed = lines.feed(piece);
                pieces.whole.extend(fed.whole);
                pieces.lines += fed.lines;
                pieces.overlong += fed.overlong;
                rest = after;
            }
            prop_assert_eq!(pieces, whole);
        }
    }
}
