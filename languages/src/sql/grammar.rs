//! The small grammar: operands, comparisons, statements. It reads a bounded piece and answers where a
//! construct ends. It does not know where the slice came from or what follows for the verdict.

pub(super) mod block;
pub(super) mod statement;

use super::reading::{END, Reading};
use super::token::Kind;
use super::words::Word;

/// Elements of one expression that are followed; longer ones are taken as complete.
const CHAIN_MAX: usize = 24;

/// The kinds of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    /// Numbers, strings, `NULL`, `TRUE`.
    Constant,
    /// A string that the value ends in: the host query's own quote closes it.
    OpenText,
    /// Names and variables.
    Name,
    /// A call of a function that SQL knows.
    Call,
    /// A parenthesized expression.
    Group,
    /// Something with a `SELECT` in it.
    Query,
}

/// An operand and the index of the token behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parsed {
    /// Its kind.
    pub operand: Operand,
    /// Index behind it.
    pub next: usize,
}

/// A comparison and the index behind its operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Symbols: any operand may follow.
    Symbol(usize),
    /// Words (`LIKE`, `IN`, `BETWEEN`): prose uses them too, so their operand must be more than a name.
    Word(usize),
    /// `IS NULL` and its like: complete.
    Complete(usize),
}

/// Kind of the token at `i`.
pub(super) fn kind(tokens: &Reading<'_>, i: usize) -> Option<Kind> {
    tokens.kind(i)
}

/// The word at `i`.
pub(super) fn word(tokens: &Reading<'_>, i: usize) -> Option<Word> {
    tokens.word(i)
}

/// Index behind the `)` that closes the `(` at `i`; the end of the reading when it is cut off.
pub(super) fn close_of(tokens: &Reading<'_>, i: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.from(i) {
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    tokens.cost()
}

/// Index behind any closing brackets at `i`.
pub(super) fn skip_closes(tokens: &Reading<'_>, mut i: usize) -> usize {
    while matches!(kind(tokens, i), Some(Kind::Close | Kind::BraceClose | Kind::BracketClose)) {
        i += 1;
    }
    i
}

/// Index behind opening parentheses.
pub(super) fn skip_opens(tokens: &Reading<'_>, mut i: usize) -> usize {
    while kind(tokens, i) == Some(Kind::Open) {
        i += 1;
    }
    i
}

/// A whole operand: primaries joined by arithmetic.
pub(super) fn operand(tokens: &Reading<'_>, from: usize) -> Option<Parsed> {
    let mut whole = primary(tokens, from)?;
    for _ in 0..CHAIN_MAX {
        let joined = match kind(tokens, whole.next) {
            Some(Kind::Arithmetic | Kind::JsonOperator | Kind::Word(Word::Arithmetic)) => whole.next + 1,
            _ => break,
        };
        let Some(more) = primary(tokens, joined) else { break };
        whole = Parsed { operand: heavier(whole.operand, more.operand), next: more.next };
    }
    Some(whole)
}

fn heavier(a: Operand, b: Operand) -> Operand {
    let rank = |operand| match operand {
        Operand::Constant => 0,
        Operand::Group => 1,
        Operand::Name => 2,
        Operand::OpenText => 3,
        Operand::Call => 4,
        Operand::Query => 5,
    };
    if rank(a) >= rank(b) { a } else { b }
}

fn primary(tokens: &Reading<'_>, from: usize) -> Option<Parsed> {
    let i = skip_signs(tokens, from);
    let head = tokens.get(i)?;
    let base = match head.kind {
        Kind::Number(_) | Kind::Text => Parsed { operand: Operand::Constant, next: i + 1 },
        Kind::OpenText => Parsed { operand: Operand::OpenText, next: i + 1 },
        Kind::Variable => Parsed { operand: Operand::Name, next: i + 1 },
        Kind::Open => parenthesized(tokens, i),
        Kind::BraceOpen => {
            // ODBC's `{d '…'}` and MySQL's `{x expression}`.
            word(tokens, i + 1)?;
            let inner = primary_word_or_text(tokens, i + 2)?;
            let close = usize::from(kind(tokens, inner) == Some(Kind::BraceClose));
            Parsed { operand: Operand::Constant, next: inner + close }
        }
        Kind::Word(found) => worded(tokens, i, found)?,
        _ => return None,
    };
    Some(postfixes(tokens, base))
}

/// The index behind signs, `NOT` and words that change what follows and are no operand themselves.
fn skip_signs(tokens: &Reading<'_>, from: usize) -> usize {
    let mut i = from;
    for _ in 0..CHAIN_MAX {
        match kind(tokens, i) {
            Some(Kind::Arithmetic | Kind::Bang | Kind::Word(Word::Binary | Word::Distinct | Word::Not)) => {
                i += 1;
            }
            Some(Kind::Word(Word::All)) if kind(tokens, i + 1) == Some(Kind::Open) => i += 1,
            _ => break,
        }
    }
    i
}

