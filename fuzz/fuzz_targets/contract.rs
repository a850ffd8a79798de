//! One program for the targets of contracts: `FUZZ_TARGET` names the one that bytes are thrown at.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    static TARGET: OnceLock<String> = OnceLock::new();
    let target = TARGET.get_or_init(|| std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a target"));
    waf_contract::fuzzing::run(target, bytes);
});
