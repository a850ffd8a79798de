//! Clocks that are wrong: a library that shows a process another time of day. Its monotonic clock stays right.

use std::time::{Duration, SystemTime};

use crate::running::Start;

/// The library, which the package `libfaketime` has.
pub fn library() -> String {
    let found = std::fs::read_dir("/usr/lib").expect("a folder").flatten().find_map(|entry| {
        let path = entry.path().join("faketime/libfaketime.so.1");
        path.is_file().then(|| path.display().to_string())
    });
    found.expect(
        "libfaketime is missing: install the package `libfaketime`, or run ./test as root, which does",
    )
}

/// A time of day that stands still until it is set.
#[derive(Debug)]
pub struct Clock {
    file: tempfile::NamedTempFile,
}

impl Clock {
    /// One that shows the present time.
    pub fn new() -> Clock {
        let file = tempfile::NamedTempFile::new().expect("a file whose date is the time");
        Clock { file }
    }

    /// File in which the processes of `start` look for the time.
    #[must_use]
    pub fn shown_to(&self, start: Start) -> Start {
        start
            .environment("LD_PRELOAD", &library())
            .environment("FAKETIME", "%")
            .environment("FAKETIME_FOLLOW_FILE", &self.file.path().display().to_string())
            .environment("FAKETIME_NO_CACHE", "1")
            .environment("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .environment("DONT_FAKE_MONOTONIC", "1")
    }

    /// Sets it so far ahead of the present time.
    pub fn ahead(&self, by: Duration) {
        self.set(SystemTime::now() + by);
    }

    /// Sets it so far behind the present time.
    pub fn behind(&self, by: Duration) {
        self.set(SystemTime::now() - by);
    }

    /// Its date, as logs have it.
    pub fn date(&self) -> String {
        let time = self.file.as_file().metadata().and_then(|file| file.modified());
        time::OffsetDateTime::from(time.expect("a file has a date")).date().to_string()
    }

    fn set(&self, time: SystemTime) {
        self.file.as_file().set_modified(time).expect("the date of a file can be set");
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}
