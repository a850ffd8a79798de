//! Rules of this bucket: PHP's own messages and sources in responses.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::response_pattern::{Kind, MatchContext};
use crate::response_pattern::{checked, leads, opens, raw, spoken};
use crate::rule::{Bucket, Rule, RuleMatcher, STRONG};

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket = Bucket { rules: &[&[&MESSAGE, &INFO_PAGE, &SOURCE]], detectors: &[] };

static MESSAGE: Rule = Rule {
    id: "php-data-leakage-version-info/message",
    leaf: Leaf::PhpDataLeakageVersionInfo,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        // As PHP marks it up, and with `html_errors` off.
        raw("<b>Warning</b>:  ", "~ on line <b>#"),
        raw("<b>Notice</b>:  ", "~ on line <b>#"),
        raw("<b>Deprecated</b>:  ", "~ on line <b>#"),
        raw("<b>Fatal error</b>:  ", "~ on line <b>#"),
        raw("<b>Parse error</b>:  ", "~ on line <b>#"),
        raw("<b>Fatal error</b>:  Uncaught ", ""),
        leads("Warning: ", "~ in ~.php on line #"),
        leads("Notice: ", "~ in ~.php on line #"),
        leads("Deprecated: ", "~ in ~.php on line #"),
        leads("Fatal error: ", "~ in ~.php on line #"),
        leads("Fatal error: Uncaught ", "~ in ~.php:#"),
        leads("Fatal error:  Uncaught ", "~ in ~.php:#"),
        leads("Parse error: syntax error, ", ""),
        leads("PHP Warning:  ", ""),
        leads("PHP Notice:  ", ""),
        leads("PHP Deprecated:  ", ""),
        leads("PHP Fatal error:  ", ""),
        leads("PHP Parse error:  ", ""),
        // What the engine says, where a handler reports the text alone.
        leads("Call to undefined function ", "@("),
        leads("Call to undefined method ", "@:"),
        leads("Call to a member function ", "@() on "),
        leads("Cannot modify header information - headers already sent", ""),
        leads("Invalid argument supplied for foreach()", ""),
        leads("Cannot redeclare ", "@("),
        leads("Cannot instantiate ", "@ class"),
        leads("Cannot instantiate interface ", ""),
        leads("Cannot use object of type ", "@ as array"),
        leads("Cannot access ", "@ property "),
        leads("Cannot access ", "@ const"),
        leads("Cannot call abstract method ", ""),
        leads("Cannot break/continue ", ""),
        leads("Cannot unset offset in a non-array variable", ""),
        leads("Allowed memory size of ", "@ bytes exhausted"),
        leads("Maximum execution time of ", "@ second"),
        leads("syntax error, unexpected ", "~ on line #"),
        leads("syntax error, unexpected ", "~T_"),
        leads("open_basedir restriction in effect", ""),
        leads("SAFE MODE Restriction in effect", ""),
        leads("Undefined variable: ", "@ in "),
        leads("Undefined variable $", "@"),
        leads("Undefined index: ", "@"),
        leads("Undefined array key \"", ""),
        leads("Undefined offset: ", "#"),
        leads("Undefined property: ", "@:"),
        leads("Trying to get property ", ""),
        leads("Array to string conversion", ""),
        leads("Only variables should be passed by reference", ""),
        leads("Non-static method ", "@:"),
        leads("Unsupported operand types", ""),
        leads("supplied argument is not a valid ", "@ resource"),
        leads("Object of class ", "@ could not be converted to "),
        leads("Missing argument ", "# for @"),
        leads("Too few arguments to function ", "@"),
        leads("Uncaught exception '", "@'"),
        leads("Unable to fork [", ""),
        leads("expects parameter ", "# to be "),
        checked("() expects ", "@ ", is_argument_complaint),
        spoken("failed to open stream: ", "@ "),
        checked("#0 ", "~.php(#", |context| context.is_spoken() && context.before().ends_with(b"\n")),
    ]),
    summary: "The response carries a message of PHP's, as PHP reports it.",
    attacks: &[
        "<br />\n<b>Warning</b>:  Undefined variable $user in <b>/srv/www/index.php</b> on line <b>12</b><br />\n",
        "PHP Fatal error:  Uncaught TypeError: strlen() expects exactly 1 argument, 0 given in /srv/www/a.php:3\nStack trace:\n#0 {main}\n  thrown in /srv/www/a.php on line 3",
        "Parse error: syntax error, unexpected '}' in /srv/www/a.php on line 9",
        "Call to undefined function mysqli_connect()",
        "{\"error\":\"Call to a member function find() on null\"}",
        "<body>Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes)</body>",
        "Cannot modify header information - headers already sent by (output started at /srv/www/x.php:1)",
    ],
    benign: &[
        "This is a static function",
        "<p>The warning <code>Undefined variable $user in /srv/www/index.php on line 12</code> means that it was never set.</p>",
        "<p>Warning: Slippery floor in the basement.</p>",
        "Notice: the office is closed on line 4 days.",
        "&lt;b&gt;Warning&lt;/b&gt;:  Division by zero in &lt;b&gt;/x.php&lt;/b&gt; on line &lt;b&gt;3&lt;/b&gt;",
        "{\"title\":\"Call to undefined function mysql_connect()\",\"id\":7}",
        "Maximum allowed file size is 10 MB",
    ],
};

