//! A trie over path segments, walked as an automaton: every pattern that a path could still match advances together, so
//! that `**` costs a state and never a retry. It knows nothing of percent-encoding or host names.

use std::collections::BTreeMap;

use crate::plan::Segment;

use super::host::{HostId, Serving};
use super::path::canonical;

/// States visited for all readings of one path. A path of 32,767 segments under eight patterns with an inner `**` stays
/// below it; what goes beyond is refused instead of costing milliseconds.
const STEPS_MAX: u32 = 1 << 18;

/// States visited so far, over all readings of one path.
#[derive(Debug, Default)]
pub(super) struct Steps(u32);

/// States that are kept without allocating; more are rare (many wildcard patterns that share a path).
const STATES_INLINE: usize = 16;

const ROOT: u32 = 0;

/// Result of one walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Index of the route.
    Route(usize),
    /// No pattern matches.
    Nothing,
    /// The walk was given up at its bound.
    TooCostly,
}

/// All path patterns of a plan.
#[derive(Debug)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    /// `**` nodes that something follows; they get the numbers below this.
    loops: u32,
}

#[derive(Debug, Default)]
struct Node {
    /// Sorted by segment once sealed.
    literals: Vec<(Box<[u8]>, u32)>,
    /// Only while building.
    building: BTreeMap<Box<[u8]>, u32>,
    one: Option<u32>,
    any: Option<u32>,
    /// Number among the `**` nodes that something follows.
    loop_number: Option<u32>,
    /// Patterns that end here, sorted by host, the best of each.
    ends: Vec<End>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    host: HostId,
    rank: u32,
    route: usize,
}

impl Default for Trie {
    fn default() -> Trie {
        Trie { nodes: vec![Node::default()], loops: 0 }
    }
}

impl Trie {
    /// Adds a pattern for each of `hosts`.
    pub(super) fn insert(&mut self, segments: &[Segment], hosts: &[HostId], rank: u32, route: usize) {
        let mut at = ROOT;
        let mut after_any = false;
        for segment in segments {
            let is_any = matches!(segment, Segment::AnyNumber);
            // `**/**` is `**`: without this a state could follow itself for nothing.
            if !(is_any && after_any) {
                at = self.child(at, segment);
            }
            after_any = is_any;
        }
        let ends = hosts.iter().map(|host| End { host: *host, rank, route });
        self.nodes[at as usize].ends.extend(ends);
    }

    /// The child of `parent` for `segment`, made when it is new. Node numbers come from here alone, so they are in
    /// range.
    fn child(&mut self, parent: u32, segment: &Segment) -> u32 {
        let new = self.nodes.len() as u32;
        let node = &mut self.nodes[parent as usize];
        let child = match segment {
            Segment::Literal(text) => *node.building.entry(canonical(text.as_bytes()).into()).or_insert(new),
            Segment::One => *node.one.get_or_insert(new),
            Segment::AnyNumber => *node.any.get_or_insert(new),
        };
        if child == new {
            self.nodes.push(Node::default());
        }
        child
    }

    /// Sorts what walking searches, and numbers the `**` nodes.
    pub(super) fn seal(&mut self) {
        let any_nodes: Vec<u32> = self.nodes.iter().filter_map(|node| node.any).collect();
        for node in &mut self.nodes {
            node.literals = std::mem::take(&mut node.building).into_iter().collect();
            node.ends.sort_unstable();
            node.ends.dedup_by_key(|end| end.host);
            node.ends.shrink_to_fit();
        }
        for any in any_nodes {
            let node = &mut self.nodes[any as usize];
            if !node.literals.is_empty() || node.one.is_some() {
                node.loop_number = Some(self.loops);
                self.loops += 1;
            }
        }
    }

    /// The route of the lowest rank among the patterns that match all of `segments` for a host in `serving`.
    pub(super) fn find(
        &self,
        serving: &Serving,
        segments: impl Iterator<Item = impl AsRef<[u8]>>,
        steps: &mut Steps,
    ) -> Outcome {
        let mut walk = Walk::new(self, serving, steps);
        walk.enter(ROOT);
        for segment in segments {
            if walk.next.is_empty() && walk.loops.is_empty() {
                // Only prefixes still match; what follows cannot change the choice.
                break;
            }
            walk.step(segment.as_ref());
            if walk.steps.0 > STEPS_MAX {
                return Outcome::TooCostly;
            }
        }
        walk.finish()
    }

    fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(number as usize)
    }
}

