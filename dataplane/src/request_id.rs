//! Request ids: a client's own where it is harmless, a fresh UUIDv7 otherwise.

use uuid::Uuid;

/// Longest id that is kept, in characters.
const KEPT_MAX: usize = 128;

/// The id for a request whose `X-Request-Id` fields carry these values. More than one, or one with other characters
/// than `[A-Za-z0-9._-]`, is dropped.
pub(crate) fn choose<'a>(mut sent: impl Iterator<Item = &'a [u8]>) -> String {
    match (sent.next(), sent.next()) {
        (Some(id), None) if is_harmless(id) => String::from_utf8_lossy(id).into_owned(),
        _ => fresh(),
    }
}

/// A fresh id.
pub(crate) fn fresh() -> String {
    Uuid::now_v7().to_string()
}

fn is_harmless(id: &[u8]) -> bool {
    (1..=KEPT_MAX).contains(&id.len()) && id.iter().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_ids_are_kept() {
        assert_eq!(choose([&b"abc-1.2_3"[..]].into_iter()), "abc-1.2_3");
        let long = [b'a'; 129];
        for sent in [&b""[..], b"a b", b"a\"b", b"<x>", &long] {
            assert_eq!(choose([sent].into_iter()).len(), 36, "{}", sent.escape_ascii());
        }
        assert_eq!(choose([&b"a"[..], b"b"].into_iter()).len(), 36);
        assert_eq!(choose(std::iter::empty()).len(), 36);
    }
}
