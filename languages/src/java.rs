//! Names of Java code in a value: class names and how they stand there, calls that reach the runtime or load code,
//! gadgets of serialized objects, expressions of OGNL. It knows bytes, not places or rules' weights.

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

mod classes;
mod triggers;

pub use classes::JavaClass;

/// Dotted names that are looked at in one view.
const NAMES_MAX: usize = 512;

/// A thing that names and calls of Java show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JavaSign {
    /// A class name is a whole value, key or literal: something is asked to load or name it.
    ClassName(JavaClass),
    /// A class name stands in text or code.
    ClassMention,
    /// A class name is called, instantiated or taken by reflection at once.
    ClassUse,
    /// A call that starts a process or looks a class up, by its methods.
    Call,
    /// A class that is known from chains of deserialization.
    Gadget,
    /// An object is instantiated by a YAML tag.
    YamlTag,
    /// A path of bean properties that leads to the class loader.
    PropertyPath,
    /// OGNL reaches a static method or the evaluation's own context.
    Ognl,
}

/// The standing of a name among its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// Nothing but quotes, marks of markup or assignment around it.
    Alone,
    /// Its neighbours make it code that runs.
    Used,
    /// A line of a stack trace.
    Frame,
    Text,
}

/// Names and calls of Java. A scan is one pass over the names.
#[derive(Debug)]
pub struct Java;

impl Language for Java {
    type Sign = JavaSign;
    const NAME: &'static str = "java";
    const TRIGGERS: &'static [&'static str] = triggers::TRIGGERS;

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, JavaSign>) {
        let bytes = input.bytes;
        let mut text = None;
        let mut is_text = || *text.get_or_insert_with(|| prose::is_text(bytes));
        let mut at = 0;
        for _ in 0..NAMES_MAX {
            let Some((start, end)) = next_name(bytes, at) else { return };
            at = end;
            judge(bytes, (start, end), &mut is_text, &mut |sign, context| {
                findings.add(sign, context, start, end - start);
            });
        }
    }
}

/// Judges the name that stands at `start..end` by its class and its neighbours.
fn judge(
    bytes: &[u8],
    (start, end): (usize, usize),
    is_text: &mut impl FnMut() -> bool,
    found: &mut impl FnMut(JavaSign, Context),
) {
    let name = bytes.get(start..end).unwrap_or_default();
    // A line of source, as traces name it.
    if bytes.get(end) == Some(&b':') && is_source(name) {
        return;
    }
    if classes::is_property_path(name) {
        return found(JavaSign::PropertyPath, Context::Code);
    }
    let stand = stand(bytes, start, end);
    if stand == Stand::Frame {
        return;
    }
    if is_yaml_tag(bytes, start, end) {
        return found(JavaSign::YamlTag, Context::Code);
    }
    if classes::has_gadget(name) && name.contains(&b'.') {
        return found(JavaSign::Gadget, Context::of_text(stand == Stand::Text && is_text()));
    }
    match classes::kind(name) {
        Some(JavaClass::Error) | None => {}
        Some(kind) => match stand {
            Stand::Alone => found(JavaSign::ClassName(kind), Context::Sole),
            Stand::Used if kind == JavaClass::Reaching && !is_text() => {
                found(JavaSign::ClassUse, Context::Code);
            }
            _ => found(JavaSign::ClassMention, Context::Code),
        },
    }
    if is_ognl(bytes, start, end) {
        if is_text() {
            found(JavaSign::Call, Context::Prose);
        } else {
            found(JavaSign::Ognl, Context::Code);
        }
    }
    let instantiates = name == b"ProcessBuilder" && is_instantiated(bytes, start, end);
    let called = next(bytes, end) == Some(b'(') && !is_definition(bytes, start);
    if instantiates || called && classes::ends_in_reaching_call(name) {
        found(JavaSign::Call, Context::of_text(is_text()));
    }
}

