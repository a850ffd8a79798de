//! Rules of this bucket and the detector that reports them: URLs where an application would expect the name of a file of its
//! own. What a parameter is for is told by its name, what the URL brings by its last name.

use waf_languages::prose;
use waf_languages::url::{self, AddressClass, Url};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};
use crate::rules::outbound_request_forgery::{Purpose, purpose};

mod names;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[
        &ADDRESS,
        &ADDRESS_IN_DOCUMENT,
        &LIBRARY_PATH,
        &REMOTE_SCRIPT,
        &TRUNCATED,
        &TRAILING_QUESTION,
        &EXTERNAL,
        &EXTERNAL_IN_PATH,
    ]],
    detectors: &[&DETECTOR],
};

const PARAMETERS: Places = Places::of(&[Place::Query, Place::Form, Place::Xml]);
const QUERY: Places = Places::of(&[Place::Query, Place::Form]);

static ADDRESS: Rule = Rule {
    id: "remote-file-fetch-ip-urls/address",
    leaf: Leaf::RemoteFileFetchIpUrls,
    weight: STRONG,
    places: PARAMETERS,
    matcher: RuleMatcher::Detected,
    summary: "A parameter is a URL whose host is an address of the internet instead of a name.",
    attacks: &[
        "http://198.51.100.75/boot.php",
        "ftp://1.1.1.1",
        "https://[2606:4700::1111]/x.php",
        "https://2001:db8:701:1100::29c8/lizard.php",
    ],
    benign: &[
        "https://example.org/a",
        "8.8.8.8",
        "see http://8.8.8.8/ and tell me what you find there",
        "http://localhost:3000/",
    ],
};

static ADDRESS_IN_DOCUMENT: Rule = Rule {
    id: "remote-file-fetch-ip-urls/address-in-document",
    leaf: Leaf::RemoteFileFetchIpUrls,
    weight: 3,
    places: Places::of(&[Place::Json, Place::Cookie, Place::Query, Place::Form]),
    matcher: RuleMatcher::Detected,
    summary: "A URL in a document or behind a redirect has an address of the internet for a host.",
    attacks: &["http://66.240.183.75/status", "ftp://1.1.1.1", "https://[2606:4700::1111]/"],
    benign: &["https://example.org/a", "8.8.8.8", "http://10.0.0.5/"],
};

static LIBRARY_PATH: Rule = Rule {
    id: "remote-file-fetch-suspicious-param-names/library-path",
    leaf: Leaf::RemoteFileFetchSuspiciousParamNames,
    weight: STRONG,
    places: Places::of(&[Place::Query, Place::Form, Place::Cookie, Place::Json]),
    matcher: RuleMatcher::DetectedInField { place: Place::Query, name: "lib_path" },
    summary: "A parameter that tells where an application's own code lies is a URL.",
    attacks: &["http://evil.example/shell.txt", "https://evil.example/", "ftp://evil.example/c99.php?"],
    benign: &["/srv/app/lib", "lib/classes", "https", "the path is https://example.org/ as far as I know"],
};

static REMOTE_SCRIPT: Rule = Rule {
    id: "remote-file-fetch-suspicious-param-names/remote-script",
    leaf: Leaf::RemoteFileFetchSuspiciousParamNames,
    weight: STRONG,
    places: QUERY,
    matcher: RuleMatcher::DetectedInField { place: Place::Query, name: "lang" },
    summary: "A parameter that is not meant for URLs is the URL of a script or of a text that may be one.",
    attacks: &["http://evil.example/shell.txt", "https://evil.example/c99.inc", "ftp://evil.example/a.sh?x"],
    benign: &[
        "https://example.org/photo.jpg",
        "https://example.org/",
        "shell.txt",
        "I found it at https://example.org/a.txt and it works",
    ],
};

static TRUNCATED: Rule = Rule {
    id: "remote-file-fetch-truncation-trick/question-mark",
    leaf: Leaf::RemoteFileFetchTruncationTrick,
    weight: STRONG,
    places: PARAMETERS,
    matcher: RuleMatcher::Detected,
    summary: "A URL ends in a question mark, so that what the application appends becomes a query.",
    attacks: &[
        "http://evil.example/shell.txt?",
        "https?",
        "ftp://evil.example/c99.php???",
        "http://evil.example?",
    ],
    benign: &[
        "https://example.org/?",
        "https://example.org/search?q=1",
        "http or https?",
        "https://example.org/list?",
        "https://ads.example.org/activity;id=a.b;k=1?",
        "https://example.org/pixel.gif?",
    ],
};

static TRAILING_QUESTION: Rule = Rule {
    id: "remote-file-fetch-truncation-trick/trailing",
    leaf: Leaf::RemoteFileFetchTruncationTrick,
    weight: 1,
    places: PARAMETERS,
    matcher: RuleMatcher::Detected,
    summary: "A URL without a file's name ends in a question mark.",
    attacks: &["https://example.org/?", "https://example.org/list?", "http://example.org/a/b/?"],
    benign: &["https://example.org/", "really?", "https://example.org/?a=1"],
};

