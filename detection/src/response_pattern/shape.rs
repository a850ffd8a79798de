//! Shapes: the little that must be known of what follows a literal. Reading one is linear in the bytes looked at.

/// How far `~` looks.
const GAP_BYTES_MAX: usize = 400;

/// Whether `text` begins with `shape`: `#` is a digit, `@` one or more word characters (dots included), a space any white
/// space and markup's `&nbsp;`, `~` anything of at most 400 bytes, and everything else itself.
pub(crate) fn fits(text: &[u8], shape: &str) -> bool {
    length(text, shape).is_some()
}

/// How many bytes of `text` a `shape` takes.
pub(crate) fn length(text: &[u8], shape: &str) -> Option<usize> {
    let mut parts = shape.as_bytes().split(|byte| *byte == b'~');
    let mut at = part(text, parts.next().unwrap_or_default())?;
    for wanted in parts {
        let rest = text.get(at..)?;
        let reach = rest.len().min(GAP_BYTES_MAX);
        let skipped =
            (0..=reach).find_map(|skip| part(rest.get(skip..)?, wanted).map(|taken| skip + taken))?;
        at += skipped;
    }
    Some(at)
}

/// How many bytes of `text` a shape without gaps takes.
fn part(text: &[u8], shape: &[u8]) -> Option<usize> {
    let mut at = 0;
    for wanted in shape {
        let rest = text.get(at..).unwrap_or_default();
        at += match wanted {
            b'#' => usize::from(rest.first()?.is_ascii_digit()).checked_sub(1)? + 1,
            b'@' => run(rest, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$'))?,
            b' ' => match rest.strip_prefix(b"&nbsp;") {
                Some(_) => b"&nbsp;".len(),
                None => run(rest, |b| b.is_ascii_whitespace())?,
            },
            wanted => usize::from(rest.first() == Some(wanted)).checked_sub(1)? + 1,
        };
    }
    Some(at)
}

fn run(text: &[u8], mut belongs: impl FnMut(u8) -> bool) -> Option<usize> {
    let length = text.iter().take_while(|byte| belongs(**byte)).count();
    (length > 0).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_from_the_left() {
        for (text, shape, taken) in [
            ("00933: SQL", "#####:", Some(6)),
            ("0093: SQL", "#####:", None),
            ("mysql_query() x", "@()", Some(13)),
            ("x in /a/b.php on line 12", "~ on line #", Some(23)),
            ("x in /a/b.php", "~ on line #", None),
            ("", "", Some(0)),
            ("a", "#", None),
            ("&nbsp;4", " #", Some(7)),
            ("a  b", "a b", Some(4)),
        ] {
            assert_eq!(length(text.as_bytes(), shape), taken, "{text} {shape}");
        }
    }
}
