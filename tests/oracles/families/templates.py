"""Templates and PHP, executed by Jinja2, Mako, Tornado, ERB and PHP."""

import pathlib
import shutil
import sys

from sandbox import Child

NAME = "templates"
SAMPLED = 1
SECRET = "tok-90817"

# Name, engine, text before the value, text behind it.
TEMPLATES = (
    ("jinja2", "jinja2", "Hello ", "!\n"),
    ("mako", "mako", "Hello ", "!\n"),
    ("tornado", "tornado", "Hello ", "!\n"),
    ("erb", "erb", "Hello ", "!\n"),
    ("php-number", "php", "$x = ", ";"),
    ("php-single", "php", "$x = '", "';"),
    ("php-double", "php", '$x = "', '";'),
    ("php-file", "php", "?>Hello ", "!\n"),
    ("jinja2-string", "jinja2", "{% set x = '", "' %}{{ x }}"),
)

SUMS = (
    "7*191", "7 * 191", "(7)*(191)", "1336+1", "1338-1", "191*7", "2674//2", "0x539", "1_337", "7*(200-9)", "-7*-191", "7*191*1",
    "1336--1", "1336|1", "'13'+'37'", "1e3+337", "1337.0//1", "7\n*191", "0b10100111001", "0o2471",
)  # fmt: skip
JINJA = (
    "'13'~'37'", "['13','37']|join", "range(1338)|last", "('a'*1336+'a')|length", "7331|string|reverse", "config", "config.KEY", "config['KEY']",
    "config|string", "config.items()|list", "config|attr('values')()|list", "cycler.__init__.__globals__.os.popen('id').read()",
    "lipsum.__globals__['os'].popen('id').read()", "''.__class__.__mro__[1].__subclasses__()", "''|attr('__class__')|attr('mro')()",
    "''['__cla'~'ss__']", "()|attr('\\x5f\\x5fclass\\x5f\\x5f')", "namespace.__init__.__globals__", "joiner|attr('__init__')|attr('__globals__')",
    "dict(a=config)", "[config]|first", "config|pprint", "config|tojson", "config|list and config.KEY", "self._TemplateReference__context.config",
    "''.join(config.values())", "(config,)|first|string", "config.get('KEY')", "config|dictsort", "config if 1 else 0", "config.KEY|upper|lower",
)  # fmt: skip
PYTHON = (
    "__import__('os').popen('id').read()", "open('/etc/passwd').read()", "config", "config['KEY']", "str(config)", "''.__class__.__mro__", "globals()",
    "'13'+'37'", "eval('7*191')", "chr(49)+'337'", "self.module.__builtins__", "''.join(config.values())", "[config][0]", "dir()", "repr(config)",
    "getattr(__import__('o'+'s'),'popen')('id').read()", "len('a'*1337)", "max(1336,1337-0)", "sum([1336,1])", "hex(4919)", "config.get('KEY')",
)  # fmt: skip
RUBY = (
    "`id`", "%x(id)", "%x[id]", "IO.popen('id').read", "File.read('/etc/passwd')", "config", "config['KEY']", "system('id')", "open('|id').read",
    "'13'+'37'", "'13''37'", "7.*(191)", "eval('7*191')", "[13,37].join", "binding.local_variables", "ENV.to_h.merge(config)", "self.send(:`,'id')",
    "Dir['/*']", "7.send(:*,191)", "config.values", "config.inspect", "IO.read('/etc/passwd')", "Kernel.`('id')", "exec('id')", "\"#{7*191}\"", "%q(13)+'37'",
)  # fmt: skip
PHP = (
    "system('id')", "`id`", "print(`id`)", "exec('id')", "shell_exec('id')", "passthru('id')", "$secret", "print $secret", "print($GLOBALS['x'])",
    "call_user_func('system','id')", "array_map('system',['id'])", "('sys'.'tem')('id')", "file_get_contents('/etc/passwd')", "readfile('/etc/passwd')",
    "print 7*191", "eval('print 7*191;')", "$name('id')", "(fn()=>system('id'))()", "implode(get_defined_vars())", "join(file('/etc/passwd'))",
    "die($secret)", "print_r($secret)", "var_dump(7*191)", "printf('%d',7*191)", "echo(7*191)", "highlight_file('/etc/passwd')", "\\system('id')",
    "('s'.'ystem')(...)('id')", "[new ReflectionFunction('system'),'invoke']('id')", "popen('id','r')", "usort($a=['id','id'],'system')",
)  # fmt: skip


