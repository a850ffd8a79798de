//! Literals without one of which no markup is found.

#[rustfmt::skip] // a table, not code
pub(super) const TRIGGERS: &[&str] = &[
    "<", "javascript", "vbscript", "livescript", "script:", "mocha:", "&tab", "&newline", "&colon", "&#",
    "data:text",
    // Handlers behind a break.
    "onabort", "onafter", "onanimation", "onauxclick", "onbefore", "onbegin", "onblur", "oncancel",
    "oncanplay", "onchange", "onclick", "onclose", "oncommand", "oncontent", "oncontext", "oncopy",
    "oncuechange", "oncut", "ondblclick", "ondevice", "ondrag", "ondrop", "onemptied", "onend", "onerror",
    "onfinish", "onfocus", "onform", "onfullscreen", "ongotpointer", "onhash", "oninput", "oninvalid",
    "onkey", "onload", "onlostpointer", "onmedia", "onmessage", "onmouse", "onmove", "onpage", "onpaste",
    "onpause", "onplay", "onpointer", "onpopstate", "onprogress", "onproperty", "onreadystate", "onrepeat",
    "onreset", "onresize", "onscroll", "onsearch", "onseek", "onselect", "onshow", "onstart", "onstorage",
    "onsubmit", "ontime", "ontoggle", "ontouch", "ontransition", "onunhandled", "onunload", "onvolume",
    "onwaiting", "onwebkit", "onwheel", "onzoom", "formaction", "srcdoc", "xlink:href", "dynsrc", "lowsrc",
    // Style.
    "expression", "url(", "url (", "-moz-binding", "behavior",
    "/**/", "!entity", "schemalocation",
];
