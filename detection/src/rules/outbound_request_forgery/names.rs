//! What the name of a parameter says about the URL in it, and what makes the judge look at a value.

/// What is done with the URL in a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The server fetches it.
    Fetch,
    /// The browser is sent there, or it came from there.
    Redirect,
    /// People write into it.
    Text,
    /// The name does not say.
    Unknown,
}

/// Names whose value a server fetches.
const FETCH: &[&str] = &[
    "api",
    "avatar",
    "data",
    "dest",
    "destination",
    "doc",
    "document",
    "domain",
    "download",
    "endpoint",
    "feed",
    "fetch",
    "file",
    "filename",
    "hook",
    "href",
    "icon",
    "image",
    "img",
    "import",
    "include",
    "link",
    "load",
    "location",
    "logo",
    "open",
    "page",
    "path",
    "pdf",
    "photo",
    "picture",
    "preview",
    "proxy",
    "remote",
    "resource",
    "rss",
    "site",
    "source",
    "src",
    "target",
    "template",
    "thumbnail",
    "upload",
    "uri",
    "url",
    "val",
    "webhook",
    "wsdl",
    "xml",
    "xsl",
];

/// Parts of names whose value a browser is sent to, or that tell where it was.
const REDIRECT: &[&str] = &[
    "back",
    "callback",
    "cancel",
    "continue",
    "forward",
    "goto",
    "next",
    "origin",
    "redir",
    "referer",
    "referrer",
    "relaystate",
    "return",
    "success",
];

/// Names of what people write or look for.
const TEXT: &[&str] = &[
    "about",
    "answer",
    "bio",
    "body",
    "comment",
    "content",
    "description",
    "details",
    "feedback",
    "keyword",
    "message",
    "name",
    "note",
    "notes",
    "post",
    "q",
    "query",
    "question",
    "reply",
    "review",
    "s",
    "search",
    "subject",
    "term",
    "text",
    "title",
];

/// Longest name that is read.
const NAME_BYTES_MAX: usize = 64;

/// What the name of a parameter says; of a path through a document its last name counts.
pub(crate) fn purpose(name: &[u8]) -> Purpose {
    let last = name
        .rsplit(|byte| matches!(byte, b'.' | b'[' | b']'))
        .find(|part| !part.is_empty() && !part.iter().all(u8::is_ascii_digit))
        .unwrap_or_default();
    let mut buffer = [0; NAME_BYTES_MAX];
    let Some(lower) = buffer.get_mut(..last.len()) else { return Purpose::Unknown };
    for (to, from) in lower.iter_mut().zip(last) {
        *to = from.to_ascii_lowercase();
    }
    let lower = std::str::from_utf8(lower).unwrap_or_default();
    if REDIRECT.iter().any(|part| lower.contains(part)) {
        return Purpose::Redirect;
    }
    let word = |word: &str| FETCH.contains(&word);
    if word(lower) || lower.split(['_', '-']).any(word) {
        Purpose::Fetch
    } else if TEXT.contains(&lower) {
        Purpose::Text
    } else {
        Purpose::Unknown
    }
}

/// Whether a scheme is one by which a fetcher speaks other protocols than the web's.
pub(super) fn opens_other_protocols(scheme: &[u8]) -> bool {
    [&b"gopher"[..], b"dict", b"tftp", b"netdoc", b"acap"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(scheme))
}

/// What every address that is looked for holds one of.
pub(super) const TRIGGERS: &[&str] = &[
    "://0",
    "://1",
    "://2",
    "://3",
    "://4",
    "://5",
    "://6",
    "://7",
    "://8",
    "://9",
    "://[",
    "://\\",
    "http:0",
    "http:1",
    "http:2",
    "http:3",
    "http:4",
    "http:5",
    "http:6",
    "http:7",
    "http:8",
    "http:9",
    "http:[",
    "http:/0",
    "http:/1",
    "http:/2",
    "http:/3",
    "http:/4",
    "http:/5",
    "http:/6",
    "http:/7",
    "http:/8",
    "http:/9",
    "http:\\",
    "@0",
    "@1",
    "@2",
    "@3",
    "@4",
    "@5",
    "@6",
    "@7",
    "@8",
    "@9",
    "@[",
    "localhost",
    "loopback",
    "broadcasthost",
    "ip6-all",
    "localho.st",
    "127.",
    "192.168.",
    "10.0.",
    "172.16.",
    "0x7f",
    "0x07",
    "0x0a",
    "21307",
    "28520",
    "32322",
    "0177",
    "0300.",
    "169.254",
    "0xa9fe",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "metadata",
    "instance-data",
    ".internal",
    "cluster.local",
    "default.svc",
    "kubernetes.default",
    ".localdomain",
    "nip.io",
    "xip.io",
    "sslip.io",
    "localtest.me",
    "lvh.me",
    "vcap.me",
    "lacolhost.com",
    "1u.ms",
    "rebind.",
    "rbndr.us",
    "fuf.me",
    "traefik.me",
    "local.gd",
    "gopher:",
    "dict://",
    "tftp://",
    "netdoc:",
    "acap://",
    "①",
    "②",
    "③",
    "④",
    "⑤",
    "⑥",
    "⑦",
    "⑧",
    "⑨",
    "⓪",
    "⓿",
    "⑩",
    "⑪",
    "⑫",
    "⑬",
    "⑭",
    "⑮",
    "⑯",
    "⑰",
    "⑱",
    "⑲",
    "⑳",
    "ⓐ",
    "ⓔ",
    "ⓘ",
    "ⓛ",
    "ⓞ",
    "Ⓐ",
    "Ⓔ",
    "Ⓘ",
    "Ⓛ",
    "Ⓞ",
    "://１",
    "://２",
    "://０",
];
