//! Names of Java code in a value: class names and how they stand there, calls that reach the runtime or load code,
//! gadgets of serialized objects, expressions of OGNL. It knows bytes, not places or rules' weights.

use super::prose;

mod classes;

pub(crate) use classes::Kind;

/// Dotted names that are looked at in one view.
const NAMES_MAX: usize = 512;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A class name is a whole value, key or literal: something is asked to load or name it.
    ClassName(Kind),
    /// A class name stands in text or code.
    ClassInText,
    /// A class name is called, instantiated or taken by reflection at once.
    ClassUse,
    /// A call that starts a process or looks a class up, by its methods.
    Call,
    /// Such a call in running text.
    CallInText,
    /// A class that is known from chains of deserialization.
    Gadget,
    /// Such a class in text.
    GadgetInText,
    /// An object is instantiated by a YAML tag.
    YamlTag,
    /// A path of bean properties that leads to the class loader.
    PropertyPath,
    /// OGNL reaches a static method or the evaluation's own context.
    Ognl,
}

/// A sign and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) sign: Sign,
    pub(crate) offset: usize,
    pub(crate) length: usize,
    /// The name in the value that the finding is the value of (`type="…"`, `"@class": "…"`); empty where there is none.
    pub(crate) label: (usize, usize),
}

/// How a name stands among its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// Nothing but quotes, marks of markup or assignment around it.
    Alone,
    /// What follows or precedes makes it code that runs.
    Used,
    /// A line of a stack trace.
    Frame,
    Text,
}

/// Reports what stands in `bytes`, in one pass over its names.
pub(crate) fn inspect(bytes: &[u8], report: &mut impl FnMut(Finding)) {
    let mut text = None;
    let mut is_text = || *text.get_or_insert_with(|| prose::is_text(bytes));
    let mut at = 0;
    for _ in 0..NAMES_MAX {
        let Some((start, end)) = next_name(bytes, at) else { return };
        at = end;
        let name = bytes.get(start..end).unwrap_or_default();
        let mut found = |sign| {
            let label = label(bytes, start);
            report(Finding { sign, offset: start, length: end - start, label });
        };
        // A line of source, as traces name it.
        if bytes.get(end) == Some(&b':') && is_source(name) {
            continue;
        }
        if classes::is_property_path(name) {
            found(Sign::PropertyPath);
            continue;
        }
        let stand = stand(bytes, start, end);
        if stand == Stand::Frame {
            continue;
        }
        if is_yaml_tag(bytes, start, end) {
            found(Sign::YamlTag);
            continue;
        }
        if classes::has_gadget(name) && name.contains(&b'.') {
            found(if stand == Stand::Text && is_text() { Sign::GadgetInText } else { Sign::Gadget });
            continue;
        }
        match classes::kind(name) {
            Some(Kind::Error) | None => {}
            Some(kind) => found(match stand {
                Stand::Alone => Sign::ClassName(kind),
                Stand::Used if kind == Kind::Reaching && !is_text() => Sign::ClassUse,
                _ => Sign::ClassInText,
            }),
        }
        if is_ognl(bytes, start, end) {
            found(if is_text() { Sign::CallInText } else { Sign::Ognl });
        }
        if classes::ends_in_reaching_call(name)
            && next(bytes, end) == Some(b'(')
            && !is_definition(bytes, start)
        {
            found(if is_text() { Sign::CallInText } else { Sign::Call });
        }
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
    let opened = matches!(head.trim_ascii_end().last(), None | Some(b'"' | b'\'' | b'=' | b'>' | b'['));
    let spaced =
        head.last().is_some_and(u8::is_ascii_whitespace) && head.trim_ascii_end().last() != Some(&b'=');
    let closed =
        matches!(tail.trim_ascii_start().first(), None | Some(b'"' | b'\'' | b'<' | b'&' | b'=' | b']'));
    if opened && closed && (!spaced || head.trim_ascii().is_empty()) { Stand::Alone } else { Stand::Text }
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

/// Whether `name` is that of a source file.
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

/// Whether the name is being declared rather than called: `function exec(`, `def exec(`.
fn is_definition(bytes: &[u8], start: usize) -> bool {
    let head = bytes.get(..start).unwrap_or_default().trim_ascii_end();
    [&b"function"[..], b"def", b"void", b"fn", b"func"].iter().any(|word| head.ends_with(word))
}

/// The name before `="` or `": "` in front of `start`.
fn label(bytes: &[u8], start: usize) -> (usize, usize) {
    let head = bytes.get(..start).unwrap_or_default();
    let rest = head.get(head.len().saturating_sub(64)..).unwrap_or_default();
    let offset = head.len() - rest.len();
    let marks = |byte: &u8| matches!(byte, b'"' | b'\'' | b'=' | b':' | b' ' | b'>');
    let end = rest.iter().rposition(|byte| !marks(byte)).map_or(0, |at| at + 1);
    let begin = rest
        .get(..end)
        .and_then(|rest| rest.iter().rposition(|byte| !is_name(*byte) && !matches!(byte, b'@' | b'-' | b'.')))
        .map_or(0, |at| at + 1);
    if end == rest.len() { (0, 0) } else { (offset + begin.min(end), offset + end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(value: &str) -> Vec<Sign> {
        let mut signs = Vec::new();
        inspect(value.as_bytes(), &mut |finding| signs.push(finding.sign));
        signs
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
        ] {
            assert_eq!(signs(value), [Sign::ClassName(Kind::Reaching)], "{value}");
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
        assert_eq!(signs("Runtime.getRuntime().exec(\"id\")"), [Sign::Call]);
        assert_eq!(signs("We should never call Runtime.getRuntime() here"), [Sign::CallInText]);
        assert_eq!(signs("(new java.lang.ProcessBuilder(a)).start()"), [Sign::ClassUse]);
        assert_eq!(signs("@java.lang.Runtime@getRuntime()"), [Sign::ClassUse, Sign::Ognl, Sign::Call]);
        assert_eq!(signs("!!javax.script.ScriptEngineManager [x]"), [Sign::YamlTag]);
        assert_eq!(signs("return !!options.follow && !!process.env.DEBUG && !!this.props.Item"), []);
    }

    #[test]
    fn labels_are_read() {
        let value = b"<a type=\"java.lang.String\">";
        let mut label = (0, 0);
        inspect(value, &mut |finding| label = finding.label);
        assert_eq!(&value[label.0..label.1], b"type");
    }
}
