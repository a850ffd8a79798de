//! Part of a sealed memory object, mapped, as words that may be shared with other processes. This is the one place of
//! the program that the compiler cannot check; whoever uses it sees a slice of atomics and nothing else.
#![allow(unsafe_code, reason = "no safe interface maps memory that other processes write")]

use std::io;
use std::ops::Deref;
use std::os::fd::BorrowedFd;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::AtomicU64;

use rustix::fs::{SealFlags, fcntl_get_seals, fstat};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Words of shared memory; they stay mapped until this is dropped.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<AtomicU64>,
    words: usize,
}

impl Mapping {
    /// Maps `words` words of `memory` from `offset` bytes on, a multiple of the page size. The object must be sealed
    /// against shrinking: of one that shrank, a word could no longer be read.
    pub(crate) fn new(memory: BorrowedFd<'_>, offset: u64, words: usize) -> io::Result<Mapping> {
        let invalid = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
        if !fcntl_get_seals(memory)?.contains(SealFlags::SHRINK) {
            return Err(invalid("the memory is not sealed"));
        }
        let bytes = words.checked_mul(size_of::<AtomicU64>()).filter(|bytes| *bytes > 0);
        let bytes = bytes.ok_or_else(|| invalid("the length cannot be mapped"))?;
        let size = u64::try_from(fstat(memory)?.st_size).unwrap_or(0);
        if offset.checked_add(bytes as u64).is_none_or(|end| end > size) {
            return Err(invalid("the memory ends before the table does"));
        }
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: without `FIXED` and with no address asked for, the kernel chooses a range that nothing else occupies.
        let start = unsafe { mmap(null_mut(), bytes, access, MapFlags::SHARED, memory, offset)? };
        let start = NonNull::new(start.cast()).ok_or_else(|| invalid("the memory was mapped at nothing"))?;
        Ok(Mapping { start, words })
    }
}

impl Deref for Mapping {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: `start` is the page-aligned beginning of `words` mapped words, which were inside the object when it
        // was mapped and stay there, since its seal forbids shrinking; the mapping ends only with `self`. Any bytes
        // are a valid `AtomicU64`, and all access by this process and by others goes through atomics.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range is the one that was mapped, and no borrow of it outlives `self`.
        let unmapped = unsafe { munmap(self.start.as_ptr().cast(), self.words * size_of::<AtomicU64>()) };
        // It fails only for a range that is none.
        debug_assert!(unmapped.is_ok());
    }
}

// SAFETY: the words are atomics, and the range belongs to no thread.
unsafe impl Send for Mapping {}

// SAFETY: as above; shared access is all that there is.
unsafe impl Sync for Mapping {}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::os::fd::{AsFd, OwnedFd};
    use std::sync::atomic::Ordering;

    use rustix::fs::{MemfdFlags, fcntl_add_seals, ftruncate, memfd_create};

    use super::*;

    fn memory(bytes: u64, seals: SealFlags) -> OwnedFd {
        let memory = memfd_create("test", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
        ftruncate(&memory, bytes).unwrap();
        fcntl_add_seals(&memory, seals).unwrap();
        memory
    }

    #[test]
    fn what_one_mapping_writes_another_one_reads() {
        let memory = memory(1 << 20, SealFlags::SHRINK | SealFlags::GROW);
        let one = Mapping::new(memory.as_fd(), 1 << 16, 1_000).unwrap();
        let other = Mapping::new(memory.as_fd(), 1 << 16, 1_000).unwrap();
        one[999].store(7, Ordering::SeqCst);
        drop(one);
        assert_eq!((other[999].load(Ordering::SeqCst), other[998].load(Ordering::SeqCst)), (7, 0));
    }

    #[test]
    fn memory_that_may_vanish_or_ends_too_early_is_refused() {
        let loose = memory(1 << 20, SealFlags::GROW);
        assert!(Mapping::new(loose.as_fd(), 0, 8).is_err());
        let sealed = memory(1 << 16, SealFlags::SHRINK);
        for (offset, words) in
            [(0, (1 << 13) + 1), (1 << 16, 1), (u64::MAX, 1), (0, 0), (0, usize::MAX), (8, 1)]
        {
            assert!(Mapping::new(sealed.as_fd(), offset, words).is_err(), "{offset} {words}");
        }
        assert!(Mapping::new(sealed.as_fd(), 0, 1 << 13).is_ok());
    }
}
