//! Paths that lead out of the directory that they start in, in whatever spelling.

use super::places::{PATH, VALUES};
use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};
use waf_shared::catalog::Leaf;

pub(super) static CLIMBS_OUT: Rule = Rule {
    id: "local-file-access-dot-dot-paths/climbs-out",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A path leads out of the directory that it starts in.",
    attacks: &[
        "../../../../etc/passwd",
        r"..\..\..\boot.ini",
        "/../../../../././..\\ ../../etc/master.passwd",
        "..//..//..//..//etc/shadow",
        r"/..\/..\/..\windows/win.ini",
        "../../../../secret.txt",
        "%2e%2e%2f%2e%2e%2f%2e%2e%2fconfig",
        "..%c0%af..%c0%af..%c0%afetc/hosts",
        "0x2e0x2e0x2f0x2e0x2e0x2f0x2e0x2e0x2fetc/group",
        "../../../../../index.php%00.jpg",
        "/images/../../../../app.rb",
        "/a/../b/../c/../d",
        "../usr/local/x/y.sh",
        "../Program Files/x/y.txt",
    ],
    benign: &[
        "docs/../images/logo.png",
        "../images/logo.png",
        "wait... what?",
        "1..2",
        "https://example.org/a/b/c",
        "from 10..20 or so ../ maybe",
        "See {{#include ../listings/ch03/output.txt}} and the file beside it for more.",
        "../../tsconfig.base.json",
    ],
};

pub(super) static STEP_UP: Rule = Rule {
    id: "local-file-access-dot-dot-paths/step-up",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: 2,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A value is a path that leads one or two directories up.",
    attacks: &["../config.json", r"..\data", "../../tsconfig.base.json", "..%2fadmin"],
    benign: &["docs/../images/logo.png", "a..b", "etc.", "https://example.org/a/../b"],
};

pub(super) static DISGUISED: Rule = Rule {
    id: "local-file-access-dot-dot-paths/disguised",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Parent steps are spelt so that a filter misses them or makes them.",
    attacks: &[
        "....//....//....//file",
        r"....\....\....\file",
        ".../.../WINDOWS/win.ini",
        "..;/..;/manager/html",
        r"/%\..%\..%\..%\..%\boot",
        r"..;.\.;\.",
        "..0x5c..0x5cfile",
        "/.../etc/passwd",
        "..%c0%9v..%c0%9vetc%c0%9vpasswd",
        "%c0%fe%c0%fe%c1%8s%c0%fe%c0%fe%c1%8setc%c1%8sissue",
    ],
    benign: &[
        "go test ./...",
        "Loading ... / please wait ...",
        "C:\\...\\bin",
        "and so on...",
        "0x2e",
        "yes..;no",
    ],
};

pub(super) static IN_REQUEST_PATH: Rule = Rule {
    id: "local-file-access-dot-dot-paths/in-request-path",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: STRONG,
    places: PATH,
    matcher: RuleMatcher::Detected,
    summary: "The request path holds a parent step, which clients resolve before they send it.",
    attacks: &[
        "/static/../../etc/passwd",
        "/cgi-bin/.%2e/%2e%2e/bin/sh",
        "/a/..%5c..%5cb",
        "/%c0%ae%c0%ae/x",
        "/x/%uff0e%uff0e%u2216y",
        "/..%252f..%252fz",
    ],
    benign: &["/get/foo../1234", "/get/foo.../1234", "/compare/v1.0..v1.1", "/a/...", "/wiki/..."],
};

pub(super) static IN_FILE_NAME: Rule = Rule {
    id: "local-file-access-dot-dot-paths/in-file-name",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: STRONG,
    places: Places::of(&[Place::FileName]),
    matcher: RuleMatcher::Detected,
    summary: "The name of an uploaded file leads to another directory.",
    attacks: &["..\\1.7z", "../../var/www/shell.php", "a/../../b.jpg", "..%2f..%2fx.jsp"],
    benign: &["photo.jpg", "report..final.pdf", "C:\\fakepath\\photo.jpg", "notes...txt"],
};