/// The operand in the parentheses that open at `i`.
fn parenthesized(tokens: &Reading<'_>, i: usize) -> Parsed {
    let opened = skip_opens(tokens, i);
    let query = matches!(word(tokens, opened), Some(Word::Select | Word::Values))
        && !is_search_for_select(tokens, opened);
    let next = close_of(tokens, i);
    let close = next.saturating_sub(1);
    let is_constant = |kind: Kind| {
        matches!(
            kind,
            Kind::Number(_)
                | Kind::Text
                | Kind::Open
                | Kind::Close
                | Kind::Word(Word::Literal)
                | Kind::Arithmetic
        )
    };
    let constant = i + 1 < close
        && tokens.from(i + 1).take_while(|(at, _)| *at < close).all(|(_, token)| is_constant(token.kind));
    let operand = match (query, constant) {
        (true, _) => Operand::Query,
        (false, true) => Operand::Constant,
        (false, false) => Operand::Group,
    };
    Parsed { operand, next }
}

/// Returns `true` for `select* OR …`: all columns of no table are no operand, so somebody searches for words.
fn is_search_for_select(tokens: &Reading<'_>, i: usize) -> bool {
    kind(tokens, i + 1) == Some(Kind::Arithmetic) && matches!(word(tokens, i + 2), Some(Word::And | Word::Or))
}

fn primary_word_or_text(tokens: &Reading<'_>, i: usize) -> Option<usize> {
    match tokens.get(i)?.kind {
        Kind::Text | Kind::Number(_) | Kind::Variable => Some(i + 1),
        Kind::Word(_) | Kind::Open => {
            Some(if kind(tokens, i) == Some(Kind::Open) { close_of(tokens, i) } else { i + 1 })
        }
        _ => None,
    }
}

/// An operand that begins with a word: a literal, a call, a case, a name with its dots.
fn worded(tokens: &Reading<'_>, i: usize, found: Word) -> Option<Parsed> {
    let called = kind(tokens, i + 1) == Some(Kind::Open);
    match found {
        // XPath calls its literals.
        Word::Literal if called && kind(tokens, i + 2) == Some(Kind::Close) => {
            Some(Parsed { operand: Operand::Constant, next: i + 3 })
        }
        Word::Literal => Some(Parsed { operand: Operand::Constant, next: i + 1 }),
        // A query is an operand between parentheses alone; prose selects as well.
        Word::Select => {
            let enclosed = i.checked_sub(1).is_some_and(|before| kind(tokens, before) == Some(Kind::Open));
            enclosed.then_some(Parsed { operand: Operand::Query, next: END })
        }
        Word::Case => end_of_case(tokens, i).map(|next| Parsed { operand: Operand::Call, next }),
        Word::Exists if called => Some(Parsed { operand: Operand::Query, next: close_of(tokens, i + 1) }),
        _ if called && found.is_function() => {
            Some(Parsed { operand: Operand::Call, next: close_of(tokens, i + 1) })
        }
        Word::Array if kind(tokens, i + 1) == Some(Kind::BracketOpen) => {
            Some(Parsed { operand: Operand::Constant, next: i + 1 })
        }
        Word::Like if kind(tokens, i + 1).is_some_and(is_constant) => {
            Some(Parsed { operand: Operand::Call, next: i + 2 })
        }
        _ if found.is_name() => Some(name(tokens, i)),
        _ => None,
    }
}

fn is_constant(kind: Kind) -> bool {
    matches!(kind, Kind::Number(_) | Kind::Text | Kind::Word(Word::Literal))
}

/// Index behind the `END` of the `CASE` at `from`, which has a `WHEN`; the end of the reading when it is cut off there.
fn end_of_case(tokens: &Reading<'_>, from: usize) -> Option<usize> {
    let (mut depth, mut decides) = (0usize, false);
    for (at, token) in tokens.from(from) {
        match token.kind {
            Kind::Word(Word::Case) => depth += 1,
            Kind::Word(Word::When) => decides = true,
            Kind::Word(Word::End) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return decides.then_some(at + 1);
                }
            }
            _ => {}
        }
    }
    (decides && tokens.cost() >= END).then(|| tokens.cost())
}

/// A name with its qualifiers; a call when `(` follows.
fn name(tokens: &Reading<'_>, i: usize) -> Parsed {
    let mut next = i + 1;
    for _ in 0..CHAIN_MAX {
        if kind(tokens, next) != Some(Kind::Dot) {
            break;
        }
        next += 1;
        match kind(tokens, next) {
            Some(Kind::Word(_)) => next += 1,
            Some(Kind::Arithmetic | Kind::Text) => return Parsed { operand: Operand::Name, next: next + 1 },
            _ => break,
        }
    }
    if kind(tokens, next) == Some(Kind::Open)
        && tokens.get(next).zip(tokens.get(next - 1)).is_some_and(|(open, last)| open.start == last.end)
    {
        return Parsed { operand: Operand::Group, next: close_of(tokens, next) };
    }
    Parsed { operand: Operand::Name, next }
}

