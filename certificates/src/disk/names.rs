//! Host names, wildcards and the file names that stand for them. It knows text alone.

use std::path::Path;

/// Bytes of a host name and of one label (RFC 1035, 2.3.4).
const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// Stands for `*.` in a file name.
const WILDCARD_FILE: &str = "_wildcard.";

/// Names of the two files in a mounted folder: the keys of a Secret of type `kubernetes.io/tls`.
pub(super) const MOUNTED_CHAIN: &str = "tls.crt";
pub(super) const MOUNTED_KEY: &str = "tls.key";

/// Reports whether a path names one of the two files.
pub(super) fn is_mounted(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == MOUNTED_CHAIN || name == MOUNTED_KEY)
}

/// True if a host of a configuration is a wildcard, `*.domain`.
pub fn is_wildcard(host: &str) -> bool {
    host.starts_with("*.")
}

/// The wildcard one level above a name: `*.example.com` for `www.example.com`. A certificate's wildcard stands for
/// exactly one label (RFC 6125, 6.4.3).
pub fn wildcard_of(name: &str) -> Option<String> {
    let (label, domain) = name.split_once('.')?;
    (!label.is_empty() && label != "*" && !domain.is_empty()).then(|| format!("*.{domain}"))
}

/// True if a wildcard of a configuration covers `name`, at any depth below its domain.
pub fn covers(wildcard: &str, name: &str) -> bool {
    wildcard
        .strip_prefix('*')
        .and_then(|suffix| name.strip_suffix(suffix))
        .is_some_and(|below| !below.is_empty() && below != "*")
}

/// True if `name` can be asked of an authority: at least two labels of lower-case letters, digits and inner hyphens.
pub fn is_host_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_BYTES_MAX).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    name.len() <= NAME_BYTES_MAX
        && name.contains('.')
        && name.split('.').all(is_label)
        && !name.rsplit('.').next().is_some_and(is_number)
}

/// The file name that stands for a host, without its ending. `None` for what must not become a path.
pub(super) fn stem(host: &str) -> Option<String> {
    match host.strip_prefix("*.") {
        Some(domain) => is_file_safe(domain).then(|| format!("{WILDCARD_FILE}{domain}")),
        None => is_file_safe(host).then(|| host.to_owned()),
    }
}

/// The host that a file name without its ending stands for.
pub(super) fn host_of(stem: &str) -> Option<String> {
    let host = match stem.strip_prefix(WILDCARD_FILE) {
        Some(domain) => format!("*.{domain}"),
        None => stem.to_owned(),
    };
    is_file_safe(host.strip_prefix("*.").unwrap_or(&host)).then_some(host)
}

/// The configuration takes names that authorities do not (one label, underscores); none of them leads out of a folder.
fn is_file_safe(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= NAME_BYTES_MAX
        && !name.starts_with('.')
        && !name.contains("..")
        && name.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b'_')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_cover_what_lies_below_a_domain() {
        for (name, covered) in [
            ("a.example.com", true),
            ("b.a.example.com", true),
            ("example.com", false),
            (".example.com", false),
            ("*.example.com", false),
            ("aexample.com", false),
        ] {
            assert_eq!(covers("*.example.com", name), covered, "{name}");
        }
        assert!(!covers("a.example.com", "a.example.com"), "a name is no wildcard");
        assert_eq!(wildcard_of("a.b.example").as_deref(), Some("*.b.example"));
        assert_eq!(wildcard_of("*.b.example"), None);
        assert_eq!(wildcard_of("localhost"), None);
    }

    #[test]
    fn names_that_an_authority_could_take() {
        for name in
            ["a.example", "xn--bcher-kva.example", "1.2.example", &format!("{}.example", "a".repeat(63))]
        {
            assert!(is_host_name(name), "{name}");
        }
        for name in [
            "",
            "localhost",
            "a..example",
            ".example",
            "a.example.",
            "A.example",
            "a_b.example",
            "-a.example",
            "a-.example",
            "127.0.0.1",
            "*.example",
            "a.example/../b",
            &format!("{}.example", "a".repeat(64)),
            &format!("{}example", "a.".repeat(124)),
        ] {
            assert!(!is_host_name(name), "{name}");
        }
    }

    #[test]
    fn files_are_named_after_hosts_and_lead_nowhere_else() {
        for (host, file) in
            [("a.example", "a.example"), ("*.a.example", "_wildcard.a.example"), ("localhost", "localhost")]
        {
            assert_eq!(stem(host).as_deref(), Some(file));
            assert_eq!(host_of(file).as_deref(), Some(host));
        }
        for host in ["", "..", "../a", "a/b", "a\0b", ".hidden", "a..b", "A.example"] {
            assert_eq!(stem(host), None, "{host:?}");
        }
    }
}
