//! Requests in flight when workers died, and the kind that was there each time: a request that kills workers
//! would go on killing them. It knows shapes of requests, nothing of processes.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::io::Errno;
use waf_shared::journal::{self, Shape, WORDS};

/// Two deaths within this time are compared.
const WINDOW: Duration = Duration::from_mins(1);

/// Deaths that are kept; more within the window are a matter of their own.
const DEATHS_MAX: usize = 64;

/// Suspects that are named.
const SUSPECTS_MAX: usize = 4;

/// As `/proc` shows it.
const NAME: &str = "waf-journal";

/// Bytes of a journal.
const BYTES: usize = WORDS * 8;

/// The memory of one worker's journal.
#[derive(Debug)]
pub struct Memory(File);

impl Memory {
    /// Memory whose size nobody can change any more.
    pub fn create() -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let memory = match memfd_create(NAME, flags | MemfdFlags::NOEXEC_SEAL) {
            // Kernels before 6.3 do not know the flag; later ones may insist on it.
            Err(Errno::INVAL) => memfd_create(NAME, flags)?,
            outcome => outcome?,
        };
        ftruncate(&memory, BYTES as u64)?;
        fcntl_add_seals(&memory, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(Self(memory.into()))
    }

    /// Another descriptor of the same memory.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        Ok(self.0.try_clone()?.into())
    }

    /// The requests in flight.
    pub fn read(&self) -> io::Result<Vec<Shape>> {
        let mut bytes = vec![0; BYTES];
        self.0.read_exact_at(&mut bytes, 0)?;
        Ok(journal::read(&bytes))
    }
}

/// Deaths of the last minute.
#[derive(Debug, Default)]
pub struct Crashes {
    lately: VecDeque<(Duration, Vec<Shape>)>,
}

impl Crashes {
    /// A worker died at `now` with these requests in flight. Those of a shape that was in flight at another death
    /// within a minute are suspects: first those that were being judged, then those that were answered already.
    pub fn died(&mut self, now: Duration, mut in_flight: Vec<Shape>) -> Vec<Shape> {
        in_flight.sort_unstable_by_key(|shape| (shape.hash, shape.stage));
        in_flight.dedup_by_key(|shape| shape.hash);
        self.lately.retain(|(at, _)| now.saturating_sub(*at) <= WINDOW);
        let seen = |shape: &&Shape| {
            let had = |(_, shapes): &(Duration, Vec<Shape>)| {
                shapes.binary_search_by_key(&shape.hash, |other| other.hash).is_ok()
            };
            self.lately.iter().any(had)
        };
        let mut suspects: Vec<Shape> = in_flight.iter().filter(seen).cloned().collect();
        suspects.sort_by_key(|shape| shape.stage);
        suspects.truncate(SUSPECTS_MAX);
        if !in_flight.is_empty() {
            if self.lately.len() == DEATHS_MAX {
                self.lately.pop_front();
            }
            self.lately.push_back((now, in_flight));
        }
        suspects
    }
}

/// A suspect, for a line of the log.
pub fn described(shape: &Shape) -> String {
    let Shape { path_hash, path_bytes, segments, query_bytes, head_bytes, body_bytes, text, .. } = shape;
    let (method, names) = text.split_once(' ').unwrap_or((text, ""));
    let body = match body_bytes {
        &u64::MAX => "a body of no declared length".to_owned(),
        bytes => format!("a body of {bytes} B"),
    };
    format!(
        "{method}, path of {path_bytes} B in {segments} segments (hash {path_hash:016x}), query of {query_bytes} B, head of \
         {head_bytes} B, {body}, header fields {names}"
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use waf_shared::journal::Stage;

    use super::*;

    fn shape(hash: u64, stage: Stage) -> Shape {
        Shape {
            stage,
            hash,
            path_hash: 0xabcd,
            path_bytes: 6,
            query_bytes: 3,
            segments: 2,
            head_bytes: 50,
            body_bytes: 0,
            route: None,
            text: "GET host,accept".into(),
        }
    }

    fn inspecting(hashes: &[u64]) -> Vec<Shape> {
        hashes.iter().map(|hash| shape(*hash, Stage::Inspecting)).collect()
    }

    fn hashes(shapes: &[Shape]) -> Vec<u64> {
        shapes.iter().map(|shape| shape.hash).collect()
    }

    #[test]
    fn what_was_there_twice_within_a_minute_is_suspect() {
        let at = Duration::from_secs;
        let mut crashes = Crashes::default();
        assert_eq!(crashes.died(at(0), inspecting(&[1, 2, 2])), []);
        assert_eq!(crashes.died(at(30), inspecting(&[3])), []);
        assert_eq!(hashes(&crashes.died(at(59), inspecting(&[4, 2, 3]))), [2, 3]);
        assert_eq!(crashes.died(at(61), inspecting(&[1])), [], "its first death is too long ago");
        assert_eq!(crashes.died(at(62), Vec::new()), [], "nothing was in flight");
    }

    #[test]
    fn those_that_were_being_judged_come_first_and_few_are_named() {
        let mut crashes = Crashes::default();
        crashes.died(Duration::ZERO, inspecting(&[1, 2, 3, 4, 5, 6, 7]));
        let mut second = inspecting(&[2, 4, 6, 1, 5]);
        second[1].stage = Stage::Forwarding;
        second[3].stage = Stage::Forwarding;
        assert_eq!(hashes(&crashes.died(Duration::ZERO, second)), [2, 5, 6, 1]);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut crashes = Crashes::default();
        for hash in 0..1000 {
            crashes.died(Duration::ZERO, inspecting(&[hash]));
        }
        assert_eq!(crashes.lately.len(), DEATHS_MAX);
    }

    #[test]
    fn memory_starts_empty_and_keeps_its_size() {
        let memory = Memory::create().unwrap();
        assert_eq!(memory.read().unwrap(), []);
        let other = File::from(memory.descriptor().unwrap());
        assert!(other.set_len(0).is_err() && other.set_len(BYTES as u64 * 2).is_err());
    }

    #[test]
    fn a_suspect_reads_well() {
        let mut shape = shape(1, Stage::Inspecting);
        assert_eq!(
            described(&shape),
            "GET, path of 6 B in 2 segments (hash 000000000000abcd), query of 3 B, head of 50 B, a body of 0 B, header \
             fields host,accept"
        );
        shape.body_bytes = u64::MAX;
        assert!(described(&shape).contains("no declared length"));
    }
}
