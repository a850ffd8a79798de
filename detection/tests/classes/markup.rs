//! Markup and scripts in spellings of their own, beside markup that editors write.

use super::{get, is_refused, passes};

#[test]
fn markup_that_leads_elsewhere() {
    for value in [
        "<p style=\"behaviour: url(q.htc)\">",
        "<p style='color:red;binding:url(//h.example/q.xml#q)'>",
        "<b style=x:expression\\28confirm(1)\\29>",
        "<math><a xlink:href=\"//h.example/q\">go",
        "<svg><a xlink:href='//h.example'><text>go</text></a>",
        "<img src='//h.example/?q=",
        "\"><a href=\"https://h.example/q?",
        "<form name=getElementById>",
        "<img name=cookie>",
        "<input id=parentNode>",
        "mhtml:http://h.example/q.html!q",
        "<?xml-stylesheet href=\"//h.example/q.xsl\"?><a/>",
    ] {
        is_refused(&get(value));
    }
    for value in [
        "<p style=\"color:red;background:#fff\">text</p>",
        "<svg><use xlink:href=\"#icon\"></use></svg>",
        "<svg><a xlink:href=\"https://www.example.com/page\"><text>x</text></a></svg>",
        "<img src='//cdn.example/a.png'>",
        "<a href=\"https://example.org/?a=1\">x</a>",
        "<input name=\"body\">",
        "<img name=\"logo\" src=\"a.png\">",
        "<?xml-stylesheet type=\"text/xsl\" href=\"style.xsl\"?>",
        "key binding: Ctrl+C",
    ] {
        passes(&get(value));
    }
}

#[test]
fn scripts_with_computed_names() {
    for value in [
        "location=/javascript:/.source+name",
        "window[['c'][0]+'onfirm'](7)",
        "self[[\"e\"][0]+\"val\"](q)",
        "Array.from([7],confirm)",
        "'q'.replace(/q/,alert)",
    ] {
        is_refused(&get(value));
    }
    for value in
        ["location=/office/berlin", "window[0]", "parent['name']", "Array.from(x)", "[1].map(String)"]
    {
        passes(&get(value));
    }
}
