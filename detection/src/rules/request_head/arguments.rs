//! Rules of [`crate::request`]: see `request/arguments.rs` for the checks that report them.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &EXTERNAL_REFERER,
    &MISSING_REFERER,
    &COMMAND_PARAMETER,
    &METHOD_OVERRIDE,
    &REPEATED_PARAMETER,
    &ODD_ARRAY,
];

pub(crate) static COMMAND_PARAMETER: Rule = Rule {
    id: "command-injection-unix-commands/command-parameter",
    leaf: Leaf::CommandInjectionUnixCommands,
    weight: STRONG,
    places: Places::of(&[Place::Query, Place::Form]),
    matcher: RuleMatcher::RequestHead,
    summary: "A parameter with a name that is run holds a command.",
    attacks: &[
        "GET /x.php?cmd=id HTTP/1.1\nHost: shop.example\n\n",
        "GET /x.jsp?CMD=cat%20notes.txt HTTP/1.1\nHost: shop.example\n\n",
        "POST /api HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded\nContent-Length: 15\n\nshell_cmd=ls+-l",
        "GET /?exec=ipconfig HTTP/1.1\nHost: shop.example\n\n",
        "GET /?c%6dd=whoami HTTP/1.1\nHost: shop.example\n\n",
    ],
    benign: &[
        "GET /?cmd=start HTTP/1.1\nHost: shop.example\n\n",
        "GET /?cmd=ping HTTP/1.1\nHost: shop.example\n\n",
        "GET /?command=set+volume HTTP/1.1\nHost: shop.example\n\n",
        "GET /?cmd=_xclick&item=id HTTP/1.1\nHost: shop.example\n\n",
        "GET /?q=id HTTP/1.1\nHost: shop.example\n\n",
    ],
};

pub(crate) static EXTERNAL_REFERER: Rule = Rule {
    id: "session-fixation-external-referer/session-parameter",
    leaf: Leaf::SessionFixationExternalReferer,
    weight: STRONG,
    places: Places::of(&[Place::Query, Place::Form, Place::Path]),
    matcher: RuleMatcher::RequestHead,
    summary: "A session identifier comes as a parameter of a request that a page of another site made.",
    attacks: &[
        "GET /login?PHPSESSID=abc HTTP/1.1\nHost: shop.example\nReferer: https://evil.example/\n\n",
        "GET /?connect.sid=s%3Aabc HTTP/1.1\nHost: shop.example\nReferer: http://shop.example.evil.example/a\n\n",
        "POST /login HTTP/1.1\nHost: shop.example\nAccept: text/html\nReferer: https://evil.example/\nContent-Type: application/x-www-form-urlencoded\nContent-Length: 22\n\nsessionid=abc&user=bob",
        "GET /cart;jsessionid=0A1B HTTP/1.1\nHost: shop.example\nReferer: https://evil.example/\n\n",
        "GET /?__Host-next-auth.session-token=a HTTP/1.1\nHost: shop.example\nReferer: https://evil.example/\n\n",
    ],
    benign: &[
        "GET /cart?PHPSESSID=abc HTTP/1.1\nHost: www.shop.example\nReferer: https://shop.example/\n\n",
        "GET /cart?PHPSESSID=abc HTTP/1.1\nHost: shop.example:8080\nReferer: http://Shop.Example/\n\n",
        "GET /?session=morning&sid=3 HTTP/1.1\nHost: shop.example\nReferer: https://evil.example/\n\n",
        "GET /api/chat?sessionId=7 HTTP/1.1\nHost: api.shop.example\nAccept: application/json\nReferer: https://app.example/\n\n",
        "GET /paid?session_id=cs_live_a1b2 HTTP/1.1\nHost: shop.example\nAccept: text/html\nReferer: https://pay.example/\n\n",
        "GET /?PHPSESSID= HTTP/1.1\nHost: shop.example\nReferer: https://evil.example/\n\n",
    ],
};

