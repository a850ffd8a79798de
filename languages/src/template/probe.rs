//! Expressions that have no use but to show that they are evaluated: constants that are computed with, methods and filters of
//! literals, the objects of an engine as a whole.

use super::sign::Syntax;
use super::token::Token;
use super::words;

mod names;

use names::{BUILTINS, FILTERS, FUNCTIONS, LITERALS, OBJECTS, OPERATORS, SCOPES, TAG_OBJECTS, WORDED};

/// Returns `true` if the expression has no use but to show that it is evaluated: a scope as a whole, or an object of the engine
/// that is the whole value.
pub(super) fn is_question(syntax: Syntax, tokens: &[Token<'_>], sole: bool) -> bool {
    match tokens {
        [Token::Name(scope)] | [Token::Name(scope), Token::Mark(b'.'), Token::Name(b"toString"), ..]
            if syntax == Syntax::Dollar =>
        {
            words::is_one(scope, SCOPES)
        }
        [Token::Name(object)] if syntax == Syntax::Output => sole && words::is_one(object, OBJECTS),
        [Token::Mark(b'.')] | [Token::Mark(b'@'), Token::Name(b"root")] => sole && syntax == Syntax::Output,
        [Token::Mark(b'=' | b'-'), Token::Name(object)] if syntax == Syntax::Tag => {
            sole && words::is_one(object, TAG_OBJECTS)
        }
        // Go prints what its template was given.
        [Token::Name(b"printf"), Token::Text(_), Token::Mark(b'.')] => syntax == Syntax::Output,
        [Token::Name(b"lipsum" | b"cycler" | b"joiner" | b"dict"), Token::Mark(b'('), ..] => {
            syntax == Syntax::Output
        }
        // Smarty's calculator.
        [Token::Name(b"math"), Token::Name(b"equation"), Token::Mark(b'='), Token::Text(equation), ..] => {
            syntax == Syntax::Brace
                && (!equation.iter().any(u8::is_ascii_alphabetic) || equation.contains(&b'\\'))
        }
        // .NET names its classes in full.
        [Token::Name(b"System"), Token::Mark(b'.'), Token::Name(class), ..] if syntax == Syntax::Razor => {
            class.first().is_some_and(u8::is_ascii_uppercase)
        }
        _ => false,
    }
}

/// Returns `true` if the tokens compute with constants alone: `7*7`, `'a'+'b'`, `if True`, `"a"|upper`, `(1..3)|join`.
pub(super) fn is_constant(syntax: Syntax, tokens: &[Token<'_>], in_script: bool) -> bool {
    let conditional = syntax == Syntax::Statement && tokens.first() == Some(&Token::Name(b"if"));
    match tokens {
        [_, Token::Name(value)] if conditional => return words::is_one(value, &["true", "false"]),
        [_, Token::Number(_), ..] if conditional && tokens.len() == 2 => return true,
        _ => {}
    }
    Tally::of(syntax, computed(syntax, tokens)).is_some_and(|tally| tally.shows(syntax, in_script))
}

/// The expression of a statement, an assignment or an output: its keyword, the variable and `=` left out.
fn computed<'a, 'b>(syntax: Syntax, tokens: &'b [Token<'a>]) -> &'b [Token<'a>] {
    let rest = match (syntax, tokens) {
        (Syntax::Statement, [Token::Name(b"if" | b"elif" | b"set" | b"print" | b"with"), rest @ ..])
        | (Syntax::Directive, [Token::Name(b"assign" | b"local" | b"global" | b"if"), rest @ ..]) => rest,
        _ => tokens,
    };
    match rest {
        [Token::Name(_), Token::Mark(b'='), value @ ..]
            if !matches!(value, [Token::Mark(b'='), ..])
                && matches!(syntax, Syntax::Statement | Syntax::Directive | Syntax::Velocity) =>
        {
            value
        }
        [Token::Mark(b'=' | b'-' | b':'), output @ ..] => output,
        rest => rest,
    }
}

