//! What depends on the name of a parameter and on where it stands, which proofs do not show.

use std::sync::Arc;

use waf_shared::catalog::LeafSet;

use crate::Engine;
use crate::budget::Budget;
use crate::field::{Field, Place};
use crate::inspection::{Bounds, Inspection, OnHit};

fn blocks(engine: &Arc<Engine>, place: Place, name: &str, value: &str) -> bool {
    let leaves = LeafSet::defaults();
    let mut inspection =
        Inspection::new(Arc::clone(engine), leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    inspection.field(&Field { place, name: name.as_bytes(), value: value.as_bytes() });
    inspection.verdict().blocks()
}

#[test]
fn what_is_fetched_is_told_by_its_name() {
    let engine = Arc::new(Engine::new());
    for (place, name, value) in [
        (Place::Query, "url", "localhost/"),
        (Place::Query, "url", "gateway.docker.internal/"),
        (Place::Form, "image_url", "http://192.168.1.1/"),
        (Place::Query, "_xl", "http://127.0.0.1:22/"),
        (Place::Query, "x", "https://kubernetes.default.svc/api"),
        (Place::Json, "data.attributes.link", "http://127.0.0.1:22"),
        (Place::Form, "uri", "127.2"),
        (Place::Json, "target", "0x7f.1"),
    ] {
        assert!(blocks(&engine, place, name, value), "{name}={value}");
    }
    for (place, name, value) in [
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
    ] {
        assert!(!blocks(&engine, place, name, value), "{name}={value}");
    }
}
