//! How long a request may be evaluated. The crate has no clock of its own: the caller lends one.

use std::cell::Cell;
use std::time::Duration;

/// Work (bytes read by a pass or a proof) between two looks at the clock.
const CLOCK_EVERY_BYTES: usize = 8 << 10;
/// Work of small calls that is not worth a look at the clock.
const UNTIMED_BYTES: usize = 4 << 10;

/// CPU time for one request. It is summed over the calls of an inspection, so time spent waiting for bytes is free.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// What may be spent.
    pub limit: Duration,
    /// CPU time that the current thread has used. Read in pairs on one thread, never once for each byte.
    pub clock: fn() -> Duration,
    /// A cheap clock that never goes back. It decides nothing: by it the costs of languages are counted.
    pub watch: fn() -> Duration,
}

impl Budget {
    /// No limit, for tools and tests.
    pub const UNLIMITED: Budget =
        Budget { limit: Duration::MAX, clock: || Duration::ZERO, watch: || Duration::ZERO };
}

/// Sums up the CPU time of calls. It is read and written through shared references, as a detector and what it calls ask it alike.
#[derive(Debug)]
pub struct Meter {
    budget: Budget,
    /// Whether anything happens when the budget runs out.
    enforced: bool,
    spent: Duration,
    /// Clock at the start of the call in hand, when it is timed.
    start: Cell<Option<Duration>>,
    /// Work since the last look at the clock.
    work: Cell<usize>,
    /// Whether the call in hand evaluated anything.
    evaluated: Cell<bool>,
    out: Cell<bool>,
}

impl Meter {
    /// A meter that has measured nothing; the budget is enforced only if `enforced` says so.
    pub fn new(budget: Budget, enforced: bool) -> Meter {
        Meter {
            budget,
            enforced: enforced && budget.limit < Duration::MAX,
            spent: Duration::ZERO,
            start: Cell::new(None),
            work: Cell::new(0),
            evaluated: Cell::new(false),
            out: Cell::new(false),
        }
    }

    /// What the clock of the cost shows.
    pub fn watch(&self) -> Duration {
        (self.budget.watch)()
    }

    /// Begins a call that reads `bytes`. Small calls go untimed until they add up.
    pub fn begin(&mut self, bytes: usize) {
        self.evaluated.set(false);
        if self.enforced && self.work.get() + bytes > UNTIMED_BYTES {
            self.start.set(Some((self.budget.clock)()));
            self.work.set(0);
        }
    }

    /// Ends it.
    pub fn end(&mut self) {
        if let Some(start) = self.start.take() {
            // File contents that only pass by are not evaluated, however long the file is.
            if self.evaluated.get() {
                self.spent = self.spent.saturating_add((self.budget.clock)().saturating_sub(start));
            }
            self.out.set(self.out.get() || self.spent > self.budget.limit);
            // The next call, however small, is timed as well.
            self.work.set(UNTIMED_BYTES);
        }
    }

    /// Whether the budget is spent.
    pub fn is_out(&self) -> bool {
        self.out.get()
    }

    /// Counts work; `false` once the budget is spent.
    pub fn spend(&self, work: usize) -> bool {
        self.evaluated.set(true);
        let work = self.work.get() + work;
        self.work.set(work);
        if self.enforced && work >= CLOCK_EVERY_BYTES {
            self.look();
        }
        !self.out.get()
    }

    /// Looks at the clock. A small call that turns out to be long is timed from here on.
    fn look(&self) {
        self.work.set(0);
        let now = (self.budget.clock)();
        let start = self.start.get().unwrap_or(now);
        self.start.set(Some(start));
        let spent = self.spent.saturating_add(now.saturating_sub(start));
        self.out.set(self.out.get() || spent > self.budget.limit);
    }
}

/// What a detector and its tokenizer ask whether there is time to go on.
#[derive(Debug, Clone, Copy)]
pub struct Watch<'s>(Option<&'s Meter>);

impl<'s> Watch<'s> {
    /// There always is.
    pub const UNLIMITED: Watch<'static> = Watch(None);

    /// The watch over `meter`.
    pub const fn new(meter: &'s Meter) -> Watch<'s> {
        Watch(Some(meter))
    }

    /// Counts work of `bytes` read (a token counts for some eight) and tells whether to go on. A detector asks between pieces of
    /// its work wherever it may read a byte more often than a few times; `false` means that the time for the request is
    /// over, and that it is refused whatever else is found.
    #[must_use]
    pub fn spend(self, bytes: usize) -> bool {
        self.0.is_none_or(|meter| meter.spend(bytes))
    }
}
