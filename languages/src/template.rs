//! Expressions of template engines in a value: Jinja, Twig, Liquid, Handlebars, Mako, ERB, EJS, JSP, Freemarker, Velocity,
//! Smarty, Thymeleaf, the expression languages of Java, Razor. Finds their delimiters, tokenizes what stands between
//! and says what it would do. It must not know places or rules' weights; a plain variable is nothing to it.

pub use sign::TemplateSign;

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

mod delimiter;
mod probe;
mod sign;
mod token;
mod triggers;
mod weigh;
mod words;

/// Expressions of one view that nothing closes and that are weighed all the same; the engines run none of them.
const UNCLOSED_MAX: usize = 32;

const SIGNS: [TemplateSign; 3] = [TemplateSign::Probe, TemplateSign::Code, TemplateSign::Introspection];

/// Expressions of template engines. A scan finds the first expression of each kind.
#[derive(Debug)]
pub struct Template;

impl Language for Template {
    type Sign = TemplateSign;
    const NAME: &'static str = "template";
    const TRIGGERS: &'static [&'static str] = triggers::TRIGGERS;

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, TemplateSign>) {
        let bytes = input.bytes;
        let mut first: [Option<delimiter::Expression>; SIGNS.len()] = [None; SIGNS.len()];
        let mut buffer = [token::Token::Mark(0); token::TOKENS_MAX];
        let (mut at, mut unclosed, mut words) = (0, 0, 0);
        while let Some(expression) = delimiter::next(bytes, at, unclosed >= UNCLOSED_MAX) {
            // Words outside of expressions show that people write about expressions.
            if !prose::are_text(words) {
                words += prose::words(bytes.get(at..expression.opener).unwrap_or_default());
            }
            // Tokens are weighed, which takes longer than reading.
            if !input.watch.spend(8 * (expression.end - expression.start) + 16) {
                return;
            }
            // What an open delimiter leaves behind may hold expressions of its own.
            at = if expression.closed { expression.end } else { expression.start };
            unclosed += usize::from(!expression.closed);
            if unclosed > UNCLOSED_MAX && !expression.closed {
                continue;
            }
            let body = bytes.get(expression.start..expression.end).unwrap_or_default();
            let surroundings = expression.surroundings(bytes);
            let sign = sign(&expression, surroundings, body, &mut buffer);
            if let Some(slot) =
                SIGNS.iter().position(|known| Some(*known) == sign).and_then(|nth| first.get_mut(nth))
            {
                slot.get_or_insert(expression);
            }
        }
        words += prose::words(bytes.get(at..).unwrap_or_default());
        let context = Context::of_text(prose::are_text(words));
        for (sign, expression) in SIGNS.into_iter().zip(first) {
            if let Some(delimiter::Expression { opener, end, .. }) = expression {
                findings.add(sign, context, opener, end - opener);
            }
        }
    }
}

