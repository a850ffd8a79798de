//! A prefilter spares its detector what cannot be an attack, so it may never pass over what the detector would block. Both are
//! asked about values that are put together from what each of them looks at; the fuzz targets do the same for longer.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "random/splitmix.rs"]
mod random;

use std::time::{Duration, Instant};

use random::Random;
use waf_detection::{fuzzing, rules};

/// What one detector's values may take.
const TIME: Duration = Duration::from_secs(2);

/// Pieces of one value.
const PIECES_MAX: usize = 12;

/// Nothing that only a command holds: the prefilter would not hesitate.
#[rustfmt::skip] // a table, not code
const SHELL: &[&str] = &[
    ";", "&", "&&", "!", " ", " ", "+", "/", "/", "-", "--", ".", "..", ",", ":", "=", "\n", "\r", "\t", "(", ")", "*", "?",
    "'", "\"", "@", "%", "#", "_", "\u{e9}", "a", "x", "1", "bin", "usr", "etc", "dev", "tmp", "passwd", "local/tool",
    "http://a.b/c", "C:", "-c", "-e", "-rf", "/c", "A=1", "%3b", "a-word-that-is-longer-than-any-program-s-name",
    "cat", "ls", "id", "sh", "python3", "nc", "dir", "type", "net", "user", "echo", "curl", "rm", "test", "source", "eval",
    "exec", "sudo", "env", "time", "if", "then", "do", "for", "powershell", "get-", "iex", "invoke-", "start", "cmd",
];

/// Calls and what stands around them.
#[rustfmt::skip] // a table, not code
const PHP: &[&str] = &[
    "(", "(", ")", ";", "$", "{", "}", "[", "]", " ", "\t", "\x0c", "\n", "'", "\"", ".", ",", "=", "<", "?", "@", "/*", "*/",
    "//", "#", "->", "::", "\\", "&", "|", "!", "%", "f", "a", "x", "1", "e:1", "o:1:", "_get", "_server", "http_post_vars",
    "globals", "system", "eval", "exec", "assert", "base64_decode", "chr", "strrev", "array_map", "call_user_func", "print",
    "phpinfo", "preg_replace", "strtolower", "is_a", "new", "echo", "include", "if", "die", "time", "date", "open", "mail",
    "link", "file_get_contents", "posix_getuid", "zlib_", "mb_",
];

#[test]
fn a_prefilter_passes_over_nothing_that_blocks() {
    let tables = [("shell", SHELL), ("php", PHP)];
    let names: Vec<_> = (rules::detectors().filter(|detector| detector.prefilter.is_some()))
        .map(|detector| detector.name)
        .collect();
    assert!(names.iter().all(|name| tables.iter().any(|table| table.0 == *name)), "{names:?}");
    for (name, pieces) in tables {
        let (mut random, end, mut values) = (Random(7), Instant::now() + TIME, 0);
        while Instant::now() < end {
            // The first byte chooses the place.
            let mut input = vec![random.below(256) as u8];
            for _ in 0..=random.below(PIECES_MAX) {
                input.extend_from_slice(pieces[random.below(pieces.len())].as_bytes());
            }
            fuzzing::run(name, &input);
            values += 1;
        }
        assert!(values > 1_000, "{name}: {values} values in {TIME:?}");
    }
}
