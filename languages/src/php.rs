//! PHP inside values: what a value would do if it reached `eval`, `include`, `unserialize` or a template. It looks at the
//! places where PHP shows its structure (a callee before a parenthesis, a tag, a variable, a wrapper, a serialized
//! object) and says what stands there and among what. It knows bytes alone, neither places nor rules.

use crate::language::{Context, Findings, Input, Language, Prefilter};
use crate::prose;

mod bytes;
mod callee;
mod calls;
mod directives;
mod names;
mod serialized;
mod sign;
mod tags;
mod triggers;
mod variables;
mod wrappers;

pub use directives::is_option;
pub use names::is_superglobal;
pub use sign::PhpSign;

/// The code and the data of PHP.
#[derive(Debug)]
pub struct Php;

impl Language for Php {
    type Sign = PhpSign;
    const NAME: &'static str = "php";
    const TRIGGERS: &'static [&'static str] = triggers::TRIGGERS;
    const PREFILTER: Option<Prefilter> = Some(Prefilter { triggers: &["("], may_match: calls::may_call });

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, PhpSign>) {
        let bytes = input.bytes;
        let surroundings = Context::of_text(prose::has_sentences(bytes, KEYWORDS));
        tags::scan(bytes, surroundings, findings);
        calls::scan(bytes, surroundings, findings);
        variables::scan(bytes, surroundings, findings);
        wrappers::scan(bytes, surroundings, findings);
        serialized::scan(bytes, findings);
        directives::scan(bytes, surroundings, findings);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: &str) -> Vec<(PhpSign, Context)> {
        let findings = crate::language::findings::<Php>(&Input::value(value.as_bytes()));
        findings.iter().map(|finding| (finding.sign, finding.context)).collect()
    }

    /// A listed name without a trigger would never be found.
    #[test]
    fn every_listed_name_holds_a_trigger() {
        let assigned = directives::directives().map(|name| format!("{name}=1"));
        let named = names::superglobals().filter(|&name| name != "argv").map(|name| format!("{name}["));
        let asleep: Vec<_> = assigned
            .chain(named)
            .filter(|value| !Php::TRIGGERS.iter().any(|trigger| value.contains(trigger)))
            .collect();
        assert!(asleep.is_empty(), "{asleep:?}");
    }

    fn holds(value: &str, sign: PhpSign) {
        assert!(found(value).iter().any(|(found, _)| *found == sign), "{value}: {:?}", found(value));
    }

    #[test]
    fn calls_are_told_by_their_callee() {
        for (value, sign) in [
            ("base64_decode()", PhpSign::DangerousCall),
            ("posix_getpwuiD('root', 7)", PhpSign::DangerousCall),
            ("XYcall_user_func()", PhpSign::DangerousCall),
            ("is_array()", PhpSign::PhpCall),
            ("FILE\n()", PhpSign::SharedCall),
            ("exec #comment\n (blah)", PhpSign::CommentedCall),
            ("You may not expect gzuncompress/* this */()", PhpSign::CommentedCall),
            ("pg_enter_pipeline_mode (", PhpSign::OtherCall),
            ("('system')('whoami')", PhpSign::IndirectCall),
            ("(ex.(ec))('hostname');", PhpSign::IndirectCall),
            ("(string) {[passthru][0]} ('hostname');", PhpSign::IndirectCall),
            ("(string) \"pass\".\"th\".\"ru\" ('hostname');", PhpSign::IndirectCall),
            ("[system][0](ls);", PhpSign::IndirectCall),
            ("(  [  system  ][  0  ])  {/* c */0}  (  ls  );", PhpSign::IndirectCall),
            ("$go = 'pass'.'thru';($go)('hostname');", PhpSign::IndirectCall),
            ("\"system\"(ls);", PhpSign::IndirectCall),
            ("$_(3)", PhpSign::VariableCall),
            ("$__[@$c](8)", PhpSign::VariableCall),
            ("${@a}(10)", PhpSign::VariableCall),
            ("$_aB_4c #foo\n\t[5]//bar\n\t['d'] /*foo*/ (17)", PhpSign::VariableCall),
            ("$f(101).$f(120)", PhpSign::VariableCall),
            ("Foo::$variable()", PhpSign::VariableCall),
            ("system($_GET['c']);", PhpSign::TaintedCall),
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
            assert!(prose::has_sentences(value.as_bytes(), KEYWORDS), "{value}");
        }
        for value in ["<?php if (isset($_GET['x'])) { echo shell_exec($_GET['x']); } ?>", "exec (blah)"] {
            assert!(!prose::has_sentences(value.as_bytes(), KEYWORDS), "{value}");
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
            found(&piece.repeat(60_000));
        }
    }
}
