//! Rules about expressions of template engines, and the detector that reports them. What an expression does, the tokenizer
//! says; here it is weighed by whether people write about it.

use waf_languages::language::Context;
use waf_languages::template::{Template, TemplateSign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[
        &INTROSPECTION,
        &CODE,
        &CODE_IN_TEXT,
        &PROBE,
        &PROBE_IN_TEXT,
        &POLYGLOT,
        &PREPROCESSED,
        &PYTHON_OBJECT,
    ]],
    detectors: &[&DETECTOR],
};

/// Reads expressions of template engines.
static DETECTOR: Detector = Detector::of::<Template>(Places::REQUEST, run);

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Template, _>(subject, |finding| {
        Some(match (finding.sign, finding.context == Context::Prose) {
            (TemplateSign::Introspection, _) => &INTROSPECTION,
            (TemplateSign::Code, false) => &CODE,
            (TemplateSign::Code, true) => &CODE_IN_TEXT,
            (TemplateSign::Probe, false) => &PROBE,
            (TemplateSign::Probe, true) => &PROBE_IN_TEXT,
        })
    });
}

static INTROSPECTION: Rule = Rule {
    id: "template-injection/introspection",
    leaf: Leaf::TemplateInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A template expression walks from an object to the interpreter or the class loader.",
    attacks: &[
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os }}",
        "${T(java.lang.Runtime).getRuntime().exec('id')}",
        "<#assign ex=\"freemarker.template.utility.Execute\"?new()>${ex(\"id\")}",
        "#set($c=$s.getClass().forName('java.lang.Runtime'))",
        "{user.__init__.__globals__[app]}",
        "{{_self.env.registerUndefinedFilterCallback('exec')}}",
    ],
    benign: &[
        "{{ user.name }}",
        "f\"{self.__class__.__name__}: {error}\"",
        "#{self.class.name} failed with #{e.message}",
        "${getClass().getSimpleName()} starts",
        "if __name__ == '__main__':",
    ],
};

static CODE: Rule = Rule {
    id: "template-injection/code",
    leaf: Leaf::TemplateInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A template expression runs code, reads files or reaches into its engine.",
    attacks: &[
        "{{ config.items() }}",
        "{{ ['id']|filter('system') }}",
        "<%= system('id') %>",
        "#{ %x|env| }",
        "${\"calc\".execute()}",
        "{{constructor.constructor('alert(1)')()}}",
        "{system('id')}",
        "{% import os %}${os.popen('id').read()}",
    ],
    benign: &[
        "{% for p in site.posts %}{{ p.title | escape }}{% endfor %}",
        "`${items.map(i => i.id).join(', ')}` and ${new Date().getFullYear()}",
        "<%= link_to 'Home', root_path %>",
        "${{ hashFiles('**/Cargo.lock') }}",
        "{{ lookup('env', 'HOME') }}",
        "{foo(1)} and {bar::baz(2)}",
    ],
};

static CODE_IN_TEXT: Rule = Rule {
    id: "template-injection/code-in-text",
    leaf: Leaf::TemplateInjection,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text quotes a template expression that runs code.",
    attacks: &[
        "In our old application we had <%= system('id') %> in a view",
        "does anybody know why {{ config.items() }} is empty here?",
        "they sent us ${\"calc\".execute()} in the name field",
    ],
    benign: &[
        "We use {{ user.name }} in all of our mails",
        "In Rails you would write <%= f.submit %> at the end of it",
        "The total of ${order.total} is due within a week",
    ],
};

static PROBE: Rule = Rule {
    id: "template-injection/probe",
    leaf: Leaf::TemplateInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A template expression computes with constants alone, to see whether it is evaluated.",
    attacks: &[
        "{{7*7}}",
        "${7*7}",
        "#{ 7 * 7 }",
        "<%= 3*3 %>",
        "{{3*'3'}}",
        "{7*7}",
        "@(2*3)",
        "{% if True %}1{% endif %}",
    ],
    benign: &[
        "{{ price * 2 }}",
        "[a-z]{2,4} and x^{2+1}",
        "${1:-8080} ${#array[@]}",
        "{{ '{{' }}",
        "costs ${20} or more",
        "{2024-01-05}",
    ],
};

static PROBE_IN_TEXT: Rule = Rule {
    id: "template-injection/probe-in-text",
    leaf: Leaf::TemplateInjection,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text quotes a template expression that computes with constants alone.",
    attacks: &[
        "Our scanner put {{7*7}} into every field of the form",
        "why does #{1 + 1} not work in single quotes?",
        "in this example ${2*3} is replaced by the result",
    ],
    benign: &[
        "The {{ count }} people who came were very happy about it",
        "In this template {{ a }} is the name of the user",
        "there are 7*7 squares on the board",
    ],
};

static POLYGLOT: Rule = Rule {
    id: "template-injection/polyglot",
    leaf: Leaf::TemplateInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: concat!(
            r"\$\{\{\s*<%|\{\{<%\[%|<%\s*\[\s*%",
            // Three openers with nothing but marks between them, at least one of which is not a brace.
            r"|(?:<%|[#@]\{)[^a-z0-9\s]{0,3}(?:[$#@*~]\{|\{[{%]|<%)[^a-z0-9\s]{0,3}(?:[$#@*~]\{|\{[{%]|<%)",
            r"|(?:[$*~]\{|\{[{%])[^a-z0-9\s]{0,3}(?:<%|[#@]\{)[^a-z0-9\s]{0,3}(?:[$#@*~]\{|\{[{%]|<%)",
            r"|(?:[$*~]\{|\{[{%])[^a-z0-9\s]{0,3}(?:[$*~]\{|\{[{%])[^a-z0-9\s]{0,3}(?:<%|[#@]\{)",
        ),
        literals: &["<%", "#{", "@{", "${{"],
    },
    summary: "Delimiters of several template engines one inside the other, to see which of them fails.",
    attacks: &[
        "${{<%[%'\"}}%\\",
        "{{<%[%'\"}}%",
        "${{<%",
        "<%={{={@{#{${q}}%>",
        "<%'${{/#{@}}%>{{",
        "${#{@{x",
    ],
    benign: &["${{ matrix.os }}", "<%= x[0] %>", "{{ a }} <% b %>", "#{ {{ a }} }", "{{{ body }}}"],
};

static PREPROCESSED: Rule = Rule {
    id: "template-injection/preprocessed",
    leaf: Leaf::TemplateInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"__\s*[$*#@~]\{[^\r\n]{1,1024}\}\s*__\s*::|::\s*__\s*[$*#@~]\{",
        literals: &["::"],
    },
    summary: "An expression that Thymeleaf evaluates before it reads the name of a fragment.",
    attacks: &["__${param.a}__::.x", "~{::__*{a}__}", "x::__${b.c()}__", "__${new Foo().bar()}__::main"],
    benign: &["__${name}__", "~{footer :: copy}", "fragments/${lang} :: menu", "a::b::c"],
};

static PYTHON_OBJECT: Rule = Rule {
    id: "template-injection/python-object",
    leaf: Leaf::TemplateInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern { regex: r"!!python/(?:object|module|name)[:/]", literals: &["!!python/"] },
    summary: "A YAML tag that makes a Python parser import a module or call a function.",
    attacks: &[
        "!!python/object/apply:os.system ['id']",
        "a: !!python/name:builtins.exec",
        "!!python/object/new:str {state: 1}",
    ],
    benign: &["!!python/tuple [1, 2]", "I love python!!", "python/object model"],
};
