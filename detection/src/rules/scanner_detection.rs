//! Rules of this bucket and the detector that reports them: tools that introduce themselves.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&ATTACK_TOOL, &CALLBACK_HOST]], detectors: &[&DETECTOR] };

static ATTACK_TOOL: Rule = Rule {
    id: "scanner-detection-user-agent/attack-tool",
    leaf: Leaf::ScannerDetectionUserAgent,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::Detected,
    summary: "The User-Agent names a vulnerability scanner or an attack tool.",
    attacks: &[
        "sqlmap/1.8#stable (https://sqlmap.org)",
        "Mozilla/5.00 (Nikto/2.5.0) (Evasions:None) (Test:Port Check)",
        "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 5.1; .NET CLR 2.0.50727) Havij",
        "Nuclei - Open-source project (github.com/projectdiscovery/nuclei)",
        "Mozilla/5.0 (compatible; Nmap Scripting Engine; https://nmap.org/book/nse.html)",
        "WPScan v3.8.22 (https://wpscan.com/wordpress-security-scanner)",
        "Fuzz Faster U Fool v2.1.0-dev",
        "OpenVAS-VT 22.4.1",
        "nessus",
    ],
    benign: &[
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
        "curl/8.5.0",
        "python-requests/2.31.0",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "UptimeRobot/2.0; http://www.uptimerobot.com/",
        "Prometheus/2.51.0",
        "Go-http-client/1.1",
        "MyArachnid/2.0 (library opening hours)",
        "kube-probe/1.29",
    ],
};

static CALLBACK_HOST: Rule = Rule {
    id: "scanner-detection-user-agent/callback-host",
    leaf: Leaf::ScannerDetectionUserAgent,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::Detected,
    summary: "The User-Agent holds a host name by which testing tools learn that a server called back.",
    attacks: &[
        "http://lmb1ikpej3yys0gqft8l.burpcollaborator.net/6.17.0 iPhone12,8",
        "Mozilla/5.0 c8v0.oast.fun",
        "x (https://abc.interact.sh)",
        "a.b.oastify.com",
    ],
    benign: &["MyShop/4.12.1 (iPhone; iOS 17.4; Scale/3.00)", "toast.function/1.0", "Interact/2 (shell)"],
};

/// Tools, each a word of its own in the header.
const TOOLS: &[&str] = &[
    "absinthe",
    "acunetix",
    "appscan",
    "arachni",
    "autogetcontent",
    "bilbo",
    "brutus/aet",
    "bsqlbf",
    "cgichk",
    "cmsmap",
    "commix",
    "core-project/1.0",
    "dalfox",
    "datacha0s",
    "detectify",
    "dirb/",
    "dirbuster",
    "dirsearch",
    "dominator",
    "droopescan",
    "feroxbuster",
    "ffuf",
    "fimap",
    "fuzz faster u fool",
    "gobuster",
    "golismero",
    "gootkit",
    "grendel-scan",
    "havij",
    "httprint",
    "(hydra)",
    "inspath",
    "internet ninja",
    "invicti",
    "jaeles",
    "jbrofuzz",
    "joomscan",
    "jorgee",
    "kiterunner",
    "libwhisker",
    "masscan",
    "metasploit",
    "metis",
    "morfeus",
    "muieblackcat",
    "mysqloit",
    "n-stealth",
    "naabu",
    "nessus",
    "netsparker",
    "nikto",
    "nmap",
    "nsauditor",
    "nuclei",
    "openvas",
    "pangolin",
    "paros/",
    "patator",
    "planetwork",
    "prog.customcrawler",
    "projectdiscovery",
    "qualys was",
    "ratproxy",
    "rustscan",
    "s.t.a.l.k.e.r.",
    "scanner/1.0",
    "security scan",
    "skipfish",
    "springenwerk",
    "sql power injector",
    "sqlbrute",
    "sqlmap",
    "sqlninja",
    "sqlsus",
    "struts-pwn",
    "sysscan",
    "thc-hydra",
    "tplmap",
    "tsunamisecurityscanner",
    "uil2pn",
    "vega/",
    "vulnerability scanner",
    "w3af",
    "wapiti",
    "webbandit",
    "webcruiser",
    "webinspect",
    "webscarab",
    "webshag",
    "webvulnscan",
    "wfuzz",
    "whatweb",
    "whcc/",
    "whisker",
    "wordpress hash grabber",
    "wpscan",
    "wprecon",
    "xmlrpc exploit",
    "xsser",
    "xsstrike",
    "xxeinjector",
    "zaproxy",
    "zgrab",
    "zmeu",
];

/// Ends of host names that testing tools hand out.
const CALLBACKS: &[&str] = &[
    "burpcollaborator.net",
    "oastify.com",
    "interact.sh",
    "interactsh.com",
    "oast.fun",
    "oast.live",
    "oast.me",
    "oast.online",
    "oast.pro",
    "oast.site",
    "dnslog.cn",
    "ceye.io",
    "bxss.me",
    "webhook.site",
];

/// Compares the header with both lists.
static DETECTOR: Detector = Detector {
    name: "user-agent",
    triggers: &[TOOLS, CALLBACKS],
    prefilter: None,
    places: Places::HEADERS,
    run: judge,
};

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    if !subject.name.eq_ignore_ascii_case(b"user-agent") {
        return;
    }
    let lower = subject.bytes.to_ascii_lowercase();
    for (names, rule) in [(TOOLS, &ATTACK_TOOL), (CALLBACKS, &CALLBACK_HOST)] {
        for name in names {
            if let Some(at) = word(&lower, name.as_bytes()) {
                evidence.found(rule, at, name.len());
            }
        }
    }
}

/// Where `name` stands in `text` without a letter or digit right before or after it.
fn word(text: &[u8], name: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, name).find(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let after = text.get(at + name.len());
        let joined = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let open_ended = name.last().is_some_and(|byte| !byte.is_ascii_alphanumeric());
        !joined(before) && (open_ended || !joined(after))
    })
}
