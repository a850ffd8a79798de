//! Rules for what is PHP without being a call: tags, settings, variables, wrappers, serialized objects.

use waf_languages::php;
use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

const NAMES: Places = Places::of(&[Place::QueryName, Place::FormName, Place::CookieName]);

/// Whether a parameter's name overwrites a superglobal where `register_globals` or `extract` are at work: a bracket
/// alone makes an index of what follows, PHP turns other marks into underscores.
pub(super) fn is_superglobal_parameter(name: &[u8]) -> bool {
    let end = name.iter().position(|&byte| byte == b'[').unwrap_or(name.len());
    let (name, index) = name.split_at_checked(end).unwrap_or_default();
    !index.is_empty() && php::is_superglobal(name) && !name.eq_ignore_ascii_case(b"argv")
}

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &TAG,
    &TAG_IN_TEXT,
    &DIRECTIVE,
    &DIRECTIVE_IN_TEXT,
    &COMMAND_LINE,
    &SUPERGLOBAL,
    &SUPERGLOBAL_IN_TEXT,
    &SUPERGLOBAL_PARAMETER,
    &COMPUTED_NAME,
    &WRAPPER,
    &WRAPPER_IN_TEXT,
    &SERIALIZED,
];

pub(super) static TAG: Rule = Rule {
    id: "php-injection-open-tags/tag",
    leaf: Leaf::PhpInjectionOpenTags,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value switches to PHP.",
    attacks: &[
        "<?php phpinfo(); ?>",
        "<?=phpinfo()?>",
        "<? echo 'hello'; ?>",
        "test<?",
        "<?xml :echo 1;",
        "[PHP]echo \"test\"",
        "echo \"test\"{/php}",
        "<?\techo \"test\";?>",
    ],
    benign: &[
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a/>",
        "<?xml-stylesheet href=\"a.xsl\"?>",
        "<?xpacket begin=\"\"?>",
        "what <?> is",
        "<?php echo $title; ?> shows up as plain text on my page",
    ],
};

pub(super) static TAG_IN_TEXT: Rule = Rule {
    id: "php-injection-open-tags/tag-in-text",
    leaf: Leaf::PhpInjectionOpenTags,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text mentions a tag of PHP.",
    attacks: &[
        "<?php echo $title; ?> shows up as plain text on my page",
        "why does my server show <?php to every visitor",
        "please put it into [php] and [/php] when you post your code",
    ],
    benign: &["we love php, and so does everybody else here", "it is <? or not", "<?xml version=\"1.0\"?>"],
};

pub(super) static DIRECTIVE: Rule = Rule {
    id: "php-injection-config-directives/setting",
    leaf: Leaf::PhpInjectionConfigDirectives,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value sets a directive of PHP's configuration.",
    attacks: &[
        "allow_url_include=1",
        "-d auto_prepend_file=php://input",
        "session.referer_check=true",
        "extension_dir=/srv/modules",
        "opcache.jit_max_polymorphic_calls=50",
        "'; open_basedir = none;",
    ],
    benign: &[
        "I set memory_limit = 256M and upload_max_filesize = 20M but nothing changed",
        "a=b",
        "session.user = current_user",
        "mail.to=me",
    ],
};

pub(super) static DIRECTIVE_IN_TEXT: Rule = Rule {
    id: "php-injection-config-directives/setting-in-text",
    leaf: Leaf::PhpInjectionConfigDirectives,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text sets a directive of PHP's configuration.",
    attacks: &[
        "I set memory_limit = 256M and upload_max_filesize = 20M but nothing changed",
        "please add allow_url_fopen=1 to the file that you have there",
        "precision 14 output_buffering=4096 zlib off",
    ],
    benign: &["a = b", "display=block", "error=access_denied", "file_id=3"],
};

pub(super) static COMMAND_LINE: Rule = Rule {
    id: "php-injection-config-directives/command-line",
    leaf: Leaf::PhpInjectionConfigDirectives,
    weight: STRONG,
    places: Places::of(&[Place::QueryName]),
    matcher: RuleMatcher::Detected,
    summary: "The query is an option of PHP's command line, as the CGI program reads it.",
    attacks: &[
        "-d+allow_url_include",
        "%ADd+allow_url_include",
        "-d%20auto_prepend_file",
        "%add+cgi.force_redirect",
    ],
    benign: &["allow_url_include", "d", "-d", "display_errors", "sort d"],
};

