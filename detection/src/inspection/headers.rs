//! Header values that need no judging, and those that are judged once for all requests that send them alike. A value is
//! passed over only while it follows the grammar of its header, and only where that grammar leaves no room for an attack:
//! closed lists of words, numbers, dates, and tokens that hold neither spaces nor marks. Everything else is judged.

mod grammar;

use grammar::Grammar;

/// Longest value that is passed over by its grammar; browsers stay far below it.
const VALUE_BYTES_MAX: usize = 512;

/// The judging of a header's values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Unless they follow a grammar.
    Structured(Grammar),
    /// Unless they follow a grammar or were found clean before: many requests send the same one.
    Recurring(Grammar),
    /// As cookies.
    Cookie,
    /// Always.
    Free,
}

impl Kind {
    /// The kind of the header `name`. The length decides first: most headers cost a comparison or two.
    pub(super) fn of(name: &[u8]) -> Kind {
        use Kind::{Cookie, Free, Recurring, Structured};
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match name.len() {
            2 if is("te") => Structured(grammar::codings),
            3 if is("age") || is("dnt") => Structured(grammar::number),
            4 if is("host") => Structured(grammar::host),
            4 if is("date") => Structured(grammar::date),
            5 if is("range") => Structured(grammar::ranges),
            6 if is("cookie") => Cookie,
            6 if is("accept") => Recurring(grammar::media_ranges),
            6 if is("origin") => Recurring(grammar::nothing),
            6 if is("pragma") => Structured(grammar::directives),
            7 if is("upgrade") => Structured(grammar::connection_options),
            7 if is("sec-gpc") => Structured(grammar::number),
            8 if is("if-match") => Structured(grammar::entity_tags),
            8 if is("if-range") => Structured(grammar::date_or_entity_tag),
            8 if is("priority") => Structured(grammar::priority),
            9 if is("sec-ch-ua") => Recurring(grammar::nothing),
            10 if is("connection") => Structured(grammar::connection_options),
            10 if is("user-agent") => Recurring(grammar::nothing),
            12 if is("content-type") => Structured(grammar::media_type),
            12 if is("max-forwards") => Structured(grammar::number),
            13 if is("cache-control") => Structured(grammar::directives),
            13 if is("if-none-match") => Structured(grammar::entity_tags),
            14 if is("content-length") => Structured(grammar::number),
            14 if is("sec-fetch-site") || is("sec-fetch-mode") || is("sec-fetch-dest") => {
                Structured(grammar::word)
            }
            14 if is("sec-fetch-user") => Structured(grammar::boolean),
            14 if is("sec-ch-ua-arch") => Structured(grammar::string),
            15 if is("accept-encoding") => Recurring(grammar::codings),
            15 if is("accept-language") => Recurring(grammar::languages),
            16 if is("sec-ch-ua-mobile") => Structured(grammar::boolean),
            16 if is("proxy-connection") => Structured(grammar::connection_options),
            17 if is("if-modified-since") => Structured(grammar::date),
            17 if is("sec-ch-ua-bitness") => Structured(grammar::string),
            17 if is("transfer-encoding") => Structured(grammar::codings),
            18 if is("sec-ch-ua-platform") => Structured(grammar::string),
            19 if is("if-unmodified-since") => Structured(grammar::date),
            21 if is("sec-websocket-version") => Structured(grammar::number),
            25 if is("upgrade-insecure-requests") => Structured(grammar::number),
            26 if is("sec-ch-ua-platform-version") => Structured(grammar::string),
            27 if is("sec-ch-ua-full-version-list") => Recurring(grammar::nothing),
            _ => Free,
        }
    }
}

/// True if `value` follows `grammar`, so that nothing in it can be evidence.
pub(super) fn is_plain(grammar: Grammar, value: &[u8]) -> bool {
    value.len() <= VALUE_BYTES_MAX && grammar(value)
}

#[cfg(test)]
mod tests;
