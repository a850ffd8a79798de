//! Rules of this family: pages of web shells. Known ones name themselves in their title; others are known by what they
//! offer together: a command line, the server's identity, switches of PHP, a file manager.

use waf_shared::catalog::Leaf;

use self::places::PLACES;
use crate::response_pattern::{checked, raw};
use crate::rule::{Bucket, Rule, RuleMatcher, STRONG};

mod behaviour;
mod places;
mod title;

use title::is_shell_title;

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket = Bucket { rules: &[RULES, behaviour::RULES], detectors: &[] };

static RULES: &[&Rule] = &[&KNOWN_SHELL];

static KNOWN_SHELL: Rule = Rule {
    id: "web-shell-detection/known-shell",
    leaf: Leaf::WebShellDetection,
    weight: STRONG,
    places: PLACES,
    matcher: RuleMatcher::Response(&[
        checked("<title>", "", is_shell_title),
        checked("<TITLE>", "", is_shell_title),
        checked("<Title>", "", is_shell_title),
        raw("<input type=hidden name=act ", "~name=c99"),
        raw("name=\"phpspy", ""),
        raw("b374k shell : connected", ""),
        raw("<h1>.:NCC:. Shell ", ""),
        raw("<h1>[ Simple PHP backdoor ", ""),
        raw("<!-- Simple PHP backdoor by ", ""),
        raw("<!-- http://michaeldaw.org ", ""),
        raw("<b>--[ x2300 Locus7Shell v.", ""),
        raw("<font face=\"Wingdings 3\" size=\"5\">y</font><b>Crystal shell ", ""),
        raw("<h1>Symlink_Sa ", ""),
        raw("<h2>Alfa-Shell", ""),
        raw("<title>ALFA TEaM Shell", ""),
        raw("!C99Shell v.", ""),
        raw("r57shell ", "#"),
        raw("<pre align=center><form method=post>Password<br><input type=password name=pass", ""),
        raw("<form method=post>Password: <input type=password name=pass><input type=submit value='>>'>", ""),
    ]),
    summary: "The response is the page of a known web shell.",
    attacks: &[
        "<html><head><title>-:[GreenwooD]:- WinX Shell</title></head>",
        "<title>r57 Shell Version 1.50</title>",
        "<title>shop.example - WSO 4.2.6</title>",
        "<title>Webshell Akmal archtte id</title>",
        "<title>shop.example - c99shell</title>",
        "<title>b374k m1n1 1.01</title>",
        "<title>IndoXploit</title>",
        "<title>..:: Some Shell ::..</title>",
        "<title>Web Shell</title>",
    ],
    benign: &[
        "<title>Web shell - Wikipedia</title>",
        "<title>Shell | Fuel cards for business</title>",
        "<title>Bash shell scripting tutorial</title>",
        "<title>PHP: Shell execution - Manual</title>",
        "<title>Sea shell collection</title>",
        "<title>Detecting the C99 web shell on your server</title>",
        "<title>WSO2 API Manager</title>",
    ],
};