pub(super) static SUPERGLOBAL: Rule = Rule {
    id: "php-injection-superglobal-names/variable",
    leaf: Leaf::PhpInjectionSuperglobalNames,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value reads a variable of PHP that holds the request or the server.",
    attacks: &["$_SERVER['test'];", "x.$_GET[1]", "${_POST}", "$GLOBALS['a']", "$HTTP_POST_VARS[0]"],
    benign: &["$_", "$GLOBAL", "_GET", "$get['x']", "the $_SERVER array tells you where the script is"],
};

pub(super) static SUPERGLOBAL_IN_TEXT: Rule = Rule {
    id: "php-injection-superglobal-names/variable-in-text",
    leaf: Leaf::PhpInjectionSuperglobalNames,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text mentions a variable of PHP that holds the request or the server.",
    attacks: &[
        "you should read $_GET['page'] only after you have checked it",
        "what do I find in $_SERVER['REQUEST_URI'] behind a proxy server",
        "our plugin stores it in $_SESSION['cart'] and forgets about it",
    ],
    benign: &[
        "we get $5 for every post and request",
        "the $GET variable is not the right one here",
        "session and cookie",
    ],
};

pub(super) static SUPERGLOBAL_PARAMETER: Rule = Rule {
    id: "php-injection-superglobal-names/parameter",
    leaf: Leaf::PhpInjectionSuperglobalNames,
    weight: STRONG,
    places: NAMES,
    matcher: RuleMatcher::Detected,
    summary: "A parameter is named so that it overwrites a variable of PHP itself.",
    attacks: &[
        "GLOBALS[thispath]",
        "_SERVER[DOCUMENT_ROOT]",
        "_ENV[asicms][path]",
        "_REQUEST[option]",
        "HTTP_POST_VARS[id]",
        "php_self[0]",
    ],
    benign: &["globals", "server[name]", "_token", "_method", "env[0]", "_get.size", "vars[1]"],
};

pub(super) static COMPUTED_NAME: Rule = Rule {
    id: "php-injection-superglobal-names/computed",
    leaf: Leaf::PhpInjectionSuperglobalNames,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "The name of a PHP variable is an expression.",
    attacks: &["${'ff'}", "$ {'_VAR'.'IABLE_NAME'}", "${\"GLOB\".\"ALS\"}", "${@a}", "${@print(md5(31337))}"],
    benign: &["${name}", "${user.name}", "${HOME:-/root}", "${items.map(x => 'a')}", "{'a': 1}"],
};

pub(super) static WRAPPER: Rule = Rule {
    id: "php-injection-stream-wrappers/address",
    leaf: Leaf::PhpInjectionStreamWrappers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value is an address that PHP opens as a stream of its own.",
    attacks: &[
        "php://filter/convert.base64-encode/resource=index.php",
        "phar://album.zip/photo.txt",
        "expect://ls",
        "zip://shell.jpg#payload.php",
        "ssh2.tunnel://deploy:secret@host.example:22/10.1.2.3:25",
        "compress.zlib://a.gz",
    ],
    benign: &[
        "https://example.org/zip",
        "php: the good parts",
        "Read the raw body from php://input when the content type is JSON",
        "phar: archives",
        "s3://bucket/zip",
    ],
};

pub(super) static WRAPPER_IN_TEXT: Rule = Rule {
    id: "php-injection-stream-wrappers/address-in-text",
    leaf: Leaf::PhpInjectionStreamWrappers,
    weight: 2,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text mentions an address that PHP opens as a stream of its own.",
    attacks: &[
        "Read the raw body from php://input when the content type is JSON",
        "you may pack it and use phar://app.phar/index.php instead of that",
        "it writes to php://stdout and the container picks it up there",
    ],
    benign: &[
        "Read the raw body from the input when the content type is JSON",
        "see https://www.php.net/manual/en/wrappers.php for all of them",
        "zip: the code of the place that you live in",
    ],
};

pub(super) static SERIALIZED: Rule = Rule {
    id: "php-injection-serialized-objects/object",
    leaf: Leaf::PhpInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value holds a serialized PHP object.",
    attacks: &[
        "O:8:\"stdClass\":1:{s:1:\"a\";i:2;}",
        "a:1:{i:0;O:+12:\"vB_dB_Result\":2:{}}",
        "C:11:\"ArrayObject\":37:{x:i:0;}",
        "E:11:\"Suit:Hearts\";",
        "TzoxMzoiT2JqZWN0RXhhbXBsZSI6Mjp7czoxMDoic2VjcmV0Q29kZSI7Tjt9",
    ],
    benign: &["a:1:{s:3:\"foo\";s:3:\"bar\";}", "{\"O\":8}", "O:8 is a position", "s:5:\"hello\";"],
};