/// The parts of an expression without variables.
#[derive(Default)]
struct Tally<'a> {
    operators: usize,
    numbers: usize,
    operands: usize,
    marks_of_date: usize,
    multiplies: bool,
    /// A string is empty.
    has_empty: bool,
    /// It has strings.
    has_text: bool,
    /// A list, a range or arguments.
    has_structure: bool,
    /// It has braces of its own, as initial values in programs do.
    has_maps: bool,
    /// A filter, a built-in, a method or a function is applied.
    applies: bool,
    /// A member of a literal.
    has_member: bool,
    /// A function of Go was called, whose arguments stand beside each other.
    is_worded: bool,
    /// The last dot stands behind a literal or what was made of one.
    is_on_literal: bool,
    /// The parameter of a function that the expression itself holds.
    parameter: Option<&'a [u8]>,
}

impl<'a> Tally<'a> {
    /// Of `tokens`; nothing if one of them is a variable or no expression has it.
    fn of(syntax: Syntax, tokens: &[Token<'a>]) -> Option<Tally<'a>> {
        let mut tally = Tally::default();
        let mut before = Token::Mark(0);
        let mut rest = tokens;
        while let [token, after @ ..] = rest {
            match token {
                Token::Number(_) => {
                    tally.numbers += 1;
                    tally.operands += 1;
                }
                Token::Text(text) => {
                    tally.operands += 1;
                    tally.has_text = true;
                    tally.has_empty |= text.is_empty();
                }
                Token::Mark(mark) => tally.mark(*mark, before)?,
                Token::Name(name) => tally.name(syntax, name, before, after)?,
            }
            before = *token;
            rest = after;
        }
        Some(tally)
    }

    fn mark(&mut self, mark: u8, before: Token<'a>) -> Option<()> {
        match mark {
            b'*' => {
                self.operators += 2;
                self.multiplies = true;
            }
            b'-' | b'/' => {
                self.operators += 1;
                self.marks_of_date += usize::from(!before.is(mark));
            }
            b'+' | b'%' | b'~' | b'^' | b'<' | b'>' | b'=' | b'!' | b'&' => self.operators += 1,
            b'(' | b')' => {}
            b'.' if before.is(b'.') => {
                self.operators += 1;
                self.has_structure = true;
            }
            b'.' => {
                self.has_structure = true;
                self.is_on_literal = matches!(
                    before,
                    Token::Text(_) | Token::Number(_) | Token::Name(_) | Token::Mark(b')' | b']')
                );
            }
            b'[' => {
                self.has_structure = true;
                self.applies |= matches!(before, Token::Text(_) | Token::Mark(b']'));
            }
            b'{' | b'}' => self.has_maps = true,
            b'|' | b'?' | b':' | b',' | b']' => self.has_structure = true,
            _ => return None,
        }
        Some(())
    }

    fn name(&mut self, syntax: Syntax, name: &'a [u8], before: Token<'a>, after: &[Token<'a>]) -> Option<()> {
        let called = matches!(after, [Token::Mark(b'('), ..]);
        let known = match before {
            Token::Mark(b'|') => words::is_one(name, FILTERS),
            Token::Mark(b'?') => syntax != Syntax::Output && words::is_one(name, BUILTINS),
            Token::Mark(b'.') => {
                self.has_member = true;
                !self.is_worded
                    && self.is_on_literal
                    && (called || matches!(syntax, Syntax::Output | Syntax::Hash | Syntax::Tag))
            }
            _ => {
                let arguments = matches!(after, [Token::Text(_) | Token::Number(_), ..]);
                let worded = syntax == Syntax::Output && arguments && words::is_one(name, WORDED);
                self.is_worded |= worded;
                worded || called && words::is_one(name, FUNCTIONS)
            }
        };
        if known {
            self.applies = true;
        } else if matches!(before, Token::Mark(b'|' | b'.')) {
            return None;
        } else if words::is_one(name, LITERALS) {
            self.operands += 1;
        } else if words::is_one(name, OPERATORS) {
            self.operators += 1;
        } else if matches!(after, [Token::Mark(b'='), Token::Mark(b'>'), ..]) {
            self.parameter = Some(name);
        } else if self.parameter != Some(name) {
            return None;
        }
        Some(())
    }

    /// Returns `true` if what is computed has no other use. In a template literal of a script, methods of literals have one.
    fn shows(&self, syntax: Syntax, in_script: bool) -> bool {
        let is_date = self.marks_of_date >= 2 && !self.multiplies;
        let computes = self.operands >= 2
            && self.operators >= 1
            && !self.has_empty
            && !is_date
            && !self.has_structure
            && !self.has_maps;
        let applies = self.applies && self.operands >= 1 && !(in_script && self.has_member);
        match syntax {
            Syntax::Brace => {
                self.multiplies && self.numbers >= 2 && !self.has_structure
                    || computes && self.has_text && self.numbers >= 1
                    || applies && self.has_text
            }
            _ => {
                let list = self.has_structure && !self.has_maps;
                computes || applies || list && self.multiplies && self.numbers >= 2
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::token::{TOKENS_MAX, tokens};

    fn is_probe(syntax: Syntax, body: &str, in_script: bool) -> bool {
        let mut buffer = [Token::Mark(0); TOKENS_MAX];
        is_constant(syntax, tokens(body.as_bytes(), &mut buffer).0, in_script)
    }

    #[test]
    fn expressions_without_variables_are_probes() {
        for (syntax, body) in [
            (Syntax::Output, "(11,8*9)|e"),
            (Syntax::Output, "\"b\"|nl2br"),
            (Syntax::Output, "(1..4)|filter(v => v < 2)|join(\"\")"),
            (Syntax::Output, "[5,6]|sum"),
            (Syntax::Output, "len \"abcd\""),
            (Syntax::Output, "\"4\"|add:\"5\""),
            (Syntax::Output, "\"abc\".length"),
            (Syntax::Statement, "if 3 is sameas(3)"),
            (Syntax::Statement, "set a=(2..5)|join"),
            (Syntax::Hash, "(12*13).to_s"),
            (Syntax::Hash, "typeof(4)+5"),
            (Syntax::Dollar, "1/((2.0==2.0)?string('1','0')?eval)"),
            (Syntax::Dollar, "'q'.join('z')"),
            (Syntax::Velocity, "$c=31*17"),
            (Syntax::Directive, "assign x=6*7"),
            (Syntax::Brace, "2 / ('1' + '3' == 4)"),
            (Syntax::Brace, "'ab'|upper"),
            (Syntax::Tag, "= \"abc\".reverse"),
        ] {
            assert!(is_probe(syntax, body, false), "{body}");
        }
    }

    #[test]
    fn variables_and_phrases_are_not() {
        for (syntax, body) in [
            (Syntax::Output, "'cart.title' | t"),
            (Syntax::Output, "'Products'|trans|upper"),
            (Syntax::Output, "\"now\"|date(\"Y\")"),
            (Syntax::Output, "\"theme.css\" | asset_url | stylesheet_tag"),
            (Syntax::Output, "a|upper"),
            (Syntax::Output, "1,2},{3,4"),
            (Syntax::Output, "2024-06-10"),
            (Syntax::Output, "[1, 2]"),
            (Syntax::Output, "range(1, 11) | list"),
            (Syntax::Output, "- print \"networking.k8s.io/v1\" -"),
            (Syntax::Output, "60 | random"),
            (Syntax::Output, "printf \"%s-%s\" .Release.Name .Chart.Name"),
            (Syntax::Statement, "for i in range(3)"),
            (Syntax::Statement, "set title = 'About us'"),
            (Syntax::Statement, "assign n = \"a,b\" | split: \",\""),
            (Syntax::Dollar, "x?string"),
            (Syntax::Dollar, "1:-8080"),
            (Syntax::Velocity, "$total = $total + 1"),
            (Syntax::Brace, "3,5"),
        ] {
            assert!(!is_probe(syntax, body, false), "{body}");
        }
        assert!(!is_probe(Syntax::Dollar, "'-'.repeat(40)", true));
    }
}
