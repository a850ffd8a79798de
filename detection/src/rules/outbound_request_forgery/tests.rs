//! Properties that depend on the name of a parameter and on its place, which proofs do not show.

use std::sync::Arc;

use waf_shared::catalog::LeafSet;

use crate::Engine;
use crate::bounds::Bounds;
use crate::budget::Budget;
use crate::field::{Field, Place};
use crate::inspection::{Inspection, OnHit};

fn blocks(engine: &Arc<Engine>, place: Place, name: &str, value: &str) -> bool {
    let leaves = LeafSet::defaults();
    let mut inspection =
        Inspection::new(Arc::clone(engine), leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    inspection.field(&Field { place, name: name.as_bytes(), value: value.as_bytes() });
    inspection.verdict().blocks()
}

/// Fields whose values a server fetches.
const FETCHED: &[(Place, &str, &str)] = &[
    (Place::Query, "url", "localhost/"),
    (Place::Query, "url", "gateway.docker.internal/"),
    (Place::Form, "image_url", "http://192.168.1.1/"),
    (Place::Query, "_xl", "http://127.0.0.1:22/"),
    (Place::Query, "x", "https://kubernetes.default.svc/api"),
    (Place::Json, "data.attributes.link", "http://127.0.0.1:22"),
    (Place::Form, "uri", "127.2"),
    (Place::Json, "target", "0x7f.1"),
    (Place::Json, "url", "http://localhost:6379/"),
    (Place::Json, "webhook_url", "http://localhost:8500/v1/kv"),
    (Place::Json, "webhookUrl", "http://127.0.0.1:8080/"),
    (Place::Json, "webhook.url", "https://localhost/"),
    (Place::Json, "config.url", "http://10.0.0.5/"),
    (Place::Json, "hook.config.targetURL", "http://192.168.1.1/"),
    (Place::Json, "job.url", "http://127.0.0.1:6379/"),
    (Place::Json, "data.attributes.url", "http://localhost:6379/"),
    (Place::Json, "monitors.config.url", "http://localhost:6379/"),
    (Place::Json, "webhook.targets.0.url", "http://localhost:6379/"),
    (Place::Json, "options.url", "http://127.0.0.1:6379/"),
    (Place::Xml, "r/url", "http://localhost/"),
    (Place::Json, "callback", "http://localhost:9200/_search"),
    (Place::Json, "image_url", "http://localhost/x.png"),
    (Place::Json, "user.image.src", "http://localhost/x.png"),
    (Place::Json, "feed", "http://[::1]:80/"),
    (Place::Json, "data.0.feedurl", "http://localhost/rss"),
    (Place::Json, "thumbnail-link", "http://172.16.0.1/"),
    (Place::Json, "redirect_image_url", "http://localhost/"),
    (Place::Xml, "order/webhook/url", "http://localhost:8080/"),
    (Place::Xml, "feed/item@href", "http://localhost/"),
    (Place::Xml, "a:img@src", "http://127.0.0.1/"),
    (Place::Cookie, "proxy_url", "http://localhost:3128/"),
    (Place::Part, "avatar", "http://localhost/a.png"),
    (Place::Part, "picture_url", "localhost/"),
    (Place::Form, "callbackurl", "http://localhost:8080/x"),
    (Place::Form, "page", "http://localhost/x"),
    (Place::Json, "file_url", "http://localhost/a.pdf"),
    (Place::Json, "api_url", "http://localhost:8080/"),
    (Place::Json, "file", "http://127.0.0.1/a.pdf"),
    (Place::Json, "page.url", "http://169.254.169.254/latest/meta-data/"),
    (Place::Json, "html_url", "http://2130706433/"),
    (Place::Json, "redirect_uri", "http://[::ffff:169.254.169.254]/"),
];

/// Fields whose values describe something, and values that are nowhere inside.
const DESCRIBED: &[(Place, &str, &str)] = &[
    (Place::Query, "redirect_uri", "http://localhost:8080/callback"),
    (Place::Query, "redirect_uri", "http://127.0.0.1:8976/oauth"),
    (Place::Query, "server", "localhost"),
    (Place::Json, "host", "127.0.0.1"),
    (Place::Json, "Site", "http://localhost"),
    (Place::Json, "servers.0.url", "http://localhost:8080"),
    (Place::Json, "repository.ssh_url", "ssh://git@localhost:3035/github/hello-world.git"),
    (Place::Header, "Referer", "http://127.0.0.1:3000/"),
    (Place::Query, "url", "https://example.com/callback"),
    (Place::Form, "message", "my app runs at http://localhost:3000 and fails there"),
    (Place::Form, "ip", "127.0.0.1"),
    (Place::Query, "q", "http://192.168.1.1"),
    (Place::Query, "q", "localhost/phpmyadmin"),
    (Place::Form, "network", "10.0.0.0/8"),
    (Place::Json, "image", "registry.internal/app:1"),
    (Place::Form, "dsn", "mongodb://127.0.0.1:27017"),
    (Place::Json, "redirect_uri", "http://127.0.0.1:8976/oauth"),
    (Place::Form, "redirect_uris[0]", "http://localhost:8080/"),
    (Place::Form, "image_redirect_url", "http://localhost:8080/"),
    (Place::Json, "oauth_callback", "http://localhost:8080/"),
    (Place::Json, "options.url", "http://localhost:3000/hook"),
    (Place::Json, "issue.labels.url", "http://10.0.0.7:3000/api/labels/1"),
    (Place::Json, "properties.prometheus.uri", "https://localhost:9090"),
    (Place::Json, "commits.url", "http://10.0.0.7:3000/org/repo/commit/1"),
    (Place::Json, "request.url", "http://localhost:3000/cart"),
    (Place::Json, "context.page.url", "http://192.168.0.9/"),
    (Place::Json, "login_callback_url", "http://localhost:8080/"),
    (Place::Json, "body.sourceFile", "http://localhost:3000/dev.js"),
    (Place::Json, "endpoint", "http://localhost:4466/service/dev"),
    (Place::Json, "next", "http://localhost:3000/a"),
    (Place::Query, "return_url", "http://192.168.1.1/"),
    (Place::Query, "continue", "http://10.1.2.3/"),
    (Place::Json, "html_url", "http://192.168.1.5:3000/org/repo"),
    (Place::Json, "repository.html_url", "http://localhost:3000/org/repo"),
    (Place::Json, "repository.git_ssh_url", "ssh://git@10.0.0.7/org/repo.git"),
    (Place::Json, "project.git_http_url", "http://10.0.0.7/org/repo.git"),
    (Place::Json, "page.url", "http://localhost:3000/cart"),
    (Place::Json, "context.page.referring_url", "http://192.168.0.9/"),
    (Place::Json, "referring_domain", "http://192.168.0.9/"),
    (Place::Json, "location", "http://192.168.0.9/a"),
    (Place::Json, "document_url", "http://localhost:8000/docs"),
    (Place::Query, "document_url", "http://192.168.0.9/docs"),
    (Place::Json, "sender.avatar_url", "http://10.0.0.7/avatars/1"),
    (Place::Json, "documentLocation", "http://10.0.0.7/a"),
    (Place::Json, "homepage_url", "http://localhost:3000"),
    (Place::Json, "database_url", "postgres://localhost:5432/app"),
    (Place::Json, "url", "postgres://localhost:5432/app"),
    (Place::Json, "url", "Start the server and open http://localhost:3000 in a browser."),
    (Place::Json, "code", "const api = 'http://localhost:3000/api';"),
    (Place::Json, "description", "http://localhost:3000"),
    (Place::Xml, "schema@targetNamespace", "http://example.org/localhost"),
];

#[test]
fn what_is_fetched_is_told_by_its_name() {
    let engine = Arc::new(crate::rules::engine());
    for &(place, name, value) in FETCHED {
        assert!(blocks(&engine, place, name, value), "{name}={value}");
    }
    for &(place, name, value) in DESCRIBED {
        assert!(!blocks(&engine, place, name, value), "{name}={value}");
    }
}