/// The next run of name bytes and dots that has a letter.
fn next_name(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(from..)?;
    let start = from + rest.iter().position(|byte| byte.is_ascii_alphabetic() || *byte == b'_')?;
    let length = bytes.get(start..)?.iter().take_while(|byte| is_name(**byte) || **byte == b'.').count();
    let dots = bytes.get(start..start + length)?.iter().rev().take_while(|byte| **byte == b'.').count();
    Some((start, start + length - dots.min(length - 1)))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// `!!package.Class`, which a script's double negation is not: a class known here, or arguments behind it.
fn is_yaml_tag(bytes: &[u8], start: usize, end: usize) -> bool {
    let name = bytes.get(start..end).unwrap_or_default();
    let marked = bytes.get(..start).is_some_and(|head| head.ends_with(b"!!") && !head.ends_with(b"!!!"));
    let class = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let capital =
        class.first().is_some_and(u8::is_ascii_uppercase) && class.iter().any(u8::is_ascii_lowercase);
    let arguments = bytes.get(end..).is_some_and(|tail| matches!(tail, [b' ', b'[' | b'{' | b'!', ..]));
    marked && capital && name.contains(&b'.') && (classes::kind(name).is_some() || arguments)
}

/// The byte at `at`, blanks passed over.
fn next(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at..)?.iter().take(8).copied().find(|byte| !matches!(byte, b' ' | b'\t'))
}

fn stand(bytes: &[u8], start: usize, end: usize) -> Stand {
    let head = bytes.get(..start).unwrap_or_default();
    let tail = bytes.get(end..).unwrap_or_default();
    if is_frame(head, tail) {
        return Stand::Frame;
    }
    let word = |word: &[u8]| {
        let head = head.trim_ascii_end();
        head.len() < start
            && head.ends_with(word)
            && !head.iter().rev().nth(word.len()).is_some_and(|b| is_name(*b))
    };
    if tail.first() == Some(&b'(') || word(b"new") || head.ends_with(b"T(") || head.ends_with(b"@") {
        return Stand::Used;
    }
    if is_element(head, tail) {
        return Stand::Alone;
    }
    let opened = matches!(head.trim_ascii_end().last(), None | Some(b'"' | b'\'' | b'=' | b'>' | b'['));
    let spaced =
        head.last().is_some_and(u8::is_ascii_whitespace) && head.trim_ascii_end().last() != Some(&b'=');
    let closed =
        matches!(tail.trim_ascii_start().first(), None | Some(b'"' | b'\'' | b'<' | b'&' | b'=' | b']'));
    if opened && closed && (!spaced || head.trim_ascii().is_empty()) { Stand::Alone } else { Stand::Text }
}

/// `<java.io.File>`: the name of an element, which a type's arguments are not: they stand behind a name.
fn is_element(head: &[u8], tail: &[u8]) -> bool {
    let Some((b'<', before)) = head.split_last() else { return false };
    let after = matches!(tail, [b'>' | b' ', ..] | [b'/', b'>', ..]);
    after && !before.last().is_some_and(|byte| is_name(*byte) || *byte == b'?')
}

/// `at x.y.Z.method(Z.java:12)`, and the forms with `Native Method` and `Unknown Source`.
fn is_frame(head: &[u8], tail: &[u8]) -> bool {
    let Some(inside) = tail.strip_prefix(b"(") else {
        return head.ends_with(b"at ") && tail.starts_with(b".<init>");
    };
    let inside = inside.get(..64).unwrap_or(inside);
    let source = inside.split(|byte| matches!(byte, b')' | b':')).next().unwrap_or_default();
    is_source(source) || matches!(source, b"Native Method" | b"Unknown Source")
}

/// Returns `true` if `name` is that of a source file.
fn is_source(name: &[u8]) -> bool {
    [&b".java"[..], b".kt", b".scala", b".groovy", b".clj"].iter().any(|suffix| name.ends_with(suffix))
}

/// `@class@method(`: a static call of OGNL.
fn is_ognl(bytes: &[u8], start: usize, end: usize) -> bool {
    let Some(tail) = bytes.get(end..) else { return false };
    if start > 0
        && bytes.get(start - 1) == Some(&b'@')
        && tail.first() == Some(&b'@')
        && tail.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
    {
        let member = tail.iter().skip(1).take_while(|byte| is_name(**byte)).count();
        let class = bytes.get(start..end).unwrap_or_default();
        return class.contains(&b'.')
            && member > 0
            && (class.iter().any(u8::is_ascii_uppercase) || tail.get(member + 1) == Some(&b'('));
    }
    let name = bytes.get(start..end).unwrap_or_default();
    let hash = start > 0 && bytes.get(start - 1) == Some(&b'#');
    hash && (name.starts_with(b"_memberAccess")
        || name.starts_with(b"context.")
        || name == b"context" && tail.starts_with(b"["))
}

