//! Cost of an inspection. `cargo bench -p waf-detection`; targets in release: a benign GET 15 us, 2 KB of JSON 40 us,
//! 128 KB of anything 2.5 ms.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use waf_detection::Engine;
use waf_detection::body::Completeness;
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_shared::catalog::LeafSet;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const BOUNDS: Bounds = Bounds { max_inspect_size: 256 << 10, ..Bounds::DEFAULT };

const HEADERS: &[(&str, &str)] = &[
    ("Host", "shop.example.org"),
    ("Connection", "keep-alive"),
    ("sec-ch-ua", "\"Not/A)Brand\";v=\"8\", \"Chromium\";v=\"126\", \"Google Chrome\";v=\"126\""),
    ("sec-ch-ua-mobile", "?0"),
    ("sec-ch-ua-platform", "\"Windows\""),
    ("Upgrade-Insecure-Requests", "1"),
    (
        "User-Agent",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    ),
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"),
    ("Sec-Fetch-Site", "same-origin"),
    ("Sec-Fetch-Mode", "navigate"),
    ("Sec-Fetch-Dest", "document"),
    ("Accept-Encoding", "gzip, deflate, br"),
    ("Accept-Language", "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"),
    ("Referer", "https://shop.example.org/topic/873-that-insulation"),
    (
        "Cookie",
        "_ga_EE7500F972=GS1.1.1718161883.5.1.1718000123.60.0.0; _ga=GA1.2.5428161883.1795742985; _gid=GA1.2.961696272.1718085780; _fbp=fb.1.1718000000000.428161883; session=WqM1MSNuBMYabeBSNPJfFk8oAZUBVKGnPaBWvmgxjQw0irXDlCGKVlrfOjMuOQpGm1Xsy16XDLI5aa33531237eb81f8c61a6de052f8d3c97c593ca; OptanonAlertBoxClosed=2024-06-10T08:00:00.000Z; theme=dark; csrftoken=0irXDlCGKVlrfOjMuOQpGm1Xsy16XDLI",
    ),
];

const PROSE: &str = "The delivery was late, but the driver's note said it wasn't his fault; we'd order again (5 stars & thanks). ";

fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    Arc::clone(ENGINE.get_or_init(|| Arc::new(waf_detection::rules::engine())))
}

fn main() {
    divan::main();
}

fn inspection() -> Inspection {
    Inspection::new(engine(), LeafSet::defaults(), BOUNDS, OnHit::GoOn, Budget::UNLIMITED)
}

fn reset(inspection: &mut Inspection) {
    inspection.reset(LeafSet::defaults(), BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
}

#[divan::bench]
fn build() -> Engine {
    waf_detection::rules::engine()
}

#[divan::bench]
fn benign_get(bencher: Bencher<'_, '_>) {
    let mut inspection = inspection();
    bencher.bench_local(|| {
        reset(&mut inspection);
        inspection.path(black_box(b"/topic/873-that-insulation-out-there-with/page/2"));
        inspection.query(black_box(b"sort=date&ref=home"));
        for (name, value) in HEADERS {
            inspection.header(name.as_bytes(), value.as_bytes());
        }
        inspection.verdict().blocks()
    });
}

#[divan::bench]
fn query_of_ten(bencher: Bencher<'_, '_>) {
    let query = b"q=garden+chairs&page=2&sort=price-asc&color=dark%20green&min=10&max=250.50&brand=Acme&in_stock=true&utm_source=news%2Fletter&lang=en";
    let mut inspection = inspection();
    bencher.counter(BytesCount::from(query.len())).bench_local(|| {
        reset(&mut inspection);
        inspection.query(black_box(query));
        inspection.verdict().blocks()
    });
}

fn body(bencher: Bencher<'_, '_>, media_type: &str, body: &[u8]) {
    let mut inspection = inspection();
    bencher.counter(BytesCount::from(body.len())).bench_local(|| {
        reset(&mut inspection);
        inspection.body(media_type.as_bytes());
        for chunk in body.chunks(16 << 10) {
            inspection.feed(black_box(chunk));
        }
        inspection.finish_body(Completeness::Whole);
        inspection.verdict().blocks()
    });
}

fn form(bytes: usize) -> Vec<u8> {
    let mut form = String::new();
    for n in 0.. {
        let _ = write!(
            form,
            "field_{n}=value+number+{n}%21&comment_{n}={}&",
            PROSE.replace(' ', "+").replace('&', "%26")
        );
        if form.len() >= bytes {
            break;
        }
    }
    form.into_bytes()
}

fn json(bytes: usize) -> Vec<u8> {
    let mut json = String::from("[");
    for n in 0.. {
        let _ = write!(
            json,
            "{{\"id\": {n}, \"sku\": \"AC-{n:05}\", \"name\": \"Garden chair, green\", \"price\": 24.5, \"tags\": [\"garden\", \"chair\"], \"note\": \"{PROSE}\"}}"
        );
        if json.len() >= bytes {
            break;
        }
        json.push(',');
    }
    json.push(']');
    json.into_bytes()
}

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

#[divan::bench]
fn form_1_kb(bencher: Bencher<'_, '_>) {
    body(bencher, FORM, &form(1 << 10));
}

#[divan::bench]
fn form_128_kb(bencher: Bencher<'_, '_>) {
    body(bencher, FORM, &form(128 << 10));
}

#[divan::bench]
fn json_2_kb(bencher: Bencher<'_, '_>) {
    body(bencher, JSON, &json(2 << 10));
}

#[divan::bench]
fn json_64_kb(bencher: Bencher<'_, '_>) {
    body(bencher, JSON, &json(64 << 10));
}

/// Words without a mark of any language: the price of looking at a byte.
#[divan::bench]
fn text_128_kb(bencher: Bencher<'_, '_>) {
    let unit = "Our garden is larger than it looks, and the roses by the old wall bloom until late autumn. ";
    body(bencher, "text/plain", unit.repeat((128 << 10) / unit.len()).as_bytes());
}

/// Every decoder applies, on every level, and every byte is a trigger of something.
#[divan::bench]
fn adversarial_encodings_128_kb(bencher: Bencher<'_, '_>) {
    let unit = "%2527&amp;lt;\\x2527..%c0%af\u{ff1c}<'\"`;${";
    body(bencher, "text/plain", unit.repeat((128 << 10) / unit.len()).as_bytes());
}

#[divan::bench(args = ["'", "../", "${", "<a ", "$(", "\" or ", "select ", "/*", "%27"])]
fn adversarial_repetition_128_kb(bencher: Bencher<'_, '_>, unit: &str) {
    body(bencher, "text/plain", unit.repeat((128 << 10) / unit.len()).as_bytes());
}
