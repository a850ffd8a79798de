//! Request ids: a client's own where it is harmless, a fresh UUIDv7 otherwise.

use uuid::Uuid;

/// Characters of an id that is kept. Event schemas have a minimum: shorter ones are not unique anyway.
const KEPT: std::ops::RangeInclusive<usize> = 8..=128;

/// The id for a request whose `X-Request-Id` fields carry these values. More than one, one with other characters
/// than `[A-Za-z0-9._-]`, and one that is too short or too long is replaced.
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
    KEPT.contains(&id.len()) && id.iter().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_ids_are_kept() {
        let longest = "a".repeat(128);
        for sent in ["abc-1.2_3", "12345678", "........", "0af7651916cd43dd8448eb211c80319c", &longest] {
            assert_eq!(choose([sent.as_bytes()].into_iter()), sent);
        }
        let long = [b'a'; 129];
        for sent in
            [&b""[..], b"1", b"abc", b"1234567", b"-------", b"a b a b a b", b"a\"b45678", b"<x>45678", &long]
        {
            assert_eq!(choose([sent].into_iter()).len(), 36, "{}", sent.escape_ascii());
        }
        assert_eq!(choose([&b"12345678"[..], b"abcdefgh"].into_iter()).len(), 36);
        assert_eq!(choose(std::iter::empty()).len(), 36);
    }
}
