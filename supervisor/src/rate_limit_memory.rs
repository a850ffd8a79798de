//! Memory for the counts of rate limits: reserved here and mapped by workers, so that no worker's death and no reload
//! that leaves a limit as it was loses a count. At an upgrade two supervisors have the same memory: one of them alone
//! gives any of it back. It knows sizes, nothing of what is counted.

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

/// A fault that keeps rate limits from being counted.
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
    /// True if this process is to give memory back.
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

    /// The part of an offer about it.
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
    /// Start of the next table. Places are never given out again: whoever still counts in an old table must not
    /// be able to disturb a new one.
    next: u64,
    held: HashMap<TableId, Weak<Region>>,
    /// Tables of an older supervisor that no plan has asked for yet, by fingerprint.
    inherited: HashMap<[u8; 32], Arc<Region>>,
}

/// An older supervisor's description of the memory that it hands over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RateLimitHandover {
    hash_key: [u8; 16],
    /// Start of the next table.
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

    /// The part that a successor needs to go on counting in the same tables. It may lay out new ones in what follows,
    /// which is not given out here any more.
    pub fn hand_over(&mut self) -> Option<(Arc<MemoryObject>, RateLimitHandover)> {
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

    /// Sets whether this process is to give memory back: true once it is in charge, false once it is no longer.
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
mod tests;
