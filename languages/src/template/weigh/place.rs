//! Names that mean something only where they stand.

use super::{Expression, NEW, READS, VELOCITY, member_follows};
use crate::template::sign::{Syntax, TemplateSign};
use crate::template::token::Token;
use crate::template::words;

impl Expression<'_> {
    /// The sign of `name` at `at`, by its neighbours.
    pub(super) fn by_place(&self, at: usize, name: &[u8]) -> Option<TemplateSign> {
        self.of_any_engine(at, name).or_else(|| self.of_one_engine(at, name))
    }

    fn of_any_engine(&self, at: usize, name: &[u8]) -> Option<TemplateSign> {
        let called = self.mark(at + 1, b'(');
        let member = self.is_member(at);
        let text = matches!(self.get(at + 2), Some(Token::Text(_)));
        let filters = called && matches!(self.back(at, 1), Some(Token::Mark(b'|')));
        let sign = match name {
            b"T" if called && self.name(at + 2).is_some() && self.mark(at + 3, b'.') => {
                return Some(TemplateSign::Introspection);
            }
            b"constructor" => self.constructs(at),
            b"new" => return self.instantiates(at),
            b"execute" | b"evaluate" if member && called => {
                let on_text = matches!(self.back(at, 2), Some(Token::Text(_) | Token::Mark(b']')));
                let read = self.mark(at + 3, b'.') && self.names(at + 4, &["text", "waitfor"]);
                on_text || read || name == b"evaluate" && text
            }
            b"attr" => filters,
            b"include" | b"source" | b"import" | b"fetch" => return self.includes(at),
            b"require" => {
                self.syntax == Syntax::Tag && matches!(self.get(at + 1), Some(Token::Text(_)))
                    || called && text && member_follows(self, at + 4)
            }
            b"dump" => {
                called && (self.names(at + 2, &["app", "_context", "_self"]) || self.mark(at + 2, b')'))
            }
            b"open" => called && matches!(self.get(at + 2), Some(Token::Text([b'/', ..]))),
            b"signer" => member && self.mark(at + 1, b'.') && self.names(at + 2, &["key"]),
            b"map" | b"filter" | b"sort" | b"reduce" => {
                filters && self.name(at + 2).is_some() && self.mark(at + 3, b'|')
            }
            _ => false,
        };
        sign.then_some(TemplateSign::Code)
    }

    fn of_one_engine(&self, at: usize, name: &[u8]) -> Option<TemplateSign> {
        let member = self.is_member(at);
        let leads = self.mark(at + 1, b'.');
        let alone = self.tokens.len() == 1;
        let introspects = match name {
            b"php" => self.syntax == Syntax::Brace && alone,
            b"class" => {
                let names = &["base", "mro", "forname", "subclasses", "getresource", "methods", "inspect"];
                member && leads && self.names(at + 2, names)
            }
            b"$class" => {
                leads
                    && self.syntax == Syntax::Velocity
                    && self.names(at + 2, &["inspect", "forname", "type"])
            }
            b"$smarty" => leads && self.names(at + 2, &["version", "template", "template_object"]),
            b"freemarker" => leads && self.names(at + 2, &["template"]),
            _ => false,
        };
        if introspects {
            return Some(TemplateSign::Introspection);
        }
        let runs = match name {
            b"debug" => self.syntax == Syntax::Statement && alone,
            b"class" => {
                // Behind another name the class is a member, which has been weighed.
                !member && at == 0 && leads && self.names(2, &["getresource", "forname", "getclassloader"])
            }
            b"get_admin_log" => self.syntax == Syntax::Statement,
            b"Diagnostics" => member && self.syntax == Syntax::Razor,
            name => {
                self.syntax == Syntax::Velocity
                    && member
                    && self.mark(at + 1, b'(')
                    && words::is_one(name, VELOCITY)
            }
        };
        runs.then_some(TemplateSign::Code)
    }

    /// `x.constructor(`, `constructor.constructor`, `constructor.prototype`.
    fn constructs(&self, at: usize) -> bool {
        let reached = ["constructor", "prototype", "_load", "call", "apply", "bind"];
        let leads = self.mark(at + 1, b'(')
            || self.mark(at + 1, b'[')
            || self.mark(at + 1, b'.') && self.names(at + 2, &reached);
        leads && (self.is_member(at) || self.names(at + 2, &["constructor"]))
    }

    /// `new java.…`, `new File(`, and in `{{ }}` an assignment of any new object.
    fn instantiates(&self, at: usize) -> Option<TemplateSign> {
        let class = self.name(at + 1)?;
        let package = class.first().is_some_and(u8::is_ascii_lowercase)
            && self.mark(at + 2, b'.')
            && matches!(class, b"java" | b"javax" | b"groovy" | b"freemarker" | b"org" | b"com" | b"sun");
        let assigned = self.syntax == Syntax::Output && matches!(self.back(at, 1), Some(Token::Mark(b'=')));
        let read = class == b"URL"
            && matches!(self.get(at + 3), Some(Token::Text(_)))
            && self.mark(at + 5, b'.')
            && self.names(at + 6, READS);
        (package || assigned || read || words::is_one(class, NEW)).then_some(TemplateSign::Code)
    }

    /// A template that is taken from outside the templates: by an absolute path, upwards, or a program's source.
    fn includes(&self, at: usize) -> Option<TemplateSign> {
        let ((Some(Token::Text(path)), _) | (Some(Token::Mark(b'(')), Some(Token::Text(path)))) =
            (self.get(at + 1), self.get(at + 2))
        else {
            return None;
        };
        let outside = path.starts_with(b"/etc/")
            || path.starts_with(b"/proc/")
            || path.starts_with(b"file:")
            || memchr::memmem::find(path, b"../..").is_some()
            || path.ends_with(b".php");
        outside.then_some(TemplateSign::Code)
    }
}
