//! Expressions that have no use but to show that they are evaluated: constants that are computed with, methods of literals.

use super::sign::Syntax;
use super::token::Token;
use super::words;

/// Scopes of a servlet, which as a whole are only asked for to be seen.
const SCOPES: &[&str] = &["sessionscope", "applicationscope", "requestscope", "pagescope"];

/// Whether the expression has no use but to show that it is evaluated: a method of a literal, a scope as a whole.
pub(super) fn is_question(syntax: Syntax, tokens: &[Token<'_>]) -> bool {
    match tokens {
        [Token::Text(_), Token::Mark(b'.'), Token::Name(_), Token::Mark(b'('), Token::Mark(b')')] => {
            matches!(syntax, Syntax::Output | Syntax::Dollar)
        }
        [Token::Name(scope)] | [Token::Name(scope), Token::Mark(b'.'), Token::Name(b"toString"), ..] => {
            syntax == Syntax::Dollar && words::is_one(scope, SCOPES)
        }
        _ => false,
    }
}

/// Whether the tokens compute with constants alone: `7*7`, `'a'+'b'`, `if True`.
pub(super) fn is_constant(syntax: Syntax, tokens: &[Token<'_>]) -> bool {
    let tokens = match tokens {
        [Token::Name(b"if"), Token::Name(value), ..] if syntax == Syntax::Statement && tokens.len() == 2 => {
            return words::is_one(value, &["true", "false"]);
        }
        [Token::Name(b"if"), rest @ ..] if syntax == Syntax::Statement => match rest {
            [Token::Number(_)] => return true,
            rest => rest,
        },
        [Token::Mark(b'=' | b'-' | b':'), rest @ ..] => rest,
        tokens => tokens,
    };
    let (mut operators, mut numbers, mut operands, mut values) = (0, 0, 0, true);
    for token in tokens {
        match token {
            Token::Number(_) => {
                numbers += 1;
                operands += 1;
            }
            Token::Text(text) => {
                operands += 1;
                values &= !text.is_empty();
            }
            Token::Mark(b'*') => operators += 2,
            Token::Mark(b'+' | b'/' | b'%' | b'~' | b'-' | b'^' | b'<' | b'>' | b'=' | b'!') => {
                operators += 1;
            }
            Token::Mark(b'(' | b')') => {}
            Token::Mark(_) | Token::Name(_) => return false,
        }
    }
    let multiplies = tokens.iter().any(|token| token.is(b'*'));
    let is_date = tokens.iter().filter(|token| token.is(b'-') || token.is(b'/')).count() >= 2 && !multiplies;
    match syntax {
        Syntax::Brace => multiplies && numbers >= 2,
        _ => operands >= 2 && operators >= 1 && values && !is_date,
    }
}