/// `strlen() expects exactly 1 parameter, 0 given`: a function's name before, at the beginning of what is said.
fn is_argument_complaint(context: &MatchContext<'_>) -> bool {
    let name = context
        .before()
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || b"_:\\".contains(b))
        .count();
    let counted = [
        &b"() expects exactly "[..],
        b"() expects at least ",
        b"() expects at most ",
        b"() expects parameter ",
    ];
    name > 0 && counted.iter().any(|words| context.after().starts_with(words)) && context.back(name).leads()
}

static INFO_PAGE: Rule = Rule {
    id: "php-data-leakage-version-info/info-page",
    leaf: Leaf::PhpDataLeakageVersionInfo,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        raw("<title>phpinfo()</title>", ""),
        raw("<title>PHP ", "@ - phpinfo()</title>"),
        raw("<h1 class=\"p\">PHP Version ", "#"),
        opens("phpinfo()\nPHP Version => ", "#"),
    ]),
    summary: "The response is the page of phpinfo(), with versions, paths and environment.",
    attacks: &[
        "<!DOCTYPE html>\n<html><head><title>phpinfo()</title></head><body></body></html>",
        "<html><head><title>PHP 8.2.7 - phpinfo()</title><meta name=\"ROBOTS\" /></head>",
        "<table><tr class=\"h\"><td><h1 class=\"p\">PHP Version 7.4.33</h1></td></tr></table>",
        "phpinfo()\nPHP Version => 8.1.2\n\nSystem => Linux web 5.15",
    ],
    benign: &[
        "<title>How to use phpinfo() safely</title>",
        "<h1>PHP Version 8.3 released</h1>",
        "phpinfo() prints what PHP knows of itself.",
    ],
};

