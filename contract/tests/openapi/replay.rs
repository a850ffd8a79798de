//! The fuzz targets over committed inputs and over generated ones: what crashed once stays in `fuzz/seeds`.

use std::path::Path;
use std::time::{Duration, Instant};

use waf_contract::fuzzing;

/// Time of each target.
const TIME: Duration = Duration::from_secs(2);

/// Pieces that inputs are put together from, beside bytes at random.
const PIECES: &[&str] = &[
    "openapi: 3.0.0\ninfo: {}\npaths:\n",
    "  /a/{b}:\n",
    "    get:\n",
    "      parameters:\n",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    "name: ",
    "in: ",
    "query",
    "schema: ",
    "type: ",
    "integer",
    "$ref: '#/",
    "allOf: [",
    "pattern: ",
    "&a ",
    "*a",
    "!x ",
    "/all/1/.2/;c=3/4-5?",
    "form=1&form=2",
    "deep[R]=",
    "pipe=1|2",
    "json=%7B%22",
    "%2",
    "+",
    "=",
    "&",
    ";",
    "\n",
    "X-List: 1,2",
    "\"of\":",
    "\"kind\":\"a\"",
    "\"\\u00e4",
    "\\ud83d",
    "-0.5e3",
    "null",
    "true",
    "\"x-a\":\"2024-01-01\"",
    "\"either\":7",
    "--x\r\n",
    "Content-Disposition: form-data; name=\"n\"",
    "\r\n\r\n",
    "--x--",
    "n=1&list=1,2&deep[G]=1",
    "\u{e9}",
    "\0",
];

/// A small generator (splitmix64): the same inputs in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    /// Pieces alone, or a seed with pieces put into it.
    fn input(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut input = if self.below(2) == 0 { Vec::new() } else { seeds[self.below(seeds.len())].clone() };
        for _ in 0..=self.below(12) {
            let at = self.below(input.len() + 1);
            let end = (at + self.below(4)).min(input.len());
            let piece = match self.below(4) {
                0 => vec![u8::try_from(self.below(256)).unwrap()],
                _ => PIECES[self.below(PIECES.len())].as_bytes().to_vec(),
            };
            input.splice(at..end, piece);
        }
        input
    }
}

#[test]
fn committed_and_generated_inputs_are_harmless() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds");
    for target in fuzzing::TARGETS {
        let files = seeds.join(target).read_dir().unwrap_or_else(|error| panic!("{target}: {error}"));
        let mut inputs: Vec<Vec<u8>> =
            files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
        inputs.sort();
        for input in &inputs {
            fuzzing::run(target, input);
        }
        let (began, mut random) = (Instant::now(), Random(11));
        while began.elapsed() < TIME {
            fuzzing::run(target, &random.input(&inputs));
        }
    }
}
