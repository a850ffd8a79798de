//! Rules for operators and scripts of document databases.

use waf_shared::catalog::Leaf;

use super::places::VALUES;
use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&DOCUMENT_NAME, &DOCUMENT_VALUE, &DOCUMENT_SCRIPT, &JSON_OPERATOR];

const NAMES: Places = Places::of(&[Place::QueryName, Place::FormName, Place::JsonKey, Place::CookieName]);

pub(super) static DOCUMENT_NAME: Rule = Rule {
    id: "sql-injection-mongodb-operators/name",
    leaf: Leaf::SqlInjectionMongodbOperators,
    weight: STRONG,
    places: NAMES,
    matcher: RuleMatcher::Detected,
    summary: "An operator of a document database as a key.",
    attacks: &["$ne", "$where", "$regex"],
    benign: &["$schema", "$ref", "ctl00$Main$txtName", "$set", "$unset", "$add", "$in"],
};

pub(super) static DOCUMENT_VALUE: Rule = Rule {
    id: "sql-injection-mongodb-operators/value",
    leaf: Leaf::SqlInjectionMongodbOperators,
    weight: STRONG,
    places: VALUES.or(Places::HEADERS),
    matcher: RuleMatcher::Detected,
    summary: "An operator of a document database in an object that is pasted into a value.",
    attacks: &["{ $ne: 1 }", "true, $where: '1 == 1'", "{\"$gt\":\"\",}", "[$lte]x"],
    benign: &["it costs $5: cheap", "$text: #333;", "echo $PATH", "pay $in cash"],
};

pub(super) static DOCUMENT_SCRIPT: Rule = Rule {
    id: "sql-injection-mongodb-operators/script",
    leaf: Leaf::SqlInjectionMongodbOperators,
    weight: STRONG,
    places: VALUES.or(Places::HEADERS),
    matcher: RuleMatcher::Detected,
    summary: "Script for the JavaScript engine of a document database.",
    attacks: &[
        "' && this.password.match(/.*/)//",
        "0;var d=new Date();do{x=1}while(1)",
        "db.users.insert({a:1});",
        "';return 'a'=='a' && ''=='",
    ],
    benign: &["db.session.add(user)", "this.password is old", "return the var; while you can"],
};

pub(super) static JSON_OPERATOR: Rule = Rule {
    id: "sql-injection-json-operators/operator",
    leaf: Leaf::SqlInjectionJsonOperators,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A JSON operator of a database between values.",
    attacks: &["OR '{\"b\":2}'::jsonb <@ '{\"a\":1}'", "'{\"a\":1}' @> '{}'", "'[1,2]'::json ->> 2='3'"],
    benign: &["I Love you <3", "Find your solution here -> link", "rename 'foo' -> 'bar'"],
};