/// One walk over the trie.
///
/// Invariant: a node other than a `**` is active at most once a step, because its parent is; a `**` node that was
/// entered stays active to the end, so each is entered once. The work of a step is therefore at most twice the number
/// of nodes, whatever the patterns.
struct Walk<'t> {
    trie: &'t Trie,
    serving: &'t Serving,
    /// Active before the current segment.
    now: States,
    /// Active after it.
    next: States,
    /// `**` nodes entered so far that something follows.
    loops: States,
    entered: Entered,
    /// Rank and route of the best pattern that is sure to match.
    best: Option<(u32, usize)>,
    steps: &'t mut Steps,
}

impl<'t> Walk<'t> {
    fn new(trie: &'t Trie, serving: &'t Serving, steps: &'t mut Steps) -> Walk<'t> {
        Walk {
            trie,
            serving,
            now: States::default(),
            next: States::default(),
            loops: States::default(),
            entered: Entered::new(trie.loops),
            best: None,
            steps,
        }
    }

    /// Takes one more segment of the path.
    fn step(&mut self, segment: &[u8]) {
        std::mem::swap(&mut self.now, &mut self.next);
        self.next.clear();
        // Entered before this segment; those that this step enters wait for the next one.
        let loops = self.loops.len();
        for index in 0..self.now.len() {
            if let Some(number) = self.now.at(index) {
                self.advance(number, segment);
            }
        }
        for index in 0..loops {
            if let Some(number) = self.loops.at(index) {
                self.advance(number, segment);
            }
        }
    }

    fn advance(&mut self, number: u32, segment: &[u8]) {
        self.steps.0 = self.steps.0.saturating_add(1);
        let Some(node) = self.trie.node(number) else { return };
        if let Ok(at) = node.literals.binary_search_by(|(literal, _)| (**literal).cmp(segment))
            && let Some((_, child)) = node.literals.get(at)
        {
            self.enter(*child);
        }
        if let Some(one) = node.one {
            self.enter(one);
        }
    }

    /// Makes a node active, and the `**` below it, which also matches no segment at all.
    fn enter(&mut self, number: u32) {
        self.next.push(number);
        let Some(any) = self.trie.node(number).and_then(|node| node.any) else { return };
        let Some(node) = self.trie.node(any) else { return };
        match node.loop_number {
            Some(bit) if self.entered.insert(bit) => {
                self.loops.push(any);
                self.consider(any);
            }
            Some(_) => {}
            None => self.consider(any),
        }
    }

    /// Takes note of the patterns that end at `number`.
    fn consider(&mut self, number: u32) {
        let Some(node) = self.trie.node(number).filter(|node| !node.ends.is_empty()) else { return };
        for host in self.serving.iter() {
            let found = node.ends.binary_search_by_key(&host, |end| end.host).ok();
            if let Some(end) = found.and_then(|at| node.ends.get(at))
                && self.best.is_none_or(|(rank, _)| end.rank < rank)
            {
                self.best = Some((end.rank, end.route));
            }
        }
    }

    fn finish(mut self) -> Outcome {
        for index in 0..self.next.len() {
            if let Some(number) = self.next.at(index) {
                self.consider(number);
            }
        }
        self.best.map_or(Outcome::Nothing, |(_, route)| Outcome::Route(route))
    }
}

/// A short list of nodes that allocates only when it grows long.
#[derive(Debug, Default)]
struct States {
    inline: [u32; STATES_INLINE],
    length: usize,
    spilled: Vec<u32>,
}

impl States {
    fn push(&mut self, number: u32) {
        match self.inline.get_mut(self.length) {
            Some(free) => *free = number,
            None => self.spilled.push(number),
        }
        self.length += 1;
    }

    fn at(&self, index: usize) -> Option<u32> {
        match index.checked_sub(STATES_INLINE) {
            None => self.inline.get(index).copied(),
            Some(spilled) => self.spilled.get(spilled).copied(),
        }
    }

    fn clear(&mut self) {
        self.length = 0;
        self.spilled.clear();
    }

    fn len(&self) -> usize {
        self.length
    }

    fn is_empty(&self) -> bool {
        self.length == 0
    }
}

/// Which numbered `**` nodes a walk has entered.
#[derive(Debug)]
struct Entered {
    inline: [u64; 4],
    spilled: Vec<u64>,
}

impl Entered {
    fn new(loops: u32) -> Entered {
        let words = loops.div_ceil(64) as usize;
        Entered { inline: [0; 4], spilled: vec![0; words.saturating_sub(4)] }
    }

    /// Adds `bit` to the set; true if it was not in the set before.
    fn insert(&mut self, bit: u32) -> bool {
        let (word, mask) = ((bit / 64) as usize, 1_u64 << (bit % 64));
        let slot = match word.checked_sub(self.inline.len()) {
            None => self.inline.get_mut(word),
            Some(spilled) => self.spilled.get_mut(spilled),
        };
        match slot {
            Some(bits) if *bits & mask == 0 => {
                *bits |= mask;
                true
            }
            _ => false,
        }
    }
}
