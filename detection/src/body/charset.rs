//! Character sets of bodies: what is written in another one than UTF-8 is decoded before the parsers see it, chunk by
//! chunk. It knows labels, byte order marks, zeros and the XML declaration, and no other grammar.

use encoding_rs::{CoderResult, Decoder, Encoding, REPLACEMENT, UTF_8};

use super::wide::{self, Utf32, Wide};

/// Bytes of a body that are decoded at once, which bounds the buffer.
const PIECE_BYTES: usize = 8 << 10;
/// Bytes in which an XML declaration ends.
const DECLARATION_BYTES_MAX: usize = 1024;

const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Decodes one body.
#[derive(Debug, Default)]
pub(super) struct Charset {
    state: State,
    /// The declared set, where the first bytes may show another one.
    declared: Option<&'static Encoding>,
    /// Bytes that came before the character set was known.
    prefix: Vec<u8>,
    out: Vec<u8>,
}

#[derive(Default)]
enum State {
    /// The bytes are looked at as they are.
    #[default]
    AsIs,
    Undecided(Sniff),
    Decoding(Box<Decoder>),
    Utf32(Utf32),
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            State::AsIs => "AsIs",
            State::Undecided(_) => "Undecided",
            State::Decoding(_) => "Decoding",
            State::Utf32(_) => "Utf32",
        })
    }
}

/// Places other than its declared type that may name the encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sniff {
    /// Nothing.
    Never,
    /// A byte order mark, or zeros among the first bytes.
    Wide,
    /// The same, or the XML declaration.
    Xml,
    /// UTF-16 it is; the mark or the first character gives the byte order.
    Utf16,
}

/// The meaning of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Utf8,
    Known(&'static Encoding),
    /// `utf-16` without a byte order.
    Utf16,
    /// UTF-7, EBCDIC and other sets that cannot be read here.
    Unknown,
}

/// Reads a label as the Encoding Standard does.
pub(super) fn label(label: &[u8]) -> Label {
    if label.trim_ascii().eq_ignore_ascii_case(b"utf-16") {
        return Label::Utf16;
    }
    match Encoding::for_label(label) {
        None => Label::Unknown,
        Some(encoding) if encoding == UTF_8 => Label::Utf8,
        Some(encoding) if encoding == REPLACEMENT => Label::Unknown,
        Some(encoding) => Label::Known(encoding),
    }
}

/// The bytes did not belong to the character set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Undecodable;

impl Charset {
    pub(super) fn reset(&mut self) {
        self.state = State::AsIs;
        self.declared = None;
        self.prefix.clear();
    }

    /// Begins a body whose type names `declared`.
    pub(super) fn start(&mut self, declared: Option<Label>, sniff: Sniff) {
        self.reset();
        self.state = match (declared, sniff) {
            (Some(Label::Utf16), _) => State::Undecided(Sniff::Utf16),
            // Readers that look at the bytes ignore what the type says about them.
            (Some(Label::Known(encoding)), Sniff::Wide | Sniff::Xml) if encoding.is_ascii_compatible() => {
                self.declared = Some(encoding);
                State::Undecided(Sniff::Wide)
            }
            (Some(Label::Known(encoding)), _) => State::decoding(encoding),
            (Some(Label::Utf8 | Label::Unknown), Sniff::Xml) => State::Undecided(Sniff::Wide),
            (_, Sniff::Never) => State::AsIs,
            (_, sniff) => State::Undecided(sniff),
        };
    }

    /// Begins a body whose first bytes show `wide`.
    pub(super) fn start_wide(&mut self, wide: Wide) {
        self.reset();
        self.state = State::wide(wide);
    }

    /// Returns `true` if bytes pass as they are; then nothing needs to be decoded.
    pub(super) fn is_idle(&self) -> bool {
        matches!(self.state, State::AsIs)
    }

    /// Calls `each` with the decoded text, in pieces. `last` says that the body ends with `chunk`.
    pub(super) fn decode(
        &mut self,
        chunk: &[u8],
        last: bool,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), Undecodable> {
        let State::Undecided(sniff) = self.state else { return self.pass(chunk, last, &mut each) };
        let room = DECLARATION_BYTES_MAX.saturating_sub(self.prefix.len());
        let (taken, rest) = chunk.split_at_checked(room).unwrap_or((chunk, &[]));
        self.prefix.extend_from_slice(taken);
        let full = self.prefix.len() >= DECLARATION_BYTES_MAX || last;
        self.state = match detect(&self.prefix, sniff, full) {
            Detected::TooEarly => return Ok(()),
            Detected::Nothing if self.prefix.starts_with(UTF_8_MARK) => State::AsIs,
            Detected::Nothing => self.declared.map_or(State::AsIs, State::decoding),
            Detected::Set(encoding) => State::decoding(encoding),
            Detected::Wide(wide) => State::wide(wide),
        };
        let prefix = std::mem::take(&mut self.prefix);
        let ends = last && rest.is_empty();
        let first = self.pass(&prefix, ends, &mut each);
        self.prefix = prefix;
        self.prefix.clear();
        let second = if ends { Ok(()) } else { self.pass(rest, last, &mut each) };
        first.and(second)
    }

