//! Times the engine's parts over values, detector by detector, and names the triggers that woke each detector. A tool for whoever
//! makes it faster: `profile [VALUE…]`.
#![allow(clippy::print_stdout, reason = "a tool for developers")]

use std::time::Instant;

use waf_detection::evidence::{Evidence, Subject};
use waf_detection::field::Place;
use waf_detection::rules;
use waf_detection::view::View;
use waf_shared::catalog::LeafSet;

const ROUNDS: u32 = 200;

const PROSE: &str = "The delivery was late, but the driver's note said it wasn't his fault; we'd order again (5 stars & thanks). ";

fn samples() -> Vec<(Place, String)> {
    let form = |value: String| (Place::Form, value);
    let header = |value: &str| (Place::Header, value.to_owned());
    vec![
        header(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
        ),
        header("https://shop.example.org/topic/873-that-insulation?page=2&sort=asc"),
        (Place::Path, "/topic/873-that-insulation-out-there-with/page/2".to_owned()),
        (Place::Cookie, "GA1.2.5428161883.1795742985".to_owned()),
        (Place::Cookie, "2024-06-10T08:00:00.000Z".to_owned()),
        form("Garden chair, green".to_owned()),
        form(PROSE.to_owned()),
        form(PROSE.replace(' ', "+").replace('&', "%26")),
        form(PROSE.repeat(100)),
        form("%2527&amp;lt;\\x2527..%c0%af\u{ff1c}<'\"`;${".repeat(300)),
        form("$(".repeat(5000)),
        form("<a ".repeat(5000)),
        form("../".repeat(5000)),
        form("%27".repeat(5000)),
        form("'".repeat(10000)),
        form("select ".repeat(2000)),
    ]
}

fn main() {
    let given: Vec<_> = std::env::args().skip(1).map(|value| (Place::Form, value)).collect();
    let leaves = LeafSet::defaults();
    for (place, value) in if given.is_empty() { samples() } else { given } {
        let start: String = value.chars().take(40).collect();
        println!("{place} {start:?} {} B", value.len());
        let subject = Subject { place, name: b"comment", view: View::Raw, bytes: value.as_bytes() };
        let lower = value.to_ascii_lowercase();
        for detector in rules::detectors().filter(|detector| detector.places.contains(place)) {
            let woken: Vec<_> = detector.literals().filter(|literal| lower.contains(literal)).collect();
            if woken.is_empty() {
                continue;
            }
            let mut found = Vec::new();
            let start = Instant::now();
            for _ in 0..ROUNDS {
                found.clear();
                (detector.run)(&subject, &mut Evidence::new(&leaves, place, &mut found));
            }
            println!("    {:10} {:9.1?}  {woken:?}", detector.name, start.elapsed() / ROUNDS);
        }
    }
}
