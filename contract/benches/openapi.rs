//! Contracts: compiling a large document, making it ready, and judging small requests by it. `cargo bench -p
//! waf-contract`

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use waf_contract::{Contract, Found, Sent};
use waf_shared::plan::contract::Contract as Lowered;
use waf_shared::route::normalize;

#[path = "../tests/openapi/shape.rs"]
mod shape;

fn main() {
    divan::main();
}

/// The lowered document.
fn lowered() -> Lowered {
    waf_contract::compile::text(&shape::document(1)).expect("the document is valid")
}

#[divan::bench(sample_count = 10)]
fn compile(bencher: Bencher<'_, '_>) {
    bencher.bench_local(lowered);
}

#[divan::bench(sample_count = 10)]
fn make_ready(bencher: Bencher<'_, '_>) {
    let lowered = lowered();
    bencher.with_inputs(|| lowered.clone()).bench_local_values(Contract::build);
}

/// Path, parameters and a body of five properties under ten levels of `allOf`.
#[divan::bench(args = ["/r1/c1/items1/7", "/r1/c9/items9/7"])]
fn judge(bencher: Bencher<'_, '_>, path: &str) {
    let contract = Contract::build(lowered()).expect("it is usable");
    let body = br#"{"kind":"M9","name1":"a","amount1":19.99,"choice1":"2024-02-29","children1":[]}"#;
    bencher.counter(ItemsCount::new(1_u32)).bench_local(|| {
        let found = contract.find(&normalize(black_box(path).as_bytes()), b"PUT");
        let Found::Operation(operation, found) = found else { panic!("it is declared") };
        let none = |_: &str| Vec::new();
        let parameters = contract.parameters(operation, &found, Sent { query: None, fields: &none });
        let judged = contract.request_body(operation, 0, b"application/json", black_box(body), true);
        (parameters, judged)
    });
}