/// The worst that `body` does, weighed piece by piece.
fn sign<'a>(
    expression: &delimiter::Expression,
    surroundings: delimiter::Surroundings,
    body: &'a [u8],
    buffer: &mut [token::Token<'a>; token::TOKENS_MAX],
) -> Option<TemplateSign> {
    let (mut worst, mut rest) = (None, body);
    loop {
        let (tokens, next) = token::tokens(rest, buffer);
        let whole = (expression.closed && rest.len() == body.len() && next.is_none()).then_some(surroundings);
        worst = worst.max(weigh::weigh(expression.syntax, tokens, whole));
        match next.and_then(|next| rest.get(next..)) {
            Some(after) => rest = after,
            None => return worst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(value: &str) -> Option<TemplateSign> {
        crate::language::signs::<Template>(value).into_iter().max()
    }

    #[test]
    fn constants_are_probes() {
        for value in [
            "{{7*7}}",
            "${7*7}",
            "#{ 7 * 7 }",
            "<%= 3 * 3 %>",
            "{{3*'3'}}",
            "${{9*9}}",
            "*{1+1}",
            "@(2*3)",
            "{7*7}",
            "{{'a'+'b'}}",
            "{% if True %}x{% endif %}",
            "[[${6*6}]]",
            "%{8*8}",
            "a{{ (5*5) }}b",
            "{{'a'.toUpperCase()}}",
            "${sessionScope.toString()}",
            "{{:2*2}}",
            "[=3*3]",
            "{{(11,8*9)|e}}",
            "{{(1..4)|filter(v => v < 2)|join(\"\")}}{{\"b\"|nl2br}}",
            "{%set q=(1..9)|join%}",
            "{% if 1 is sameas(1) %}x{% endif %}",
            "#{(12*13).to_s}",
            "|#{typeof(4)+5}",
            "${typeof(37)+13}",
            "${'a'.join('b')}",
            "${1/((1.0==1.0)?string('1','0')?eval)}",
            "#set($c=31*17)${c}",
            "<#assign x=6*7>${x}",
            "{1 / ('2' + '3' == 5)}",
            "{'abc'|upper}",
            "{!! 6*7 !!}",
            "{=6*7}",
            "{{.}}",
            "{{ _self }}",
            "{{printf \"%s\" .}}",
            "<%= id %>",
            "@System.DateTime.Now",
        ] {
            assert_eq!(worst(value), Some(TemplateSign::Probe), "{value}");
        }
    }

    #[test]
    fn code_is_recognised_in_every_syntax() {
        for value in [
            "{{ config.items() }}",
            "{{['id']|filter('system')}}",
            "{{request|attr('application')}}",
            "{{constructor.constructor('alert(1)')()}}",
            "{% import os %}",
            "${\"calc\".execute()}",
            "${new java.io.File('/etc/passwd').text}",
            "#{ %x|env| }",
            "#{`id`}",
            "<%= File.open('/etc/passwd').read %>",
            "<%= system('id') %>",
            "<% require 'open3' %>",
            "#set($e = $p.waitFor())",
            "{system('id')}",
            "@System.Diagnostics.Process.Start(\"cmd\")",
            "{{ include('wp-config.php') }}",
            "{{ .System \"ls\" }}",
            "{{ config['RUNCMD']('id', shell=True) }}",
            "{{ request[request.args.a] }}",
            "{{ dump(app) }}",
            "{{ [x|first]|map(x|last)|join }}",
            "{{ app.request.query.filter(0,0,1024,{'options':'system'}) }}",
            "{{:'x'.toString.constructor.call({}, 'alert(1)')()}}",
            "{{ this.push \"return require('child_process').exec('id')\" }}",
            "{{ open('/etc/hosts').read() }}",
            "{{ messages.storages.0.signer.key }}",
            "${session.setAttribute('x', 1)}",
            "${pageContext.request.getSession().setAttribute('a', true)}",
            "${new URL('http://203.0.113.5/').text}",
            "${'http://203.0.113.5/'.toURL().text}",
            "#set($p = $b.start())",
            "{if phpinfo()}{/if}",
            "<%= CreateObject(\"WScript.Shell\").exec(\"id\") %>",
            "<%= File.read!(\"/etc/hosts\") %>",
            "@{ System.Diagnostics.Process.Start(\"cmd\"); }",
            "{% raw id %}",
            "#{%x(sleep 2)}",
            "#{$b=(id).to_s}",
            "<%$b=(67*30).to_s%>",
            "<%= ENV.inspect %>",
            "<%= process.env %>",
            "<% out.println(6*7); %>",
            "<%= System.getProperty(\"os.name\") %>",
            "${globals()}",
            "${.data_model}",
            "{'id'|system}",
            "{{this.constructor.name}}",
            "{{#with \"s\" as |string|}}x{{/with}}",
            "{{ constant('PHP_VERSION') }}",
            "#set($b=$h.class.name+(38*76))",
            "#evaluate(\"#set($x=1)\")",
        ] {
            assert_eq!(worst(value), Some(TemplateSign::Code), "{value}");
        }
    }

    #[test]
    fn introspection_is_recognised_in_every_syntax() {
        for value in [
            "{{ ''.__class__.__mro__[1].__subclasses__() }}",
            "{user.__init__.__globals__}",
            "${T(java.lang.Runtime).getRuntime().exec('id')}",
            "<#assign x=\"freemarker.template.utility.Execute\"?new()>",
            "${x.class.forName('y')}",
            "#set($x=$s.getClass().forName('java.lang.Thread'))",
            "{{_self.env.registerUndefinedFilterCallback('exec')}}",
            "{$smarty.version}",
            "{{request|attr('application')|attr('__globals__')}}",
            "[#assign ex = 'freemarker.template.utility.Execute'?new()]",
            "[=\"freemarker.template.utility.Execute\"?new()(\"id\")]",
        ] {
            assert_eq!(worst(value), Some(TemplateSign::Introspection), "{value}");
        }
    }

    #[test]
    fn benign_templates_are_nothing_much() {
        for value in [
            "{{ user.name }}",
            "{{#each items}}{{/each}}",
            "{{> header}}",
            "{{ price | currency }}",
            "{{ 'WELCOME' | translate }}",
            "{% for p in site.posts %}{{ p.title }}{% endfor %}",
            "{% if product.available %}",
            "{% include 'header.html' %}",
            "${name}",
            "`${items.map(i => i.id).join(', ')}`",
            "${new Date().getFullYear()}",
            "${1:-8080} ${#array[@]} ${PATH%%:*} ${a//b/c}",
            "${re.exec(line)[1]}",
            "#{user.name} and #{self.class.name}",
            "<%= link_to 'Home', root_path %>",
            "<%@ page import=\"java.util.*\" %>",
            "${{ secrets.TOKEN }}",
            "${{ hashFiles('**/Cargo.lock') }}",
            "{{ .Values.image.repository }}:{{ .Values.tag }}",
            "{{- include \"chart.labels\" . | nindent 4 }}",
            "{{ \"{{\" }}",
            "body { color: #fff }",
            "x^{2+1} and a_{n-1}",
            "[0-9]{2,4}",
            "@media (min-width: 600px) { a { b: c } }",
            "#set($name = \"Ann\")",
            "{{ config.title }} {{ request.path }}",
            "${process.env.HOME}",
            "{{ url_for('static', filename='a.css') }}",
            "f\"{self.__class__.__name__}\"",
            "$class = new Foo();",
            "${pageContext.request.contextPath}",
            "${sessionScope.user.name}",
            "{{ app.request.uri }}",
            "{{ items|map('upper')|join(', ') }}",
            "{{ hosts | map('extract', hostvars) | list }}",
            "{{ x | sort(attribute='name') }}",
            "{{ t('cart.items', { count: n }) }}",
            "${new URL(path, base).href}",
            "{std::move(x)}",
            "function a() {foo(1); return {b: 2}}",
            "{% if user.is_admin %}{{ form.as_p }}{% endif %}",
            "{% set total = a + b * 2 %}",
            "{{ '%s items' % n }}",
            "{{ request.GET.page }}",
            "{{ request.args.get('q') }}",
            "{{ config('app.name') }} {{ config.env }}",
            "{{ moment().format('YYYY') }}",
            "{$smarty.now|date_format}",
            "<a href=\"<c:url value='/'/>\">${fn:escapeXml(x)}</a>",
            "${el.class.name}",
            "[link](#if) and [#tag] and @(someone)",
            "${'a'}",
            "{{ 2024-06-10 }}",
            "%{HOSTNAME} %{GREEDYDATA:message}",
            "{{ 'cart.title' | t }} {{ 'x.png' | asset_url }}",
            "{% raw %}{{ a }}{% endraw %}",
            "`${'-'.repeat(40)}`",
            "<li id=\"<%= id %>\"><%= yield %></li>",
            "<%= process.env.NODE_ENV %>",
            "{% set title = 'About us' %}{% assign n = \"a,b\" | split: \",\" %}",
            "{{#with address}}{{street}}{{/with}}",
            "#set( $total = $total + $item.price )",
            "<#list users as user>${user.name!\"anonymous\"}</#list>",
            "{!! $html !!} {{ .Name }} {{ this.title }}",
            "'#{% if a %}x{% endif %}'",
            "type A = {\"a\"|\"b\"}",
        ] {
            assert!(worst(value).is_none(), "{value}: {:?}", worst(value));
        }
    }

    #[test]
    fn hostile_values_end() {
        for unit in ["{{", "${", "<%", "#{a", "{{'", "{{(", "#set(", "{1", "@("] {
            let value = unit.repeat(20_000);
            worst(&value);
        }
    }
}