/// `new Name(`, `new Name[`
fn is_instantiated(bytes: &[u8], start: usize, end: usize) -> bool {
    let head = bytes.get(..start).unwrap_or_default();
    let spaced = head.last().is_some_and(u8::is_ascii_whitespace);
    spaced && head.trim_ascii_end().ends_with(b"new") && matches!(next(bytes, end), Some(b'(' | b'['))
}

/// Returns `true` if the name is being declared rather than called: `function exec(`, `def exec(`.
fn is_definition(bytes: &[u8], start: usize) -> bool {
    let head = bytes.get(..start).unwrap_or_default().trim_ascii_end();
    [&b"function"[..], b"def", b"void", b"fn", b"func"].iter().any(|word| head.ends_with(word))
}

/// The name before `="` or `": "` in front of `start`; empty where there is none.
pub fn label(bytes: &[u8], start: usize) -> &[u8] {
    let head = bytes.get(..start).unwrap_or_default();
    let rest = head.get(head.len().saturating_sub(64)..).unwrap_or_default();
    let marks = |byte: &u8| matches!(byte, b'"' | b'\'' | b'=' | b':' | b' ' | b'>');
    let end = rest.iter().rposition(|byte| !marks(byte)).map_or(0, |at| at + 1);
    let begin = rest
        .get(..end)
        .and_then(|rest| rest.iter().rposition(|byte| !is_name(*byte) && !matches!(byte, b'@' | b'-' | b'.')))
        .map_or(0, |at| at + 1);
    if end == rest.len() { b"" } else { rest.get(begin.min(end)..end).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Finding;

    fn signs(value: &str) -> Vec<JavaSign> {
        crate::language::signs::<Java>(value)
    }

    #[test]
    fn a_name_alone_asks_to_be_loaded() {
        for value in [
            "java.io.RandomAccessFile",
            "<e a=\"java.io.RandomAccessFile\">",
            "<e>java.io.RandomAccessFile</e>",
            "{\"java.io.RandomAccessFile\": 1}",
            "unit=java.io.RandomAccessFile",
            "java.io.RandomAccessFile=on",
            "<java.io.RandomAccessFile/>",
        ] {
            assert_eq!(signs(value), [JavaSign::ClassName(JavaClass::Reaching)], "{value}");
        }
    }

    #[test]
    fn traces_are_not_calls() {
        let trace = "java.lang.IllegalStateException: closed\n\tat java.io.Reader.read(Reader.java:12)\n\tat \
                     java.lang.reflect.Method.invoke(Native Method)\nCaused by: java.io.IOException";
        assert_eq!(signs(trace), []);
    }

    #[test]
    fn calls_are_told_from_text() {
        assert_eq!(signs("Runtime.getRuntime().exec(\"id\")"), [JavaSign::Call]);
        let text = "We should never call Runtime.getRuntime() here";
        let found = crate::language::findings::<Java>(&Input::value(text.as_bytes()));
        assert!(matches!(found[..], [Finding { sign: JavaSign::Call, context: Context::Prose, .. }]));
        assert_eq!(signs("(new java.lang.ProcessBuilder(a)).start()"), [JavaSign::ClassUse]);
        assert_eq!(signs("def x = new ProcessBuilder(\"id\").start()"), [JavaSign::Call]);
        assert_eq!(
            signs("@java.lang.Runtime@getRuntime()"),
            [JavaSign::ClassUse, JavaSign::Ognl, JavaSign::Call]
        );
        assert_eq!(signs("!!javax.script.ScriptEngineManager [x]"), [JavaSign::YamlTag]);
        assert_eq!(signs("return !!options.follow && !!process.env.DEBUG && !!this.props.Item"), []);
    }

    #[test]
    fn labels_are_read() {
        let value = b"<a type=\"java.lang.String\">";
        let found = crate::language::findings::<Java>(&Input::value(value));
        assert_eq!(label(value, found[0].span.offset), b"type");
    }
}