    fn pass(&mut self, bytes: &[u8], last: bool, each: &mut impl FnMut(&[u8])) -> Result<(), Undecodable> {
        let decoder = match &mut self.state {
            State::Decoding(decoder) => decoder,
            State::Utf32(decoder) => return utf32(decoder, &mut self.out, bytes, last, each),
            State::AsIs | State::Undecided(_) => {
                each(bytes);
                return Ok(());
            }
        };
        let mut good = Ok(());
        let mut rest = bytes;
        loop {
            let (piece, left) = rest.split_at_checked(PIECE_BYTES).unwrap_or((rest, &[]));
            let ends = last && left.is_empty();
            // Every byte becomes at most three bytes of UTF-8, and a decoder holds back a few at most.
            self.out.resize(3 * PIECE_BYTES + 64, 0);
            let (result, read, written, malformed) = decoder.decode_to_utf8(piece, &mut self.out, ends);
            if malformed {
                good = Err(Undecodable);
            }
            each(self.out.get(..written).unwrap_or_default());
            rest = rest.get(read..).unwrap_or_default();
            if rest.is_empty() && (result == CoderResult::InputEmpty || read == 0) {
                return good;
            }
        }
    }
}

impl State {
    fn decoding(encoding: &'static Encoding) -> State {
        State::Decoding(Box::new(encoding.new_decoder_with_bom_removal()))
    }

    fn wide(wide: Wide) -> State {
        wide.encoding().map_or_else(|| State::Utf32(Utf32::new(wide == Wide::Utf32Be)), State::decoding)
    }
}

fn utf32(
    decoder: &mut Utf32,
    out: &mut Vec<u8>,
    bytes: &[u8],
    last: bool,
    each: &mut impl FnMut(&[u8]),
) -> Result<(), Undecodable> {
    let mut good = true;
    for piece in bytes.chunks(PIECE_BYTES) {
        out.clear();
        good &= decoder.decode(piece, false, out);
        each(out);
    }
    good &= !last || decoder.decode(b"", true, out);
    if good { Ok(()) } else { Err(Undecodable) }
}

