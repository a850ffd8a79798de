//! Whose turn it is to write to standard output. During an upgrade two supervisors have the same one, and a line may be
//! longer than what the kernel writes in one piece, so each writes its lines while it holds a lock that both can see.
//! The kernel takes the lock back from a process that dies. It knows a lock, nothing of lines.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{FlockOperation, MemfdFlags, fcntl_lock, memfd_create};
use rustix::io::{Errno, pread, pwrite};
use tracing::error;

/// As `/proc` shows it.
const NAME: &str = "waf-stdout";

const WHOLE: u8 = b'-';
const BEGUN: u8 = b'+';

/// The lock, and beside it one byte that says whether a line has been begun and not ended.
#[derive(Debug)]
pub struct WriterLock {
    // Invariant: no other descriptor of this file is opened and closed in this process, which would let the lock go
    // (fcntl(2), F_SETLK).
    file: OwnedFd,
}

impl AsFd for WriterLock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl From<OwnedFd> for WriterLock {
    /// The one of an older supervisor.
    fn from(file: OwnedFd) -> Self {
        Self { file }
    }
}

impl WriterLock {
    /// A new one.
    pub fn create() -> io::Result<WriterLock> {
        let file = memfd_create(NAME, MemfdFlags::CLOEXEC)?;
        pwrite(&file, &[WHOLE], 0)?;
        Ok(WriterLock { file })
    }

    /// Writes with nobody else writing, for as long as it takes. `write` gets true if somebody who is dead now left
    /// a line without its end, and says whether what it wrote is whole.
    pub fn hold<T>(&self, write: impl FnOnce(bool) -> (T, bool)) -> T {
        self.lock(FlockOperation::LockExclusive);
        let torn = self.is_torn();
        self.mark(BEGUN);
        let (outcome, is_whole) = write(torn);
        if is_whole {
            self.mark(WHOLE);
        }
        self.lock(FlockOperation::Unlock);
        outcome
    }

    fn lock(&self, operation: FlockOperation) {
        loop {
            match fcntl_lock(&self.file, operation) {
                Ok(()) => return,
                Err(Errno::INTR) => {}
                // The kernel has no room for one more lock: lines are worth more than their order.
                Err(errno) => {
                    error!(error = %io::Error::from(errno), "two processes may write standard output at once");
                    return;
                }
            }
        }
    }

    fn is_torn(&self) -> bool {
        let mut byte = [WHOLE];
        matches!(pread(&self.file, &mut byte, 0), Ok(1)) && byte == [BEGUN]
    }

    fn mark(&self, byte: u8) {
        // Memory that was written once can be written again.
        let _ = pwrite(&self.file, &[byte], 0);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_begun_and_not_ended_is_told_to_the_next_one() {
        let writer_lock = WriterLock::create().unwrap();
        assert!(!writer_lock.hold(|torn| (torn, true)));
        assert!(!writer_lock.hold(|torn| (torn, false)));
        assert!(writer_lock.hold(|torn| (torn, true)));
        assert!(!writer_lock.hold(|torn| (torn, true)));
    }
}
