//! Contracts through the real program: statuses, modes, toggles, bodies in pieces, events, reload, answers.

use waf_tests::contract::{answered, blocked};
use waf_tests::limit::chunked;
use waf_tests::origin::{Answer, Origin};
use waf_tests::raw::{self, Request};
use waf_tests::running::{Start, Waf, with_metrics, with_routes};
use waf_tests::scrape::{self, Scrape};

const SHOP: &str = r#"
openapi: 3.0.3
info: { title: shop, version: "1" }
servers: [{ url: https://shop.example.com/v1 }]
paths:
  /orders:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, maximum: 100 } }
      responses: { 200: { description: ok } }
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [item]
              additionalProperties: false
              properties:
                item: { type: string, maxLength: 300000 }
                count: { type: integer, minimum: 1 }
          multipart/form-data:
            schema: { type: object, required: [note], properties: { note: { type: string }, file: { type: string, format: binary } } }
      responses: { 200: { description: ok } }
"#;

fn shop(origin: &Origin, route: &str, global: &str) -> Waf {
    let routes = format!("  - id: shop\n    upstream: {}\n{route}", origin.url());
    Start::new().file("shop.yaml", SHOP).run(&format!("{}{global}", with_routes(&routes)))
}

const STRICT: &str = "    openapi: { spec: shop.yaml }\n";

fn json(body: &str) -> Request {
    Request::post("/v1/orders", "application/json", body)
}

fn event(waf: &Waf, number: usize) -> serde_json::Value {
    waf.wait_events(number).swap_remove(number - 1)
}