def space(c):
    return c.of((" ", "", "  ", "\n", "\t", " \n "))


def expression(c, more):
    text = c.of(c.of((SUMS, more)))
    if text.replace(".", "").isalpha():
        c.tags.append("name")
    return space(c) + c.of(("%s", "(%s)", "%s", "%s or 0", "0 or %s", "%s if 1 else 0")).replace("%s", text) + space(c)


def jinja(c, more=JINJA):
    forms = {
        "output": lambda c: c.of(("{{", "{{-", "{{+")) + expression(c, more) + c.of(("}}", "-}}")),
        "set": lambda c: c.of(("{%", "{%-")) + space(c) + "set x=" + expression(c, more) + "%}{{" + space(c) + "x" + space(c) + "}}",
        "for": lambda c: "{%" + space(c) + "for x in [" + expression(c, more) + "] %}{{x}}{%" + space(c) + "endfor" + space(c) + "%}",
        "with": lambda c: "{% with x=" + expression(c, more) + "%}{{x}}{% endwith %}",
        "macro": lambda c: "{% macro f() %}{{" + expression(c, more) + "}}{% endmacro %}{{f()}}",
        "call": lambda c: "{% filter upper %}{{" + expression(c, more) + "}}{% endfilter %}",
    }
    return c.tagged(forms)


def mako(c):
    forms = {
        "output": lambda c: "${" + expression(c, PYTHON) + c.of(("}", "|n}", "|h}")),
        "code": lambda c: c.of(("<%", "<%\n")) + " context.write(str(" + expression(c, PYTHON).strip() + ")) %>",
        "control": lambda c: "\n% for x in [" + expression(c, PYTHON).replace("\n", " ") + "]:\n${x}\n% endfor\n",
        "tag": lambda c: "<%def name=\"f()\">${" + expression(c, PYTHON) + "}</%def>${f()}",
        "block": lambda c: "<%block>${" + expression(c, PYTHON) + "}</%block>",
    }
    return c.tagged(forms)


def tornado(c):
    forms = {
        "output": lambda c: "{{" + expression(c, PYTHON) + "}}",
        "raw": lambda c: "{% raw" + " " + expression(c, PYTHON).strip() + " %}",
        "set": lambda c: "{%" + space(c) + "set x=" + expression(c, PYTHON).strip() + " %}{{x}}",
        "import": lambda c: "{% import os %}{{os.popen('id').read()}}",
        "for": lambda c: "{% for x in [" + expression(c, PYTHON).strip() + "] %}{{x}}{% end %}",
    }
    return c.tagged(forms)


def erb(c):
    forms = {
        "output": lambda c: c.of(("<%=", "<%=", "<%= ")) + space(c) + c.of(c.of((RUBY, SUMS))) + space(c) + c.of(("%>", "-%>")),
        "code": lambda c: "<%" + c.of((" ", "\n", "- ")) + "_erbout << (" + c.of(c.of((RUBY, SUMS))) + ").to_s" + space(c) + "%>",
        "block": lambda c: "<% [1].each do %><%=" + c.of(RUBY) + "%><% end %>",
    }
    return c.tagged(forms)


def php(c):
    return c.of(("%s", "@%s", "(%s)", "1?%s:0", "0||%s")).replace("%s", c.case(c.of(PHP)) if c.rarely(5) else c.of(PHP))


def php_file(c):
    opening = c.of(("<?php ", "<?= ", "<?=", "<?PHP\n", "<?php\t"))
    return opening + php(c) + c.of(("?>", " ?>", ";?>", ";", "//", ";#"))


