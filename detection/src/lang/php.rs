//! PHP inside values: what a value would do if it reached `eval`, `include`, `unserialize` or a template. It looks at the
//! places where PHP shows its structure (a callee before a parenthesis, a tag, a variable, a wrapper, a serialized
//! object) and says what stands there and among what. It knows bytes alone, neither places nor rules.

use super::prose;

mod callee;
mod calls;
mod directives;
mod names;
mod serialized;
mod tags;
mod variables;
mod wrappers;

pub(crate) use calls::may_call;
#[cfg(test)]
pub(crate) use directives::directives;
pub(crate) use directives::is_option;
pub(crate) use names::is_superglobal;
#[cfg(test)]
pub(crate) use names::superglobals;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// `<?php`, `<?=`, `<?`, or the tags of a template engine that runs PHP.
    OpenTag,
    /// A call of a function that runs code, reads files or opens connections, and that only PHP has.
    DangerousCall,
    /// A call of another function that only PHP has.
    PhpCall,
    /// A call of a function whose name other languages and prose have as well.
    SharedCall,
    /// A call of a function that is listed for completeness.
    OtherCall,
    /// A comment stands between a function's name and its parenthesis.
    CommentedCall,
    /// A call whose argument is read from the request: `f($_GET[…`.
    TaintedCall,
    /// A call of a value: `$f(…)`, `$f[0](…)`, `$o->$m(…)`.
    VariableCall,
    /// A call of a name that is written as an expression: `('sys'.'tem')(…)`.
    IndirectCall,
    /// A variable that holds the request or the server: `$_GET`, `$GLOBALS`.
    Superglobal,
    /// A variable whose name is an expression: `${'a'}`.
    VariableVariable,
    /// A stream wrapper: `php://input`, `phar://…`.
    Wrapper,
    /// A serialized object.
    Serialized,
    /// A directive of `php.ini` is set.
    Directive,
}

/// What a finding stands among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// The finding is the whole value, but for punctuation.
    Sole,
    /// There is more, but no sentences.
    Code,
    /// There are sentences.
    Prose,
}

/// Something found in a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finding {
    pub(crate) sign: Sign,
    pub(crate) setting: Setting,
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

/// Reads `bytes` and hands every finding to `report`. Linear in the length, without allocation.
pub(crate) fn inspect(bytes: &[u8], report: &mut dyn FnMut(Finding)) {
    let surroundings = if is_prose(bytes) { Setting::Prose } else { Setting::Code };
    tags::inspect(bytes, surroundings, report);
    calls::inspect(bytes, surroundings, report);
    variables::inspect(bytes, surroundings, report);
    wrappers::inspect(bytes, surroundings, report);
    serialized::inspect(bytes, report);
    directives::inspect(bytes, surroundings, report);
}

/// Words of PHP that are no words of a sentence.
const KEYWORDS: &[&[u8]] = &[
    b"array",
    b"as",
    b"break",
    b"case",
    b"catch",
    b"class",
    b"const",
    b"die",
    b"do",
    b"echo",
    b"else",
    b"elseif",
    b"exit",
    b"false",
    b"for",
    b"foreach",
    b"function",
    b"global",
    b"goto",
    b"if",
    b"include",
    b"isset",
    b"namespace",
    b"new",
    b"null",
    b"php",
    b"print",
    b"private",
    b"protected",
    b"public",
    b"require",
    b"return",
    b"static",
    b"string",
    b"switch",
    b"throw",
    b"true",
    b"try",
    b"use",
    b"while",
];

fn is_prose(bytes: &[u8]) -> bool {
    prose::has_sentences(bytes, KEYWORDS)
}

/// A byte of an identifier.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether nothing that could be a word stands in `bytes`.
fn is_punctuation(bytes: &[u8]) -> bool {
    !bytes.iter().copied().any(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: &str) -> Vec<(Sign, Setting)> {
        let mut all = Vec::new();
        inspect(value.as_bytes(), &mut |finding| all.push((finding.sign, finding.setting)));
        all
    }

    fn holds(value: &str, sign: Sign) {
        assert!(found(value).iter().any(|(found, _)| *found == sign), "{value}: {:?}", found(value));
    }

    #[test]
    fn calls_are_told_by_their_callee() {
        for (value, sign) in [
            ("base64_decode()", Sign::DangerousCall),
            ("posix_getpwuiD('root', 7)", Sign::DangerousCall),
            ("XYcall_user_func()", Sign::DangerousCall),
            ("is_array()", Sign::PhpCall),
            ("FILE\n()", Sign::SharedCall),
            ("exec #comment\n (blah)", Sign::CommentedCall),
            ("You may not expect gzuncompress/* this */()", Sign::CommentedCall),
            ("pg_enter_pipeline_mode (", Sign::OtherCall),
            ("('system')('whoami')", Sign::IndirectCall),
            ("(ex.(ec))('hostname');", Sign::IndirectCall),
            ("(string) {[passthru][0]} ('hostname');", Sign::IndirectCall),
            ("(string) \"pass\".\"th\".\"ru\" ('hostname');", Sign::IndirectCall),
            ("[system][0](ls);", Sign::IndirectCall),
            ("(  [  system  ][  0  ])  {/* c */0}  (  ls  );", Sign::IndirectCall),
            ("$go = 'pass'.'thru';($go)('hostname');", Sign::IndirectCall),
            ("\"system\"(ls);", Sign::IndirectCall),
            ("$_(3)", Sign::VariableCall),
            ("$__[@$c](8)", Sign::VariableCall),
            ("${@a}(10)", Sign::VariableCall),
            ("$_aB_4c #foo\n\t[5]//bar\n\t['d'] /*foo*/ (17)", Sign::VariableCall),
            ("$f(101).$f(120)", Sign::VariableCall),
            ("Foo::$variable()", Sign::VariableCall),
            ("system($_GET['c']);", Sign::TaintedCall),
        ] {
            holds(value, sign);
        }
    }

    #[test]
    fn prose_is_told_from_code() {
        for value in [
            "What's the difference between sleep(8 hours) and a nap, lol",
            "we use print_r to debug our forms",
        ] {
            assert!(is_prose(value.as_bytes()), "{value}");
        }
        for value in ["<?php if (isset($_GET['x'])) { echo shell_exec($_GET['x']); } ?>", "exec (blah)"] {
            assert!(!is_prose(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn everyday_brackets_are_no_calls() {
        for value in [
            "[text](https://example.org/a)",
            "(\\d+)(\\w+)",
            "(a+b)(c+d)",
            "foo.exec(bar)",
            "function (a) { return a }",
            "$('#id').hide()",
            "costs $5 (approx.)",
            "Mozilla/5.0 (X11; Linux x86_64)",
        ] {
            assert!(found(value).is_empty(), "{value}: {:?}", found(value));
        }
    }

    #[test]
    fn hostile_values_take_linear_time() {
        for piece in ["(", ")(", "a/*", "](", "$a[", "${", "<?", "exec#", "O:1:\"", "\"x\".", "{}", "php:"] {
            inspect(piece.repeat(60_000).as_bytes(), &mut |_| {});
        }
    }
}