#[test]
fn time_spent_on_a_contract_is_counted_under_its_family() {
    let origin = Origin::start();
    let routes = format!("  - id: shop\n    upstream: {}\n{STRICT}", origin.url());
    let waf = Start::new().file("shop.yaml", SHOP).run(&with_metrics(&with_routes(&routes)));
    let spent = |scrape: &Scrape| scrape.sum("waf_inspection_seconds_total", &[("family", "openapi")]);
    let mut before = 0.0;
    for request in [
        Request::get("/v1/orders?limit=5"),
        Request::get("/v1/orders?limit=4711"),
        Request::get("/v1/admin"),
        json(r#"{"item":"a"}"#),
        json(r#"{"count":0}"#),
    ] {
        request.to(waf.port);
        before = spent(&scrape::until(&waf, "time on the contract", |scrape| spent(scrape) > before));
    }
}

#[test]
fn every_leaf_has_its_status_and_event() {
    let origin = Origin::start();
    let waf = shop(&origin, STRICT, "");
    let text = "text/csv";
    let rows = [
        (Request::get("/v1/admin"), 404, "openapi-path-not-in-spec", "path"),
        (Request::get("/orders"), 404, "openapi-path-not-in-spec", "path"),
        (Request::new("DELETE", "/v1/orders"), 405, "openapi-method-not-in-spec", "method"),
        (
            json("{\"item\":\"a\"}").field("X-HTTP-Method-Override", "delete"),
            405,
            "openapi-method-not-in-spec",
            "method",
        ),
        (Request::get("/v1/orders?limit=4711"), 422, "openapi-parameter-mismatch", "limit: maximum"),
        (Request::get("/v1/orders?limit=pear"), 422, "openapi-parameter-mismatch", "limit: type"),
        (Request::post("/v1/orders", text, "a,b"), 415, "openapi-content-type-not-in-spec", "media type"),
        (json("{\"item\":4711}"), 422, "openapi-body-mismatch", "/item: type"),
        (json("{\"item\":\"a\",\"count\":0}"), 422, "openapi-body-mismatch", "/count: minimum"),
        (json("{}"), 422, "openapi-body-mismatch", "required (item)"),
        (
            json("{\"item\":\"a\",\"price\":4711}"),
            422,
            "openapi-body-mismatch",
            "/price: additionalProperties",
        ),
        (Request::new("POST", "/v1/orders").body(""), 422, "openapi-body-mismatch", "required"),
    ];
    for (number, (request, status, leaf, reason)) in rows.iter().enumerate() {
        let response = request.to(waf.port);
        blocked(&response, *status);
        if *status == 405 {
            assert_eq!(response.field("Allow"), Some("GET, POST, HEAD"));
        }
        let event = event(&waf, number + 1);
        assert_eq!(event["disposition_id"], 2, "{event}");
        assert_eq!(event["waf"]["matched_protections"][0], *leaf, "{event}");
        let told = event["waf"]["matches"].to_string();
        assert!(
            told.contains(reason) && !told.contains("4711") && !told.contains("pear"),
            "{reason}: {told}"
        );
    }
    assert!(origin.take().is_empty());
    for request in [
        Request::get("/v1/orders?limit=5"),
        Request::new("HEAD", "/v1/orders"),
        json("{\"item\":\"a\",\"count\":2}"),
        Request::new("OPTIONS", "/v1/orders")
            .field("Origin", "https://a.example")
            .field("Access-Control-Request-Method", "POST"),
    ] {
        assert_eq!(request.to(waf.port).status, 200, "{request:?}");
    }
    assert_eq!(origin.take().len(), 4);
    assert_eq!(waf.events().len(), rows.len());
    // What the document does not declare in the query is reported, and passes.
    assert_eq!(Request::get("/v1/orders?utm=1").to(waf.port).status, 200);
    let event = event(&waf, rows.len() + 1);
    assert_eq!(
        (&event["disposition_id"], &event["waf"]["matched_protections"][0]),
        (&17.into(), &"openapi-parameter-mismatch".into())
    );
}

#[test]
fn modes_and_toggles() {
    let origin = Origin::start();
    let url = origin.url();
    let routes = format!(
        "  - {{ id: watched, match: {{ paths: [/watched/*] }}, upstream: {url}, rewrite: {{ strip_prefix: /watched }}, openapi: {{ spec: shop.yaml, strict: false }} }}\n\
         \x20 - {{ id: seen, match: {{ paths: [/seen/*] }}, upstream: {url}, rewrite: {{ strip_prefix: /seen }}, mode: detect_only, openapi: {{ spec: shop.yaml }} }}\n\
         \x20 - {{ id: open, match: {{ paths: [/open/*] }}, upstream: {url}, rewrite: {{ strip_prefix: /open }}, openapi: {{ spec: shop.yaml, disable: [openapi-path-not-in-spec, openapi-body-mismatch] }} }}\n"
    );
    let waf = Start::new().file("shop.yaml", SHOP).run(&with_routes(&routes));
    let bad =
        |route: &str| Request::post(format!("{route}/v1/orders?limit=x"), "application/json", "{\"item\":1}");
    for (number, route) in ["/watched", "/seen"].into_iter().enumerate() {
        assert_eq!(bad(route).to(waf.port).status, 200);
        let event = event(&waf, number + 1);
        assert_eq!(event["disposition_id"], 15, "{event}");
        let told = event["waf"]["matched_protections"].to_string();
        assert!(
            told.contains("openapi-parameter-mismatch") && told.contains("openapi-body-mismatch"),
            "{told}"
        );
    }
    // Rules go on blocking where only the contract is watched.
    blocked(
        &Request::get("/watched/v1/orders?q=1%27%20UNION%20SELECT%20a,b%20FROM%20users--").to(waf.port),
        403,
    );
    blocked(&Request::get("/open/v1/orders?limit=x").to(waf.port), 422);
    assert_eq!(Request::post("/open/v1/orders", "application/json", "{\"item\":1}").to(waf.port).status, 200);
    assert_eq!(Request::get("/open/v1/shadow").to(waf.port).status, 200);
    let event = event(&waf, 5);
    assert_eq!(event["disposition_id"], 17, "{event}");
    assert_eq!(event["waf"]["matched_protections"][0], "openapi-path-not-in-spec");
    assert_eq!(waf.events().len(), 5);
}

#[test]
fn shadow_logging_can_be_switched_off() {
    let origin = Origin::start();
    let route = "    openapi: { spec: shop.yaml, disable: [openapi-path-not-in-spec] }\n";
    let waf = shop(&origin, route, "global: { openapi: { shadow_api_logging: false } }\n");
    assert_eq!(Request::get("/v1/shadow").to(waf.port).status, 200);
    blocked(&Request::new("DELETE", "/v1/orders").to(waf.port), 405);
    assert_eq!(event(&waf, 1)["waf"]["matched_protections"][0], "openapi-method-not-in-spec");
    assert_eq!(waf.events().len(), 1);
}

#[test]
fn a_body_is_held_until_it_is_judged_and_judged_up_to_the_limit() {
    let origin = Origin::start();
    let waf = shop(&origin, STRICT, "global: { inspection: { max_inspect_size: 1KB } }\n");
    let body =
        |count: &str, length: usize| format!("{{\"count\":{count},\"item\":\"{}\"}}", "a".repeat(length));
    let ask = |body: &str| {
        raw::send(waf.port, chunked("/v1/orders", "application/json", body.as_bytes())).expect("a response")
    };
    blocked(&ask(&body("0", 500)), 422);
    // The fault stands in the part that is looked at.
    blocked(&ask(&body("0", 100_000)), 422);
    assert!(origin.take().is_empty());
    // Nothing is wrong there, and nobody knows what follows: it passes.
    assert_eq!(ask(&body("1", 100_000)).status, 200);
    let tail = format!("{{\"item\":\"{}\",\"count\":0}}", "a".repeat(100_000));
    assert_eq!(ask(&tail).status, 200);
    let taken = origin.take();
    assert_eq!(taken.len(), 2);
    assert_eq!(taken[1].body, tail.as_bytes());
}

#[test]
fn compressed_and_multipart_bodies_are_judged() {
    let origin = Origin::start();
    let waf = shop(&origin, STRICT, "");
    for (body, status) in [("{\"item\":\"a\"}", 200), ("{\"item\":1}", 422)] {
        let request = Request::new("POST", "/v1/orders")
            .field("Content-Type", "application/json")
            .field("Content-Encoding", "gzip")
            .body(waf_tests::coded::encode("gzip", body.as_bytes()));
        assert_eq!(request.to(waf.port).status, status, "{body}");
    }
    let part = |name: &str| {
        let body =
            format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\nhello\r\n--b--\r\n");
        Request::post("/v1/orders", "multipart/form-data; boundary=b", body)
    };
    assert_eq!(part("note").to(waf.port).status, 200);
    blocked(&part("other").to(waf.port), 422);
}

#[test]
fn a_name_that_comes_twice_breaks_the_contract() {
    let origin = Origin::start();
    let off = "    disable: [http-compliance-malformed-body]\n";
    let waf = shop(&origin, &format!("{STRICT}{off}"), "");
    for body in [
        r#"{"item":"a","item":"b"}"#,
        r#"{"item":"a","item":"a"}"#,
        r#"{"item":"a","count":1,"\u0069tem":"b"}"#,
        r#"{"count":1,"item":"a","count":2}"#,
        r#" { "item" : "a" , "item" : "b" } "#,
    ] {
        blocked(&json(body).to(waf.port), 422);
    }
    let told = event(&waf, 5)["waf"]["matches"].to_string();
    assert!(told.contains("uniqueNames"), "{told}");
    assert!(origin.take().is_empty());
    for body in [r#"{"item":"item","count":1}"#, r#"{"item":"a item b item"}"#] {
        assert_eq!(json(body).to(waf.port).status, 200, "{body}");
    }
}

#[test]
fn a_changed_document_is_a_reload_and_a_broken_one_is_none() {
    let origin = Origin::start();
    let waf = shop(&origin, STRICT, "");
    blocked(&Request::get("/v1/carts").to(waf.port), 404);
    let before = waf.plan();
    let file = waf.folder().join("shop.yaml");
    std::fs::write(&file, SHOP.replace("/orders:", "/carts:")).expect("the document is written");
    let after = waf.until_replaced(&before);
    assert_eq!(Request::get("/v1/carts").to(waf.port).status, 200);
    std::fs::write(&file, "openapi: [").expect("the document is written");
    waf.wait_log(&["shop.yaml", "does not parse"]);
    assert_eq!(waf.plan(), after);
    assert_eq!(Request::get("/v1/carts").to(waf.port).status, 200);
}

const ANSWERS: &str = r#"
openapi: 3.1.0
info: { title: answers, version: "1" }
paths:
  /{case}:
    parameters: [{ name: case, in: path, required: true, schema: { type: string } }]
    get:
      responses:
        200:
          description: ok
          content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer } } } } }
