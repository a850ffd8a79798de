//! Memory for the counts of rate limits: reserved here and mapped by workers, so that no worker's death and no reload
//! that leaves a limit as it was loses a count. At an upgrade two supervisors have the same memory: one of them alone gives
//! any of it back. It knows sizes, nothing of what is counted.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use rustix::fs::{
    FallocateFlags, MemfdFlags, SealFlags, fallocate, fcntl_add_seals, ftruncate, memfd_create,
};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use tracing::warn;
use waf_shared::control::Counts;
use waf_shared::limits::RATE_LIMIT_SPACE_BYTES;
use waf_shared::plan::Plan;
use waf_shared::rate_limit::{Geometry, TableId, tables};

/// Why rate limits cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum RateLimitMemoryError {
    /// The system has no memory object to give.
    #[error("no memory for rate limits can be had: {0}")]
    Memory(#[source] io::Error),
    /// Every address was given out.
    #[error("the rate limits of all plans together need more than {RATE_LIMIT_SPACE_BYTES} bytes")]
    Full,
}

/// As `/proc` shows it.
const NAME: &str = "waf-rate-limits";

/// Room for the tables of a successor that comes to nothing: what it laid out there is never given out again.
const SUCCESSOR_BYTES: u64 = 1 << 48;

/// The memory object: sealed, so that nobody who maps it can be hurt by a change of its size, and as large as address
/// space allows. Only what is touched takes memory.
#[derive(Debug)]
pub struct MemoryObject {
    file: OwnedFd,
    hash_key: [u8; 16],
    /// Whether it is for this process to give memory back.
    is_ours: AtomicBool,
}

impl AsFd for MemoryObject {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl MemoryObject {
    fn create() -> io::Result<MemoryObject> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = match memfd_create(NAME, flags | MemfdFlags::NOEXEC_SEAL) {
            // Kernels before 6.3 do not know the flag; later ones may insist on it.
            Err(Errno::INVAL) => memfd_create(NAME, flags)?,
            outcome => outcome?,
        };
        ftruncate(&file, RATE_LIMIT_SPACE_BYTES)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let mut hash_key = [0; 16];
        if getrandom(&mut hash_key, GetRandomFlags::empty())? != hash_key.len() {
            return Err(io::Error::other("too little randomness"));
        }
        Ok(MemoryObject { file, hash_key, is_ours: AtomicBool::new(true) })
    }
}

/// The memory of one table. It is given back when no plan needs it any more.
#[derive(Debug)]
struct Region {
    object: Arc<MemoryObject>,
    offset: u64,
    bytes: u64,
}

impl Drop for Region {
    fn drop(&mut self) {
        if !self.object.is_ours.load(Ordering::Relaxed) {
            return;
        }
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        if let Err(error) = fallocate(&self.object.file, flags, self.offset, self.bytes) {
            warn!(%error, "memory of a rate limit that nobody needs is not given back");
        }
    }
}

/// The tables of one plan, held.
#[derive(Debug)]
pub struct HeldTables {
    object: Arc<MemoryObject>,
    regions: Vec<Arc<Region>>,
}

impl HeldTables {
    /// The memory object that travels with an offer.
    pub fn object(&self) -> Arc<MemoryObject> {
        self.object.clone()
    }

    /// What an offer says about it.
    pub fn counts(&self) -> Counts {
        Counts {
            hash_key: self.object.hash_key,
            offsets: self.regions.iter().map(|region| region.offset).collect(),
        }
    }
}

/// Every table that is held somewhere.
#[derive(Debug, Default)]
pub struct RateLimitRegistry {
    object: Option<Arc<MemoryObject>>,
    /// Where the next table begins. Places are never given out again: whoever still counts in an old table must not
    /// be able to disturb a new one.
    next: u64,
    held: HashMap<TableId, Weak<Region>>,
    /// Tables of an older supervisor that no plan has asked for yet, by fingerprint.
    inherited: HashMap<[u8; 32], Arc<Region>>,
}

