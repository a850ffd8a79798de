//! The head of a part: what its `Content-Disposition` and `Content-Type` say (RFC 7578, section 4), and every way in which
//! two readers might understand them differently.

mod coded;

use super::doubt::Doubt;
use crate::parameters::{self, Form, Parameter};
use coded::{encoded_word, extended_value};

/// The fields of a part's head. Buffers are kept from part to part.
#[derive(Debug, Default)]
pub struct Head {
    /// The name of the field; empty when the part has none.
    pub name: Vec<u8>,
    /// True if no reader finds another name than that one.
    pub has_one_name: bool,
    /// The file name as meant; `None` for a field. Empty when a form's file input was left empty.
    pub file_name: Option<Vec<u8>>,
    /// Other readings of the file name.
    pub also_named: Vec<Vec<u8>>,
    /// Type and subtype in lower case; empty when the part does not say.
    pub media_type: Vec<u8>,
    /// Character sets that the type names.
    pub charsets: Vec<Vec<u8>>,
    /// Values of all other headers and parameters.
    pub others: Vec<Vec<u8>>,
}

/// Parameters of a Content-Disposition that came.
#[derive(Debug, Default)]
struct Seen {
    names: u32,
    /// True if some readers may find a name in an extended or continued form, or behind what cannot be read.
    has_other_name: bool,
    file_names: u32,
    extended: Extended,
}

/// `filename*` (RFC 8187).
#[derive(Debug, Default, PartialEq, Eq)]
enum Extended {
    #[default]
    Missing,
    Unreadable,
    Decoded(Vec<u8>),
}

/// The kind of multipart that a part stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flavor {
    /// `multipart/form-data`.
    #[default]
    Form,
    /// Any other.
    Other,
}