"#;

#[test]
fn answers_are_held_to_the_contract_where_that_is_wanted() {
    let origin = Origin::answering(|request| {
        let json = &[("Content-Type", "application/json")][..];
        match request.target_text().as_str() {
            "/good" => Answer::new(200, json, "{\"id\":7}"),
            "/chunked" => Answer::chunked(json, &["{\"id\":", "\"4711\"}"]),
            "/gzip" => {
                let coded = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")];
                Answer::new(200, &coded, waf_tests::coded::encode("gzip", b"{\"id\":\"4711\"}"))
            }
            "/status" => Answer::new(201, json, "{\"id\":7}"),
            "/type" => Answer::new(200, &[("Content-Type", "text/html")], "<p>4711"),
            _ => Answer::new(200, json, "{\"id\":\"4711\"}"),
        }
    });
    let url = origin.url();
    let routes = format!(
        "  - {{ id: off, match: {{ paths: [/off/*] }}, upstream: {url}, rewrite: {{ strip_prefix: /off }}, openapi: {{ spec: answers.yaml }} }}\n\
         \x20 - {{ id: seen, match: {{ paths: [/seen/*] }}, upstream: {url}, rewrite: {{ strip_prefix: /seen }}, openapi: {{ spec: answers.yaml, strict: false }}, enable: [response-inspection-openapi-validation] }}\n\
         \x20 - {{ id: held, upstream: {url}, openapi: {{ spec: answers.yaml }}, enable: [response-inspection-openapi-validation] }}\n"
    );
    let waf = Start::new().file("answers.yaml", ANSWERS).run(&with_routes(&routes));
    let good = Request::get("/good").to(waf.port);
    assert_eq!((good.status, good.text().as_str()), (200, "{\"id\":7}"));
    assert_eq!(Request::get("/off/bad").to(waf.port).status, 200);
    assert_eq!(Request::new("HEAD", "/good").to(waf.port).status, 200);
    let rows = [
        ("/bad", "/id: type"),
        ("/chunked", "/id: type"),
        ("/gzip", "/id: type"),
        ("/status", "responses"),
        ("/type", "content"),
    ];
    for (number, (target, reason)) in rows.into_iter().enumerate() {
        answered(&Request::get(target).to(waf.port), 502, "bad_gateway");
        let event = event(&waf, number + 1);
        assert_eq!(
            (&event["disposition_id"], &event["http_response"]["code"]),
            (&2.into(), &502.into()),
            "{event}"
        );
        assert_eq!(event["waf"]["matched_protections"][0], "response-inspection-openapi-validation");
        let told = event["waf"]["matches"].to_string();
        assert!(told.contains(reason) && !told.contains("4711"), "{told}");
    }
    assert_eq!(Request::get("/seen/bad").to(waf.port).text(), "{\"id\":\"4711\"}");
    assert_eq!(event(&waf, rows.len() + 1)["disposition_id"], 15);
    assert_eq!(waf.events().len(), rows.len() + 1);
}
