//! Exclusions of ModSecurity and the Core Rule Set: what they become, and what is said of those without a counterpart.

use waf_compiler::exclusions::translate;
use waf_shared::catalog::Leaf;

use crate::common::compile;

const FILE: &str = r#"
# Comments stay out of it.
SecRuleUpdateTargetById 942100 "!ARGS:content,!ARGS:json.post.0.body"
SecRuleUpdateTargetById 941100-941999 "!REQUEST_COOKIES:/^_ga/"
SecRuleUpdateTargetByTag "attack-sqli" "!ARGS:pwd|!REQUEST_HEADERS:X-Note"

SecRule REQUEST_FILENAME "@endsWith /wp-admin/post.php" \
    "id:1000,\
    phase:1,\
    pass,\
    t:none,\
    nolog,\
    ctl:ruleRemoveTargetById=941160;ARGS:content,\
    ctl:ruleRemoveTargetByTag=attack-rce;ARGS:content,\
    ctl:ruleRemoveTargetById=932100;ARGS:excerpt"
SecRule REQUEST_METHOD "@streq POST" "id:1001,phase:1,pass,nolog,chain"
    SecRule REQUEST_URI "@beginsWith /reports/" "t:none,ctl:ruleRemoveTargetById=942000-942999;ARGS"
SecAction "id:1002,phase:1,pass,nolog,ctl:ruleRemoveTargetById=930120;REQUEST_FILENAME"
SecRule REQUEST_URI "^/api/v1\.0/" "id:1003,phase:1,pass,nolog,ctl:ruleRemoveTargetById=933100;REQUEST_BODY"
"#;

#[test]
fn exclusions_with_a_place_become_exceptions() {
    let text = translate(FILE);
    let expected = r#"# 7 exceptions, 0 exclusions without a counterpart (listed below)
exceptions:
  - protections: ["sql-injection"]
    in: ["ARGS:content", "ARGS:json.post.0.body", "ARGS:pwd", "HEADERS:X-Note", "JSON:post.body"]
    reason: "imported, line 3, 5"
  - protections: ["cross-site-scripting"]
    in: ["COOKIES:_ga*"]
    reason: "imported, line 4"
  - protections: ["cross-site-scripting"]
    in: ["ARGS:content"]
    paths: ["/**/wp-admin/post.php"]
    reason: "imported, line 7"
  - protections: ["command-injection"]
    in: ["ARGS:content", "ARGS:excerpt"]
    paths: ["/**/wp-admin/post.php"]
    reason: "imported, line 7"
  - protections: ["sql-injection"]
    in: ["ARGS", "ARGS:*"]
    methods: ["POST"]
    paths: ["/reports/*"]
    reason: "imported, line 16"
  - protections: ["local-file-access"]
    in: ["PATH", "PATH_SEGMENT"]
    reason: "imported, line 18"
  - protections: ["php-injection"]
    in: ["BODY"]
    paths: ["/api/v1.0/*"]
    reason: "imported, line 19"
"#;
    assert_eq!(text, expected);
    let indented = text.replace('\n', "\n  ");
    let config = format!("version: v1alpha1\nglobal:\n  {indented}\nroutes:\n  - upstream: http://a\n");
    let compiled = compile(&config).unwrap_or_else(|faults| panic!("{config}\n{faults:#?}"));
    assert_eq!(compiled.plan.exceptions.len(), 7);
    assert!(compiled.plan.exceptions[0].leaves.contains(Leaf::SqlInjectionUnionSelect));
}

#[test]
fn what_has_no_counterpart_is_listed_with_its_reason() {
    for (line, reason) in [
        ("SecRuleRemoveById 942100", "removes `942100` everywhere in a request"),
        ("SecRuleRemoveByTag \"attack-sqli\"", "removes `attack-sqli` everywhere"),
        ("SecRuleRemoveByMsg \"x\"", "not known by their messages"),
        ("SecRuleUpdateTargetById 920300 \"!ARGS:a\"", "rule 920300 checks a shape, a limit or an answer"),
        ("SecRuleUpdateTargetById 100001 \"!ARGS:a\"", "rule 100001 is not of the Core Rule Set"),
        ("SecRuleUpdateTargetByTag \"mine\" \"!ARGS:a\"", "no protections belong to the tag `mine`"),
        ("SecRuleUpdateTargetById 942100 \"ARGS:a\"", "an added target has no counterpart"),
        ("SecRuleUpdateTargetById 942100 \"!ARGS:a\" \"ARGS:b\"", "a replaced target has no counterpart"),
        ("SecRuleUpdateTargetById 942100 \"!ARGS:/^(a|b)$/\"", "more than wildcards can say"),
        ("SecRuleUpdateTargetById 942100 \"!XML:/*\"", "an XPath has no counterpart"),
        ("SecRuleUpdateTargetById 942100 \"!ARGS_NAMES:a\"", "single names have no place"),
        ("SecRuleUpdateTargetById 942100 \"!TX:a\"", "no place holds the same values"),
        ("SecRuleUpdateTargetById 942100", "it names no target"),
        (
            "SecRule ARGS:action \"@streq save\" \"id:1,ctl:ruleRemoveTargetById=942100;ARGS:a\"",
            "the condition on ARGS:action has no counterpart",
        ),
        (
            "SecRule REQUEST_URI \"@rx ^/(a|b)\" \"id:1,ctl:ruleRemoveTargetById=942100;ARGS:a\"",
            "the condition on REQUEST_URI has no counterpart",
        ),
        (
            "SecRule REQUEST_URI \"!@beginsWith /a\" \"id:1,ctl:ruleRemoveTargetById=942100;ARGS:a\"",
            "the condition on REQUEST_URI has no counterpart",
        ),
        (
            "SecRule REQUEST_METHOD \"@streq POST\" \"id:1,chain\"\nSecRule ARGS:x \"@streq y\" \"ctl:ruleRemoveTargetById=942100;ARGS:a\"",
            "the condition on ARGS:x has no counterpart",
        ),
        (
            "SecRule REQUEST_URI \"@beginsWith /a\" \"id:1,ctl:ruleEngine=Off\"",
            "`ctl:ruleEngine` has no counterpart",
        ),
        ("SecAction \"id:1,ctl:ruleRemoveById=942100\"", "everywhere in a request"),
    ] {
        let text = translate(line);
        assert!(text.starts_with("# 0 exceptions, 1 exclusions"), "{line}\n{text}");
        assert!(text.contains("# line 1: not translated: ") && text.contains(reason), "{line}\n{text}");
    }
}

#[test]
fn other_directives_and_any_text_are_passed_over() {
    for text in [
        "",
        "SecRuleEngine On\nInclude x.conf\n",
        "SecRule ARGS \"@rx x\" \"id:1,deny\"",
        "SecRule",
        "SecAction",
        "SecRule A \"unclosed",
        "SecRule REQUEST_URI \"@beginsWith /\" \"chain\"",
        "\\\n\\\n",
        "SecAction \"ctl:\"",
    ] {
        assert_eq!(translate(text).lines().count(), 1, "{text}\n{}", translate(text));
    }
    // Nothing of the file reaches a terminal or the YAML as it is.
    let hostile = "SecRuleUpdateTargetById 942100 \"!ARGS:a\u{1b}[31m\u{202e}\"\nSecRuleUpdateTargetById \u{1b}x \"!ARGS:a\"";
    assert!(
        translate(hostile).chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'),
        "{}",
        translate(hostile)
    );
}
