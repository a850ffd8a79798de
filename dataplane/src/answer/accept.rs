//! Choice of a representation by `Accept` (RFC 9110 section 12.5.1), between the two that our own answers have.

/// A representation of an answer of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Representation {
    /// For programs.
    #[default]
    Json,
    /// For people.
    Html,
}

/// Greatest weight, in thousandths.
const WEIGHT_MAX: u16 = 1000;

/// Weight of a media type by the most specific range that covers it.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    /// 3 for the type itself, 2 for `type/*`, 1 for `*/*`, 0 if no range covers it.
    specificity: u8,
    thousandths: u16,
}

impl Weight {
    fn add(&mut self, specificity: u8, thousandths: u16) {
        if specificity > self.specificity {
            *self = Weight { specificity, thousandths };
        } else if specificity == self.specificity {
            self.thousandths = self.thousandths.max(thousandths);
        }
    }
}

/// The representation that a client gets: HTML if `Accept` weighs it more than JSON. `ranges` are the members of all
/// lines; a malformed one counts as absent.
pub(crate) fn choose<'a>(ranges: impl Iterator<Item = &'a [u8]>) -> Representation {
    let (mut html, mut json) = (Weight::default(), Weight::default());
    for range in ranges {
        let mut parts = range.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let media = parts.next().unwrap_or_default().to_ascii_lowercase();
        let Some(thousandths) = weight(parts) else { continue };
        match media.as_slice() {
            b"text/html" => html.add(3, thousandths),
            b"text/*" => html.add(2, thousandths),
            b"application/json" => json.add(3, thousandths),
            b"application/*" => json.add(2, thousandths),
            b"*/*" => {
                html.add(1, thousandths);
                json.add(1, thousandths);
            }
            _ => {}
        }
    }
    if html.thousandths > json.thousandths { Representation::Html } else { Representation::Json }
}

/// The weight among the parameters of a range; none if it is malformed.
fn weight<'a>(mut parameters: impl Iterator<Item = &'a [u8]>) -> Option<u16> {
    let is_weight = |parameter: &&[u8]| matches!(parameter, [b'q' | b'Q', b'=', ..]);
    match parameters.find(is_weight) {
        Some([_, _, value @ ..]) => thousandths(value),
        _ => Some(WEIGHT_MAX),
    }
}

/// `0`, `1`, and up to three decimals (RFC 9110 section 12.4.2).
fn thousandths(value: &[u8]) -> Option<u16> {
    let (whole, decimals) = match value {
        [whole @ (b'0' | b'1')] => (whole, &[][..]),
        [whole @ (b'0' | b'1'), b'.', decimals @ ..] if decimals.len() <= 3 => (whole, decimals),
        _ => return None,
    };
    let mut sum = u16::from(whole - b'0') * WEIGHT_MAX;
    let mut unit = WEIGHT_MAX;
    for decimal in decimals {
        unit /= 10;
        sum += u16::from(decimal.is_ascii_digit().then_some(decimal - b'0')?) * unit;
    }
    (sum <= WEIGHT_MAX).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_for_clients_that_prefer_it() {
        for (accept, expected) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Representation::Html),
            ("text/html, application/xml;q=0.9, image/webp, */*;q=0.8", Representation::Html),
            ("Text/HTML", Representation::Html),
            ("text/*", Representation::Html),
            ("application/json;q=0.5, text/html;q=0.501", Representation::Html),
            ("text/html;charset=utf-8, */*;q=0.1", Representation::Html),
            ("application/json;q=0, */*", Representation::Html),
            ("text/html;q=0.1", Representation::Html),
            ("", Representation::Json),
            ("*/*", Representation::Json),
            ("application/json", Representation::Json),
            ("application/json, text/plain, */*", Representation::Json),
            ("text/html, application/json", Representation::Json),
            ("text/html;q=0.5, application/json;q=0.9", Representation::Json),
            ("text/html;q=0.5, */*", Representation::Json),
            ("text/html;q=0", Representation::Json),
            ("text/html;q=0, text/*", Representation::Json),
            ("text/html;q=1.001", Representation::Json),
            ("text/html;q=0.0001", Representation::Json),
            ("text/html;q=.5", Representation::Json),
            ("text/html;q=-1", Representation::Json),
            ("text/html;q=", Representation::Json),
            ("application/xhtml+xml", Representation::Json),
            ("text/htmlx", Representation::Json),
            (";;,;q=1,/", Representation::Json),
            ("image/*", Representation::Json),
        ] {
            let members = accept.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
            assert_eq!(choose(members), expected, "{accept}");
        }
    }
}
