//! Judging arguments: names and values, what they say together with the head, and components that are no pair of both.

use waf_bodies::form;
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::judging::Judging;
use super::repeated::Source;
use super::split;
use crate::field::{Field, Place};

impl Judging {
    /// Judges a query as sent: every component, and the whole of it where it is no list of names and values.
    pub(super) fn query(&mut self, raw_query: &[u8]) {
        let (mut components, mut is_list) = (0, true);
        for pair in form::pairs(raw_query) {
            self.argument(Place::QueryName, Place::Query, pair);
            self.names.note_argument(split::argument(pair).0);
            is_list &= split::is_listed(pair);
            components += 1;
        }
        // Markup and code hold `=` and `&` of their own. A page that takes the query as one value reads them as such.
        if !is_list && components > 1 {
            self.field(&Field { place: Place::Query, name: b"", value: raw_query });
        }
    }

    /// Judges an argument as it stands between two `&`. Without `=` it is a value, of any length; what little of it could be
    /// a name is judged as one too, because some frameworks read it so.
    pub(super) fn argument(&mut self, names: Place, values: Place, pair: &[u8]) {
        let (name, Some(value)) = split::argument(pair) else {
            self.count_argument();
            self.field(&Field { place: values, name: b"", value: pair });
            if pair.len() <= limits::ARGUMENT_NAME_BYTES_MAX {
                self.field(&Field { place: names, name: b"", value: pair });
            }
            return;
        };
        self.in_context(names, values, name, value);
        self.argument_name(names, name);
        self.field(&Field { place: values, name, value });
        if !split::is_pair(pair) {
            self.field(&Field { place: values, name: b"", value: pair });
        }
        if Source::of(values) == Source::Form {
            self.arrived.note(Source::Form, name, value);
        }
    }

    /// Judges what an argument says together with the head.
    pub(super) fn in_context(&mut self, names: Place, values: Place, name: &[u8], value: &[u8]) {
        if let Some(found) = self.context.judge(&self.leaves, name, value) {
            let place = if found.in_name { names } else { values };
            // Session identifiers are secrets: the name says enough.
            self.report(found.rule, place, name, name);
        }
    }

    fn count_argument(&mut self) {
        self.arguments += 1;
        if self.arguments > limits::ARGUMENTS_MAX {
            self.violation(Leaf::RequestValidationArgumentLimits, "more than 1000 arguments".into());
        }
    }

    /// Counts an argument and judges its name.
    pub(super) fn argument_name(&mut self, names: Place, name: &[u8]) {
        self.count_argument();
        // Text with quotes and braces in front of `=` is no name that anybody reads; it is judged as a value.
        if name.len() > limits::ARGUMENT_NAME_BYTES_MAX && split::is_name(name) {
            self.violation(
                Leaf::RequestValidationArgumentLimits,
                "an argument's name is over 1024 bytes".into(),
            );
        }
        self.field(&Field { place: names, name: b"", value: split::without_reference(name) });
    }

    /// Judges the URL of the page that a request comes from. Pages log it and search in its query, so its arguments are
    /// judged as those of a request are, and no harder.
    pub(super) fn referer(&mut self, field: &Field<'_>) {
        let url = field.value;
        // Readers of URLs drop tabs (WHATWG URL, section 4.4).
        if memchr::memchr(b'\t', url).is_some() {
            self.field(field);
            let url: Vec<u8> = url.iter().copied().filter(|byte| *byte != b'\t').collect();
            return self.arguments_of(field.name, &url);
        }
        match memchr::memchr(b'?', url) {
            Some(mark) if split::is_url(url) => {
                let page = url.get(..mark).unwrap_or_default();
                self.field(&Field { value: page, ..*field });
            }
            _ => self.field(field),
        }
        self.arguments_of(field.name, url);
    }

    /// Judges the query of a URL that stands in the header `name`.
    fn arguments_of(&mut self, name: &[u8], url: &[u8]) {
        let Some(mark) = memchr::memchr(b'?', url) else { return };
        let query = url.get(mark + 1..).unwrap_or_default();
        let (mut components, mut is_list) = (0, true);
        for pair in form::pairs(query) {
            let (argument, value) = split::argument(pair);
            self.spaced(name, value.unwrap_or(argument));
            is_list &= split::is_listed(pair);
            components += 1;
            if value.is_some() && !split::is_pair(pair) {
                self.spaced(name, pair);
            }
        }
        if !is_list && components > 1 {
            self.spaced(name, query);
        }
    }

    /// Judges a value of the header `name` whose plus signs stand for spaces.
    fn spaced(&mut self, name: &[u8], value: &[u8]) {
        let mut spaced = std::mem::take(&mut self.spaced);
        spaced.clear();
        spaced.extend(value.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }));
        self.field(&Field { place: Place::Header, name, value: &spaced });
        self.spaced = spaced;
    }

    /// Judges the cookies of one header line: as split at every semicolon, and as readers of quoted strings split them.
    pub(super) fn cookies(&mut self, line: &[u8]) {
        for (name, value) in split::cookies(line) {
            self.field(&Field { place: Place::CookieName, name: b"", value: name });
            self.field(&Field { place: Place::Cookie, name, value });
            self.names.note_argument(name);
        }
        self.quoted_cookies(line);
    }

    /// Judges the quoted cookies of `line` that hold semicolons or escapes.
    pub(super) fn quoted_cookies(&mut self, line: &[u8]) {
        if memchr::memchr(b'"', line).is_none() {
            return;
        }
        for (name, quoted) in split::quoted_cookies(line) {
            self.field(&Field { place: Place::Cookie, name, value: &split::unescape(quoted) });
        }
    }
}
