//! Rules of this bucket and the detector that reports them: addresses that an application should not be made to fetch from.

use waf_languages::prose;
use waf_languages::url::{self, Address, AddressClass, Url};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

mod names;
mod triggers;

pub(super) use names::{Purpose, purpose};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[
        &METADATA,
        &METADATA_IN_TEXT,
        &DISGUISED,
        &REBINDING,
        &SCHEME,
        &CONFUSED,
        &INTERNAL,
        &INTERNAL_MENTIONED,
    ]],
    detectors: &[&DETECTOR],
};

static METADATA: Rule = Rule {
    id: "outbound-request-forgery-cloud-metadata/address",
    leaf: Leaf::OutboundRequestForgeryCloudMetadata,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value is the address of a cloud's metadata service, in whatever spelling.",
    attacks: &[
        "http://169.254.169.254/latest/meta-data/",
        "http://metadata.google.internal/computeMetadata/v1/",
        "http://[::ffff:a9fe:a9fe]",
        "http://0251.0376.0251.0376/",
        "https://metadata.packet.net/userdata",
        "http://192.0.0.192/latest/user-data/",
        "http:0xA9FEA9FE",
        "Address: 169.254.169.254",
    ],
    benign: &[
        "https://example.org/metadata",
        "http://metadata.example.org/",
        "169.254.1.2",
        "We block 169.254.169.254 for all containers on our hosts, see the page on metadata",
    ],
};

static METADATA_IN_TEXT: Rule = Rule {
    id: "outbound-request-forgery-cloud-metadata/in-text",
    leaf: Leaf::OutboundRequestForgeryCloudMetadata,
    weight: 3,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text mentions the address of a cloud's metadata service.",
    attacks: &[
        "We block 169.254.169.254 for all containers on our hosts",
        "curl hangs for minutes when it asks http://169.254.169.254/latest/api/token for us",
        "why does my pod resolve http://metadata.google.internal/ but not the rest",
    ],
    benign: &[
        "the metadata of the picture tells where it was taken",
        "see http://metadata.example.org/ for the rest of it",
        "1169.254.169.2541",
    ],
};

static DISGUISED: Rule = Rule {
    id: "outbound-request-forgery-internal-addresses/disguised",
    leaf: Leaf::OutboundRequestForgeryInternalAddresses,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A URL hides its host behind an unusual spelling of numbers or letters.",
    attacks: &[
        "http://2130706433/",
        "http://127.1",
        "http://0x7f.0x0.0x0.0x1/",
        "rtmp://017700000001",
        "irc://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
        "http:127.0.0.1",
        r"http://\\g\\o\\o\\g\\l\\e.\\c\\o\\m/",
        "http:123456789",
    ],
    benign: &[
        "http://93.184.216.34/",
        "https://bücher.example/",
        "http://1and1.example/",
        "tel:123456789",
        "http:note",
    ],
};

static REBINDING: Rule = Rule {
    id: "outbound-request-forgery-internal-addresses/rebinding",
    leaf: Leaf::OutboundRequestForgeryInternalAddresses,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value is a host name of a domain that resolves to any address that the name asks for.",
    attacks: &[
        "127.0.0.1.nip.io",
        "http://owasp.org.169.254.169.254.nip.io/",
        "test.localtest.me",
        "lvh.me/",
    ],
    benign: &["nip.io is a handy service when you try things out", "https://example.org/nip.io", "manip.io"],
};

static SCHEME: Rule = Rule {
    id: "outbound-request-forgery-internal-addresses/scheme",
    leaf: Leaf::OutboundRequestForgeryInternalAddresses,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A URL has a scheme with which other protocols are spoken through a fetcher of URLs.",
    attacks: &[
        "gopher://127.0.0.1:6379/_*1",
        "dict://localhost:11211/stats",
        "tftp://203.0.113.7:69/a",
        "netdoc:///etc/x",
    ],
    benign: &["dict: a dictionary", "gopher is an old protocol", "https://example.org/gopher://"],
};

static CONFUSED: Rule = Rule {
    id: "outbound-request-forgery-internal-addresses/confused",
    leaf: Leaf::OutboundRequestForgeryInternalAddresses,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A URL is written so that two parsers see two hosts, one of them internal.",
    attacks: &[
        "http://shop.example:80 &@shop.example:80# @127.61.7.9:22/",
        r"http://google.com:80\\@127.88.23.245:22/",
        "http://example.org#@localhost/",
        "http://shop.example:80+&@127.61.7.9:22/",
        "http://127.61.7.9:22/?@shop.example:80/",
    ],
    benign: &[
        "http://me@example.org/",
        "https://example.org/@user",
        "ssh://git@localhost:3035/a.git",
        "https://example.org/#@room",
    ],
};

