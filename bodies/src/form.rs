//! Pairs of names and values between `&`: forms (WHATWG URL, section 5.1), and queries, which are written alike. Nothing is
//! decoded.

use std::ops::ControlFlow;

use crate::buffer::recycle;

/// Push tokenizer. It keeps the pair that is not complete yet; who feeds it bounds the body.
#[derive(Debug, Default)]
pub struct Pairs {
    pair: Vec<u8>,
}

impl Pairs {
    /// Makes it ready for the next form.
    pub fn reset(&mut self) {
        recycle(&mut self.pair);
    }

    /// Bytes that wait for what follows them.
    pub fn pending(&self) -> usize {
        self.pair.len()
    }

    /// Takes the next bytes, and reports pairs that are complete until nothing more is wanted.
    pub fn feed(&mut self, chunk: &[u8], report: &mut impl FnMut(&[u8]) -> ControlFlow<()>) {
        let mut rest = chunk;
        while let Some((head, after)) = next(rest) {
            let flow = if self.pair.is_empty() {
                report_pair(head, report)
            } else {
                self.pair.extend_from_slice(head);
                self.finish(report)
            };
            if flow.is_break() {
                return;
            }
            rest = after;
        }
        self.pair.extend_from_slice(rest);
    }

    /// Reports the last pair.
    pub fn finish(&mut self, report: &mut impl FnMut(&[u8]) -> ControlFlow<()>) -> ControlFlow<()> {
        let flow = report_pair(&self.pair, report);
        self.pair.clear();
        flow
    }
}

fn report_pair(pair: &[u8], report: &mut impl FnMut(&[u8]) -> ControlFlow<()>) -> ControlFlow<()> {
    if pair.is_empty() { ControlFlow::Continue(()) } else { report(pair) }
}

/// The bytes before the next `&`, and those behind it.
fn next(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (head, tail) = memchr::memchr(b'&', text).and_then(|at| text.split_at_checked(at))?;
    Some((head, tail.get(1..).unwrap_or_default()))
}

/// The pairs of a text that is there as a whole.
pub fn pairs(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    let all = std::iter::from_fn(move || {
        let text = rest?;
        let (pair, after) = next(text).map_or((text, None), |(pair, after)| (pair, Some(after)));
        rest = after;
        Some(pair)
    });
    all.filter(|pair| !pair.is_empty())
}

/// Name and value of a pair; a pair without `=` has no value.
pub fn name_and_value(pair: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'=', pair).and_then(|at| pair.split_at_checked(at)) {
        Some((name, rest)) => (name, rest.get(1..)),
        None => (pair, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let (mut all, mut form) = (Vec::new(), Pairs::default());
        let mut report = |pair: &[u8]| {
            all.push(pair.to_vec());
            ControlFlow::Continue(())
        };
        for chunk in chunks {
            form.feed(chunk, &mut report);
        }
        let _ = form.finish(&mut report);
        all
    }

    #[test]
    fn pairs_are_the_same_in_any_chunks() {
        for text in ["", "&", "a=1", "a=1&b=2", "&&a=1&&b&", "a&b=c=d&=e", "a=1&a=2&a=3"] {
            let text = text.as_bytes();
            let whole: Vec<Vec<u8>> = pairs(text).map(<[u8]>::to_vec).collect();
            for at in 0..=text.len() {
                assert_eq!(fed(&[&text[..at], &text[at..]]), whole, "{}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn a_name_ends_at_the_first_equals_sign() {
        for (pair, expected) in [
            ("a=b", ("a", Some("b"))),
            ("a=", ("a", Some(""))),
            ("a", ("a", None)),
            ("=b", ("", Some("b"))),
            ("a=b=c", ("a", Some("b=c"))),
        ] {
            let (name, value) = name_and_value(pair.as_bytes());
            assert_eq!((name, value), (expected.0.as_bytes(), expected.1.map(str::as_bytes)), "{pair}");
        }
    }

    #[test]
    fn nothing_is_reported_once_nothing_is_wanted() {
        let mut count = 0;
        Pairs::default().feed(b"a&b&c&d", &mut |_| {
            count += 1;
            if count == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(count, 2);
    }
}
