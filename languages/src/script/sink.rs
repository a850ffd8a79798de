//! Functions that run text or open a dialog.

/// Whether `word` names a function that runs text or opens a dialog.
pub(super) fn is_sink(word: &[u8]) -> bool {
    let word = word.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    if word == b"Function" {
        return true;
    }
    let mut lower = [0u8; 12];
    let Some(slots) = lower.get_mut(..word.len()) else { return false };
    slots.copy_from_slice(word);
    slots.make_ascii_lowercase();
    matches!(
        &*slots,
        b"alert"
            | b"confirm"
            | b"prompt"
            | b"eval"
            | b"btoa"
            | b"settimeout"
            | b"setinterval"
            | b"setimmediate"
            | b"execscript"
            | b"atob"
            | b"fetch"
            | b"import"
    )
}