static INTERNAL: Rule = Rule {
    id: "outbound-request-forgery-internal-addresses/fetched",
    leaf: Leaf::OutboundRequestForgeryInternalAddresses,
    weight: STRONG,
    places: Places::ARGUMENTS,
    matcher: RuleMatcher::DetectedInField { place: Place::Json, name: "url" },
    summary: "A parameter that an application fetches from leads to the machine itself or to its network.",
    attacks: &[
        "http://127.0.0.1:22/",
        "http://192.168.1.1/",
        "http://10.0.0.5:8080/",
        "192.168.0.5:8080/admin",
        "127.2",
    ],
    benign: &[
        "https://example.org/",
        "https://example.org/localhost",
        "example.org",
        "http://localhost.example.org/",
    ],
};

static INTERNAL_MENTIONED: Rule = Rule {
    id: "outbound-request-forgery-internal-addresses/mentioned",
    leaf: Leaf::OutboundRequestForgeryInternalAddresses,
    weight: 1,
    places: Places::ARGUMENTS,
    matcher: RuleMatcher::Detected,
    summary: "A value names a URL of the machine itself or of its network.",
    attacks: &[
        "http://localhost:3000",
        "open http://127.0.0.1:8080/ in your browser",
        "http://192.168.1.20/api",
    ],
    benign: &["https://example.org/callback", "localhost", "127.0.0.1", "localhost:3000 is where it runs"],
};

/// Reads the URLs of a value.
static DETECTOR: Detector = Detector {
    name: "url",
    triggers: &[triggers::TRIGGERS],
    prefilter: None,
    places: Places::REQUEST,
    run: judge,
};

/// Longest value that may be one address.
const ADDRESS_BYTES_MAX: usize = 512;

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let bytes = subject.bytes.trim_ascii();
    let prose = prose::has_sentences(bytes, &[]);
    let position = Position {
        subject,
        prose,
        sole: !prose && bytes.len() <= ADDRESS_BYTES_MAX && !bytes.contains(&b'\n'),
    };
    // A request of another protocol may follow the address.
    let start = url::at_start(bytes).filter(|url| !prose || names::opens_other_protocols(url.scheme));
    if let Some(url) = start {
        weigh(&position, &url, true, evidence);
    } else if position.sole
        && Places::ARGUMENTS.contains(subject.place)
        && !bytes.contains(&b' ')
        && memchr::memmem::find(bytes, b"://").is_none()
    {
        weigh_bare(&position, &url::bare(bytes), evidence);
    }
    url::each(bytes, |url| {
        if start.is_none_or(|start| start.offset != url.offset) {
            weigh(&position, &url, false, evidence);
        }
    });
    if let Some(offset) = mentions_metadata(bytes) {
        evidence.found(if prose { &METADATA_IN_TEXT } else { &METADATA }, offset, METADATA_ADDRESS.len());
    }
    if position.sole && start.is_some() && is_confused(bytes) {
        evidence.found(&CONFUSED, 0, bytes.len());
    }
}

/// What a URL stands among.
struct Position<'a> {
    subject: &'a Subject<'a>,
    prose: bool,
    /// Whether the value could be one address.
    sole: bool,
}

fn weigh(position: &Position<'_>, url: &Url<'_>, at_start: bool, evidence: &mut Evidence<'_>) {
    let address = url::host(url.host);
    let mut found =
        |rule| evidence.found(rule, url.offset, url.scheme.len() + url.slashes + 1 + url.host.len());
    if names::opens_other_protocols(url.scheme)
        && (at_start || !position.prose && leads_inside(address.class))
    {
        found(&SCHEME);
    }
    let odd = url.slashes < 2 && address.numeric
        || url.backslash && at_start && (url.host.is_empty() || leads_inside(address.class));
    match address.class {
        AddressClass::Metadata if position.prose => found(&METADATA_IN_TEXT),
        AddressClass::Metadata => found(&METADATA),
        AddressClass::Name | AddressClass::Nothing if at_start && is_cut_up(url) => found(&DISGUISED),
        _ if (address.disguised || odd) && !position.prose => found(&DISGUISED),
        AddressClass::Rebinding if position.sole && at_start => found(&REBINDING),
        AddressClass::Loopback | AddressClass::Internal => {
            found(if at_start && is_fetched(position, url, address) {
                &INTERNAL
            } else {
                &INTERNAL_MENTIONED
            });
        }
        _ => {}
    }
}

