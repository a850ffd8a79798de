//! The fuzz targets over committed inputs and over generated ones: what crashed once stays in `fuzz/seeds`.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "random/splitmix.rs"]
mod random;

use std::path::Path;
use std::time::{Duration, Instant};

use random::Random;
use waf_detection::{fuzzing, rules};

/// What all targets may take together.
const TIME: Duration = Duration::from_secs(8);
const INPUT_BYTES_MAX: usize = 400;

/// Pieces that inputs are put together from, beside bytes at random.
const PIECES: &[&str] = &[
    "'",
    "\"",
    "`",
    "\\",
    "/*",
    "*/",
    "--",
    "#",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "{{",
    "}}",
    "${",
    "$(",
    "<",
    ">",
    "</",
    "<!--",
    "%",
    "%2",
    "%27",
    "%u00",
    "&#",
    "&lt;",
    "\\x",
    "\\u{",
    "+AD",
    ";",
    "|",
    "&",
    "\n",
    "\r\n",
    "\0",
    "\u{e9}",
    "\u{ff07}",
    "=",
    "@",
    "$_",
    "AAAA",
    "PHNj",
    "==",
    "--x\r\n",
    "Content-Disposition: form-data; name=\"a\"",
    "\r\n\r\n",
    "<?",
    "<!DOCTYPE",
    "<![CDATA[",
    "union select",
    "or 1=1",
    "cat /etc/passwd",
    "script",
    "0x",
    "1.e",
    "jndi:",
    "O:1:\"a\":0:{}",
];

/// Pieces and bytes at random.
fn input(random: &mut Random) -> Vec<u8> {
    let length = 1 + random.below(INPUT_BYTES_MAX);
    let mut input = Vec::new();
    while input.len() < length {
        match random.below(4) {
            0 => input.push(random.below(256) as u8),
            1 => input.push(b' ' + random.below(95) as u8),
            _ => input.extend_from_slice(PIECES[random.below(PIECES.len())].as_bytes()),
        }
    }
    input
}

#[test]
fn committed_inputs_are_harmless() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds");
    let mut replayed = 0;
    for target in fuzzing::targets() {
        let Ok(files) = seeds.join(target).read_dir() else { continue };
        for file in files {
            fuzzing::run(target, &std::fs::read(file.unwrap().path()).unwrap());
            replayed += 1;
        }
    }
    assert!(replayed > 0, "the seeds have moved");
}

#[test]
fn the_rules_own_proofs_are_harmless_to_every_target() {
    for target in fuzzing::targets() {
        for (nth, rule) in rules::all().enumerate() {
            for value in rule.attacks.iter().chain(rule.benign) {
                fuzzing::run(target, &[&[nth as u8], value.as_bytes()].concat());
            }
        }
    }
}

#[test]
fn generated_inputs_are_harmless() {
    let targets: Vec<_> = fuzzing::targets().collect();
    let share = TIME / u32::try_from(targets.len()).unwrap();
    for target in targets {
        let (start, mut random) = (Instant::now(), Random(7));
        let mut inputs = 0;
        while inputs < 20_000 && (inputs < 20 || start.elapsed() < share) {
            fuzzing::run(target, &input(&mut random));
            inputs += 1;
        }
    }
}
