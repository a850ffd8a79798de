//! Effects of the tokens of an expression when it is evaluated.

mod place;

use std::cell::OnceCell;

use super::delimiter::Surroundings;
use super::probe::{is_constant, is_question};
use super::sign::{Syntax, TemplateSign};
use super::token::Token;
use super::words::{self, Class};

/// Modules of Python that a template has no use for.
const MODULES: &[&str] =
    &["os", "sys", "subprocess", "socket", "builtins", "importlib", "commands", "pty", "platform"];
/// Filters that call the function that they are given the name of.
const APPLYING_FILTERS: &[&str] = &["filter", "map", "sort", "reduce"];
/// Freemarker built-ins that create, evaluate or reflect.
const BUILTINS: &[&str] = &["new", "api", "eval", "interpret", "eval_json"];
/// Variables of Freemarker that hold all others.
const SPECIAL: &[&str] = &["data_model", "globals", "vars", "version"];
/// Classes that are instantiated to reach files, the network or an interpreter.
const NEW: &[&str] = &[
    "file",
    "scanner",
    "filereader",
    "fileinputstream",
    "fileoutputstream",
    "filewriter",
    "printwriter",
    "urlclassloader",
    "socket",
    "serversocket",
    "processbuilder",
    "inputstreamreader",
    "initialcontext",
    "groovyshell",
    "groovyclassloader",
    "scriptenginemanager",
    "splfileobject",
];
/// Methods that run, where a Velocity template calls them.
const VELOCITY: &[&str] =
    &["start", "getclass", "getinputstream", "available", "tochars", "usedelimiter", "hasnext", "exec"];
/// Methods of the objects of a servlet that change what they hold, or hand it out to be changed.
const ATTRIBUTES: &[&str] = &["setattribute", "getattribute", "setresponseheader", "getexternalcontext"];
/// Methods that read a URL.
const READS: &[&str] = &["text", "gettext", "openstream", "getcontent", "newreader"];
/// Methods that only name the class that `getClass` gives.
const NAMING: &[&str] = &["getname", "getsimplename", "name", "simplename", "getcanonicalname"];

/// The worst that `tokens` do. `whole` is there if they are all of a closed expression, and says what stands around it.
pub(super) fn weigh(
    syntax: Syntax,
    tokens: &[Token<'_>],
    whole: Option<Surroundings>,
) -> Option<TemplateSign> {
    // A block of a program has statements, what Smarty or a format string evaluates has none.
    if syntax == Syntax::Brace && tokens.iter().any(|token| token.is(b';')) {
        return None;
    }
    let expression = Expression { syntax, tokens, dunders: OnceCell::new(), applies: OnceCell::new() };
    let mut worst = None;
    for at in 0..tokens.len() {
        worst = worst.max(expression.token(at));
        if worst == Some(TemplateSign::Introspection) {
            break;
        }
    }
    if worst.is_some_and(|sign| {
        syntax == Syntax::Brace && sign == TemplateSign::Code && !expression.is_one_call(whole.is_some())
    }) {
        return None;
    }
    let asks = |whole: Surroundings| {
        is_constant(syntax, tokens, whole.in_script) || is_question(syntax, tokens, whole.sole)
    };
    worst.or_else(|| whole.is_some_and(asks).then_some(TemplateSign::Probe))
}

/// An expression being weighed.
struct Expression<'a> {
    syntax: Syntax,
    tokens: &'a [Token<'a>],
    /// Number of the names that are [`Class::Dunder`], counted once.
    dunders: OnceCell<usize>,
    /// True if a filter is applied that takes the name of a function, looked for once.
    applies: OnceCell<bool>,
}

