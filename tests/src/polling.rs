//! Waiting for something to become true, with an end.

use std::time::{Duration, Instant};

/// Time that a test waits for something that has to happen. Far above what it takes, so that a slow machine changes
/// nothing but the duration of a failure.
pub const PATIENCE: Duration = Duration::from_secs(20);

const STEP: Duration = Duration::from_millis(5);

/// Asks `probe` until it answers, at most for `limit`; `None` when it never did.
pub fn within<T>(limit: Duration, mut probe: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(answer) = probe() {
            return Some(answer);
        }
        if Instant::now() >= end {
            return None;
        }
        std::thread::sleep(STEP);
    }
}

/// Asks `probe` until it answers; a test that waits in vain fails and says for `what`.
pub fn until<T>(what: &str, probe: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, probe).unwrap_or_else(|| panic!("waited {PATIENCE:?} in vain for {what}"))
}

/// Asks until `probe` is true.
pub fn until_true(what: &str, mut probe: impl FnMut() -> bool) {
    until(what, || probe().then_some(()));
}

/// Lets a state last for `time`: for a test that shows that something does *not* happen.
pub fn hold(time: Duration) {
    within(time, || None::<()>);
}