PREFIXES = ("", "tea", "Anna", "green tea & milk ", "x ", "1", "Order 5: ")


def attack(c):
    at = c.below(len(TEMPLATES))
    name = TEMPLATES[at][0]
    prefix = c.of(PREFIXES)
    engine = {"jinja2": jinja, "mako": mako, "tornado": tornado, "erb": erb}.get(name)
    if engine:
        return at, prefix + engine(c) + c.of(("", " thanks", "\n"))
    if name == "php-file":
        return at, prefix + php_file(c)
    if name == "jinja2-string":
        c.tags.append("break")
        return at, prefix + "'" + c.of(("~", "+", "~(", " %}{{")) + c.of(c.of((JINJA, SUMS))) + c.of(("~'", ")~'", "}}{% set x = '", "+'"))
    if name == "php-number":
        return at, c.of(("1", "0", "5")) + c.of((";", "+", ".", "|", "-", "&&", "?:", "??", ";;", "\n;")) + c.of(("", " ")) + php(c)
    if name == "php-single":
        return at, prefix + "'" + c.of((";", ".", ". ", "+", "|", ",")) + php(c) + c.of((".'", ";//", ";#", ";'", ";/*"))
    forms = {
        "variable": lambda c: c.of(("$secret", "{$secret}", "${secret}", "$secret.", "{$GLOBALS[x]}$secret")),
        "complex": lambda c: c.of(("${%s}", "{${%s}}", "${ %s }")).replace("%s", php(c)),
        "break": lambda c: '"' + c.of((";", ".", ". ")) + php(c) + c.of(('."', ";//", ";#")),
    }
    return at, prefix + c.tagged(forms)


PROSE = (
    "{{ name }}", "Hello {{ user.name }}, welcome", "${price}", "#{name}", "<% comment %>", "{% include 'head' %}", "{a: {b: 1}}", "100% {sic}",
    "{{ items|length }} items", "$x = 5", "cost $5 {approx}", "f(x) = {x | x > 0}", "<?xml version=\"1.0\"?>", "use {{ and }} for output", "`code`",
    "function f() { return ${a}; }", "{{#if user}}x{{/if}}", "<%= name %>", "[[name]]", "{{ 'text' | translate }}", "${HOME}/bin", "a {{b}} c {{d}}",
    "array('a' => 1)", "$name and $price", "if (x) { y(); }", "print the page; system is down", "open('the door')", "Dear {name},", "{{}}", "${}",
)  # fmt: skip


def honest(c):
    text = c.of(PROSE)
    for _ in range(c.below(3)):
        text += c.of((" ", "; ", ", ", " - ", "\n")) + c.of(PROSE)
    return text + c.of(("", ".", "!", " (draft)", " thanks"))


class Oracle:
    def __init__(self):
        folder = pathlib.Path(__file__).resolve().parent.parent / "engines"
        python = [sys.executable, "-B", str(folder / "python.py")]
        commands = {"jinja2": python, "mako": python, "tornado": python, "erb": ["ruby", str(folder / "erb.rb")], "php": ["php", str(folder / "code.php")]}
        self.children = {}
        for engine, command in commands.items():
            child = Child(command)
            if shutil.which(command[0]) and child.works([engine, "echo 5;" if engine == "php" else "5"], "5"):
                self.children[engine] = child
            else:
                print(f"left out: the oracle {engine} (it does not start)")

        self.works = bool(self.children)

    def effect(self, at, value):
        name, engine, before, behind = TEMPLATES[at]
        if engine not in self.children:
            return None
        output = self.children[engine].ask([engine, before + value + behind]) or ""
        if "uid=" in output or "root:x:0" in output:
            return "a command is run" if "uid=" in output else "a file is read"
        if SECRET in output.lower() or "<class '" in output or "__builtins__" in output and "__builtins__" not in value:
            return "an object of the application is shown"
        # Arithmetic is code where a value stands between delimiters.
        if "1337" in output and "1337" not in value and name != "php-number":
            return "an expression is evaluated"
        return None

    def close(self):
        for child in self.children.values():
            child.close()
