//! Names that mean something only where they stand.

use super::{Expression, NEW, READS, VELOCITY, member_follows};
use crate::template::sign::{Syntax, TemplateSign};
use crate::template::token::Token;
use crate::template::words;

/// Methods that show all of Ruby's environment.
const WHOLE: &[&str] = &["each", "inspect", "keys", "map", "sort", "to_a", "to_h", "to_s", "values"];
/// Methods of `java.lang.System` that reach beyond a template.
const SYSTEM: &[&str] =
    &["exit", "getenv", "getproperties", "getproperty", "load", "loadlibrary", "setproperty"];
/// Members of the objects of a servlet that lead to all of the application.
const CONTEXTS: &[&str] =
    &["attributenames", "externalcontext", "getservletcontext", "resourcepaths", "servletcontext"];
/// Methods that write an answer.
const WRITES: &[&str] = &["append", "binarywrite", "print", "printf", "println", "redirect", "write"];

impl Expression<'_> {
    /// The sign of `name` at `at`, by its neighbours.
    pub(super) fn by_place(&self, at: usize, name: &[u8]) -> Option<TemplateSign> {
        self.of_any_engine(at, name)
            .or_else(|| self.of_one_engine(at, name))
            .or_else(|| (self.reaches(at, name) || self.states(at, name)).then_some(TemplateSign::Code))
    }

    fn of_any_engine(&self, at: usize, name: &[u8]) -> Option<TemplateSign> {
        let called = self.mark(at + 1, b'(');
        let member = self.is_member(at);
        let text = matches!(self.get(at + 2), Some(Token::Text(_)));
        let filters = called && matches!(self.back(at, 1), Some(Token::Mark(b'|')));
        let sign = match name {
            b"T" if called && self.names_class(at + 2) => return Some(TemplateSign::Introspection),
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

    /// Variables, environments and outputs of a language, where an expression takes them as a whole.
    fn reaches(&self, at: usize, name: &[u8]) -> bool {
        let called = self.mark(at + 1, b'(');
        let begins = at == 0 || at == 1 && !self.is_member(at);
        let ends = self.get(at + 1).is_none();
        let (tag, output) = (self.syntax == Syntax::Tag, self.syntax == Syntax::Output);
        let is_in = |list: &[&str]| self.mark(at + 1, b'.') && self.names(at + 2, list);
        match name {
            b"globals" | b"locals" | b"vars" | b"dir" => begins && called && self.mark(at + 2, b')') && !tag,
            b"ENV" => (tag || self.syntax == Syntax::Hash) && (ends || is_in(WHOLE)),
            b"System" => is_in(SYSTEM) && self.mark(at + 3, b'('),
            b"out" | b"response" | b"Response" => tag && is_in(WRITES) && self.mark(at + 3, b'('),
            b"self" => {
                tag && is_in(&[
                    "instance_variables",
                    "methods",
                    "public_methods",
                    "send",
                    "singleton_methods",
                ])
            }
            b"app" => {
                output && is_in(&["request"]) && self.mark(at + 3, b'.') && self.names(at + 4, &["server"])
            }
            b"Environment" => self.syntax == Syntax::Razor && begins && self.mark(at + 1, b'.'),
            b"Rails" => {
                tag && is_in(&["application"])
                    && self.mark(at + 3, b'.')
                    && self.names(at + 4, &["credentials", "secrets", "key_generator"])
            }
            b"getRealPath" => tag && called && self.is_member(at),
            b"__construct" | b"__destruct" | b"__invoke" => called && self.is_member(at),
            b"exec" | b"expandenv" | b"getHostByName" => {
                output && begins && matches!(self.get(at + 1), Some(Token::Text(_)))
            }
            b"process" => is_in(&["env"]) && self.get(at + 3).is_none(),
            // What a servlet stands in, handed out as a whole; its path is for links.
            _ if self.is_member(at) && words::is_one(name, CONTEXTS) => {
                let ends = ends || called && self.mark(at + 2, b')') && self.get(at + 3).is_none();
                ends && matches!(self.syntax, Syntax::Dollar | Syntax::Hash)
            }
            _ => false,
        }
    }

    /// Statements, assignments and calls that only one engine has, and no template has a use for.
    fn states(&self, at: usize, name: &[u8]) -> bool {
        let called = self.mark(at + 1, b'(');
        let output = self.syntax == Syntax::Output;
        let is_in = |list: &[&str]| self.mark(at + 1, b'.') && self.names(at + 2, list);
        match name {
            b"constant" => {
                let class = |text: &[u8]| memchr::memmem::find(text, b"::").is_some();
                output && called && matches!(self.get(at + 2), Some(Token::Text(text)) if !class(text))
            }
            // Only Tornado has a statement of that name with an expression.
            b"raw" => {
                let expression =
                    matches!(self.get(1), Some(Token::Name(_) | Token::Text(_) | Token::Number(_)));
                self.syntax == Syntax::Statement && at == 0 && expression
            }
            b"php" => self.syntax == Syntax::Statement && at == 0 && self.get(1).is_none(),
            b"this" => output && is_in(&["pop", "push", "shift", "splice", "unshift"]),
            b"apply" | b"call" | b"bind" => {
                output
                    && self.is_member(at)
                    && matches!(self.get(at + 1), Some(Token::Number(_) | Token::Name(_)))
            }
            b"class" => self.syntax == Syntax::Velocity && self.is_member(at) && self.mark(at + 1, b'.'),
            // Ruby's global variables; Sass reads its own in `#{$a}`.
            name if name.starts_with(b"$") => {
                let assigned = self.mark(at + 1, b'=') && !matches!(self.get(at + 2), Some(Token::Mark(_)));
                let assigned = assigned || self.mark(at + 1, b'=') && self.mark(at + 2, b'(');
                assigned && at == 0 && matches!(self.syntax, Syntax::Tag | Syntax::Hash)
            }
            _ => false,
        }
    }

    /// `java.lang.X`, or a class of `java.lang` alone and a member of it behind the parenthesis.
    fn names_class(&self, at: usize) -> bool {
        let capital = |name: &[u8]| name.first().is_some_and(u8::is_ascii_uppercase);
        self.name(at).is_some()
            && (self.mark(at + 1, b'.')
                || self.name(at).is_some_and(capital) && self.mark(at + 1, b')') && self.mark(at + 2, b'.'))
    }

    /// `x.constructor(`, `constructor.constructor`, `constructor.prototype`.
    fn constructs(&self, at: usize) -> bool {
        let reached = ["constructor", "prototype", "_load", "call", "apply", "bind"];
        let leads = self.mark(at + 1, b'(')
            || self.mark(at + 1, b'[')
            || self.mark(at + 1, b'.') && self.names(at + 2, &reached)
            || self.syntax == Syntax::Output && self.is_member(at);
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
        if self.syntax == Syntax::Statement && self.names(at + 1, &["request"]) && self.mark(at + 2, b'.') {
            return Some(TemplateSign::Code);
        }
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
