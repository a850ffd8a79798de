//! Names of parameters, and what they say about the URL in the value. A name is read word by word, from its end: `webhook_url`,
//! `imageUrl`, `webhook.url` and `callback-uri` say what the URL is for in the word before the last.

mod words;

use words::{AMBIGUOUS, CALLBACK, CONFIGURATION, CONTAINERS, FETCH, GENERIC, METADATA, REDIRECT, TEXT};

/// The use of the URL in a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The server fetches it.
    Fetch,
    /// The server calls it when something is done, or a browser is sent there.
    Callback,
    /// The server may fetch it; documents use such names for other things too, but not for addresses by number.
    FetchByNumber,
    /// The server may fetch it where it comes from a query or a form; in documents such names describe something.
    FetchFromForm,
    /// The browser is sent there, or it came from there.
    Redirect,
    /// It describes something: a page that was visited, a repository.
    Metadata,
    /// People write into it.
    Text,
    /// The name does not say.
    Unknown,
}

/// Words of a name that are looked at, from its end.
const WORDS_MAX: usize = 8;
/// Objects around a URL whose names are looked at.
const PARENTS_MAX: usize = 4;
/// Shorter names of objects say nothing.
const NAME_BYTES_MIN: usize = 3;
/// Longest word.
const WORD_BYTES_MAX: usize = 24;

/// The purpose that the name of a parameter shows; of a path through a document its last names count.
pub(crate) fn purpose(name: &[u8]) -> Purpose {
    let mut segments = segments(name);
    let Some(last) = segments.next() else { return Purpose::Unknown };
    let mut lower = [0; WORD_BYTES_MAX];
    let whole = lowered(last, &mut lower);
    if whole.is_some_and(|whole| TEXT.contains(&whole)) {
        return Purpose::Text;
    }
    let mut generic = false;
    let mut words = Words(last).take(WORDS_MAX);
    while let Some(word) = words.next() {
        let purpose = of_word(word, &mut generic);
        // Those say little by themselves: `oauth_callback`, `referring_domain`.
        if matches!(purpose, Purpose::Callback | Purpose::FetchByNumber | Purpose::FetchFromForm) {
            let mut before = words.map(|word| of_word(word, &mut generic));
            let is_clear = |purpose: &Purpose| matches!(purpose, Purpose::Redirect | Purpose::Metadata);
            return before.find(is_clear).unwrap_or(purpose);
        }
        if purpose != Purpose::Unknown || !generic {
            return purpose;
        }
    }
    // A URL and nothing else: in a document what holds it says what it is for.
    if is_generic(last) { of_parents(segments, name.contains(&b'/')) } else { Purpose::Unknown }
}

/// True for a name that means a URL and nothing else: `url`, `link_url`, `URL2`.
fn is_generic(name: &[u8]) -> bool {
    let mut lower = [0; WORD_BYTES_MAX];
    Words(name).take(WORDS_MAX).all(|word| {
        let word = word.trim_ascii_end();
        let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let stem = word.get(..word.len() - digits).unwrap_or_default();
        stem.is_empty() || lowered(stem, &mut lower).is_some_and(|word| GENERIC.contains(&word))
    })
}

/// The purpose that the names of the objects around a URL tell; the nearest that says anything counts.
fn of_parents<'n>(parents: impl Iterator<Item = &'n [u8]>, is_xml: bool) -> Purpose {
    let mut parents = parents.take(PARENTS_MAX).enumerate().peekable();
    let mut otherwise = Purpose::Fetch;
    while let Some((nth, parent)) = parents.next() {
        let mut lower = [0; WORD_BYTES_MAX];
        let name = lowered(parent, &mut lower).unwrap_or_default();
        if CONFIGURATION.contains(&name) {
            return Purpose::FetchByNumber;
        }
        if CONTAINERS.contains(&name) || parent.len() < NAME_BYTES_MIN {
            continue;
        }
        let mut generic = true;
        let mut purposes = Words(parent).take(WORDS_MAX).map(|word| of_word(word, &mut generic));
        if let Some(known) = purposes.find(|purpose| *purpose != Purpose::Unknown) {
            return known;
        }
        // It is the URL of something unknown, unless that is the root element of a document.
        if nth == 0 && !(is_xml && parents.peek().is_none()) {
            otherwise = Purpose::FetchByNumber;
        }
    }
    otherwise
}

/// The purpose that one word shows. `generic` is true if a word for a URL stood behind it, and becomes true at one.
fn of_word(word: &[u8], generic: &mut bool) -> Purpose {
    let mut lower = [0; WORD_BYTES_MAX];
    let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let Some(word) = word.get(..word.len() - digits).and_then(|word| lowered(word, &mut lower)) else {
        return Purpose::Unknown;
    };
    // Names in one case hold two words: `imageurl`.
    let stem = GENERIC.iter().find_map(|end| word.strip_suffix(end));
    *generic |= stem.is_some();
    let word = stem.filter(|stem| !stem.is_empty()).unwrap_or(word);
    let is = |list: &[&str]| list.contains(&word);
    if is(REDIRECT) {
        Purpose::Redirect
    } else if is(CALLBACK) {
        Purpose::Callback
    } else if is(FETCH) {
        Purpose::Fetch
    } else {
        let is_metadata = is(METADATA) || word.strip_suffix('s').is_some_and(|one| METADATA.contains(&one));
        match (is_metadata, is(AMBIGUOUS), *generic) {
            (true, false, _) | (true, true, true) => Purpose::Metadata,
            (true, true, false) => Purpose::FetchFromForm,
            (false, true, true) => Purpose::Fetch,
            (false, true, false) => Purpose::FetchByNumber,
            (false, false, _) => Purpose::Unknown,
        }
    }
}

/// The names of a path through a document or of an array, from the last; without numbers, prefixes of namespaces and marks.
fn segments(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    name.rsplit(|byte| matches!(byte, b'.' | b'[' | b']' | b'/' | b'@' | b':'))
        .filter(|part| !part.is_empty() && !part.iter().all(u8::is_ascii_digit))
}

/// The words of a name from the last: parted by `_`, `-`, `$`, spaces and changes of case.
struct Words<'n>(&'n [u8]);

impl<'n> Iterator for Words<'n> {
    type Item = &'n [u8];

    fn next(&mut self) -> Option<&'n [u8]> {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric();
        let end = self.0.iter().rposition(is_letter)? + 1;
        let name = self.0.get(..end)?;
        let mut start = end - 1;
        while let Some(before) =
            start.checked_sub(1).and_then(|at| name.get(at)).filter(|byte| is_letter(byte))
        {
            let here = name.get(start)?;
            // `imageUrl`, `imageURL`, and the end of capitals in `URLPath`.
            let is_start = here.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || name.get(start + 1).is_some_and(u8::is_ascii_lowercase));
            if is_start {
                break;
            }
            start -= 1;
        }
        let word = name.get(start..)?;
        self.0 = name.get(..start)?;
        Some(word)
    }
}

/// A word in small letters; `None` when it is none that is known.
fn lowered<'b>(word: &[u8], buffer: &'b mut [u8; WORD_BYTES_MAX]) -> Option<&'b str> {
    let lower = buffer.get_mut(..word.len())?;
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    std::str::from_utf8(lower).ok()
}

/// Returns `true` if a scheme is one by which a fetcher speaks other protocols than the web's.
pub(super) fn opens_other_protocols(scheme: &[u8]) -> bool {
    [&b"gopher"[..], b"dict", b"tftp", b"netdoc", b"acap"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(scheme))
}