impl<'a> Expression<'a> {
    fn get(&self, at: usize) -> Option<Token<'a>> {
        self.tokens.get(at).copied()
    }

    /// The token `back` places before `at`.
    fn back(&self, at: usize, back: usize) -> Option<Token<'a>> {
        at.checked_sub(back).and_then(|at| self.get(at))
    }

    fn mark(&self, at: usize, mark: u8) -> bool {
        self.get(at).is_some_and(|token| token.is(mark))
    }

    fn name(&self, at: usize) -> Option<&'a [u8]> {
        match self.get(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn names(&self, at: usize, list: &[&str]) -> bool {
        self.name(at).is_some_and(|name| words::is_one(name, list))
    }

    /// Returns `true` if the token at `at` is reached through another (`.x`, `?.x`, `->x`, `::x`).
    fn is_member(&self, at: usize) -> bool {
        match self.back(at, 1) {
            Some(Token::Mark(b'.')) => true,
            Some(Token::Mark(b'>')) => matches!(self.back(at, 2), Some(Token::Mark(b'-'))),
            Some(Token::Mark(b':')) => matches!(self.back(at, 2), Some(Token::Mark(b':'))),
            _ => false,
        }
    }

    /// The effect of the token at `at` among its neighbours.
    fn token(&self, at: usize) -> Option<TemplateSign> {
        match self.get(at)? {
            Token::Name(name) => self.by_class(at, name).max(self.by_place(at, name)),
            Token::Text(text) => self.text(at, text),
            Token::Mark(mark) => self.by_mark(at, mark),
            Token::Number(_) => None,
        }
    }

    fn by_class(&self, at: usize, name: &[u8]) -> Option<TemplateSign> {
        let called = self.mark(at + 1, b'(');
        let name = name.strip_prefix(b"$").unwrap_or(name);
        match words::class(name)? {
            Class::Dunder => self.dunder(),
            Class::Step => Some(TemplateSign::Introspection),
            Class::StepCall => called.then_some(TemplateSign::Introspection),
            Class::Run => self.run(at, called),
            Class::Method => {
                (called && self.is_member(at) && !self.names_only(at)).then_some(TemplateSign::Code)
            }
            Class::Receiver => self.receiver(at, name),
            Class::Engine => self.engine(at, name),
        }
    }

    /// `x.__class__.__name__` is how Python prints a type; in a format string only more than that is a walk.
    fn dunder(&self) -> Option<TemplateSign> {
        let dunders = self.dunders.get_or_init(|| {
            let names = self.tokens.iter().filter_map(|token| match token {
                Token::Name(name) => words::class(name),
                _ => None,
            });
            names.filter(|class| *class == Class::Dunder).count()
        });
        let printed = matches!(self.syntax, Syntax::Brace | Syntax::Dollar | Syntax::Hash);
        (*dunders > usize::from(printed)).then_some(TemplateSign::Introspection)
    }

    /// `getClass().getName()` reflects as much as a log line does.
    fn names_only(&self, at: usize) -> bool {
        self.mark(at + 2, b')') && self.mark(at + 3, b'.') && self.names(at + 4, NAMING)
    }

    /// A regular expression has `exec` too: as a method of something unknown it counts only with what else is there.
    fn run(&self, at: usize, called: bool) -> Option<TemplateSign> {
        let word = matches!(self.syntax, Syntax::Hash | Syntax::Tag | Syntax::Razor)
            && matches!(self.get(at + 1), Some(Token::Text(_)));
        // `{{ .System "id" }}` is how Go calls a method.
        let word = word
            || self.syntax == Syntax::Output
                && self.is_member(at)
                && matches!(self.get(at + 1), Some(Token::Text(_)));
        let request = self.syntax == Syntax::Tag && self.names(at + 1, &["request"]);
        // `{'id'|system}`
        let piped = matches!(self.back(at, 1), Some(Token::Mark(b'|')))
            && matches!(self.back(at, 2), Some(Token::Text(_)));
        if self.mark(at + 1, b'.') {
            return self.names(at + 2, &["shell", "cmd"]).then_some(TemplateSign::Code);
        }
        let exec = self.name(at).is_some_and(|name| name.eq_ignore_ascii_case(b"exec"));
        let regex = exec && self.is_member(at) && matches!(self.syntax, Syntax::Dollar | Syntax::Brace);
        ((called && !regex) || word || request || piped).then_some(TemplateSign::Code)
    }

    fn receiver(&self, at: usize, name: &[u8]) -> Option<TemplateSign> {
        if self.names(at.wrapping_sub(1), &["import"]) || self.is_imported(at) {
            return (matches!(self.syntax, Syntax::Statement | Syntax::Tag) && words::is_one(name, MODULES))
                .then_some(TemplateSign::Code);
        }
        // Modules of an engine's own templates lead to this one.
        let through_self = name == b"os" && self.is_member(at) && self.names(0, &["self"]);
        let member = [at + 2, at + 3].into_iter().any(|next| {
            self.is_member(next) && self.name(next).is_some_and(words::is_received)
                || self.mark(at + 1, b'.')
                    && next == at + 2
                    && self.name(next).is_some_and(words::is_received)
        });
        (through_self || member && !self.names_script_object(at)).then_some(TemplateSign::Code)
    }

    /// `a.file.open`: a receiver is a module or a class, not a property of something else, except after `.os`.
    fn names_script_object(&self, at: usize) -> bool {
        self.is_member(at) && !self.names(at, &["os", "subprocess", "sys"])
    }

    fn is_imported(&self, at: usize) -> bool {
        self.names(0, &["import", "from"]) && at <= 2
    }

    fn engine(&self, at: usize, name: &[u8]) -> Option<TemplateSign> {
        if self.is_member(at) {
            return None;
        }
        if name == b"_context" {
            return Some(TemplateSign::Code);
        }
        let chain = self.tokens.iter().skip(at).take(12).take_while(|token| !matches!(token, Token::Text(_)));
        let attributes = chain.filter_map(|token| match token {
            Token::Name(name) => Some(*name),
            _ => None,
        });
        if matches!(self.syntax, Syntax::Dollar | Syntax::Hash)
            && attributes.into_iter().any(|name| words::is_one(name, ATTRIBUTES))
        {
            return Some(TemplateSign::Code);
        }
        // `config['X']('id')`, `request[request.args.x]`
        if self.mark(at + 1, b'[') && matches!(self.syntax, Syntax::Output | Syntax::Statement) {
            let held = matches!(self.get(at + 2), Some(Token::Text(text)) if words::is_held(text));
            let called = self.mark(at + 3, b']') && self.mark(at + 4, b'(');
            if held || called || self.names(at + 2, &["request"]) {
                return Some(TemplateSign::Code);
            }
        }
        let filtered = self.mark(at + 1, b'|') && self.names(at + 2, &["attr"]);
        let member = self.mark(at + 1, b'.') && self.name(at + 2).is_some_and(words::is_held);
        // `config.items` is a list like any other unless it is called; `config.SECRET_KEY` is not.
        let plain = self.names(
            at + 2,
            &["items", "keys", "values", "template", "env", "environment", "server", "application"],
        ) && !self.mark(at + 3, b'(')
            && !(self.names(at, &["_self", "app", "request"]) && self.syntax != Syntax::Dollar);
        (filtered || member && !plain).then_some(TemplateSign::Code)
    }

    /// Returns `true` if a filter or a method is there that calls what it is given the name of.
    fn applies(&self) -> bool {
        *self.applies.get_or_init(|| {
            (0..self.tokens.len()).any(|at| {
                let method = self.mark(at, b'.') && self.syntax == Syntax::Output;
                (method || self.mark(at, b'|'))
                    && self.names(at + 1, APPLYING_FILTERS)
                    && (self.mark(at + 2, b'(') || self.syntax == Syntax::Brace && self.mark(at + 2, b':'))
            })
        })
    }

    fn text(&self, at: usize, text: &[u8]) -> Option<TemplateSign> {
        let class = words::class(text);
        let indexed = self.syntax != Syntax::Brace || matches!(self.back(at, 1), Some(Token::Mark(b'[')));
        if indexed && class.is_some_and(|class| matches!(class, Class::Dunder | Class::Step)) {
            return Some(TemplateSign::Introspection);
        }
        if memchr::memmem::find(text, b"freemarker.template.utility").is_some() {
            return Some(TemplateSign::Introspection);
        }
        let evaluated = self.syntax == Syntax::Velocity && memchr::memmem::find(text, b"#set(").is_some();
        if evaluated || holds_code(text) || self.syntax != Syntax::Tag && names_reaching_class(text) {
            return Some(TemplateSign::Code);
        }
        if class == Some(Class::Run) && self.applies() {
            return Some(TemplateSign::Code);
        }
        // A part of a name that is put together elsewhere.
        let part = text.starts_with(b"__") && (text.len() == 2 || !text.ends_with(b"__")) && text.len() < 12;
        let joined = matches!(self.get(at + 1), Some(Token::Mark(b'+' | b'~' | b',' | b'*')))
            || matches!(self.back(at, 1), Some(Token::Mark(b'+' | b'~' | b',')));
        let constructor = text == b"constructor" && self.syntax != Syntax::Tag;
        (constructor || part && joined && self.syntax == Syntax::Output).then_some(TemplateSign::Code)
    }

    fn by_mark(&self, at: usize, mark: u8) -> Option<TemplateSign> {
        let is_code = match mark {
            b'?' => return self.by_builtin(at),
            b'`' => self.runs_backticks(at),
            // Ruby runs what stands in `%x( )`.
            b'%' => {
                matches!(self.syntax, Syntax::Hash | Syntax::Tag)
                    && self.name(at + 1) == Some(b"x")
                    && matches!(self.get(at + 2), Some(Token::Mark(_)))
            }
            b'=' => {
                let is_pair = self.syntax == Syntax::Output && at == 1 && self.tokens.len() == 3;
                is_pair && self.names(2, &["object", "function"])
            }
            b'#' => self.by_hash(at),
            // Freemarker's own variables begin with a dot.
            b'.' => {
                let begins = at == 0 && self.syntax == Syntax::Dollar
                    || at == 1 && self.syntax == Syntax::Directive && self.names(0, &["list"]);
                begins && self.names(at + 1, SPECIAL)
            }
            _ => false,
        };
        is_code.then_some(TemplateSign::Code)
    }

    /// A function of Freemarker behind a question mark: `"x"?new()`.
    fn by_builtin(&self, at: usize) -> Option<TemplateSign> {
        if at == 0 || !self.names(at + 1, BUILTINS) {
            return None;
        }
        let created = self.names(at + 1, &["new"]) && self.mark(at + 2, b'(');
        let reflected = self.names(at + 1, &["api"]) && self.mark(at + 2, b'.');
        if created && self.mark(at + 3, b')') {
            return Some(TemplateSign::Introspection);
        }
        let text = matches!(self.back(at, 1), Some(Token::Text(_)));
        (created || reflected || text).then_some(TemplateSign::Code)
    }

    /// Ruby runs what stands between backticks.
    fn runs_backticks(&self, at: usize) -> bool {
        let ruby = self.syntax == Syntax::Hash || self.syntax == Syntax::Tag && self.mark(0, b'=');
        let open = at == 0 || at == 1 && self.mark(0, b'=');
        ruby && open && self.tokens.iter().skip(at + 1).any(|token| token.is(b'`'))
    }

    /// `{{#with "x"}}`, a block of Handlebars whose context is a constant, or a variable that OGNL makes with `#a=`.
    fn by_hash(&self, at: usize) -> bool {
        let text = |at: usize| matches!(self.get(at), Some(Token::Text(_)));
        match self.syntax {
            Syntax::Output => at == 0 && self.names(1, &["with"]) && text(2),
            Syntax::Dollar if self.name(at + 1).is_some() => {
                let assigned = self.mark(at + 2, b'=') && !self.mark(at + 3, b'=');
                let context = self.names(at + 1, &["ctx"]) && self.mark(at + 2, b'.');
                assigned || context || self.mark(at + 2, b'[') && text(at + 3)
            }
            _ => false,
        }
    }

    /// Smarty evaluates one call between braces.
    fn is_one_call(&self, whole: bool) -> bool {
        let conditional = self.names(0, &["if"]);
        let piped = matches!(self.get(0), Some(Token::Text(_) | Token::Mark(b'[')));
        whole
            && (piped || self.tokens.last().is_some_and(|token| token.is(b')')))
            && (piped
                || self.name(0).is_some_and(|name| words::class(name) == Some(Class::Run) || name == b"php")
                || conditional)
    }
}

fn member_follows(expression: &Expression<'_>, at: usize) -> bool {
    expression.mark(at, b'.')
}

/// Returns `true` if a string is code that reaches a process.
fn holds_code(text: &[u8]) -> bool {
    [&b"child_process"[..], b"process.mainModule", b"__import__(", b"Runtime.getRuntime("]
        .iter()
        .any(|code| memchr::memmem::find(text, code).is_some())
}

/// Returns `true` if a string holds the name of a Java class of the platform that reaches beyond a template.
fn names_reaching_class(text: &[u8]) -> bool {
    let lower = |prefix: &[u8]| text.get(..prefix.len()).is_some_and(|start| start == prefix);
    lower(b"java.lang.")
        || lower(b"java.io.")
        || lower(b"java.net.")
        || lower(b"java.nio.")
        || lower(b"javax.script.")
}