/// What an older supervisor says about the memory that it hands over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RateLimitHandover {
    hash_key: [u8; 16],
    /// Where the next table may begin.
    next: u64,
    tables: Vec<TablePlace>,
}

/// One table of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TablePlace {
    /// See [`TableId::fingerprint`].
    fingerprint: [u8; 32],
    offset: u64,
    bytes: u64,
}

/// Memory that cannot be what it is said to be.
#[derive(Debug, thiserror::Error)]
#[error(
    "the memory of rate limits that was handed over is not of the right size, or a table lies outside of it"
)]
pub struct InvalidHandover;

impl RateLimitRegistry {
    /// Reserves what `plan` needs and is not held yet. `None` when it has no rate limit.
    pub fn reserve(&mut self, plan: &Plan) -> Result<Option<HeldTables>, RateLimitMemoryError> {
        self.held.retain(|_, region| region.strong_count() > 0);
        let ids = tables(plan).ids;
        if ids.is_empty() {
            return Ok(None);
        }
        let object = match &self.object {
            Some(object) => object.clone(),
            None => {
                let object = Arc::new(MemoryObject::create().map_err(RateLimitMemoryError::Memory)?);
                self.object.insert(object).clone()
            }
        };
        let mut regions = Vec::with_capacity(ids.len());
        for id in ids {
            regions.push(match self.held.get(&id).and_then(Weak::upgrade) {
                Some(held) => held,
                None => self.region(&object, id)?,
            });
        }
        Ok(Some(HeldTables { object, regions }))
    }

    /// What a successor needs to go on counting in the same tables. It may lay out new ones in what follows, which is
    /// not given out here any more.
    pub fn bequeath(&mut self) -> Option<(Arc<MemoryObject>, RateLimitHandover)> {
        let object = self.object.clone()?;
        let tables = self.held.iter().filter_map(|(id, region)| {
            let Region { offset, bytes, .. } = *region.upgrade()?;
            Some(TablePlace { fingerprint: id.fingerprint(), offset, bytes })
        });
        let handover =
            RateLimitHandover { hash_key: object.hash_key, next: self.next, tables: tables.collect() };
        self.next = self.next.saturating_add(SUCCESSOR_BYTES);
        Some((object, handover))
    }

    /// Takes over what an older supervisor hands on. Nothing of it is given back before [`RateLimitRegistry::own`].
    pub fn inherit(&mut self, file: OwnedFd, handover: &RateLimitHandover) -> Result<(), InvalidHandover> {
        let bytes = rustix::fs::fstat(&file).map_err(|_| InvalidHandover)?.st_size;
        if u64::try_from(bytes) != Ok(RATE_LIMIT_SPACE_BYTES) {
            return Err(InvalidHandover);
        }
        let page = rustix::param::page_size() as u64;
        let fits = |table: &TablePlace| {
            let end = table.offset.checked_add(table.bytes);
            table.bytes > 0
                && table.offset.is_multiple_of(page)
                && table.bytes.is_multiple_of(page)
                && end.is_some_and(|end| end <= handover.next)
        };
        if !handover.next.is_multiple_of(page) || !handover.tables.iter().all(fits) {
            return Err(InvalidHandover);
        }
        let object =
            Arc::new(MemoryObject { file, hash_key: handover.hash_key, is_ours: AtomicBool::new(false) });
        let region = |table: &TablePlace| {
            let region = Region { object: object.clone(), offset: table.offset, bytes: table.bytes };
            (table.fingerprint, Arc::new(region))
        };
        self.inherited = handover.tables.iter().map(region).collect();
        self.next = handover.next;
        self.object = Some(object);
        Ok(())
    }

    /// Whether it is for this process to give memory back: true once it is in charge, false once it is no longer.
    pub fn own(&self, is_ours: bool) {
        if let Some(object) = &self.object {
            object.is_ours.store(is_ours, Ordering::Relaxed);
        }
    }

