//! What names say: of a parameter, whether an application keeps the place of its own code in it; of a URL's last name,
//! whether it brings code.

/// What a URL may bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// A text that no server runs: where attackers keep what others are to run.
    Text,
    /// A program that its own server runs.
    Program,
}

const TEXTS: &[&str] = &["bat", "dat", "inc", "log", "pl", "ps1", "py", "sh", "txt", "vbs"];
const PROGRAMS: &[&str] =
    &["asp", "aspx", "cfm", "cgi", "jsp", "jspx", "phar", "php", "php3", "php4", "php5", "phtml"];

/// What stands at the end of a word that names the place of an application's code.
const PLACES: &[&str] = &[
    "absolute",
    "basedir",
    "classes",
    "dir",
    "directory",
    "docroot",
    "include",
    "includes",
    "loc",
    "path",
    "pfad",
    "root",
];

/// Words that say so by themselves.
const WORDS: &[&str] = &[
    "base", "conf", "config", "globals", "inc", "install", "lib", "library", "pear", "plugin", "rel", "sys",
    "system",
];

/// Words of parameters whose business is URLs.
const LINKS: &[&str] = &[
    "comment",
    "content",
    "description",
    "feed",
    "homepage",
    "href",
    "image",
    "img",
    "link",
    "links",
    "message",
    "q",
    "query",
    "ref",
    "rss",
    "s",
    "search",
    "share",
    "site",
    "sitemap",
    "source",
    "src",
    "text",
    "title",
    "u",
    "uri",
    "url",
    "urls",
    "web",
    "website",
];

/// Words of parameters that hold addresses of pages.
const ADDRESSES: &[&str] = &["href", "link", "links", "site", "uri", "url", "urls", "web", "website"];

/// Longest name that is read.
const NAME_BYTES_MAX: usize = 96;

/// Whether a parameter tells where an application's own code lies.
pub(super) fn is_library_path(name: &[u8]) -> bool {
    let mut buffer = [0; NAME_BYTES_MAX];
    let Some(lower) = lower(name, &mut buffer) else { return false };
    let words = || lower.split(['_', '-', '[', ']', '.', '"', '\'']).filter(|word| !word.is_empty());
    let redirects = words().any(|word| word.ends_with("redir"));
    let placed = words().any(|word| {
        PLACES.iter().any(|place| word.ends_with(place) || word.starts_with(place) && place.len() > 3)
    });
    let said = words().filter(|word| WORDS.contains(word)).count();
    let linked = words().any(|word| ADDRESSES.contains(&word));
    let configured = words().any(|word| word.ends_with("config"));
    !redirects && (placed || configured || said > 0 && words().count() > 1) && (!linked || configured)
}

/// Whether a parameter's whole name is one everyday word, which may mean any path.
pub(super) fn is_one_word(name: &[u8]) -> bool {
    [&b"path"[..], b"dir", b"directory", b"loc", b"location", b"root", b"pfad"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(name))
}

/// Whether a parameter's business is URLs.
pub(super) fn is_link(name: &[u8]) -> bool {
    let mut buffer = [0; NAME_BYTES_MAX];
    let Some(lower) = lower(name, &mut buffer) else { return false };
    lower
        .split(['_', '-', '[', ']', '.'])
        .any(|word| LINKS.contains(&word) || word.ends_with("url") || word.ends_with("uri"))
}

fn lower<'a>(name: &[u8], buffer: &'a mut [u8; NAME_BYTES_MAX]) -> Option<&'a str> {
    let slot = buffer.get_mut(..name.len())?;
    for (to, from) in slot.iter_mut().zip(name) {
        *to = from.to_ascii_lowercase();
    }
    std::str::from_utf8(slot).ok()
}

/// Whether a URL's last name is that of a script.
pub(super) fn is_script(file: &[u8]) -> Option<Script> {
    let dot = memchr::memrchr(b'.', file)?;
    let extension = file.get(dot + 1..)?;
    let among = |names: &[&str]| names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(extension));
    if dot == 0 {
        None
    } else if among(TEXTS) {
        Some(Script::Text)
    } else {
        among(PROGRAMS).then_some(Script::Program)
    }
}

/// Whether a URL's last name may be that of code: it has an extension that is none of a picture's or a page's parts.
pub(super) fn may_be_code(file: &[u8]) -> bool {
    const HARMLESS: &[&str] = &[
        "avif", "css", "gif", "htm", "html", "ico", "jpeg", "jpg", "json", "mp3", "mp4", "png", "svg", "webp",
    ];
    let name = file.split(|byte| *byte == b';').next().unwrap_or_default();
    memchr::memrchr(b'.', name).is_some_and(|dot| {
        let extension = name.get(dot + 1..).unwrap_or_default();
        !HARMLESS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(extension))
    })
}

/// Whether `scheme` fetches a file over the network.
pub(super) fn is_web_scheme(scheme: &[u8]) -> bool {
    [&b"http"[..], b"https", b"ftp", b"ftps", b"file"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
}

/// Whether `head` ends in such a scheme, at the start of a path's segment.
pub(super) fn is_web(head: &[u8]) -> bool {
    is_web_scheme(head.rsplit(|byte| *byte == b'/').next().unwrap_or_default())
}

/// Whether a value names a file by URL.
pub(super) fn is_file_scheme(bytes: &[u8]) -> bool {
    bytes.get(..6).is_some_and(|head| head.eq_ignore_ascii_case(b"file:/"))
}

/// What follows the scheme of an archive or of a URL in a URL.
pub(super) fn without_container(bytes: &[u8]) -> &[u8] {
    let container = bytes
        .get(..4)
        .is_some_and(|head| head.eq_ignore_ascii_case(b"jar:") || head.eq_ignore_ascii_case(b"url:"));
    if container { bytes.get(4..).unwrap_or_default() } else { bytes }
}
