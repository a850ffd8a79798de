//! Stream wrappers: schemes that PHP opens like files. Those that it alone has are told from those of the web.

use super::bytes::is_name;
use super::sign::PhpSign;
use crate::language::{Context, Findings};

/// What `php://` may be followed by.
const STREAMS: &[&str] = &["fd", "filter", "input", "memory", "output", "stderr", "stdin", "stdout", "temp"];

/// Schemes that PHP and its extensions define.
const SCHEMES: &[&str] = &[
    "bzip2",
    "compress.bzip2",
    "compress.lzma",
    "compress.zlib",
    "compress.zstd",
    "expect",
    "glob",
    "ogg",
    "phar",
    "rar",
    "ssh2.exec",
    "ssh2.scp",
    "ssh2.sftp",
    "ssh2.shell",
    "ssh2.tunnel",
    "zip",
    "zlib",
];

pub(super) fn scan(bytes: &[u8], surroundings: Context, findings: &mut Findings<'_, PhpSign>) {
    for at in memchr::memmem::find_iter(bytes, b"://") {
        let head = bytes.get(at.saturating_sub(16)..at).unwrap_or_default();
        let length = head.iter().rev().take_while(|byte| is_name(**byte) || **byte == b'.').count();
        let scheme = head.get(head.len() - length..).unwrap_or_default();
        let rest = bytes.get(at + 3..).unwrap_or_default();
        let target = rest.iter().take_while(|byte| is_name(**byte)).count();
        let target = rest.get(..target).unwrap_or_default();
        let known = |names: &[&str], name: &[u8]| {
            names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name))
        };
        let wraps = if scheme.eq_ignore_ascii_case(b"php") {
            known(STREAMS, target)
        } else {
            known(SCHEMES, scheme) && rest.first().is_some_and(|byte| !byte.is_ascii_whitespace())
        };
        if wraps {
            let context = if surroundings == Context::Prose {
                Context::Prose
            } else if at == length {
                Context::Sole
            } else {
                Context::Code
            };
            findings.add(PhpSign::Wrapper, context, at - length, length + 3 + target.len());
            return;
        }
    }
}
