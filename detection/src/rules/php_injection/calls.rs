//! Rules for calls of PHP functions, each with its proofs.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &CALL,
    &CALL_IN_TEXT,
    &SOLE_CALL,
    &COMMENTED,
    &TAINTED,
    &TAINTED_IN_TEXT,
    &ANY_CALL,
    &VARIABLE,
    &VARIABLE_IN_CODE,
    &EXPRESSION,
    &EXPRESSION_IN_TEXT,
];

pub(super) static CALL: Rule = Rule {
    id: "php-injection-dangerous-functions/call",
    leaf: Leaf::PhpInjectionDangerousFunctions,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A PHP function that runs code, unpacks it or reads files is called.",
    attacks: &[
        "base64_decode()",
        "1;phpinfo();",
        "posix_getpwuid('root', 7)",
        "x' . shell_exec('id') . '",
        "XYcall_user_func()",
        "file_exists (\n\n)",
        "';passthru('id');//",
    ],
    benign: &[
        "What does base64_decode() do, and why does everybody in this forum tell me not to use it?",
        "shell_exec",
        "our phpinfo page",
        "file_get_contents is slow",
    ],
};

pub(super) static CALL_IN_TEXT: Rule = Rule {
    id: "php-injection-dangerous-functions/call-in-text",
    leaf: Leaf::PhpInjectionDangerousFunctions,
    weight: 2,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text holds a call of a function that only PHP has.",
    attacks: &[
        "What does base64_decode() do, and why does everybody tell me not to use it?",
        "I always use print_r($x) to look into my arrays",
        "a = str_replace('a', 'b', c) + 1",
    ],
    benign: &[
        "we print the array (all of it) and go home",
        "f(x) = 2x",
        "call me (maybe) tonight or tomorrow",
    ],
};

pub(super) static SOLE_CALL: Rule = Rule {
    id: "php-injection-dangerous-functions/sole-call",
    leaf: Leaf::PhpInjectionDangerousFunctions,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value is nothing but the call of a function that PHP has.",
    attacks: &[
        "system(whoami)",
        "is_array()",
        "FILE\n()",
        "exec (blah)",
        "substr($x)",
        "';eval(x);//",
        "1;system('id')",
        "fopen  (blah)",
    ],
    benign: &[
        "System (default)",
        "file(s)",
        "Copy(s)",
        "File (1)",
        "mail (optional)",
        "regex.exec(value)",
        "What's the difference between sleep(8 hours) and a nap, lol",
        "count(items) > 3",
        "print('hello')",
        "require('fs')",
        "assert(x == 1)",
    ],
};

pub(super) static COMMENTED: Rule = Rule {
    id: "php-injection-dangerous-functions/commented-call",
    leaf: Leaf::PhpInjectionDangerousFunctions,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A comment hides a function's name from its parenthesis.",
    attacks: &[
        "exec/*comment*/()",
        "exec #comment\n (blah)",
        "You may not expect gzuncompress/* this */()",
        "system \t/**/\t ('id')",
    ],
    benign: &["/* exec */ (later)", "exec # runs it", "a /* b */ (c)", "see #12 (closed)"],
};

pub(super) static TAINTED: Rule = Rule {
    id: "php-injection-dangerous-functions/request-as-argument",
    leaf: Leaf::PhpInjectionDangerousFunctions,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A PHP function is called with what the request holds: a web shell.",
    attacks: &["eval($_POST['x'])", "<?php system($_GET['c']); ?>", "@assert($_REQUEST[0]);"],
    benign: &["_POST", "f(x + 1) * 2", "the system (GET and POST)"],
};

pub(super) static TAINTED_IN_TEXT: Rule = Rule {
    id: "php-injection-dangerous-functions/request-as-argument-in-text",
    leaf: Leaf::PhpInjectionDangerousFunctions,
    weight: 4,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text holds a call of a PHP function with what the request holds.",
    attacks: &[
        "We found eval($_POST['x']) in our theme, what should we do now?",
        "is it fine to write exec($_GET['c']) in there and hope",
        "they left assert($_REQUEST[0]) somewhere in our uploads directory",
    ],
    benign: &[
        "never trust what the request holds",
        "eval is evil and so is exec",
        "the (post) is on its way to you",
    ],
};

pub(super) static ANY_CALL: Rule = Rule {
    id: "php-injection-suspicious-functions-aggressive/call",
    leaf: Leaf::PhpInjectionSuspiciousFunctionsAggressive,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A function that PHP has is called, whatever its name means elsewhere.",
    attacks: &[
        "date_add()",
        "pg_enter_pipeline_mode (",
        "zend_test_is_string_marked_as_valid_utf8(",
        "crypt(abc)",
        "1+range(1,9)",
        "array_map('x')",
    ],
    benign: &["a date (or two)", "f(x)", "get_user(1)", "items.sort()"],
};

pub(super) static VARIABLE: Rule = Rule {
    id: "php-injection-indirect-function-calls/variable",
    leaf: Leaf::PhpInjectionIndirectFunctionCalls,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value is the call of what a PHP variable names.",
    attacks: &[
        "$_(3)",
        "$__[@$c](8)",
        "$GLOBALS['b7d0e1'](23)",
        "$OOO0000O0 (16)",
        "$f(101).$f(120)",
        "Foo::$variable()",
        "$foo->$funcname()",
        "${'a'}(11)",
    ],
    benign: &[
        "$5 (approx.)",
        "$TSLA (Tesla)",
        "$bYSB(mN+0",
        "$(document).ready()",
        "price in US$ (net)",
        "${name}(s)",
        "$t('common.save')",
    ],
};

pub(super) static VARIABLE_IN_CODE: Rule = Rule {
    id: "php-injection-indirect-function-calls/variable-in-code",
    leaf: Leaf::PhpInjectionIndirectFunctionCalls,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value holds, among other things, the call of what a variable names.",
    attacks: &["x = $call(config) + 1", "var a = $run(b); return a", "if $f('x') then y"],
    benign: &["$5 (approx.)", "cash $ (no cards)", "a (b) $c"],
};

pub(super) static EXPRESSION: Rule = Rule {
    id: "php-injection-indirect-function-calls/expression",
    leaf: Leaf::PhpInjectionIndirectFunctionCalls,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "The name of a function that is called is put together by an expression.",
    attacks: &[
        "(system)('uname') ;",
        "('system')('whoami')",
        "(ex.(ec))('hostname');",
        "(string) {[passthru][0]} ('hostname');",
        "(string) \"pass\".\"th\".\"ru\" ('hostname');",
        "$go = 'pass'.'thru';($go)('hostname');",
        "define('k', [['pass' .'thru']]);(k)[0][0]('hostname');",
        r#""\x73y\x73tem"(ls);"#,
    ],
    benign: &[
        "[system](https://example.org/system)",
        "report (copy)(1).pdf",
        "(\\d+)(\\w+)",
        "(function () { return 1 })()",
        "\"file\" (required)",
        "(system) (file)",
    ],
};

pub(super) static EXPRESSION_IN_TEXT: Rule = Rule {
    id: "php-injection-indirect-function-calls/expression-in-text",
    leaf: Leaf::PhpInjectionIndirectFunctionCalls,
    weight: 3,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text holds a call of a name that is put together by an expression.",
    attacks: &[
        "somebody sent us (system)('uname') in the comment field of our form",
        "in version seven you may write 'exec'('ls') and it just works",
        "it says ('sys'.'tem')('id') in the log of our server again",
    ],
    benign: &[
        "the (old) (grey) system (we have) is slow",
        "see [here](https://example.org) for the rest",
        "\"exec\", or execute",
    ],
};