    /// A plan has chosen: tables of an older supervisor that it did not want are given back.
    pub fn settle(&mut self) {
        self.inherited.clear();
    }

    fn region(
        &mut self,
        object: &Arc<MemoryObject>,
        id: TableId,
    ) -> Result<Arc<Region>, RateLimitMemoryError> {
        let bytes = size_of::<u64>() * Geometry::of(&id.limit).words();
        let bytes = bytes.next_multiple_of(rustix::param::page_size()) as u64;
        if let Some(region) = self.inherited.remove(&id.fingerprint()).filter(|region| region.bytes == bytes)
        {
            self.held.insert(id, Arc::downgrade(&region));
            return Ok(region);
        }
        let end = self.next.checked_add(bytes).filter(|end| *end <= RATE_LIMIT_SPACE_BYTES);
        let end = end.ok_or(RateLimitMemoryError::Full)?;
        let region = Arc::new(Region { object: object.clone(), offset: self.next, bytes });
        self.next = end;
        self.held.insert(id, Arc::downgrade(&region));
        Ok(region)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::path::Path;

    use rustix::fs::fstat;
    use waf_compiler::{Options, compile_text};

    use super::*;

    const GLOBAL: &str = "global:\n  rate_limit: {requests: 5, window: 1s, source: {type: ip}}\n";

    fn plan(global: &str, routes: &[(&str, &str)]) -> Plan {
        let mut text = format!("version: v1alpha1\nport: 80\n{global}routes:\n");
        for (id, more) in routes {
            let place =
                format!("  - id: {id}\n    match: {{paths: [/{id}]}}\n    upstream: http://127.0.0.1\n");
            text.extend([place.as_str(), "    ", more, "\n"]);
        }
        let options = Options { host_checks: false, ..Options::default() };
        compile_text("waf.yaml", &text, Path::new("/"), &options).unwrap().plan
    }

    fn own(requests: u64) -> String {
        format!("rate_limit: {{requests: {requests}, window: 1s, source: {{type: ip}}}}")
    }

    #[test]
    fn routes_that_inherit_share_a_table_and_others_have_their_own() {
        let mut registry = RateLimitRegistry::default();
        assert!(registry.reserve(&plan("", &[("a", "")])).unwrap().is_none());
        let held = registry.reserve(&plan(GLOBAL, &[("a", ""), ("b", &own(5)), ("c", ""), ("d", &own(5))]));
        let offsets = held.unwrap().unwrap().counts().offsets;
        assert_eq!(offsets.len(), 3);
        assert!(offsets.is_sorted_by(|a, b| a < b) && offsets.iter().all(|at| at % 4096 == 0));
    }

    #[test]
    fn a_limit_that_stays_keeps_its_table() {
        let mut registry = RateLimitRegistry::default();
        let first = registry.reserve(&plan(GLOBAL, &[("a", ""), ("b", &own(1))])).unwrap().unwrap();
        let second =
            registry.reserve(&plan(GLOBAL, &[("b", &own(2)), ("new", ""), ("a", "")])).unwrap().unwrap();
        let (one, two) = (first.counts(), second.counts());
        assert_eq!(one.hash_key, two.hash_key);
        assert_ne!(one.hash_key, [0; 16]);
        assert!(!one.offsets.contains(&two.offsets[0]), "another limit begins anew");
        assert_eq!(one.offsets[0], two.offsets[1]);
        drop((first, second));
        let later = registry.reserve(&plan(GLOBAL, &[("a", "")])).unwrap().unwrap();
        assert!(!one.offsets.contains(&later.counts().offsets[0]), "nobody held it any more");
    }

    #[test]
    fn memory_is_taken_by_use_and_given_back() {
        let mut registry = RateLimitRegistry::default();
        let held = registry.reserve(&plan(GLOBAL, &[("a", "")])).unwrap().unwrap();
        let object = held.object();
        let blocks = || fstat(&object.file).unwrap().st_blocks;
        assert_eq!(blocks(), 0);
        rustix::io::pwrite(&object.file, &[1], held.counts().offsets[0]).unwrap();
        assert!(blocks() > 0);
        drop(held);
        assert_eq!(blocks(), 0);
    }

    #[test]
    fn a_successor_counts_in_the_same_tables_and_gives_nothing_back_before_it_is_in_charge() {
        let mut old = RateLimitRegistry::default();
        let held = old.reserve(&plan(GLOBAL, &[("a", ""), ("b", &own(1))])).unwrap().unwrap();
        let offsets = held.counts().offsets;
        for offset in &offsets {
            rustix::io::pwrite(&held.object.file, &[7], *offset).unwrap();
        }
        let (object, handover) = old.bequeath().unwrap();
        let handover: RateLimitHandover =
            serde_json::from_value(serde_json::to_value(&handover).unwrap()).unwrap();
        let successor = || {
            let mut new = RateLimitRegistry::default();
            new.inherit(object.file.try_clone().unwrap(), &handover).unwrap();
            new
        };
        let first = |offset: u64| {
            let mut byte = [0];
            rustix::io::pread(&object.file, &mut byte, offset).unwrap();
            byte[0]
        };
        let keeps_one = plan(GLOBAL, &[("a", ""), ("b", &own(2))]);

        // One that comes to nothing.
        let mut failed = successor();
        let taken = failed.reserve(&keeps_one).unwrap().unwrap();
        assert_eq!(taken.counts().hash_key, held.counts().hash_key);
        assert_eq!(taken.counts().offsets[0], offsets[0]);
        assert!(taken.counts().offsets[1] >= handover.next, "another limit begins anew");
        failed.settle();
        drop((taken, failed));
        assert_eq!((first(offsets[0]), first(offsets[1])), (7, 7));
        let later = old.reserve(&plan(GLOBAL, &[("a", ""), ("b", &own(2))])).unwrap().unwrap();
        assert!(
            later.counts().offsets[1] >= handover.next + SUCCESSOR_BYTES,
            "where the failed one did not count"
        );
        drop(later);

        // One that takes over.
        let mut new = successor();
        let taken = new.reserve(&keeps_one).unwrap().unwrap();
        old.own(false);
        new.own(true);
        drop((held, old));
        assert_eq!((first(offsets[0]), first(offsets[1])), (7, 7), "the old one gives nothing back");
        new.settle();
        assert_eq!((first(offsets[0]), first(offsets[1])), (7, 0), "the new one does");
        drop(taken);
        assert_eq!(first(offsets[0]), 0);
    }

    #[test]
    fn memory_that_cannot_be_what_it_is_said_to_be_is_not_taken() {
        let mut old = RateLimitRegistry::default();
        let held = old.reserve(&plan(GLOBAL, &[("a", "")])).unwrap().unwrap();
        let (object, handover) = old.bequeath().unwrap();
        let is_refused = |change: &dyn Fn(&mut RateLimitHandover)| {
            let mut handover = handover.clone();
            change(&mut handover);
            RateLimitRegistry::default().inherit(object.file.try_clone().unwrap(), &handover).is_err()
        };
        assert!(!is_refused(&|_| {}));
        assert!(is_refused(&|handover| handover.tables[0].offset = 1));
        assert!(is_refused(&|handover| handover.tables[0].bytes = 0));
        assert!(is_refused(&|handover| handover.tables[0].offset = u64::MAX - 4095));
        assert!(is_refused(&|handover| handover.tables[0].bytes = handover.next + 4096));
        assert!(is_refused(&|handover| handover.next = 17));
        let small = memfd_create("small", MemfdFlags::CLOEXEC).unwrap();
        assert!(RateLimitRegistry::default().inherit(small, &handover).is_err());
        drop(held);
    }

    #[test]
    fn its_size_is_sealed() {
        let object = MemoryObject::create().unwrap();
        assert!(
            ftruncate(&object.file, 0).is_err()
                && ftruncate(&object.file, RATE_LIMIT_SPACE_BYTES * 2).is_err()
        );
    }
}
