//! Titles by which web shells are known, and the titles of pages about them.

use crate::response::{Kind, Spot};

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

/// A title that a shell gives itself, and no article about it.
pub(super) fn is_shell_title(spot: &Spot<'_>) -> bool {
    if matches!(spot.kind(), Kind::Json | Kind::Script) || spot.is_in_script() {
        return false;
    }
    let title = spot.after().get("<title>".len()..).unwrap_or_default();
    let title = title.split(|byte| *byte == b'<').next().unwrap_or_default();
    let mut lower = [0u8; 128];
    let length = title.len().min(lower.len());
    let (Some(text), Some(source)) = (lower.get_mut(..length), title.get(..length)) else { return false };
    text.copy_from_slice(source);
    text.make_ascii_lowercase();
    let text = &*text;
    // People write about shells in sentences.
    let is_about = [
        &b"wikipedia"[..],
        b"how to",
        b"detect",
        b"remov",
        b"tutorial",
        b"manual",
        b"what is",
        b"github",
        b"documentation",
        b"news",
        b"guide",
        b"analysis",
        b"protect",
        b"report",
        b"blog",
        b"questions",
        b"malware",
    ]
    .iter()
    .any(|word| memchr::memmem::find(text, word).is_some());
    !is_about
        && (SHELLS.iter().any(|name| has_word(text, name.as_bytes()))
            || is_wso(text)
            || calls_itself(text)
            || is_decorated(text))
}

/// `host - WSO 2.5`, `host Wso 2024`: the name and a version.
fn is_wso(title: &[u8]) -> bool {
    memchr::memmem::find_iter(title, b"wso ").any(|at| {
        let before = at.checked_sub(1).and_then(|at| title.get(at));
        before.is_none_or(|byte| !byte.is_ascii_alphanumeric())
            && title.get(at + 4).is_some_and(u8::is_ascii_digit)
    })
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

/// `.::[ x shell ]::.`: nobody else dresses a title like that, nor spells the word with digits.
fn is_decorated(title: &[u8]) -> bool {
    const DRESS: &[&[u8]] =
        &[b".::", b"::.", b"-:[", b"]:-", b"=[", b"]=", b"~[", b"]~", b".:", b":.", b"--==", b"~ shell"];
    let has = |words: &[u8]| memchr::memmem::find(title, words).is_some();
    let spelt = [&b"sh3ll"[..], b"5hell", b"5h3ll", b"she11", b"sh311"].iter().any(|word| has(word));
    let plain = has(b"shell") && DRESS.iter().any(|dress| has(dress));
    let whole =
        [&b"web shell"[..], b"php web shell", b"php shell", b"cmd shell", b"asp.net shell", b"backdoor"];
    spelt || plain || whole.contains(&title.trim_ascii())
}

fn has_word(text: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find_iter(text, word).any(|at| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        let after = text.get(at + word.len());
        !before.is_some_and(u8::is_ascii_alphanumeric) && !after.is_some_and(u8::is_ascii_alphanumeric)
    })
}
