//! Expressions of template engines in spellings of their own, beside templates and texts that people write.

use super::{get, is_refused, passes};

#[test]
fn expressions_without_variables() {
    for value in [
        "{{(12,25*4)|e}}",
        "{{[4,5*6]|join}}",
        "{{(2..6)|filter(n => n > 3)|join('')}}",
        "{%set r=(1..4)|join('')%}{{r}}",
        "{% if 4 is divisible by(2) %}y{% endif %}",
        "{{\"c\"|nl2br}}",
        "{{ 'zq'|reverse }}",
        "#{(12*13).to_s}",
        "#{typeof(8)+9}",
        "${'p'.join('q')}",
        "${2/((3.0==3.0)?string('1','0')?eval)}",
        "${\"pq\"?upper_case}",
        "<#assign y=8*9>${y}",
        "#set($v=31*3)$v",
        "{3 / ('1' + '1' == 2)}",
        "{'zq'|strrev}",
        "{math equation=\"6*7\"}",
        "{!! 8*9 !!}",
        "{{\"pq\"[1]}}",
        "{{ 8 if 1 else 9 }}",
        "{{\"pq\"|replace({\"p\":\"r\"})}}",
        "<%= \"zq\".reverse %>",
        "{{ printf \"%s\" . }}",
    ] {
        is_refused(&get(value));
    }
    for value in [
        "{{ 'orders.title' | t }}",
        "{{ 'logo.svg' | asset_url }}",
        "{{ 'Products'|trans|upper }}",
        "{{ \"now\"|date(\"Y\") }}",
        "{{ printf \"%s-%s\" .Release.Name .Chart.Name }}",
        "{% set title = 'About us' %}",
        "{% assign sizes = \"s,m,l\" | split: \",\" %}",
        "{% raw %}{{ name }}{% endraw %}",
        "const line = `${'ab'.repeat(6)}`;",
        "<#list users as user>${user.name!\"nobody\"}</#list>",
        "#set( $total = $total + $item.price )",
        "Dear {{contact.salutation}} {{contact.lastname}},",
        "{{Infobox person|name=Ada Lovelace|born=1815}}",
        "x_{n+1} = \\frac{a}{b} + {2}^{3}",
        "{count, plural, one {# item} other {# items}}",
        "type Side = {'left'|'right'}",
        "Why does {{ 'a'|upper }} print a capital letter in my template?",
    ] {
        passes(&get(value));
    }
}

#[test]
fn objects_and_functions_of_the_engine() {
    for value in [
        "{% raw whoami %}",
        "#{%x(sleep 7)}",
        "#{$r=(id).to_s}",
        "<%$r=(12*13).to_s%>",
        "<%= ENV.to_h %>",
        "<%= process.env %>",
        "<% out.println(12*13); %>",
        "<%= System.getProperty(\"user.dir\") %>",
        "${locals()}",
        "${.vars}",
        "{'id'|passthru}",
        "{{ this.constructor.name }}",
        "{{#with \"q\" as |word|}}{{/with}}",
        "{{ constant('PHP_OS') }}",
        "#set($r=$q.class.name+(5*6))",
        "#evaluate(\"#set($q=1)\")",
        "{% include request.GET.page %}",
        "${emit(__import__('os').getcwd())}$",
        "__${new Q().run()}__::.x",
        "<%={{={@{#{${q}}%>",
        "{{ _self }}",
        "{{ exec \"ls\" }}",
        "<%= Rails.application.secrets %>",
        "<%= application.getRealPath(\"/\") %>",
        "@(Environment.MachineName)",
        "${T(Math).random()}",
        "{{.}}",
    ] {
        is_refused(&get(value));
    }
    for value in [
        "<li id=\"<%= id %>\"><%= yield %></li>",
        "<%= ENV['HOME'] %>",
        "<%= process.env.NODE_ENV %>",
        "{{ user.class }} {{ this.title }}",
        "{{#with address}}{{street}}{{/with}}",
        "{{ range .Items }}{{ .Name }}{{ end }}",
        "fragments/${lang} :: menu",
        "{{ env.NODE_ENV }} ${{ matrix.os }}",
        "{% include 'request.html' %}",
        "#{$color-primary}",
    ] {
        passes(&get(value));
    }
}
