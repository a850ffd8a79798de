//! Request ids: a client's own where it is harmless, a fresh UUIDv7 otherwise.

use std::cell::Cell;
use std::hash::{BuildHasher as _, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

use uuid::Builder;

/// Characters of an id that is kept. Event schemas have a minimum: shorter ones are not unique anyway.
const KEPT: std::ops::RangeInclusive<usize> = 8..=128;

/// Values of the twelve bits behind the milliseconds.
const FRACTIONS: u32 = 1 << 12;

const NANOSECONDS_OF_MILLISECOND: u32 = 1_000_000;

thread_local! {
    /// Keys of this thread, of the system's randomness, and the number of ids that they made.
    static GENERATOR: (RandomState, Cell<u64>) = (RandomState::new(), Cell::new(0));
}

/// The id for a request of this time whose `X-Request-Id` fields carry these values. More than one, one with other
/// characters than `[A-Za-z0-9._-]`, and one that is too short or too long is replaced.
pub(crate) fn choose<'a>(mut sent: impl Iterator<Item = &'a [u8]>, now: SystemTime) -> String {
    match (sent.next(), sent.next()) {
        (Some(id), None) if is_harmless(id) => String::from_utf8_lossy(id).into_owned(),
        _ => fresh(now),
    }
}

/// A fresh id of this time: milliseconds, the fraction of one in the twelve bits behind them (RFC 9562 section 6.2,
/// method 3), and random bits. Those are a keyed hash of a counter: asking the system for each id costs a system call.
pub(crate) fn fresh(now: SystemTime) -> String {
    let time = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let rest = u64::from(time.subsec_nanos() % NANOSECONDS_OF_MILLISECOND);
    let fraction = rest * u64::from(FRACTIONS) / u64::from(NANOSECONDS_OF_MILLISECOND);
    let random = GENERATOR.with(|(keys, made)| {
        made.set(made.get().wrapping_add(1));
        keys.hash_one(made.get())
    });
    let mut bytes = [0u8; 10];
    let (ahead, behind) = bytes.split_at_mut(2);
    ahead.copy_from_slice(&(fraction as u16).to_be_bytes());
    behind.copy_from_slice(&random.to_be_bytes());
    let id = Builder::from_unix_timestamp_millis(milliseconds, &bytes).into_uuid();
    id.as_hyphenated().encode_lower(&mut uuid::Uuid::encode_buffer()).to_owned()
}

fn is_harmless(id: &[u8]) -> bool {
    KEPT.contains(&id.len()) && id.iter().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(b))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Duration;

    use super::*;

    #[test]
    fn harmless_ids_are_kept() {
        let longest = "a".repeat(128);
        for sent in ["abc-1.2_3", "12345678", "........", "0af7651916cd43dd8448eb211c80319c", &longest] {
            assert_eq!(choose([sent.as_bytes()].into_iter(), UNIX_EPOCH), sent);
        }
        let long = [b'a'; 129];
        for sent in
            [&b""[..], b"1", b"abc", b"1234567", b"-------", b"a b a b a b", b"a\"b45678", b"<x>45678", &long]
        {
            assert_eq!(choose([sent].into_iter(), UNIX_EPOCH).len(), 36, "{}", sent.escape_ascii());
        }
        assert_eq!(choose([&b"12345678"[..], b"abcdefgh"].into_iter(), UNIX_EPOCH).len(), 36);
        assert_eq!(choose(std::iter::empty(), UNIX_EPOCH).len(), 36);
    }

    #[test]
    fn fresh_ids_are_of_version_7_and_differ_whatever_the_time() {
        let time = UNIX_EPOCH + Duration::from_micros(1_700_000_000_123_750);
        let ids: HashSet<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| (0..2_000).map(|_| fresh(time)).collect::<Vec<_>>())).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("a thread ends")).collect()
        });
        assert_eq!(ids.len(), 8_000);
        for id in &ids {
            let parsed = uuid::Uuid::parse_str(id).expect("a UUID");
            assert_eq!((parsed.get_version_num(), parsed.get_variant()), (7, uuid::Variant::RFC4122), "{id}");
            // Three quarters of a millisecond are 0xc00 of 0x1000.
            assert!(id.starts_with("018bcfe5-687b-7c00-") && *id == id.to_lowercase(), "{id}");
        }
    }

    #[test]
    fn ids_sort_by_time() {
        let mut last = String::new();
        for nanoseconds in [0, 300, 999_999, 1_000_000, 1_500_000, 1_999_999, 2_000_000, u64::MAX / 2] {
            let id = fresh(UNIX_EPOCH + Duration::from_nanos(nanoseconds));
            assert!(id.get(..18) > last.get(..18), "{nanoseconds}: {id} after {last}");
            last = id;
        }
        assert_eq!(fresh(UNIX_EPOCH - Duration::from_secs(1)).len(), 36, "a clock before 1970");
    }
}
