//! Literals without one of which no script is found.

#[rustfmt::skip] // a table, not code
pub(super) const TRIGGERS: &[&str] = &[
    "alert", "confirm", "prompt", "eval", "settimeout", "setinterval", "setimmediate", "execscript", "atob",
    "fetch(", "fetch`", "import(", "import (", "function(", "function`", "document.", "document[",
    "document)", "document/", "document ", "document?", "window.", "window[", "window)", "window/", "window?",
    "self[", "self.", "top[", "top.", "parent[", "parent.", "frames[", "frames.", "globalthis", "this[",
    "location", "navigation.", "localstorage", "sessionstorage", "sendbeacon", "constructor", "fromcharcode",
    "fromcodepoint", "innerhtml", "outerhtml", "insertadjacenthtml", "contextualfragment", "xmlhttp", "call`",
    "call `", "apply`", "bind`", "sort`", "map`", "\\u{", "\\u00", "btoa", "print(", "contentwindow", "activexobject", "console.", "&{",
    "parentwindow", "defaultview", "getscript", "globaleval",
    // Strings that are ended.
    "'-", "'+", "';", "'*", "'^", "\"-", "\"+", "\"*", "\"^", "`-", "`+", "`;", ")//", ");//",
];