pub(crate) static MISSING_REFERER: Rule = Rule {
    id: "session-fixation-missing-referer/session-parameter",
    leaf: Leaf::SessionFixationMissingReferer,
    weight: STRONG,
    places: Places::of(&[Place::Query, Place::Form]),
    matcher: RuleMatcher::RequestHead,
    summary: "A session identifier comes as a parameter of a request without a Referer, as from a prepared link.",
    attacks: &[
        "GET /login?PHPSESSID=abc HTTP/1.1\nHost: shop.example\n\n",
        "GET /?JSessionId=0A1B HTTP/1.1\nHost: shop.example\nAccept: */*\n\n",
        "GET /?connect.sid=s%3Aabc HTTP/1.1\nHost: shop.example\nAccept: text/html,*/*;q=0.8\n\n",
        "GET /?PHPSESSI%44=abc HTTP/1.1\nHost: shop.example\n\n",
    ],
    benign: &[
        "GET /cart?PHPSESSID=abc HTTP/1.1\nHost: shop.example\nReferer: https://shop.example/\n\n",
        "GET /api?session_id=abc HTTP/1.1\nHost: shop.example\nAccept: application/json\n\n",
        "GET /chat?session_token=abc HTTP/1.1\nHost: shop.example\nAccept: text/html,*/*;q=0.8\n\n",
        "GET /?session=2&assessment=3&sid=4 HTTP/1.1\nHost: shop.example\n\n",
        "GET /cart;jsessionid=0A1B HTTP/1.1\nHost: shop.example\n\n",
    ],
};

pub(crate) static METHOD_OVERRIDE: Rule = Rule {
    id: "http-compliance-method-override-param/other-method",
    leaf: Leaf::HttpComplianceMethodOverrideParam,
    weight: STRONG,
    places: Places::of(&[Place::Query, Place::Form]),
    matcher: RuleMatcher::RequestHead,
    summary: "A parameter asks for another method than the request's.",
    attacks: &[
        "POST /a?_method=DELETE HTTP/1.1\nHost: shop.example\nContent-Length: 0\n\n",
        "GET /transfer?amount=10&_method=%50OST HTTP/1.1\nHost: shop.example\n\n",
        "POST /a HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded\nContent-Length: 11\n\n_method=put",
    ],
    benign: &[
        "POST /out HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded\nContent-Length: 12\n\n_method=post",
        "GET /a?method=DELETE HTTP/1.1\nHost: shop.example\n\n",
        "GET /a?_method=air+freight HTTP/1.1\nHost: shop.example\n\n",
        "GET /a?_method=12345 HTTP/1.1\nHost: shop.example\n\n",
    ],
};

pub(crate) static REPEATED_PARAMETER: Rule = Rule {
    id: "http-attacks-duplicate-parameters/repeated",
    leaf: Leaf::HttpAttacksDuplicateParameters,
    weight: STRONG,
    places: Places::of(&[Place::QueryName, Place::FormName]),
    matcher: RuleMatcher::RequestHead,
    summary: "The same parameter was sent more than once.",
    attacks: &[
        "GET /?id=1&id=2 HTTP/1.1\nHost: shop.example\n\n",
        "GET /?id=1&i%64=2 HTTP/1.1\nHost: shop.example\n\n",
        "POST /?id=1 HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded\nContent-Length: 4\n\nid=2",
    ],
    benign: &[
        "GET /?id=1&Id=2 HTTP/1.1\nHost: shop.example\n\n",
        "GET /?tag[]=a&tag[]=b HTTP/1.1\nHost: shop.example\n\n",
        "GET /?a&b&c HTTP/1.1\nHost: shop.example\n\n",
    ],
};

pub(crate) static ODD_ARRAY: Rule = Rule {
    id: "http-attacks-duplicate-parameters/odd-array",
    leaf: Leaf::HttpAttacksDuplicateParameters,
    weight: STRONG,
    places: Places::of(&[Place::QueryName, Place::FormName]),
    matcher: RuleMatcher::RequestHead,
    summary: "A parameter's name in array syntax holds something between or behind its brackets.",
    attacks: &[
        "GET /?foo[1]a[2]=x HTTP/1.1\nHost: shop.example\n\n",
        "GET /?foo%5B1%5Da=x HTTP/1.1\nHost: shop.example\n\n",
        "GET /?foo[1=x HTTP/1.1\nHost: shop.example\n\n",
    ],
    benign: &[
        "GET /?foo[1][2]=x HTTP/1.1\nHost: shop.example\n\n",
        "GET /?filter[price][gte]=10 HTTP/1.1\nHost: shop.example\n\n",
        "GET /?tag%5B%5D=x HTTP/1.1\nHost: shop.example\n\n",
    ],
};
