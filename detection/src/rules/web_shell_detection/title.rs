//! Titles by which web shells are known, and the titles of pages about them.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::response_pattern::{Kind, MatchContext};

/// Bytes of a title that are looked at.
const TITLE_BYTES: usize = 128;

/// People write about shells in sentences.
const ABOUT: &[&str] = &[
    "wikipedia",
    "how to",
    "detect",
    "remov",
    "tutorial",
    "manual",
    "what is",
    "github",
    "documentation",
    "news",
    "guide",
    "analysis",
    "protect",
    "report",
    "blog",
    "questions",
    "malware",
];

/// Names that only shells carry, as words of a title.
const SHELLS: &[&str] = &[
    "winx shell",
    "artyum",
    "b4tm4n sh3ll",
    "azrail 1",
    "casus 1",
    "privat shell",
    "androidshell",
    "laudanum",
    "punkholicshell",
    "punkholic",
    "1n73ct10n",
    "r57 shell",
    "r57shell",
    "c99shell",
    "c99madshell",
    "c100 shell",
    "b374k",
    "b4tm4n",
    "indoxploit",
    "mini shell",
    "shell bypass",
    "bypass shell",
    "priv8 shell",
    "ani-shell",
    "ani shell",
    "antichat shell",
    "ak-74 security team",
    "alfa team shell",
    "alfa-shell",
    "andela yuwono",
    "ashiyane",
    "backdoor php",
    "php backdoor",
    "php web backdoor",
    "asp backdoor",
    "blackshell",
    "cgi-telnet",
    "cgi telnet",
    "aspx shell",
    "asp shell",
    "aspxspy",
    "aspyder",
    "jsp shell",
    "jspspy",
    "jsp webshell",
    "ctt shell",
    "cyberspy",
    "cyb3r sh3ll",
    "cybershell",
    "dc3 security",
    "dtool pro",
    "dx shell",
    "dxshell",
    "empixcrew",
    "fatalshell",
    "fx29shell",
    "g00nshell",
    "gaming shell",
    "gfs web-shell",
    "gny.shell",
    "grp webshell",
    "h4ntu shell",
    "hiddens shell",
    "idbteam",
    "iskorpitx",
    "ironshell",
    "ka_ushell",
    "klasvayv",
    "lama's'hell",
    "lamashell",
    "liz0zim",
    "loaderz web shell",
    "locus7shell",
    "lostdc",
    "matamu mat",
    "moroccan spamers",
    "mysql web interface version 0.8",
    "ncc shell",
    "nghshell",
    "nixshell",
    "nst view",
    "nstview",
    "nshell",
    "ntdaddy",
    "php commander",
    "phpbackdoor",
    "phpjackal",
    "phpkonsole",
    "phpremoteview",
    "phpshell by macker",
    "phpspy",
    "ph vayv",
    "ps v0.3",
    "pws shell",
    "qsd-php",
    "r0nin",
    "rhtools",
    "rootshell",
    "ru24postwebshell",
    "s-u shell",
    "s72 shell",
    "safe0ver",
    "safe mode bypass",
    "saudi sh3ll",
    "sh3ll",
    "simattacker",
    "simshell",
    "simple php backdoor",
    "sincap",
    "smevk",
    "sosyete",
    "spyshell",
    "stres shell",
    "stunshell",
    "symlink_sa",
    "syrian shell",
    "tdshell",
    "turkish shell",
    "uploader shell",
    "storm7shell",
    "web shell by",
    "webshell by",
    "weevely",
    "wso shell",
    "zacosmall",
    "zehir",
    "zerostore",
    "goog1e_analist",
    "php shell offender",
    "0byt3m1n1",
    "gel4y",
    "yourshell",
    "xleet",
    "x0rg",
    "tiny file shell",
    "h6ss shell",
    "kingdefacer",
    "ekin0x",
    "con7ext",
    "anonymousfox",
    "anonghost",
];

/// `.::[ x shell ]::.`: nobody else dresses a title like that.
const DRESS: &[&str] = &[".::", "::.", "-:[", "]:-", "=[", "]=", "~[", "]~", ".:", ":.", "--==", "~ shell"];
/// Nobody else spells the word with digits.
const SPELT: &[&str] = &["sh3ll", "5hell", "5h3ll", "she11", "sh311"];