static EXTERNAL: Rule = Rule {
    id: "remote-file-fetch-external-urls/value",
    leaf: Leaf::RemoteFileFetchExternalUrls,
    weight: STRONG,
    places: Places::ARGUMENTS,
    matcher: RuleMatcher::Detected,
    summary: "A value is a URL of somewhere else.",
    attacks: &[
        "http://foo.bar",
        "https://example.com:1234/",
        "file://foo.bar",
        "jar:file:/path/to/app.jar!/a.txt",
        "ftps://foo.bar",
    ],
    benign: &["/a/b", "note: this", "see https://example.org/ for all of it", "mailto:me@example.org"],
};

static EXTERNAL_IN_PATH: Rule = Rule {
    id: "remote-file-fetch-external-urls/request-path",
    leaf: Leaf::RemoteFileFetchExternalUrls,
    weight: STRONG,
    places: Places::of(&[Place::Path]),
    matcher: RuleMatcher::Detected,
    summary: "The request path holds a URL.",
    attacks: &[
        "/get/https://example.com/",
        "/u/http:%2f%2fevil.com%2fshell.txt",
        "/proxy/ftp://example.org/a",
    ],
    benign: &["/docs/https", "/a//b", "/wiki/Http:_the_book"],
};

/// Reads the URLs of parameters.
static DETECTOR: Detector = Detector {
    name: "remote file",
    triggers: &[&["://", "http:/", "https:/", "http?", "https?", "ftp?", "ftps?", "file?", "file:"]],
    prefilter: None,
    places: Places::ARGUMENTS.or(Places::of(&[Place::Path])),
    run: judge,
};

/// Longest value that may be a URL.
const URL_BYTES_MAX: usize = 2048;

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let bytes = subject.bytes.trim_ascii();
    if subject.place == Place::Path {
        if let Some(at) = memchr::memmem::find(bytes, b"://")
            .filter(|at| names::is_web(bytes.get(..*at).unwrap_or_default()))
        {
            evidence.found(&EXTERNAL_IN_PATH, at, 3);
        }
        return;
    }
    if bytes.len() > URL_BYTES_MAX {
        return;
    }
    let asked = bytes.iter().rev().take_while(|byte| **byte == b'?').count();
    if asked > 0 && names::is_web_scheme(bytes.get(..bytes.len() - asked).unwrap_or_default()) {
        evidence.found(&TRUNCATED, 0, bytes.len());
        return;
    }
    let inner = names::without_container(bytes);
    let external = evidence.wants(Leaf::RemoteFileFetchExternalUrls)
        && (inner.len() < bytes.len() || names::is_file_scheme(bytes))
        && !prose::has_sentences(bytes, &[]);
    if external {
        evidence.found(&EXTERNAL, 0, bytes.len());
    }
    let Some(url) = url::at_start(inner) else { return };
    if !names::is_web_scheme(url.scheme) || url.slashes < 2 || prose::has_sentences(bytes, &[]) {
        return;
    }
    weigh(subject, &url, asked > 0, evidence);
}

fn weigh(subject: &Subject<'_>, url: &Url<'_>, asked: bool, evidence: &mut Evidence<'_>) {
    let mut found = |rule| evidence.found(rule, 0, subject.bytes.len());
    found(&EXTERNAL);
    let redirects = || matches!(purpose(subject.name), Purpose::Redirect | Purpose::Callback);
    if url.host.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'[')
        && url::host(url.host).class == AddressClass::PublicAddress
    {
        found(&ADDRESS_IN_DOCUMENT);
        if !redirects() {
            found(&ADDRESS);
        }
    }
    if asked {
        let bare = url.rest.iter().all(|byte| *byte == b'?');
        found(if bare || names::may_be_code(url.file()) { &TRUNCATED } else { &TRAILING_QUESTION });
    }
    let script = names::is_script(url.file());
    if script.is_none() && subject.place != Place::Query {
        return;
    }
    // Pages are located too: a word that may mean any path counts with a text, and none with the query of a page.
    let included = if names::is_one_word(subject.name) {
        script == Some(names::Script::Text)
    } else {
        script.is_some() || !url.has_arguments()
    };
    let library = included && names::is_library_path(subject.name);
    let text = script == Some(names::Script::Text) && !names::is_link(subject.name) && !redirects();
    let foreign = || matches!(url::host(url.host).class, AddressClass::PublicAddress | AddressClass::Name);
    if (library || text) && foreign() {
        if library {
            found(&LIBRARY_PATH);
        }
        if text {
            found(&REMOTE_SCRIPT);
        }
    }
}

#[cfg(test)]
mod tests;
