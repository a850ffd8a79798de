//! Executable documents of GraphQL (specification of October 2021, section 2): the texts in one, and how much it asks for.
//! A document is a value of something else, so it is read as a whole and not in chunks. What it defines is not compared with
//! a schema; only its brackets have to match.

mod expansion;
mod token;

use expansion::Definitions;
use token::{Token, Tokens};

/// A text in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'d> {
    /// Name of the argument or field of an object that it is the value of; empty where there is none.
    pub name: &'d [u8],
    /// The bytes between the quotes or behind `#`, with their escapes.
    pub raw: &'d [u8],
    /// Its kind.
    pub kind: TextKind,
}

/// Kinds of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// `"…"`, with escapes.
    Quoted,
    /// `"""…"""`, where only the quotes are escaped.
    Block,
    /// From `#` to the end of the line.
    Comment,
}

/// Size of what a document asks for, with fragments written out wherever they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outline {
    /// Brackets around the innermost field.
    pub depth: u64,
    /// Fields.
    pub fields: u64,
    /// Fields under another name.
    pub aliases: u64,
    /// Directives, as written.
    pub directives: u64,
    /// True if it asks for the schema.
    pub is_introspection: bool,
}

/// A document.
#[derive(Debug, Default)]
pub struct Document<'d> {
    /// Size of what it asks for.
    pub outline: Outline,
    /// Its texts, in order.
    pub texts: Vec<Text<'d>>,
}

/// Keywords with which a definition begins.
const KEYWORDS: [&[u8]; 4] = [b"query", b"mutation", b"subscription", b"fragment"];

/// Returns `true` if `text` begins as a document does; `{` alone begins much else too.
pub fn begins(text: &[u8]) -> bool {
    match Tokens::of(text).find(|token| !matches!(token, Ok(Token::Comment(_)))) {
        Some(Ok(Token::Name(name))) => KEYWORDS.contains(&name),
        Some(Ok(Token::Punctuator(b'{'))) => true,
        _ => false,
    }
}

/// Reads `text`; none unless it is a document from its first byte to its last.
pub fn read(text: &[u8]) -> Option<Document<'_>> {
    let mut reader = Reader::default();
    for token in Tokens::of(text) {
        reader.take(token.ok()?)?;
    }
    if !reader.open.is_empty() || reader.is_in_head || reader.definitions.is_empty() {
        return None;
    }
    let mut outline = reader.definitions.outline();
    outline.directives = reader.directives;
    outline.is_introspection = reader.is_introspection;
    Some(Document { outline, texts: reader.texts })
}

#[derive(Debug, Default)]
struct Reader<'d> {
    definitions: Definitions<'d>,
    texts: Vec<Text<'d>>,
    /// Open brackets.
    open: Vec<u8>,
    /// Those of them that are `(` or `[`: what is in them is no selection.
    arguments: usize,
    /// True between the keyword of a definition and its selection.
    is_in_head: bool,
    /// The token before, comments aside.
    last: Option<Token<'d>>,
    /// The token before that.
    before: Option<Token<'d>>,
    /// The name in front of the last colon among arguments.
    name: &'d [u8],
    directives: u64,
    is_introspection: bool,
}

impl<'d> Reader<'d> {
    fn take(&mut self, token: Token<'d>) -> Option<()> {
        match token {
            Token::Comment(raw) => {
                self.texts.push(Text { name: b"", raw, kind: TextKind::Comment });
                return Some(());
            }
            Token::Punctuator(bracket @ (b'{' | b'(' | b'[')) => self.open(bracket)?,
            Token::Punctuator(bracket @ (b'}' | b')' | b']')) => self.close(bracket)?,
            Token::Punctuator(mark) => self.mark(mark)?,
            Token::Name(name) => self.named(name)?,
            Token::Quoted(raw) => self.text(raw, TextKind::Quoted)?,
            Token::Block(raw) => self.text(raw, TextKind::Block)?,
            Token::Number if self.arguments == 0 => return None,
            Token::Spread if !self.is_selection() => return None,
            Token::Number | Token::Spread => {}
        }
        self.before = self.last.replace(token);
        Some(())
    }

    /// Returns `true` within the fields of a selection.
    fn is_selection(&self) -> bool {
        self.arguments == 0 && !self.open.is_empty()
    }

    fn text(&mut self, raw: &'d [u8], kind: TextKind) -> Option<()> {
        self.texts.push(Text { name: self.name, raw, kind });
        (self.arguments > 0).then_some(())
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        if self.open.is_empty() && bracket == b'{' {
            if !self.is_in_head {
                self.definitions.begin(b"");
            }
            self.is_in_head = false;
        } else if self.open.is_empty() && !self.is_in_head {
            return None;
        }
        if bracket == b'[' && self.arguments == 0 {
            return None;
        }
        self.arguments += usize::from(bracket != b'{' || self.arguments > 0);
        self.open.push(bracket);
        self.definitions.reach(self.open.len() as u64);
        Some(())
    }

    fn close(&mut self, bracket: u8) -> Option<()> {
        let opened = self.open.pop()?;
        let is_pair = matches!((opened, bracket), (b'{', b'}') | (b'(', b')') | (b'[', b']'));
        self.arguments = self.arguments.saturating_sub(1);
        is_pair.then_some(())
    }

    fn mark(&mut self, mark: u8) -> Option<()> {
        match (mark, &self.last) {
            (b':', Some(Token::Name(name))) if self.arguments > 0 => self.name = name,
            (b':', Some(Token::Name(_))) if self.is_selection() => self.definitions.alias(),
            (b'@', _) => self.directives = self.directives.saturating_add(1),
            (b'$' | b'!' | b'=' | b'|' | b'&', _) if self.arguments > 0 => {}
            _ => return None,
        }
        Some(())
    }

    fn named(&mut self, name: &'d [u8]) -> Option<()> {
        if self.open.is_empty() {
            return self.in_head(name);
        }
        if self.arguments > 0 {
            return Some(());
        }
        self.is_introspection |= matches!(name, b"__schema" | b"__type");
        let is_condition =
            matches!(self.last, Some(Token::Name(b"on"))) && self.before == Some(Token::Spread);
        match &self.last {
            Some(Token::Spread) if name != b"on" => self.definitions.spread(name, self.open.len() as u64),
            // The name behind an alias was counted with it.
            Some(Token::Spread | Token::Punctuator(b'@' | b':')) => {}
            _ if is_condition => {}
            _ => self.definitions.field(),
        }
        Some(())
    }

    /// A name outside all brackets: the keyword of a definition, or a part of its head.
    fn in_head(&mut self, name: &'d [u8]) -> Option<()> {
        if self.is_in_head {
            if self.last == Some(Token::Name(b"fragment")) {
                self.definitions.name(name);
            }
            return Some(());
        }
        self.is_in_head = true;
        self.definitions.begin(b"");
        KEYWORDS.contains(&name).then_some(())
    }
}

#[cfg(test)]
mod tests;
