//! The head of a part: what its `Content-Disposition` and `Content-Type` say (RFC 7578, section 4), and every way in which
//! two readers might understand them differently.

use waf_shared::catalog::Leaf;
use waf_shared::limits;

use crate::body::charset::{self, Label};
use crate::body::parameters::{self, Form, Parameter};

/// What a part's head says. Buffers are kept from part to part.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) name: Vec<u8>,
    /// The file name as meant; `None` for a field. Empty when a form's file input was left empty.
    pub(super) file_name: Option<Vec<u8>>,
    /// Other readings of the file name.
    pub(super) also_named: Vec<Vec<u8>>,
    /// Type and subtype in lower case; empty when the part does not say.
    pub(super) media_type: Vec<u8>,
    /// Values of the headers that say something else, for the rules.
    pub(super) others: Vec<Vec<u8>>,
}

/// What kind of multipart a part stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Flavor {
    /// `multipart/form-data`.
    #[default]
    Form,
    /// Any other.
    Other,
}

/// A finding: which protection refuses it, and why.
pub(super) type Finding = (Leaf, &'static str);

const BOUNDARIES: Leaf = Leaf::HttpComplianceMultipartBoundaries;
const TRICKS: Leaf = Leaf::FileUploadAttacksHeaderTricks;
const TYPE_TRICK: Leaf = Leaf::FileUploadAttacksContentTypeTrick;

impl Head {
    /// Reads a head without its empty line. Everything that is found goes to `report`.
    pub(super) fn read(&mut self, block: &[u8], flavor: Flavor, report: &mut impl FnMut(Finding)) {
        self.name.clear();
        self.file_name = None;
        self.also_named.clear();
        self.media_type.clear();
        self.others.clear();
        let (mut dispositions, mut types, mut lines) = (0, 0, 0);
        for line in lines_of(block) {
            lines += 1;
            if lines > limits::PART_FIELDS_MAX {
                return report((TRICKS, "a part has too many headers"));
            }
            let Some((name, value)) = field(line, report) else { continue };
            if name.eq_ignore_ascii_case(b"content-disposition") {
                dispositions += 1;
                if dispositions == 1 {
                    self.disposition(value, flavor, report);
                }
            } else if name.eq_ignore_ascii_case(b"content-type") {
                types += 1;
                if types == 1 {
                    self.content_type(value, flavor, report);
                }
            } else {
                if name.eq_ignore_ascii_case(b"content-transfer-encoding") {
                    transfer_encoding(value, flavor, report);
                }
                self.others.push(value.to_vec());
            }
        }
        if dispositions > 1 {
            report((TRICKS, "a part has two Content-Disposition headers"));
        }
        if types > 1 {
            report((TRICKS, "a part has two Content-Type headers"));
        }
        if dispositions == 0 && flavor == Flavor::Form {
            report((TRICKS, "a part has no Content-Disposition"));
        }
    }

    fn disposition(&mut self, value: &[u8], flavor: Flavor, report: &mut impl FnMut(Finding)) {
        let (kind, rest) = parameters::essence(value);
        if flavor == Flavor::Form && !kind.eq_ignore_ascii_case(b"form-data") {
            report((TRICKS, "the Content-Disposition of a part is not form-data"));
        } else if !parameters::is_whole_token(kind) {
            report((TRICKS, "a Content-Disposition cannot be read"));
        }
        let mut extended = None;
        let (mut names, mut file_names) = (0, 0);
        for parameter in parameters::parameters(rest) {
            let Ok(parameter) = parameter else {
                report((TRICKS, "a Content-Disposition cannot be read"));
                break;
            };
            if has_loose_apostrophe(&parameter) {
                report((BOUNDARIES, "a Content-Disposition has an apostrophe outside of double quotes"));
            }
            if parameter.name.eq_ignore_ascii_case(b"name") {
                names += 1;
                odd(&parameter, report);
                if names == 1 {
                    self.name.extend_from_slice(&parameter.value);
                }
            } else if parameter.name.eq_ignore_ascii_case(b"filename") {
                file_names += 1;
                // An encoded word is no odd name where the extended form beside it says the same.
                if !(encoded_word(parameter.raw).is_some() && memchr::memmem::find(rest, b"*=").is_some()) {
                    self.odd_file_name(&parameter, report);
                }
                if parameter.raw != &*parameter.value {
                    self.also_named.push(parameter.raw.to_vec());
                }
                if file_names == 1 {
                    self.file_name = Some(parameter.value.into_owned());
                } else {
                    self.also_named.push(parameter.value.into_owned());
                }
            } else if parameter.name.eq_ignore_ascii_case(b"filename*") {
                if extended.is_some() {
                    report((TRICKS, "a parameter of a Content-Disposition comes twice"));
                }
                extended = Some(extended_value(&parameter.value));
            } else if parameter.name.contains(&b'*') {
                report((TRICKS, "a Content-Disposition has an extended parameter"));
            } else {
                odd(&parameter, report);
                self.others.push(parameter.value.into_owned());
            }
        }
        if names > 1 || file_names > 1 {
            report((TRICKS, "a parameter of a Content-Disposition comes twice"));
        }
        if names == 0 && flavor == Flavor::Form {
            report((TRICKS, "a part has no name"));
        }
        if let Some(extended) = extended {
            self.extended(extended, report);
        }
    }

    /// A file's name in quotes that readers cut at different places. Without a parameter behind its semicolon there are two
    /// names, and both are judged.
    fn odd_file_name(&mut self, parameter: &Parameter<'_>, report: &mut impl FnMut(Finding)) {
        let raw = parameter.raw;
        if parameter.form == Form::Token || raw.contains(&b'=') || !has_loose_semicolon(raw) {
            return odd(parameter, report);
        }
        judge_quotes(raw, report);
        self.also_named
            .extend(raw.split(|byte| *byte == b';').map(|name| name.trim_ascii().to_vec()).take(1));
    }

    /// RFC 7578 forbids `filename*`. Clients that send it beside an equal `filename` cannot be misread and pass.
    fn extended(&mut self, extended: Option<Vec<u8>>, report: &mut impl FnMut(Finding)) {
        // A client that cannot write its file name in ASCII writes it as an encoded word, and then in the extended form.
        let agrees = match (&self.file_name, &extended) {
            (Some(name), Some(extended)) => {
                name == extended || encoded_word(name).is_some_and(|word| word == *extended)
            }
            _ => false,
        };
        if !agrees {
            report((TRICKS, "filename* says something else than filename"));
        }
        self.also_named.extend(extended);
        self.file_name.get_or_insert_default();
    }

    fn content_type(&mut self, value: &[u8], flavor: Flavor, report: &mut impl FnMut(Finding)) {
        let (essence, rest) = parameters::essence(value);
        self.media_type.extend(essence.iter().map(u8::to_ascii_lowercase));
        let mut halves = essence.split(|byte| *byte == b'/');
        let well_formed = matches!(
            (halves.next(), halves.next(), halves.next()),
            (Some(kind), Some(subtype), None)
                if parameters::is_whole_token(kind) && parameters::is_whole_token(subtype)
        );
        if !well_formed {
            report((TYPE_TRICK, "the Content-Type of a part cannot be read"));
        }
        let mut charsets = 0;
        for parameter in parameters::parameters(rest) {
            let Ok(parameter) = parameter else {
                report((TYPE_TRICK, "the Content-Type of a part cannot be read"));
                break;
            };
            if parameter.name.eq_ignore_ascii_case(b"charset") {
                charsets += 1;
                if !is_usual(&parameter.value) {
                    report((TYPE_TRICK, "a part declares an unusual character set"));
                }
            } else {
                if parameters::is_extended(parameter.name, b"charset") {
                    report((TYPE_TRICK, "a part declares its character set in the extended form"));
                }
                self.others.push(parameter.value.into_owned());
            }
        }
        if charsets > 1 {
            report((TYPE_TRICK, "a part declares two character sets"));
        }
        if flavor == Flavor::Form && self.media_type.starts_with(b"multipart/") {
            report((BOUNDARIES, "a multipart form holds a multipart part"));
        }
    }
}

/// Whether forms are sent in this character set without a reason to wonder.
pub(super) fn is_usual(name: &[u8]) -> bool {
    match charset::label(name) {
        Label::Utf8 => true,
        Label::Known(encoding) => [encoding_rs::WINDOWS_1252, encoding_rs::ISO_8859_15].contains(&encoding),
        Label::Utf16 | Label::Unknown => false,
    }
}

fn lines_of(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = (!block.is_empty()).then_some(block);
    std::iter::from_fn(move || {
        let text = rest?;
        let (line, after) = match memchr::memmem::find(text, b"\r\n").and_then(|at| text.split_at_checked(at))
        {
            Some((line, after)) => (line, after.get(2..)),
            None => (text, None),
        };
        rest = after.filter(|after| !after.is_empty());
        Some(line)
    })
}

/// Name and value of a header line.
fn field<'l>(line: &'l [u8], report: &mut impl FnMut(Finding)) -> Option<(&'l [u8], &'l [u8])> {
    if matches!(line.first(), Some(b' ' | b'\t')) {
        report((TRICKS, "a header of a part is folded"));
        return None;
    }
    let parts = memchr::memchr(b':', line).and_then(|at| line.split_at_checked(at));
    let Some((name, value)) = parts else {
        report((TRICKS, "a line in the head of a part is no header"));
        return None;
    };
    if !parameters::is_whole_token(name) {
        report((TRICKS, "the name of a part's header holds characters that do not belong there"));
        return None;
    }
    let value = value.get(1..).unwrap_or_default();
    if value.iter().any(|byte| (*byte < 0x20 && *byte != b'\t') || *byte == 0x7f) {
        report((TRICKS, "a header of a part holds control characters"));
    } else if std::str::from_utf8(value).is_err() {
        report((TRICKS, "a header of a part is not UTF-8"));
    }
    Some((name, value.trim_ascii()))
}

