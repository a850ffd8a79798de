//! GraphQL in bodies and queries: attacks in texts, operations of clients, limits.

use std::sync::Arc;

use waf_shared::catalog::LeafSet;

use crate::Engine;
use crate::body::Completeness;
use crate::budget::Budget;
use crate::inspection::{Bounds, Inspection, OnHit};
use waf_shared::catalog::Leaf;

fn engine() -> Arc<Engine> {
    Arc::new(crate::rules::engine())
}

fn inspection(engine: &Arc<Engine>) -> Inspection {
    let leaves = LeafSet::defaults();
    Inspection::new(Arc::clone(engine), leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED)
}

/// The names of the findings in a body, and the violations; none unless they block.
fn body(engine: &Arc<Engine>, media_type: &str, text: &str) -> Option<(Vec<String>, Vec<Leaf>)> {
    let mut inspection = inspection(engine);
    inspection.body(media_type.as_bytes());
    inspection.feed(text.as_bytes());
    inspection.finish_body(Completeness::Whole);
    let verdict = inspection.verdict();
    let names = verdict.matches.iter().map(|found| String::from_utf8_lossy(&found.name).into_owned());
    let violations = verdict.violations.iter().map(|violation| violation.leaf);
    verdict.blocks().then(|| (names.collect(), violations.collect()))
}