/// A host without a scheme says little by itself: the parameter's name must say that something is fetched.
fn weigh_bare(position: &Position<'_>, url: &Url<'_>, evidence: &mut Evidence<'_>) {
    let address = url::host(url.host);
    let open = is_open(position.subject.place);
    let path = url.rest.strip_prefix(b"/");
    // A path behind the host says that there is something to fetch; digits alone are a mask.
    let pathed = open && path.is_some_and(|path| path.is_empty() || !path.iter().all(u8::is_ascii_digit));
    let fetched = match purpose(position.subject.name) {
        Purpose::Fetch | Purpose::Callback | Purpose::FetchByNumber => path.is_none() || !open || pathed,
        Purpose::FetchFromForm => open && (path.is_none() || pathed),
        Purpose::Unknown => pathed,
        Purpose::Redirect | Purpose::Metadata | Purpose::Text => false,
    };
    let rule = match address.class {
        AddressClass::Metadata if fetched && (address.numeric || url.host.contains(&b'.')) => &METADATA,
        AddressClass::Rebinding => &REBINDING,
        // Documents name images and services by such hosts.
        AddressClass::Loopback | AddressClass::Internal
            if fetched && (open || address.numeric) && url.host.len() > 2 =>
        {
            &INTERNAL
        }
        _ => return,
    };
    evidence.found(rule, 0, url.host.len());
}

/// Whether the application will fetch the URL: the parameter says so, or says nothing else.
fn is_fetched(position: &Position<'_>, url: &Url<'_>, address: Address) -> bool {
    let open = is_open(position.subject.place);
    let web = [&b"http"[..], b"https", b"ftp"].iter().any(|known| known.eq_ignore_ascii_case(url.scheme));
    position.sole
        && match purpose(position.subject.name) {
            // Documents hold the addresses of databases and brokers, which no client of the web asks.
            Purpose::Fetch | Purpose::Callback => open || web || address.numeric,
            Purpose::FetchByNumber => open || address.numeric,
            Purpose::FetchFromForm => open,
            Purpose::Unknown => open && web && (address.numeric || address.class == AddressClass::Internal),
            Purpose::Redirect | Purpose::Metadata | Purpose::Text => false,
        }
}

/// True for places of arguments of the request itself, which are not parts of a document.
const fn is_open(place: Place) -> bool {
    matches!(place, Place::Query | Place::Form | Place::Part)
}

/// A host with a backslash before each letter.
fn is_cut_up(url: &Url<'_>) -> bool {
    const CUTS: usize = 4;
    url.backslash && url.rest.iter().filter(|byte| **byte == b'\\').take(CUTS).count() == CUTS
}

const fn leads_inside(class: AddressClass) -> bool {
    matches!(
        class,
        AddressClass::Metadata | AddressClass::Loopback | AddressClass::Internal | AddressClass::Rebinding
    )
}

const METADATA_ADDRESS: &[u8] = b"169.254.169.254";

/// The best known of the addresses, by itself.
fn mentions_metadata(bytes: &[u8]) -> Option<usize> {
    let at = memchr::memmem::find(bytes, METADATA_ADDRESS)?;
    let free = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.');
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    (free(before) && free(bytes.get(at + METADATA_ADDRESS.len()))).then_some(at)
}

/// An `@` behind the end of the authority, and an internal host on either side.
fn is_confused(bytes: &[u8]) -> bool {
    let Some(url) = url::at_start(bytes) else { return false };
    let here = leads_inside(url::host(url.host).class);
    if here && url.user.contains(&b'.') {
        return true;
    }
    let Some(at) = memchr::memchr(b'@', url.rest) else { return false };
    let second = url.rest.get(at + 1..).unwrap_or_default();
    let last = memchr::memrchr(b'@', second).and_then(|at| second.get(at + 1..)).unwrap_or(second);
    let inside = |bytes: &[u8]| leads_inside(url::host(url::bare(bytes).host).class);
    let ends = matches!(url.rest.first(), Some(b' ' | b'#' | b'?' | b'\\'))
        || url.rest.get(..at).is_some_and(|rest| rest.ends_with(b"#") || rest.ends_with(b"?"));
    ends && (inside(last) || inside(second) || here)
}

#[cfg(test)]
mod tests;
