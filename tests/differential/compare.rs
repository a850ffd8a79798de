//! The comparison itself: seeds that must be read as meant, mutants, counts, findings.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use waf_tests::programs;

use crate::case::Case;
use crate::mutate::{self, Change};
use crate::random::Random;
use crate::readers::{self, Reader, Seen};
use crate::seeds::{ATTACKS, HONEST, SEEDS, Seed, UNSEEN, form};
use crate::service::{Outcome, Service};

/// Threads that send mutants.
const CLIENTS: u64 = 6;

/// Requests of a batch for the readers.
const BATCH: usize = 128;

/// One refused mutant of so many goes to the readers too: their share of readings shows how much a mutant is worth.
const SAMPLE: u64 = 64;

/// An attack that a reader saw and the service did not.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) index: u64,
    pub(crate) seed: usize,
    pub(crate) attack: usize,
    pub(crate) changes: Vec<Change>,
    pub(crate) reader: usize,
    pub(crate) reader_name: &'static str,
}

impl Finding {
    /// Its changes, by name.
    pub(crate) fn names(&self) -> String {
        let names: Vec<_> = self.changes.iter().map(|change| mutate::name(*change)).collect();
        format!("{} of the seed `{}`", names.join(", "), seed_of(self.seed).name)
    }

    /// The request after its changes.
    pub(crate) fn case(&self) -> Case {
        mutate::apply(&(seed_of(self.seed).build)(ATTACKS[self.attack]), &self.changes)
    }
}

/// A mutant that waits for the readers.
struct Waiting {
    index: u64,
    seed: usize,
    attack: usize,
    changes: Vec<Change>,
    bytes: Vec<u8>,
    is_forwarded: bool,
}

#[derive(Default)]
struct Counts {
    refused: AtomicU64,
    closed: AtomicU64,
    forwarded: AtomicU64,
    /// Mutants of the sample, and for each reader those in which it saw the attack.
    sampled: AtomicU64,
    seen: Vec<AtomicU64>,
    read: AtomicU64,
    judged_harmless: AtomicU64,
}

/// The service, the readers and what was counted.
pub(crate) struct Comparison {
    pub(crate) service: Service,
    pub(crate) readers: Vec<Reader>,
    counts: Counts,
}

impl Comparison {
    pub(crate) fn start() -> Comparison {
        let readers = readers::start();
        let seen = readers.iter().map(|_| AtomicU64::new(0)).collect();
        Comparison { service: Service::start(), readers, counts: Counts { seen, ..Counts::default() } }
    }

    /// Every seed is refused with an attack in it and forwarded with an honest value, and some reader sees the value.
    pub(crate) fn check_seeds(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for seed in SEEDS {
            for attack in ATTACKS {
                let outcome = self.service.send(&(seed.build)(attack).wire());
                if !matches!(outcome, Outcome::Refused(_)) {
                    wrong.push(format!("the seed `{}` with {attack} is not refused", seed.name));
                }
            }
            let wire = (seed.build)(HONEST).wire();
            let Outcome::Forwarded(bytes) = self.service.send(&wire) else {
                wrong.push(format!("the honest seed `{}` is not forwarded", seed.name));
                continue;
            };
            let sees = |reader: &&Reader| {
                let seen = reader.read(std::slice::from_ref(&bytes)).unwrap_or_default();
                seen.iter().flatten().any(|seen| contains(&seen.value, HONEST.as_bytes()))
            };
            let names: Vec<_> = self.readers.iter().filter(sees).map(|reader| reader.name).collect();
            println!("seed `{}`: read by {}", seed.name, names.join(", "));
            if names.is_empty() && !self.readers.is_empty() && seed.name != "multipart file name" {
                wrong.push(format!("no reader reads the seed `{}`", seed.name));
            }
        }
        wrong
    }