/// An apostrophe outside of double quotes opens a string for some readers, and a `;` in that string parts nothing. The
/// extended form alone has two of its own, with nothing of the kind between them.
fn has_loose_apostrophe(parameter: &Parameter<'_>) -> bool {
    let in_value = match parameter.form {
        Form::Token => memchr::memchr_iter(b'\'', parameter.raw).count(),
        Form::Quoted => 0,
    };
    let is_extended = parameter.name.ends_with(b"*");
    parameter.name.contains(&b'\'') || !(in_value == 0 || is_extended && in_value == 2)
}

/// Values that readers cut at different places.
fn odd(parameter: &Parameter<'_>, report: &mut impl FnMut(Finding)) {
    let raw = parameter.raw;
    if parameter.form == Form::Token {
        return;
    }
    judge_quotes(raw, report);
    if raw.contains(&b'=') || has_loose_semicolon(raw) {
        report((BOUNDARIES, "a parameter of a Content-Disposition contains `;` or `=`"));
    }
}

fn judge_quotes(raw: &[u8], report: &mut impl FnMut(Finding)) {
    if raw.array_windows().any(|pair| pair == b"\\\"") || raw.ends_with(b"\\") {
        report((BOUNDARIES, "a parameter of a Content-Disposition contains a quote"));
    }
}