/// Statement of the first bytes.
enum Detected {
    /// They do not suffice yet.
    TooEarly,
    /// UTF-8, or nothing.
    Nothing,
    Set(&'static Encoding),
    Wide(Wide),
}

fn detect(prefix: &[u8], sniff: Sniff, full: bool) -> Detected {
    if prefix.len() < wide::FIRST_BYTES && !full {
        return Detected::TooEarly;
    }
    let wide = match sniff {
        // Declared so, the text may begin with any letter.
        Sniff::Utf16 => match wide::mark(prefix) {
            Some(Wide::Utf16Be) => Some(Wide::Utf16Be),
            None if prefix.first() == Some(&0) => Some(Wide::Utf16Be),
            _ => Some(Wide::Utf16Le),
        },
        _ => wide::mark(prefix).or_else(|| wide::first(prefix)),
    };
    match wide {
        Some(wide) => return Detected::Wide(wide),
        None if sniff != Sniff::Xml => return Detected::Nothing,
        None => {}
    }
    if !prefix.starts_with(b"<?xml") && !b"<?xml".starts_with(prefix) {
        return Detected::Nothing;
    }
    let Some(end) = memchr::memchr(b'>', prefix) else {
        return if full { Detected::Nothing } else { Detected::TooEarly };
    };
    match declared_encoding(prefix.get(..end).unwrap_or_default()).map(label) {
        // A declaration that could be read as ASCII does not stand in UTF-16, whatever it says.
        Some(Label::Known(encoding)) if encoding.is_ascii_compatible() => Detected::Set(encoding),
        _ => Detected::Nothing,
    }
}

/// The value of `encoding` in an XML declaration.
pub(super) fn declared_encoding(declaration: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let rest = declaration.get(at + b"encoding".len()..)?.trim_ascii_start();
    let rest = rest.strip_prefix(b"=")?.trim_ascii_start();
    let (&quote, rest) = rest.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    rest.split(|byte| *byte == quote).next()
}

/// Returns `true` if forms are sent in this character set without a reason to wonder.
pub(super) fn is_usual(name: &[u8]) -> bool {
    match label(name) {
        Label::Utf8 => true,
        Label::Known(encoding) => [encoding_rs::WINDOWS_1252, encoding_rs::ISO_8859_15].contains(&encoding),
        Label::Utf16 | Label::Unknown => false,
    }
}

/// The first bytes of a text in the character set `wide`, in UTF-8. Bytes that are no character are left out.
pub(super) fn decoded(head: &[u8], wide: Wide) -> Vec<u8> {
    let (mut charset, mut text) = (Charset::default(), Vec::new());
    charset.start_wide(wide);
    let _ = charset.decode(head, false, |piece| text.extend_from_slice(piece));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(declared: Option<&str>, sniff: Sniff, chunks: &[&[u8]]) -> (Vec<u8>, Result<(), Undecodable>) {
        let mut charset = Charset::default();
        charset.start(declared.map(|name| label(name.as_bytes())), sniff);
        let (mut out, mut good) = (Vec::new(), Ok(()));
        for chunk in chunks {
            good = good.and(charset.decode(chunk, false, |text| out.extend_from_slice(text)));
        }
        good = good.and(charset.decode(b"", true, |text| out.extend_from_slice(text)));
        (out, good)
    }

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_be_bytes).collect()
    }

    #[test]
    fn declared_sets_are_decoded_in_any_chunking() {
        let wide = utf16("<é>");
        for (declared, bytes, expected) in [
            ("iso-8859-1", &b"caf\xe9"[..], "café"),
            ("Shift_JIS", b"\x83\x5c", "ソ"),
            ("utf-16be", &wide, "<é>"),
            ("utf-8", b"caf\xc3\xa9", "café"),
            ("us-ascii", b"abc", "abc"),
        ] {
            assert_eq!(
                decode(Some(declared), Sniff::Never, &[bytes]),
                (expected.into(), Ok(())),
                "{declared}"
            );
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(decode(Some(declared), Sniff::Never, &single).0, expected.as_bytes(), "{declared}");
        }
        assert!(decode(Some("utf-16le"), Sniff::Never, &[b"a\0b"]).1.is_err());
    }

    #[test]
    fn marks_and_declarations_are_found() {
        let mut marked = b"\xfe\xff".to_vec();
        marked.extend(utf16("<a/>"));
        let latin = b"<?xml version=\"1.0\" encoding='ISO-8859-1'?><a>\xe9</a>";
        for chunk in [1, 3, 1000] {
            let chunks: Vec<&[u8]> = marked.chunks(chunk).collect();
            assert_eq!(decode(None, Sniff::Wide, &chunks).0, b"<a/>");
            assert_eq!(decode(Some("utf-16"), Sniff::Never, &chunks).0, b"<a/>");
            assert_eq!(decode(None, Sniff::Xml, &utf16("<a/>").chunks(chunk).collect::<Vec<_>>()).0, b"<a/>");
            let text = decode(None, Sniff::Xml, &latin.chunks(chunk).collect::<Vec<_>>()).0;
            assert!(text.ends_with("<a>é</a>".as_bytes()), "{}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn wide_characters_are_recognised_without_a_mark() {
        let text = "{\"a\": \"名\u{1f600}\"}";
        let utf32 = |order: fn(u32) -> [u8; 4]| text.chars().flat_map(|one| order(u32::from(one))).collect();
        let all: [Vec<u8>; 4] = [
            text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            utf16(text),
            utf32(u32::to_le_bytes),
            utf32(u32::to_be_bytes),
        ];
        for (bytes, declared) in all.iter().flat_map(|bytes| {
            [None, Some("utf-8"), Some("iso-8859-1"), Some("shift_jis")].map(|declared| (bytes, declared))
        }) {
            for size in [1, 2, 3, 5, 1000] {
                let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
                assert_eq!(decode(declared, Sniff::Wide, &chunks).0, text.as_bytes(), "{declared:?}");
                assert_eq!(decode(declared, Sniff::Xml, &chunks).0, text.as_bytes(), "{declared:?}");
            }
        }
        let plain: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(decode(None, Sniff::Wide, &plain), (text.into(), Ok(())));
        assert_eq!(decode(Some("iso-8859-1"), Sniff::Wide, &[b"caf\xe9"]).0, "café".as_bytes());
        assert!(decode(None, Sniff::Wide, &[b"{\0\0\0\"\0\0"]).1.is_err());
    }

    #[test]
    fn labels_that_nobody_here_reads_are_unknown() {
        for name in ["utf-7", "ibm037", "cp500", "hz-gb-2312", "x-garbage", ""] {
            assert_eq!(label(name.as_bytes()), Label::Unknown, "{name}");
        }
        assert_eq!(label(b"UTF8"), Label::Utf8);
        assert_eq!(label(b"utf-16"), Label::Utf16);
    }
}