    /// Every committed finding is refused.
    pub(crate) fn check_regressions(&self) -> Vec<String> {
        let folder = programs::repository().join("tests/differential/regressions");
        let mut wrong = Vec::new();
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let wire = std::fs::read(&path).unwrap_or_default();
            if let Outcome::Forwarded(_) = self.service.send(&wire) {
                wrong.push(format!("{} is forwarded again", path.display()));
            }
        }
        wrong
    }

    /// Sends so many mutants and compares.
    pub(crate) fn run(&self, mutants: u64, seed: u64) -> Vec<Finding> {
        let (next, findings) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    let mut waiting = Vec::new();
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= mutants {
                            break;
                        }
                        waiting.extend(self.mutant(seed, index));
                        if waiting.len() >= BATCH {
                            let found = self.judge(&std::mem::take(&mut waiting));
                            findings.lock().unwrap().extend(found);
                        }
                        if index > 0 && index.is_multiple_of(50_000) {
                            println!("{index} mutants, {} findings", findings.lock().unwrap().len());
                        }
                    }
                    let found = self.judge(&waiting);
                    findings.lock().unwrap().extend(found);
                });
            }
        });
        findings.into_inner().unwrap()
    }

    /// Sends a mutant; what the readers are to see of it.
    fn mutant(&self, seed: u64, index: u64) -> Option<Waiting> {
        let mut random = Random::of(seed, index);
        let attack = random.below(ATTACKS.len());
        // What passes as it is needs fewer changes to become a finding.
        let chosen = if random.once_in(4) {
            SEEDS.len() + random.below(UNSEEN.len())
        } else {
            random.below(SEEDS.len())
        };
        let original = (seed_of(chosen).build)(ATTACKS[attack]);
        let changes = mutate::draw(&original, &mut random);
        let wire = mutate::apply(&original, &changes).wire();
        let (is_forwarded, bytes) = match self.service.send(&wire) {
            Outcome::Forwarded(bytes) => {
                self.counts.forwarded.fetch_add(1, Ordering::Relaxed);
                (true, bytes)
            }
            refused => {
                let count =
                    if refused == Outcome::Closed { &self.counts.closed } else { &self.counts.refused };
                count.fetch_add(1, Ordering::Relaxed);
                if !index.is_multiple_of(SAMPLE) {
                    return None;
                }
                (false, wire)
            }
        };
        Some(Waiting { index, seed: chosen, attack, changes, bytes, is_forwarded })
    }

    /// Shows the batch to every reader.
    fn judge(&self, batch: &[Waiting]) -> Vec<Finding> {
        let requests: Vec<Vec<u8>> = batch.iter().map(|waiting| waiting.bytes.clone()).collect();
        let mut findings = Vec::new();
        self.counts.read.fetch_add(batch.len() as u64, Ordering::Relaxed);
        let sampled = batch.iter().filter(|waiting| !waiting.is_forwarded).count();
        self.counts.sampled.fetch_add(sampled as u64, Ordering::Relaxed);
        for (number, reader) in self.readers.iter().enumerate() {
            let readings =
                reader.read(&requests).unwrap_or_else(|| panic!("the reader {} has failed", reader.name));
            for (waiting, reading) in batch.iter().zip(readings) {
                let Some(seen) = attack_in(&reading, ATTACKS[waiting.attack]) else { continue };
                if !waiting.is_forwarded {
                    self.counts.seen[number].fetch_add(1, Ordering::Relaxed);
                } else if self.is_attack(seen) {
                    findings.push(Finding {
                        index: waiting.index,
                        seed: waiting.seed,
                        attack: waiting.attack,
                        changes: waiting.changes.clone(),
                        reader: number,
                        reader_name: reader.name,
                    });
                } else {
                    self.counts.judged_harmless.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        findings
    }

    /// True if the service refuses the value where it stands plainly: then it was its reading that differed, not its judgement.
    pub(crate) fn is_attack(&self, seen: &Seen) -> bool {
        let value = String::from_utf8_lossy(&seen.value);
        let is_field_value = seen.value.iter().all(|byte| (b' '..0x7f).contains(byte));
        let case = match seen.place {
            'h' if is_field_value => Case::get("/").with(&format!("X-Note: {value}")),
            _ => Case::get(&format!("/search?q={}", form(&value))),
        };
        matches!(self.service.send(&case.wire()), Outcome::Refused(_))
    }

    /// True if a request is forwarded and the reader sees the attack in it; the place.
    pub(crate) fn shows(&self, case: &Case, attack: usize, reader: usize) -> Option<Seen> {
        let Outcome::Forwarded(bytes) = self.service.send(&case.wire()) else { return None };
        let reading = self.readers[reader].read(&[bytes])?.pop()?;
        attack_in(&reading, ATTACKS[attack]).filter(|seen| self.is_attack(seen)).cloned()
    }

    /// Says what was sent and read.
    pub(crate) fn print_counts(&self, mutants: u64) {
        let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let Counts { refused, closed, forwarded, sampled, seen, read, judged_harmless } = &self.counts;
        println!(
            "refused {}, closed {}, forwarded {} of {mutants}; read by each reader: {}; a value that is harmless by itself: {}",
            count(refused),
            count(closed),
            count(forwarded),
            count(read),
            count(judged_harmless)
        );
        let mut line = format!("of {} refused mutants the readers see the attack in:", count(sampled));
        for (reader, seen) in self.readers.iter().zip(seen) {
            let _ = write!(line, " {} {}", reader.name, count(seen));
        }
        println!("{line}");
    }
}

/// A seed by its number; those of [`UNSEEN`] follow the others.
fn seed_of(number: usize) -> &'static Seed {
    SEEDS.get(number).unwrap_or_else(|| &UNSEEN[number - SEEDS.len()])
}

/// The first field that has the attack in it.
fn attack_in<'s>(reading: &'s [Seen], attack: &str) -> Option<&'s Seen> {
    let has =
        |seen: &&Seen| contains(&seen.value, attack.as_bytes()) || contains(&seen.name, attack.as_bytes());
    reading.iter().find(has)
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}