static SOURCE: Rule = Rule {
    id: "php-data-leakage-source-code/open-tag",
    leaf: Leaf::PhpDataLeakageSourceCode,
    weight: STRONG,
    places: Places::of(&[Place::ResponseBody]),
    matcher: RuleMatcher::Response(&[
        checked("<?php", "", is_source),
        checked("<?PHP", "", is_source),
        checked("<?=", "", is_echo),
        checked("<? ", "", is_short),
        checked("<?\n", "", is_short),
        checked("<?\r\n", "", is_short),
        checked("<?\t", "", is_short),
        checked("$_GET[", "", is_statement),
        checked("$_POST[", "", is_statement),
        checked("$_REQUEST[", "", is_statement),
        checked("$_SESSION[", "", is_statement),
        checked("$_SERVER[", "", is_statement),
        checked("$_COOKIE[", "", is_statement),
        checked("$_FILES[", "", is_statement),
        checked("session_start(", "", is_statement),
        checked("move_uploaded_file(", "", is_statement),
        checked("call_user_func", "", is_statement),
        checked("mysqli_connect(", "", is_statement),
    ]),
    summary: "The response carries PHP source: a script is sent instead of run.",
    attacks: &[
        "<?php echo \"Hello\"; ?>",
        "<?php\n$db = new PDO('mysql:host=db', 'shop', 'secret');",
        "<html><body><?php include 'menu.php'; ?><h1>Shop</h1></body></html>",
        "<?= \"Hello\" ?>",
        "<? $x = 1; ?>",
        "$name = $_POST['name'];\n$query = \"select * from users where name='$name'\";",
        "session_start();\nif (isset($_SESSION['user'])) {",
    ],
    benign: &[
        "<?php12345",
        "<?=!@#$%^&",
        "<?xml version=\"1.0\"?><feed><title>News</title></feed>",
        "<pre><code>&lt;?php echo 1; ?&gt;</code></pre>",
        "# Usage\n\n```php\n<?php\n$client = new Client();\n```\n",
        "Put `<?php` in the first line.",
        "Code goes between the <?php ?> tags.",
        "Read $_POST['name'] only after you checked it; it may be missing.",
        "<p>Call session_start() before anything is printed.</p>",
        "<textarea><?php echo 1; ?></textarea>",
        "<html><script>const start = \"<?php echo 1; ?>\";</script></html>",
        "{\"post\":\"Here is what I tried: <?php echo $x; ?>\"}",
    ],
};

/// Source is raw: shown to a reader it would be escaped, in JSON it is somebody's text.
fn is_raw(context: &MatchContext<'_>) -> bool {
    match context.kind() {
        Kind::Json | Kind::Script => false,
        Kind::Html | Kind::Xml => !context.is_in_script() && context.is_spoken(),
        Kind::Text | Kind::Unknown => context.is_spoken(),
    }
}

fn is_source(context: &MatchContext<'_>) -> bool {
    let code = context.after().get(5..).unwrap_or_default();
    // `<?php ?>` is how people name the tags.
    code.first().is_none_or(u8::is_ascii_whitespace)
        && !code.trim_ascii_start().starts_with(b"?>")
        && is_raw(context)
}

/// A line that is a statement: it begins as one and ends as one.
fn is_statement(context: &MatchContext<'_>) -> bool {
    let ends = |byte: &u8| matches!(byte, b'\n' | b'<' | b'>');
    let begin = context.before().rsplit(ends).next().unwrap_or_default().trim_ascii_start();
    let end = context.after().split(ends).next().unwrap_or_default().trim_ascii_end();
    let word = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let starts = match begin.first() {
        None | Some(b'$' | b'@') => true,
        Some(_) => begin.get(word(begin)..).unwrap_or_default().trim_ascii_start().starts_with(b"("),
    };
    starts && end.len() > 8 && matches!(end.last(), Some(b';' | b'{')) && is_raw(context)
}

/// `<?=` and an expression: a variable, a string, a call.
fn is_echo(context: &MatchContext<'_>) -> bool {
    let text = context.after().get(3..).unwrap_or_default().trim_ascii_start();
    let closes = memchr::memmem::find(text, b"?>").is_some();
    let begins = text.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"$\"'(\\_".contains(byte));
    begins && closes && is_raw(context)
}

/// `<?` and white space: code follows, or nothing at all.
fn is_short(context: &MatchContext<'_>) -> bool {
    let text = context.after().get(2..).unwrap_or_default().trim_ascii_start();
    let code = text.first().is_none_or(|byte| byte.is_ascii_alphabetic() || b"$/#{}@\\".contains(byte));
    let is_code = text.is_empty()
        || memchr::memmem::find(text, b"?>").is_some()
        || text.contains(&b';') && (text.contains(&b'$') || text.contains(&b'('));
    code && is_code && is_raw(context)
}