fn json(document: &str) -> String {
    let escaped = document.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{{\"operationName\":\"A\",\"query\":\"{escaped}\",\"variables\":{{\"id\":7}}}}")
}

const ATTACK: &str = "1' union select password from users--";

#[test]
fn texts_and_variables_are_judged_under_their_names() {
    let engine = engine();
    let unicode = ATTACK.replace('\'', "\\u0027").replace(' ', "\\u0020");
    for (document, name) in [
        (format!("query A {{ user(id: \"{ATTACK}\") {{ name }} }}"), "query.id"),
        (format!("{{ user(id: \"{ATTACK}\") {{ name }} }}"), "query.id"),
        (format!("{{ user(id: \"{unicode}\") {{ name }} }}"), "query.id"),
        (format!("mutation {{ add(input: {{a: 1, note: \"\"\"{ATTACK}\"\"\"}}) {{ id }} }}"), "query.note"),
        (format!("{{ a(list: [\"x\", \"{ATTACK}\"]) }}"), "query.list"),
        (format!("query A($x: String = \"{ATTACK}\") {{ a(x: $x) }}"), "query.x"),
        (format!("query A {{ a }} # {ATTACK}"), "query"),
        (format!("{{ a @b(c: \"{ATTACK}\") }}"), "query.c"),
    ] {
        let found = body(&engine, "application/json", &json(&document));
        let (names, _) = found.unwrap_or_else(|| panic!("{document} is not refused"));
        assert!(names.iter().all(|found| found == name), "{document}: {names:?}");
    }
    let variables =
        format!("{{\"query\":\"query($id: ID) {{ a(id: $id) }}\",\"variables\":{{\"id\":\"{ATTACK}\"}}}}");
    let (names, _) = body(&engine, "application/json", &variables).expect("an attack in a variable");
    assert!(names.iter().all(|found| found == "variables.id"), "{names:?}");
    for media_type in ["application/graphql", "text/plain"] {
        let document = format!("query A {{ a(b: \"{ATTACK}\") }}");
        assert!(body(&engine, media_type, &document).is_some(), "{media_type}");
    }
    let mut inspection = inspection(&engine);
    inspection.query(b"query=%7B+a(b:%221'+union+select+password+from+users--%22)+%7D");
    assert!(inspection.verdict().blocks(), "a document in the query of a URL");
}

#[test]
fn what_only_looks_like_a_document_is_judged_as_text() {
    let engine = engine();
    for text in [
        format!("{{ a }} {ATTACK}"),
        format!("query {{ a ' {ATTACK} }}"),
        "{cat,/etc/passwd};id".to_owned(),
        "subscription'; drop table users--".to_owned(),
        "{{constructor.constructor('alert(1)')()}}".to_owned(),
        "{ a(b: \"c\") } || cat /etc/passwd".to_owned(),
    ] {
        assert!(body(&engine, "application/json", &json(&text)).is_some(), "{text}");
    }
}

#[test]
fn operations_of_real_clients_pass() {
    let engine = engine();
    let introspection = include_str!("introspection.graphql");
    for document in [
        introspection,
        "query GetUser($id: ID!) { user(id: $id) { ...UserFields } } fragment UserFields on User { id name }",
        "mutation AddComment { addComment(input: {text: \"It's 5 o'clock -- select a table, or drop by!\"}) { id } }",
        "query select_from_users { select: users(where: {or: [{a: {_eq: 1}}, {b: {_like: \"%x%\"}}]}) { id } }",
        "query ($first: Int = 10, $after: String) { list(first: $first, after: $after) @connection(key: \"k\") { edges { node { id } } } }",
        "subscription OnMessage { messageAdded(room: \"lobby\") { text author { name } } }",
        "{ exec: system { eval { passwd etc } } union { select { from } } }",
        "# which users are there?\nquery { users(order_by: {name: asc}) { id } }",
    ] {
        for text in [json(document), format!("[{0},{0}]", json(document))] {
            assert_eq!(body(&engine, "application/json", &text), None, "{document}");
        }
        assert_eq!(body(&engine, "application/graphql", document), None, "{document}");
    }
    let persisted = r#"{"operationName":"A","variables":{},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"}}}"#;
    assert_eq!(body(&engine, "application/json", persisted), None);
    let relay = r#"{"doc_id":"1234","variables":{"cursor":"WyIyMDI0Il0="}}"#;
    assert_eq!(body(&engine, "application/json", relay), None);
}

#[test]
fn what_a_document_asks_for_is_bounded() {
    let engine = engine();
    let fragment = |level: u32| format!(" fragment F{level} on T {{ ...F{0} ...F{0} }}", level + 1);
    let fragments = (0..20).map(fragment).collect::<Vec<_>>().concat();
    for (document, leaf) in [
        (format!("{}{{b}}{}", "{a".repeat(50), "}".repeat(50)), Leaf::GraphqlMaxDepth),
        (format!("{{ a(b: {}{}) }}", "[".repeat(60), "]".repeat(60)), Leaf::GraphqlMaxDepth),
        (
            "{ ...A } fragment A on T { a { ...B } } fragment B on T { b { ...A } }".to_owned(),
            Leaf::GraphqlMaxDepth,
        ),
        (format!("mutation {{ {} }}", "a:login(p:\"x\"){id} ".repeat(501)), Leaf::GraphqlMaxAliases),
        (format!("{{ ...F0 }}{fragments} fragment F20 on T {{ f }}"), Leaf::GraphqlMaxFields),
        (format!("{{ {} }}", "a ".repeat(5_001)), Leaf::GraphqlMaxFields),
        (format!("{{ a {} }}", "@x".repeat(501)), Leaf::GraphqlMaxDirectives),
    ] {
        for (media_type, text) in
            [("application/json", json(&document)), ("application/graphql", document.clone())]
        {
            let (_, leaves) =
                body(&engine, media_type, &text).unwrap_or_else(|| panic!("{leaf:?} {media_type}"));
            assert!(leaves.contains(&leaf), "{leaf:?} {media_type}: {leaves:?}");
        }
    }
    let batch = |size: usize| format!("[{}]", vec![json("{ a }"); size].join(","));
    assert_eq!(body(&engine, "application/json", &batch(100)), None);
    let (_, leaves) = body(&engine, "application/json", &batch(101)).expect("too many documents");
    assert_eq!(leaves, [Leaf::GraphqlMaxBatch]);
}
