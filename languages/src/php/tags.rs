//! Tags that switch to PHP: `<?php`, `<?=`, `<?`, and those of template engines.

use super::sign::PhpSign;
use crate::language::{Context, Findings};

pub(super) fn scan(bytes: &[u8], surroundings: Context, findings: &mut Findings<'_, PhpSign>) {
    let mut tell = |context, offset, length| findings.add(PhpSign::OpenTag, context, offset, length);
    for at in memchr::memmem::find_iter(bytes, b"<?") {
        match opens(bytes.get(at + 2..).unwrap_or_default()) {
            Opens::Nothing => {}
            // A tag with nothing behind it runs nothing.
            Opens::Emptiness => tell(Context::Prose, at, 2),
            Opens::Code => {
                tell(surroundings, at, 2);
                break;
            }
        }
    }
    for at in memchr::memchr2_iter(b'[', b'{', bytes) {
        let rest = bytes.get(at..).unwrap_or_default();
        let close = if rest.first() == Some(&b'[') { b']' } else { b'}' };
        let name = rest.get(1..).unwrap_or_default();
        let name = name.strip_prefix(b"/").unwrap_or(name);
        let named = name.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"php"));
        if named && name.get(3) == Some(&close) {
            tell(surroundings, at, 5);
            break;
        }
    }
}

/// What follows `<?`.
enum Opens {
    Nothing,
    Emptiness,
    Code,
}

/// Bytes in which code shows that it is code.
const PROOF_BYTES: usize = 128;

/// Processing instructions of XML have a name and say what they say in attributes.
fn opens(rest: &[u8]) -> Opens {
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let (name, after) = rest.split_at_checked(name).unwrap_or_default();
    let told = after.trim_ascii_start();
    let code = if name.eq_ignore_ascii_case(b"xml") {
        !told.is_empty() && !told.first().is_some_and(u8::is_ascii_alphabetic) && !told.starts_with(b"?>")
    } else if name.eq_ignore_ascii_case(b"php") {
        if told.is_empty() {
            return Opens::Emptiness;
        }
        true
    } else if name.is_empty() && after.first().is_some_and(u8::is_ascii_whitespace) {
        let window = told.get(..PROOF_BYTES).unwrap_or(told);
        told.is_empty() || window.iter().any(|byte| matches!(byte, b';' | b'(' | b'$' | b'\'' | b'"'))
    } else {
        name.is_empty() && after.first().is_none_or(|byte| matches!(byte, b'=' | b'@' | b'$'))
    };
    if code { Opens::Code } else { Opens::Nothing }
}
