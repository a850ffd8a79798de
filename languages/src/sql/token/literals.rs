//! Numbers, strings and names in quotes.

use super::{
    BRACKETED_MAX, Dialect, Kind, Lexer, Number, Quotes, find, is_word, lookup, smart_quote, space_bytes,
    word_bytes,
};
use crate::sql::words::{self, WORD_BYTES_MAX, Word};

impl Lexer<'_> {
    /// Digits, and what servers read beyond them. An alphanumeric run that is no number and holds no keyword is a word.
    pub(super) fn number(&mut self) -> Kind {
        let rest = self.rest();
        let run = |from: usize, test: fn(&u8) -> bool| rest.iter().skip(from).take_while(|b| test(b)).count();
        if let [b'0', b'x' | b'X', digit, ..] = rest
            && digit.is_ascii_hexdigit()
        {
            self.at += 2 + run(2, u8::is_ascii_hexdigit);
            return Kind::Number(Number::Hex);
        }
        let mut length = run(0, u8::is_ascii_digit);
        if let [b'0', b'b' | b'B', b'0' | b'1', ..] = rest {
            let bits = run(2, |b| matches!(b, b'0' | b'1'));
            if !rest.get(2 + bits).is_some_and(|b| is_word(*b)) {
                self.at += 2 + bits;
                return Kind::Number(Number::Hex);
            }
        }
        let mut notation = Number::Decimal;
        let dotted = rest.get(length) == Some(&b'.') && rest.get(length + 1) != Some(&b'.');
        if dotted {
            length += 1 + run(length + 1, u8::is_ascii_digit);
        }
        if matches!(rest.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let digits = run(length + 1 + sign, u8::is_ascii_digit);
            if digits > 0 {
                length += 1 + sign + digits;
                notation = Number::Scientific;
            } else if dotted && !rest.get(length + 1).is_some_and(|b| is_word(*b)) {
                length += 1;
                notation = Number::EmptyExponent;
            }
        }
        let tail = rest.get(length..).unwrap_or_default();
        // Behind a digit, a lone 0xa0 is a space, and a dash two hyphens that an editor joined.
        let ends = space_bytes(tail, Some(b'0')) > 0 || matches!(tail, [0xe2, 0x80, 0x93 | 0x94, ..]);
        let letters = if ends { 0 } else { word_bytes(tail) };
        if letters > 0 {
            let known = tail.get(..letters).map_or(Word::Plain, lookup);
            if known == Word::Plain && !dotted {
                self.at += length + letters;
                return Kind::Word(Word::Plain);
            }
        }
        self.at += length;
        Kind::Number(notation)
    }

    /// A string from its opening quote on. A doubled quote, and in MySQL a backslash, escapes.
    pub(super) fn string(&mut self) -> Kind {
        let quote = self.peek(0);
        let typographic = if quote.is_ascii() { 0 } else { smart_quote(self.rest()) };
        self.at += typographic.max(1);
        loop {
            let rest = self.rest();
            let next = if typographic > 0 {
                rest.iter().position(|b| *b == quote || *b == b'\\')
            } else {
                memchr::memchr2(quote, b'\\', rest)
            };
            let Some(ahead) = next else {
                self.at = self.bytes.len();
                return Kind::OpenText;
            };
            self.at += ahead;
            if self.peek(0) == b'\\' {
                self.ambiguous = true;
                let escape = self.dialect == Dialect::MySql;
                self.at = (self.at + 1 + usize::from(escape)).min(self.bytes.len());
            } else if typographic > 0 {
                let close = smart_quote(self.rest());
                self.at += close.max(1);
                if close > 0 {
                    return Kind::Text;
                }
            } else if self.peek(1) == quote {
                self.at += 2;
            } else {
                self.at += 1;
                return Kind::Text;
            }
        }
    }

    pub(super) fn backticked(&mut self) -> Kind {
        self.at += 1;
        match memchr::memchr(b'`', self.rest()) {
            Some(length) => {
                self.at += length + 1;
                Kind::Word(Word::Quoted)
            }
            None => {
                self.at = self.bytes.len();
                Kind::OpenText
            }
        }
    }

    /// `$$…$$`, or a word with a dollar in front.
    pub(super) fn dollar(&mut self) -> Kind {
        let tag = self.rest().iter().skip(1).take(16).take_while(|b| b.is_ascii_alphanumeric()).count();
        if self.peek(1 + tag) == b'$' && self.quotes != Quotes::Flat {
            let mark = self.rest().get(..tag + 2).unwrap_or_default();
            let body = self.rest().get(tag + 2..).unwrap_or_default();
            if let Some(length) = find(body, mark) {
                self.at += 2 * (tag + 2) + length;
                return Kind::Text;
            }
        }
        if self.peek(1).is_ascii_alphabetic() {
            let mut folded = [0u8; WORD_BYTES_MAX + 1];
            self.at += 1;
            if let Some(first) = folded.first_mut() {
                *first = b'$';
            }
            let length = self.fold_word(&mut folded, 1);
            return Kind::Word(words::lookup(folded.get(..length).unwrap_or_default()));
        }
        self.step(1, Kind::Other)
    }

    pub(super) fn bracket(&mut self) -> Kind {
        let window = self.rest().get(1..).unwrap_or_default();
        let window = window.get(..window.len().min(BRACKETED_MAX)).unwrap_or_default();
        let name = window.iter().take_while(|b| is_word(**b) || **b == b' ').count();
        if self.quotes != Quotes::Flat
            && name > 0
            && window.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && window.get(name) == Some(&b']')
        {
            return self.step(name + 2, Kind::Word(Word::Quoted));
        }
        self.step(1, Kind::BracketOpen)
    }
}