/// Whether a `;` stands there that does not end a character entity: browsers write what a form's character set lacks so.
fn has_loose_semicolon(raw: &[u8]) -> bool {
    const ENTITY_BYTES_MAX: usize = 12;
    let mut start = 0;
    while let Some(at) = raw.get(start..).and_then(|rest| memchr::memchr(b';', rest)) {
        let before = raw.get(start..start + at).unwrap_or_default();
        let name = before.iter().rposition(|byte| *byte == b'&').and_then(|mark| before.get(mark + 1..));
        let is_entity = name.is_some_and(|name| {
            let digits = name.strip_prefix(b"#").unwrap_or(name);
            (2..=ENTITY_BYTES_MAX).contains(&name.len()) && digits.iter().all(u8::is_ascii_alphanumeric)
        });
        if !is_entity {
            return true;
        }
        start += at + 1;
    }
    false
}

/// `charset'language'percent-coded` of RFC 8187, decoded.
fn extended_value(value: &[u8]) -> Option<Vec<u8>> {
    let mut parts = value.splitn(3, |byte| *byte == b'\'');
    let (charset, _, coded) = (parts.next()?, parts.next()?, parts.next()?);
    if !charset.eq_ignore_ascii_case(b"utf-8") {
        return None;
    }
    let mut out = Vec::with_capacity(coded.len());
    let mut rest = coded;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let (digits, after) = after.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        out.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    std::str::from_utf8(&out).is_ok().then_some(out)
}

/// `=?utf-8?B?base64?=` of RFC 2047, decoded.
fn encoded_word(name: &[u8]) -> Option<Vec<u8>> {
    let inside = name.strip_prefix(b"=?")?.strip_suffix(b"?=")?;
    let mut parts = inside.split(|byte| *byte == b'?');
    let (charset, coding, coded) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || !charset.eq_ignore_ascii_case(b"utf-8") || !coding.eq_ignore_ascii_case(b"b")
    {
        return None;
    }
    let digits = coded.strip_suffix(b"==").or_else(|| coded.strip_suffix(b"=")).unwrap_or(coded);
    let mut out = Vec::with_capacity(digits.len());
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in digits {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xfff;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    Some(out)
}

fn transfer_encoding(value: &[u8], flavor: Flavor, report: &mut impl FnMut(Finding)) {
    let changes_nothing =
        [&b"7bit"[..], b"8bit", b"binary"].iter().any(|known| value.trim_ascii().eq_ignore_ascii_case(known));
    if flavor == Flavor::Form || !changes_nothing {
        report((
            Leaf::FileUploadAttacksDeprecatedEncoding,
            "a part has a Content-Transfer-Encoding, which RFC 7578 deprecates",
        ));
    }
}
