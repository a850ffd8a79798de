//! What depends on the name of a parameter, which proofs do not show.

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

#[test]
fn names_tell_what_a_url_is_for() {
    let engine = Arc::new(crate::rules::engine());
    for (place, name, value) in [
        (Place::Query, "mosConfig_absolute_path", "http://evil.example/shell.txt?"),
        (Place::Query, "includePath", "http://evil.example/x"),
        (Place::Query, "basedir", "https://evil.example/"),
        (Place::Query, "config[root_ordner]", "http://evil.example/a.php"),
        (Place::Form, "phpbb_root_path", "http://evil.example/a.php"),
        (Place::Query, "lang", "http://evil.example/shell.txt"),
        (Place::Query, "redirect", "http://evil.example/shell.txt?"),
        (Place::Query, "src", "http://198.51.100.75/boot.php"),
    ] {
        assert!(blocks(&engine, place, name, value), "{name}={value}");
    }
    for (place, name, value) in [
        (Place::Query, "redirect", "https://shop.example/cart"),
        (Place::Query, "redirect_to", "https://www.example.com/wp-admin/"),
        (Place::Query, "url", "https://example.com/robots.txt"),
        (Place::Query, "q", "https://example.com/notes.txt"),
        (Place::Query, "next", "https://example.com/?"),
        (Place::Query, "base_url", "https://api.example.com/"),
        (Place::Json, "path", "https://example.com/a/b"),
        (Place::Json, "gateway.url", "http://93.184.216.34/api"),
        (Place::Form, "homepage", "https://example.com/index.php"),
        (Place::Query, "redir", "https://example.com/"),
    ] {
        assert!(!blocks(&engine, place, name, value), "{name}={value}");
    }
}
