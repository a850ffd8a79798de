//! Cost of counting a request: `cargo bench -p waf-dataplane --bench rate_limit`.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU64, Ordering};

use divan::{Bencher, black_box};
use waf_dataplane::rate_limit::{Hasher, Table, clock};
use waf_shared::plan::{Millis, RateLimit, RateLimitSource};

fn main() {
    divan::main();
}

fn limit(requests: u64) -> RateLimit {
    RateLimit {
        requests,
        window: Millis(60_000),
        source: RateLimitSource::Ip,
        max_keys: 100_000,
        ttl: Millis(600_000),
        inherited: false,
    }
}

/// One whole check: the clock, the hash, the table. `address` is the client of the n-th one.
fn bench(bencher: Bencher<'_, '_>, requests: u64, address: impl Fn(u64) -> u32 + Sync) {
    let table = Table::own(&limit(requests));
    let hasher = Hasher::new([7; 16], "shop");
    let ask = |n| {
        let ip = IpAddr::V4(Ipv4Addr::from_bits(address(n)));
        table.check(hasher.address(ip), clock::now())
    };
    // Tables in use are warm, and full.
    for n in 0..200_000 {
        black_box(ask(n));
    }
    let next = AtomicU64::new(0);
    bencher.bench(|| ask(next.fetch_add(1, Ordering::Relaxed)));
}

/// Any order that is none.
fn scattered(n: u64) -> u32 {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[divan::bench(args = [10, 1_000])]
fn one_key_that_is_refused(bencher: Bencher<'_, '_>, requests: u64) {
    bench(bencher, requests, |_| 1);
}

#[divan::bench]
fn one_key_that_is_admitted(bencher: Bencher<'_, '_>) {
    bench(bencher, 100_000_000_000, |_| 1);
}

#[divan::bench(args = [10, 1_000])]
fn sixty_thousand_keys(bencher: Bencher<'_, '_>, requests: u64) {
    bench(bencher, requests, |n| scattered(n) % 60_000);
}

#[divan::bench]
fn a_few_keys_by_turns(bencher: Bencher<'_, '_>) {
    bench(bencher, 10, |n| (n % 16) as u32);
}

#[divan::bench(args = [10, 1_000])]
fn new_keys_alone(bencher: Bencher<'_, '_>, requests: u64) {
    bench(bencher, requests, scattered);
}

#[divan::bench(threads = [2])]
fn one_key_by_two_threads(bencher: Bencher<'_, '_>) {
    bench(bencher, 1_000, |_| 1);
}
