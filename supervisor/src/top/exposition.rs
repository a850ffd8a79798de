//! The text format 0.0.4 of Prometheus, read line by line without trust: any text gives samples or the number of the
//! first line that is none. It knows no metric.

use std::borrow::Cow;

/// Labels of one sample; ours have two, and a histogram's one more.
const LABELS_MAX: usize = 16;

/// A line that is no sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {0} is no sample of a metric")]
pub struct Malformed(pub usize);

/// One number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample<'a> {
    /// Of the metric, with the suffixes of a histogram's series.
    pub(super) name: &'a str,
    /// Any number, also one that is none.
    pub(super) value: f64,
    labels: Vec<(&'a str, Cow<'a, str>)>,
}

impl Sample<'_> {
    /// A label's value; empty when it has no such label, which is the same thing to Prometheus.
    pub(super) fn label(&self, name: &str) -> &str {
        self.labels.iter().find(|(label, _)| *label == name).map_or("", |(_, value)| value)
    }
}

/// Every sample of a page, in order. Comments, types and help are passed over.
pub(super) fn samples(page: &str) -> impl Iterator<Item = Result<Sample<'_>, Malformed>> {
    let lines = page.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(index, line)| sample(line).ok_or(Malformed(index + 1)))
}

/// `name{label="value",…} number`, and perhaps a time behind it.
fn sample(line: &str) -> Option<Sample<'_>> {
    let (name, rest) = identifier(line)?;
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inside) => labels(inside)?,
        None => (Vec::new(), rest),
    };
    let mut words = rest.split_ascii_whitespace();
    let value = words.next()?.parse().ok()?;
    let has_end = words.next().is_none_or(|time| time.parse::<i64>().is_ok()) && words.next().is_none();
    has_end.then_some(Sample { name, value, labels })
}

/// A name and what follows it.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')));
    let (name, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())).then_some((name, rest))
}

/// Labels up to the brace, and what follows it.
fn labels(mut text: &str) -> Option<(Vec<(&str, Cow<'_, str>)>, &str)> {
    let mut labels = Vec::new();
    loop {
        text = text.trim_start();
        if let Some(rest) = text.strip_prefix('}') {
            return Some((labels, rest));
        }
        if labels.len() == LABELS_MAX {
            return None;
        }
        let (name, rest) = identifier(text)?;
        let rest = rest.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
        let (value, rest) = quoted(rest)?;
        labels.push((name, value));
        let rest = rest.trim_start();
        text = rest.strip_prefix(',').or_else(|| rest.starts_with('}').then_some(rest))?;
    }
}

/// A value up to its closing quote, escapes resolved, and what follows it.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut value = Cow::Borrowed("");
    let mut from = text;
    loop {
        let (plain, rest) = from.split_at_checked(from.find(['"', '\\'])?)?;
        value += plain;
        if let Some(rest) = rest.strip_prefix('"') {
            return Some((value, rest));
        }
        let mut escaped = rest.chars();
        value += match (escaped.next()?, escaped.next()?) {
            ('\\', 'n') => "\n",
            ('\\', '"') => "\"",
            ('\\', '\\') => "\\",
            _ => return None,
        };
        from = escaped.as_str();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn samples_are_read() {
        let page = "# HELP a A.\n# TYPE a counter\n\na 1\n  a{} 2 1700000000\r\n\
                    a{b=\"c\"} +Inf\na{b=\"}\\\"\\\\\\n\u{e4}\", c=\"\",} 1e-3";
        let samples: Vec<Sample<'_>> = samples(page).map(Result::unwrap).collect();
        assert_eq!(samples.len(), 4);
        assert!(samples.iter().all(|sample| sample.name == "a"));
        assert_eq!((samples[0].value, samples[1].value), (1.0, 2.0));
        assert_eq!((samples[2].value, samples[2].label("b")), (f64::INFINITY, "c"));
        assert_eq!((samples[3].value, samples[3].label("b")), (0.001, "}\"\\\n\u{e4}"));
        assert_eq!((samples[3].label("c"), samples[3].label("none")), ("", ""));
    }

    #[test]
    fn what_is_no_sample_is_named_by_its_line() {
        let many = format!("a{{{}}} 1", "b=\"c\",".repeat(LABELS_MAX + 1));
        for line in [
            "a",
            "a one",
            "1a 1",
            "{b=\"c\"} 1",
            "a{b=\"c\" 1",
            "a{b=\"c} 1",
            "a{b=c} 1",
            "a{b\"c\"} 1",
            "a{=\"c\"} 1",
            "a{b=\"c\"d=\"e\"} 1",
            "a{b=\"\\",
            "a{b=\"\\x\"} 1",
            "a{,} 1",
            "a 1 now",
            "a 1 2 3",
            "a{b=\"c\"}",
            "<html>",
            "\u{fffd}",
            &many,
        ] {
            let page = format!("fine 1\n{line}\n");
            assert_eq!(samples(&page).find_map(Result::err), Some(Malformed(2)), "{line}");
        }
    }

    #[test]
    fn one_line_of_escapes_is_read_in_time() {
        let page = format!("a{{b=\"{}\"}} 1", "\\n".repeat(1 << 20));
        assert_eq!(samples(&page).next().unwrap().unwrap().label("b").len(), 1 << 20);
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(page in r#"([a-z{}="\\, 0-9#\n\r\u{e4}]|\PC)*"#) {
            let read = samples(&page).count();
            prop_assert!(read <= page.lines().count());
        }

        #[test]
        fn what_is_written_is_read(value in "\\PC*", number in any::<f64>()) {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let page = format!("a{{b=\"{escaped}\"}} {number}");
            // Some characters end a line for `lines`, and none of them does for the format.
            prop_assume!(!value.contains(['\r', '\n']));
            let sample = samples(&page).next().unwrap().unwrap();
            prop_assert_eq!(sample.label("b"), value);
            prop_assert_eq!(sample.value.to_bits(), number.to_bits());
        }
    }
}
