//! Rules about names of functions where an application calls what a field names: callbacks, magic methods, properties of
//! render arrays. Each with its proofs.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Detector, Rule, RuleMatcher, STRONG};

/// Reads whole values under names that say that they are called.
pub(super) static DETECTOR: Detector =
    Detector { name: "php-callback", triggers: &[FUNCTIONS, MAGIC], prefilter: None, places: FIELDS, run };

const FIELDS: Places = Places::of(&[Place::Query, Place::Form, Place::Json, Place::Cookie, Place::Part]);

/// Functions that run code, commands or other functions, or write files.
const FUNCTIONS: &[&str] = &[
    "assert",
    "call_user_func",
    "call_user_func_array",
    "create_function",
    "eval",
    "exec",
    "file_get_contents",
    "file_put_contents",
    "forward_static_call",
    "highlight_file",
    "passthru",
    "pcntl_exec",
    "phpinfo",
    "popen",
    "proc_open",
    "readfile",
    "register_shutdown_function",
    "shell_exec",
    "show_source",
    "system",
    "think\\__include_file",
    "unserialize",
    "var_dump",
];
/// Methods that PHP calls by itself.
const MAGIC: &[&str] = &[
    "__call",
    "__callstatic",
    "__construct",
    "__destruct",
    "__get",
    "__invoke",
    "__set",
    "__tostring",
    "__unserialize",
    "__wakeup",
];
/// Names of fields whose value an application calls, up to their index.
const CALLED: &[&str] = &[
    "callback",
    "callbacks",
    "filter",
    "func",
    "function",
    "handler",
    "map",
    "server[request_method]",
    "vars",
];
/// Names of fields whose value chooses a method.
const METHODS: &[&str] = &["_method", "a", "act", "action", "func", "function", "m", "method", "do"];

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let value = subject.bytes.trim_ascii();
    let value = value.strip_prefix(b"\\").unwrap_or(value);
    let rule = if is_one(value, FUNCTIONS) && is_called(subject) {
        &CALLBACK
    } else if is_one(value, MAGIC) && is_one(subject.name, METHODS) {
        &MAGIC_METHOD
    } else {
        return;
    };
    evidence.found(rule, 0, subject.bytes.len());
}

/// `filter[]`, `callback[0]`, `vars[0]`; a name without brackets belongs to whoever uses it for a label.
fn is_called(subject: &Subject<'_>) -> bool {
    // A bracket may be coded in a name.
    let end = subject.name.iter().position(|byte| matches!(byte, b'[' | b'%')).unwrap_or(subject.name.len());
    let indexed = end < subject.name.len();
    let name = subject.name.get(..end).unwrap_or_default();
    matches!(subject.place, Place::Query | Place::Form | Place::Part)
        && is_one(name, CALLED)
        && (indexed || is_one(name, &["callback", "func", "function"]))
}

fn is_one(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&CALLBACK, &MAGIC_METHOD, &RENDER_PROPERTY, &CONFIGURED_CLASS];

static CALLBACK: Rule = Rule {
    id: "php-injection-dangerous-functions/callback",
    leaf: Leaf::PhpInjectionDangerousFunctions,
    weight: STRONG,
    places: FIELDS,
    matcher: RuleMatcher::DetectedInField { place: Place::Query, name: "filter[]" },
    summary: "The value of a field that is called names a PHP function that runs code or commands.",
    attacks: &["passthru", "shell_exec", "\\call_user_func", "phpinfo", "Assert"],
    benign: &["price", "in_stock", "strtolower", "systems", "execution"],
};

static MAGIC_METHOD: Rule = Rule {
    id: "php-injection-dangerous-functions/magic-method",
    leaf: Leaf::PhpInjectionDangerousFunctions,
    weight: STRONG,
    places: FIELDS,
    matcher: RuleMatcher::DetectedInField { place: Place::Query, name: "_method" },
    summary: "A field that chooses a method names one that PHP calls by itself.",
    attacks: &["__construct", "__wakeup", "__invoke", "__destruct"],
    benign: &["PUT", "delete", "__method", "construct"],
};

static RENDER_PROPERTY: Rule = Rule {
    id: "php-injection-dangerous-functions/render-property",
    leaf: Leaf::PhpInjectionDangerousFunctions,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"#(?:post_render|pre_render|lazy_builder|access_callback|value_callback|after_build|element_validate|validate_callback|submit_callback|theme_wrappers|post_render_cache)\b",
        literals: &[
            "#post_render",
            "#pre_render",
            "#lazy_builder",
            "#access_callback",
            "#value_callback",
            "#after_build",
            "#element_validate",
            "#validate_callback",
            "#submit_callback",
            "#theme_wrappers",
        ],
    },
    summary: "A property of a render array of Drupal, whose value is called.",
    attacks: &["mail[#post_render][]", "name[a][#lazy_builder][0]", "#pre_render[]", "a/#value_callback"],
    benign: &["#post", "post_render", "#render", "#process", "#1: pre-render"],
};

static CONFIGURED_CLASS: Rule = Rule {
    id: "php-injection-serialized-objects/configured-class",
    leaf: Leaf::PhpInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: concat!(
            r"^__construct\(\)|[\[\x22]__construct\(\)[\]\x22]",
            r"|(?:^|[\x22'=:\[])\\{0,4}(?:guzzlehttp\\{1,4}(?:psr7\\{1,4}fnstream|cookie\\{1,4}filecookiejar|handlerstack)",
            r"|monolog\\{1,4}handler\\{1,4}(?:bufferhandler|syslogudphandler|fingerscrossedhandler|grouphandler)",
            r"|illuminate\\{1,4}broadcasting\\{1,4}(?:pendingbroadcast|broadcastevent)|facade\\{1,4}ignition\\{1,4}solutions|yii\\{1,4}(?:rest\\{1,4}(?:index|create|view|update)action|db\\{1,4}batchqueryresult|log\\{1,4}filetarget|web\\{1,4}dbsession)|phpunit\\{1,4}framework\\{1,4}mockobject)",
        ),
        literals: &[
            "__construct()",
            "fnstream",
            "filecookiejar",
            "handlerstack",
            "monolog\\",
            "broadcasting\\",
            "ignition\\",
            "yii\\",
            "phpunit\\",
        ],
    },
    summary: "A value or a key makes a container build an object of a class that chains of PHP are made of.",
    attacks: &[
        "\\GuzzleHttp\\Psr7\\FnStream",
        "{\"class\":\"yii\\\\rest\\\\IndexAction\"}",
        "__construct()",
        "Facade\\Ignition\\Solutions\\MakeViewVariableOptionalSolution",
        "Monolog\\Handler\\BufferHandler",
    ],
    benign: &[
        "public function __construct() {}",
        "use GuzzleHttp\\Client;",
        "App\\Models\\User",
        "the class Monolog\\Logger",
        "{\"type\":\"yii\\\\web\\\\NotFoundHttpException\"}",
    ],
};
