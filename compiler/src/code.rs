//! The kinds of findings: stable names for reports, filters and the linter's page. It must not know where they arise.

macro_rules! codes {
    ($($name:ident = $code:literal, $summary:literal;)+) => {
        $(#[doc = $summary] pub const $name: &str = $code;)+
        /// Every code with its summary.
        pub const ALL: &[(&str, &str)] = &[$(($code, $summary)),+];
    };
}

codes! {
    UNREADABLE = "unreadable", "The file cannot be read, is too large or is not UTF-8.";
    SYNTAX = "syntax", "The file is not YAML, or uses tags, merge keys, several documents or too many nodes.";
    DUPLICATE_FIELD = "duplicate-field", "A field or key stands twice in one mapping.";
    UNKNOWN_FIELD = "unknown-field", "No field of that name exists there.";
    MISSING_FIELD = "missing-field", "A required field is absent or empty.";
    WRONG_TYPE = "wrong-type", "The value is not of the field's type.";
    OUT_OF_BOUNDS = "out-of-bounds", "The value is outside of the field's bounds.";
    INVALID_VALUE = "invalid-value", "The value is not one of those that the field knows, or not of its syntax.";
    EMPTY_LIST = "empty-list", "A list needs at least one entry.";
    DUPLICATE_ENTRY = "duplicate-entry", "A list contains an entry more than once.";
    EXCLUSIVE_FIELDS = "exclusive-fields", "Two fields exclude each other.";
    MIXED_HOSTS = "mixed-hosts", "Some routes have `match.hosts` and another one has none.";
    PORT_CONFLICT = "port-conflict", "Two listeners would share a port.";
    DUPLICATE_ROUTE = "duplicate-route", "Two routes have the same id.";
    UNKNOWN_PROTECTION = "unknown-protection", "No protection has that name.";
    CONTRADICTION = "contradiction", "A protection is listed in `enable` and `disable` of one section.";
    CORS_CREDENTIALS = "cors-credentials", "`*` is allowed together with credentials.";
    UNUSABLE_PATH = "unusable-path", "A directory or file of the configuration cannot be used.";
    PLAN_TOO_LARGE = "plan-too-large", "The compiled plan is larger than a worker accepts.";
    UNCHECKED_CONTRACT = "unchecked-contract", "A part of a contract is not checked.";
    TIE = "tie", "Two routes match the same requests with the same rank: the earlier one takes them.";
    CASE = "case", "Paths of two routes differ by case alone: an upstream that ignores case takes one for the other.";
    NEVER_MATCHES = "never-matches", "A route or path can never be chosen.";
    NO_EFFECT = "no-effect", "The entry or field changes nothing.";
    UNREACHABLE_LIMIT = "unreachable-limit", "Another limit is always reached first.";
    NO_CERTIFICATE = "no-certificate", "No authority proves the wildcard: names below it get certificates on demand.";
    OLD_NAME = "old-name", "The name was replaced by another one.";
    EXPIRED = "expired", "The date of an exception has passed: it still holds.";
    BROAD_EXCEPTION = "broad-exception", "An exception takes a whole family away on every route.";
    POLICY_TEST = "policy-test", "A policy test fails, or its file is invalid.";
    SUSPICIOUS_VALUE = "suspicious-value", "The value is valid and probably not what is meant.";
}