/// `::type`, `[index]`, `COLLATE name`.
fn postfixes(tokens: &Reading<'_>, mut base: Parsed) -> Parsed {
    for _ in 0..CHAIN_MAX {
        match kind(tokens, base.next) {
            Some(Kind::Cast) if word(tokens, base.next + 1).is_some() => base.next += 2,
            Some(Kind::BracketOpen) => {
                let close =
                    tokens.from(base.next).take(CHAIN_MAX).find(|(_, t)| t.kind == Kind::BracketClose);
                match close {
                    Some((at, _)) => base.next = at + 1,
                    None => break,
                }
            }
            Some(Kind::Word(Word::Collate | Word::Binary)) if kind(tokens, base.next + 1).is_some() => {
                base.next += 2;
            }
            _ => break,
        }
    }
    base
}

/// A comparison operator at `i`.
pub(super) fn comparison(tokens: &Reading<'_>, i: usize) -> Option<Comparison> {
    match tokens.get(i)?.kind {
        Kind::Compare | Kind::Assign | Kind::JsonOperator => {
            // `= ! x`, `= - x` are the operand's; `> =` with a space is still one operator.
            let split = kind(tokens, i + 1) == Some(Kind::Compare);
            Some(Comparison::Symbol(i + 1 + usize::from(split)))
        }
        Kind::Bang if kind(tokens, i + 1) == Some(Kind::Compare) => Some(Comparison::Symbol(i + 2)),
        Kind::Bang if word(tokens, i + 1) == Some(Word::All) => Some(Comparison::Symbol(i + 1)),
        Kind::Word(Word::Not) => match comparison(tokens, i + 1) {
            Some(Comparison::Word(next)) => Some(Comparison::Word(next)),
            _ => None,
        },
        Kind::Word(Word::Like | Word::Between) => {
            // `SOUNDS LIKE`, `SIMILAR TO`.
            let second = matches!(word(tokens, i + 1), Some(Word::Like));
            Some(Comparison::Word(i + 1 + usize::from(second)))
        }
        Kind::Word(Word::In) => (kind(tokens, i + 1) == Some(Kind::Open)).then_some(Comparison::Word(i + 1)),
        Kind::Word(Word::PostfixNull) => Some(Comparison::Complete(i + 1)),
        Kind::Word(Word::Is) => {
            let at = i + 1 + usize::from(word(tokens, i + 1) == Some(Word::Not));
            match kind(tokens, at) {
                Some(Kind::Word(Word::Literal)) => Some(Comparison::Complete(at + 1)),
                Some(k) if is_constant(k) || k == Kind::OpenText => Some(Comparison::Word(at)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns `true` if a complete expression may be followed by what stands at `i`.
pub(super) fn may_end(tokens: &Reading<'_>, i: usize) -> bool {
    match kind(tokens, i) {
        None => true,
        Some(Kind::Word(word)) => word.continues(),
        // `//`, the comment of a script.
        Some(Kind::Arithmetic) => {
            kind(tokens, i + 1) == Some(Kind::Arithmetic) && kind(tokens, i + 2).is_none()
        }
        Some(kind) => matches!(
            kind,
            Kind::Tail
                | Kind::Close
                | Kind::BraceClose
                | Kind::BracketClose
                | Kind::Semicolon
                | Kind::Comma
                | Kind::Pipes
                | Kind::Ampersands
                | Kind::Compare
                | Kind::Cast
                | Kind::OpenText
        ),
    }
}

/// Returns `true` if the arguments of the call whose `(` stands at `i` are SQL: operands between commas, or nothing.
pub(super) fn arguments(tokens: &Reading<'_>, open: usize) -> bool {
    let mut i = open + 1;
    for _ in 0..CHAIN_MAX {
        match kind(tokens, i) {
            None | Some(Kind::Close | Kind::Tail) => return true,
            _ => {}
        }
        if kind(tokens, i) == Some(Kind::Arithmetic)
            && matches!(kind(tokens, i + 1), Some(Kind::Close) | None)
        {
            return true;
        }
        let Some(argument) = operand(tokens, i) else { return false };
        i = argument.next;
        for _ in 0..4 {
            match comparison(tokens, i) {
                Some(Comparison::Symbol(next) | Comparison::Word(next)) => match operand(tokens, next) {
                    Some(right) => i = right.next,
                    None => return tokens.ends_at(next),
                },
                Some(Comparison::Complete(next)) => i = next,
                None => break,
            }
        }
        match kind(tokens, i) {
            None | Some(Kind::Close | Kind::Tail | Kind::OpenText) => return true,
            Some(Kind::Comma | Kind::Semicolon | Kind::Pipes | Kind::Ampersands) => i += 1,
            Some(Kind::Word(word)) if word.continues() => return true,
            _ => return false,
        }
    }
    true
}