impl Head {
    /// Reads a head without its empty line. What readers may understand differently goes to `report`.
    pub fn read(&mut self, block: &[u8], flavor: Flavor, fields_max: usize, report: &mut impl FnMut(Doubt)) {
        self.name.clear();
        self.has_one_name = false;
        self.file_name = None;
        self.also_named.clear();
        self.media_type.clear();
        self.charsets.clear();
        self.others.clear();
        let (mut dispositions, mut types, mut lines) = (0, 0, 0);
        for line in lines_of(block) {
            lines += 1;
            if lines > fields_max {
                return report(Doubt::head("a part has too many headers"));
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
        self.has_one_name &= dispositions == 1;
        if dispositions > 1 {
            report(Doubt::head("a part has two Content-Disposition headers"));
        }
        if types > 1 {
            report(Doubt::head("a part has two Content-Type headers"));
        }
        if dispositions == 0 && flavor == Flavor::Form {
            report(Doubt::head("a part has no Content-Disposition"));
        }
    }

    fn disposition(&mut self, value: &[u8], flavor: Flavor, report: &mut impl FnMut(Doubt)) {
        let (kind, rest) = parameters::essence(value);
        if flavor == Flavor::Form && !kind.eq_ignore_ascii_case(b"form-data") {
            report(Doubt::head("the Content-Disposition of a part is not form-data"));
        } else if !parameters::is_whole_token(kind) {
            report(Doubt::head("a Content-Disposition cannot be read"));
        }
        let mut seen = Seen::default();
        for parameter in parameters::parameters(rest) {
            let Ok(parameter) = parameter else {
                seen.has_other_name = true;
                report(Doubt::head("a Content-Disposition cannot be read"));
                break;
            };
            if has_loose_apostrophe(&parameter) {
                report(Doubt::boundary("a Content-Disposition has an apostrophe outside of double quotes"));
            }
            self.disposition_parameter(parameter, rest, &mut seen, report);
        }
        self.has_one_name = seen.names == 1 && !seen.has_other_name;
        if seen.names > 1 || seen.file_names > 1 {
            report(Doubt::head("a parameter of a Content-Disposition comes twice"));
        }
        if seen.names == 0 && flavor == Flavor::Form {
            report(Doubt::head("a part has no name"));
        }
        match seen.extended {
            Extended::Missing => {}
            Extended::Unreadable => self.extended(None, report),
            Extended::Decoded(name) => self.extended(Some(name), report),
        }
    }

    /// Takes one parameter of the `parameters` of a Content-Disposition.
    fn disposition_parameter(
        &mut self,
        parameter: Parameter<'_>,
        parameters: &[u8],
        seen: &mut Seen,
        report: &mut impl FnMut(Doubt),
    ) {
        if parameter.name.eq_ignore_ascii_case(b"name") {
            seen.names += 1;
            odd(&parameter, report);
            if seen.names == 1 {
                self.name.extend_from_slice(&parameter.value);
            }
        } else if parameter.name.eq_ignore_ascii_case(b"filename") {
            seen.file_names += 1;
            // An encoded word is no odd name where the extended form beside it says the same.
            let is_coded = encoded_word(parameter.raw).is_some();
            if !(is_coded && memchr::memmem::find(parameters, b"*=").is_some()) {
                self.odd_file_name(&parameter, report);
            }
            if parameter.raw != &*parameter.value {
                self.also_named.push(parameter.raw.to_vec());
            }
            if seen.file_names == 1 {
                self.file_name = Some(parameter.value.into_owned());
            } else {
                self.also_named.push(parameter.value.into_owned());
            }
        } else if parameter.name.eq_ignore_ascii_case(b"filename*") {
            if seen.extended != Extended::Missing {
                report(Doubt::head("a parameter of a Content-Disposition comes twice"));
            }
            seen.extended = extended_value(&parameter.value).map_or(Extended::Unreadable, Extended::Decoded);
        } else if parameter.name.contains(&b'*') {
            seen.has_other_name |= parameters::is_extended(parameter.name, b"name");
            report(Doubt::head("a Content-Disposition has an extended parameter"));
        } else {
            odd(&parameter, report);
            self.others.push(parameter.value.into_owned());
        }
    }

    /// A file's name in quotes that readers cut at different places. Without a parameter behind its semicolon there are two
    /// names, and both are judged.
    fn odd_file_name(&mut self, parameter: &Parameter<'_>, report: &mut impl FnMut(Doubt)) {
        let raw = parameter.raw;
        if parameter.form == Form::Token || raw.contains(&b'=') || !has_loose_semicolon(raw) {
            return odd(parameter, report);
        }
        judge_quotes(raw, report);
        self.also_named
            .extend(raw.split(|byte| *byte == b';').map(|name| name.trim_ascii().to_vec()).take(1));
    }

    /// RFC 7578 forbids `filename*`. Clients that send it beside an equal `filename` cannot be misread and pass.
    fn extended(&mut self, extended: Option<Vec<u8>>, report: &mut impl FnMut(Doubt)) {
        // A client that cannot write its file name in ASCII writes it as an encoded word, and then in the extended form.
        let agrees = match (&self.file_name, &extended) {
            (Some(name), Some(extended)) => {
                name == extended || encoded_word(name).is_some_and(|word| word == *extended)
            }
            _ => false,
        };
        if !agrees {
            report(Doubt::head("filename* says something else than filename"));
        }
        self.also_named.extend(extended);
        self.file_name.get_or_insert_default();
    }

    fn content_type(&mut self, value: &[u8], flavor: Flavor, report: &mut impl FnMut(Doubt)) {
        let (essence, rest) = parameters::essence(value);
        self.media_type.extend(essence.iter().map(u8::to_ascii_lowercase));
        let mut halves = essence.split(|byte| *byte == b'/');
        let well_formed = matches!(
            (halves.next(), halves.next(), halves.next()),
            (Some(kind), Some(subtype), None)
                if parameters::is_whole_token(kind) && parameters::is_whole_token(subtype)
        );
        if !well_formed {
            report(Doubt::media_type("the Content-Type of a part cannot be read"));
        }
        for parameter in parameters::parameters(rest) {
            let Ok(parameter) = parameter else {
                report(Doubt::media_type("the Content-Type of a part cannot be read"));
                break;
            };
            if parameter.name.eq_ignore_ascii_case(b"charset") {
                self.charsets.push(parameter.value.into_owned());
            } else {
                if parameters::is_extended(parameter.name, b"charset") {
                    report(Doubt::media_type("a part declares its character set in the extended form"));
                }
                self.others.push(parameter.value.into_owned());
            }
        }
        if self.charsets.len() > 1 {
            report(Doubt::media_type("a part declares two character sets"));
        }
        if flavor == Flavor::Form && self.media_type.starts_with(b"multipart/") {
            report(Doubt::boundary("a multipart form holds a multipart part"));
        }
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
fn field<'l>(line: &'l [u8], report: &mut impl FnMut(Doubt)) -> Option<(&'l [u8], &'l [u8])> {
    if matches!(line.first(), Some(b' ' | b'\t')) {
        report(Doubt::head("a header of a part is folded"));
        return None;
    }
    let parts = memchr::memchr(b':', line).and_then(|at| line.split_at_checked(at));
    let Some((name, value)) = parts else {
        report(Doubt::head("a line in the head of a part is no header"));
        return None;
    };
    if !parameters::is_whole_token(name) {
        report(Doubt::head("the name of a part's header holds characters that do not belong there"));
        return None;
    }
    let value = value.get(1..).unwrap_or_default();
    if value.iter().any(|byte| (*byte < 0x20 && *byte != b'\t') || *byte == 0x7f) {
        report(Doubt::head("a header of a part holds control characters"));
    } else if std::str::from_utf8(value).is_err() {
        report(Doubt::head("a header of a part is not UTF-8"));
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
fn odd(parameter: &Parameter<'_>, report: &mut impl FnMut(Doubt)) {
    let raw = parameter.raw;
    if parameter.form == Form::Token {
        return;
    }
    judge_quotes(raw, report);
    if raw.contains(&b'=') || has_loose_semicolon(raw) {
        report(Doubt::boundary("a parameter of a Content-Disposition contains `;` or `=`"));
    }
}

fn judge_quotes(raw: &[u8], report: &mut impl FnMut(Doubt)) {
    if raw.array_windows().any(|pair| pair == b"\\\"") || raw.ends_with(b"\\") {
        report(Doubt::boundary("a parameter of a Content-Disposition contains a quote"));
    }
}

/// Returns `true` if a `;` stands there that does not end a character entity: browsers write what a form's character set lacks so.
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

fn transfer_encoding(value: &[u8], flavor: Flavor, report: &mut impl FnMut(Doubt)) {
    let changes_nothing =
        [&b"7bit"[..], b"8bit", b"binary"].iter().any(|known| value.trim_ascii().eq_ignore_ascii_case(known));
    if flavor == Flavor::Form || !changes_nothing {
        report(Doubt::encoding("a part has a Content-Transfer-Encoding, which RFC 7578 deprecates"));
    }
}

/// Names and values of the header lines of a head without its empty line, as far as they can be read.
pub fn fields(block: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    lines_of(block).filter_map(|line| field(line, &mut |_| {}))
}