/// What a text inside a title says about the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TitleSignal {
    /// It is about shells.
    About,
    /// A shell's name, where it stands as a word.
    Name,
    /// `WSO`, with a version behind it.
    Wso,
    Shell,
    Dress,
    Spelt,
}

/// Every text that is looked for, found in one pass: most pages have a title, and there are many names.
struct Texts {
    automaton: AhoCorasick,
    /// By pattern of the automaton.
    signals: Vec<TitleSignal>,
}

static TEXTS: LazyLock<Texts> = LazyLock::new(|| {
    let lists: [(&[&str], TitleSignal); 6] = [
        (ABOUT, TitleSignal::About),
        (SHELLS, TitleSignal::Name),
        (&["wso "], TitleSignal::Wso),
        (&["shell"], TitleSignal::Shell),
        (DRESS, TitleSignal::Dress),
        (SPELT, TitleSignal::Spelt),
    ];
    let texts = || lists.iter().flat_map(|(list, signals)| list.iter().map(move |text| (*text, *signals)));
    Texts {
        automaton: AhoCorasick::new(texts().map(|(text, _)| text))
            .expect("some two hundred short texts are far below the automaton's limits"),
        signals: texts().map(|(_, signals)| signals).collect(),
    }
});

/// A title that a shell gives itself, and no article about it.
pub(super) fn is_shell_title(context: &MatchContext<'_>) -> bool {
    if matches!(context.kind(), Kind::Json | Kind::Script) || context.is_in_script() {
        return false;
    }
    let title = context.after().get("<title>".len()..).unwrap_or_default();
    let title = title.split(|byte| *byte == b'<').next().unwrap_or_default();
    let mut lower = [0u8; TITLE_BYTES];
    let length = title.len().min(lower.len());
    let (Some(text), Some(source)) = (lower.get_mut(..length), title.get(..length)) else { return false };
    text.copy_from_slice(source);
    text.make_ascii_lowercase();
    names_a_shell(text)
}

fn names_a_shell(title: &[u8]) -> bool {
    let mut is_named = false;
    let (mut says_shell, mut is_dressed) = (false, false);
    for found in TEXTS.automaton.find_overlapping_iter(title) {
        match TEXTS.signals.get(found.pattern().as_usize()) {
            Some(TitleSignal::About) | None => return false,
            Some(TitleSignal::Name) => is_named |= is_word(title, found.start(), found.end()),
            Some(TitleSignal::Wso) => {
                is_named |= begins_word(title, found.start())
                    && title.get(found.end()).is_some_and(u8::is_ascii_digit);
            }
            Some(TitleSignal::Shell) => says_shell = true,
            Some(TitleSignal::Dress) => is_dressed = true,
            Some(TitleSignal::Spelt) => is_named = true,
        }
    }
    is_named || says_shell && is_dressed || calls_itself(title) || is_only_that(title)
}

/// `webshell …`, `… web shell v1.2`: a title that begins or ends with what it is.
fn calls_itself(title: &[u8]) -> bool {
    let title = title.trim_ascii();
    let version = title.iter().rev().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let unversioned = title.get(..title.len() - version).unwrap_or_default().trim_ascii_end();
    let unversioned = ["version", "ver", "v.", "v"]
        .iter()
        .find_map(|word| unversioned.strip_suffix(word.as_bytes()))
        .unwrap_or(unversioned)
        .trim_ascii_end();
    title.starts_with(b"webshell")
        || version > 0 && (unversioned.ends_with(b"shell") && unversioned != b"shell")
        || unversioned.ends_with(b"webshell")
}

/// Nothing but what it is.
fn is_only_that(title: &[u8]) -> bool {
    [&b"web shell"[..], b"php web shell", b"php shell", b"cmd shell", b"asp.net shell", b"backdoor"]
        .contains(&title.trim_ascii())
}

fn is_word(text: &[u8], start: usize, end: usize) -> bool {
    begins_word(text, start) && !text.get(end).is_some_and(u8::is_ascii_alphanumeric)
}

fn begins_word(text: &[u8], start: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    !before.is_some_and(u8::is_ascii_alphanumeric)
}
