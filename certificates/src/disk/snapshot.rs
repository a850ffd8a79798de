//! Which certificate serves which name at one moment. It knows pairs and names, nothing of files' contents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::names::{is_mounted, is_wildcard, wildcard_of};
use super::pair::{Pair, Provenance};

/// Every certificate that serves, and what is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// By server name, `*.domain` for one label below a domain.
    pub pairs: BTreeMap<String, Arc<Pair>>,
    /// Folders of the pairs that were found by the names of their certificates, by server name.
    pub mounted: BTreeMap<String, PathBuf>,
    /// Configured hosts without a certificate. Wildcards are not among them: their names get certificates when they are
    /// asked for.
    pub missing: Vec<String>,
    /// Files that are there and cannot be used.
    pub faults: Vec<Fault>,
}

/// A file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The name that it stands for.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The fault.
    pub why: String,
    /// Whose file it is: what the operator put there is never touched.
    pub provenance: Provenance,
    /// Path of the file that was set aside.
    pub aside: Option<PathBuf>,
}

impl Snapshot {
    /// The certificate that serves `host`: its own, else that of the wildcard above it.
    pub fn of(&self, host: &str) -> Option<&Arc<Pair>> {
        self.pairs.get(host).or_else(|| self.pairs.get(&wildcard_of(host)?))
    }

    /// Keeps serving what served before, where the operator's files are broken now: a certificate and its key are two
    /// files, and between the two writes they do not belong together.
    #[must_use]
    pub fn keeping(mut self, before: &Snapshot, now: SystemTime) -> Self {
        let faults = std::mem::take(&mut self.faults);
        for fault in faults.iter().filter(|fault| fault.provenance == Provenance::Own) {
            if is_mounted(&fault.path) {
                self.keep_folder(fault.path.parent(), before, now);
                continue;
            }
            let Some(pair) = before.pairs.get(&fault.name) else { continue };
            if pair.provenance == Provenance::Own && !pair.expired(now) {
                self.pairs.insert(fault.name.clone(), pair.clone());
            }
        }
        self.faults = faults;
        let missing = std::mem::take(&mut self.missing);
        self.missing = missing.into_iter().filter(|host| self.of(host).is_none()).collect();
        self
    }

    /// The same for a folder whose pair is broken, where no other file of the operator serves its names.
    fn keep_folder(&mut self, folder: Option<&Path>, before: &Snapshot, now: SystemTime) {
        for (name, mounted) in before.mounted.iter().filter(|(_, mounted)| Some(mounted.as_path()) == folder)
        {
            let Some(pair) = before.pairs.get(name).filter(|pair| !pair.expired(now)) else { continue };
            let served = self.pairs.get(name);
            if served.is_none_or(|served| served.provenance == Provenance::Acme) {
                self.pairs.insert(name.clone(), pair.clone());
                self.mounted.insert(name.clone(), mounted.clone());
            }
        }
    }

    /// Adds a pair that could not be written down, where nothing serves its host.
    #[must_use]
    pub fn with_unsaved(mut self, host: &str, pair: &Arc<Pair>) -> Self {
        let newer =
            |there: &Arc<Pair>| there.provenance == Provenance::Acme && there.not_after < pair.not_after;
        if self.of(host).is_none_or(newer) {
            self.pairs.insert(host.to_owned(), pair.clone());
            self.missing.retain(|missing| missing != host);
        }
        self
    }

    /// Configured hosts among `hosts` that nothing serves.
    pub(super) fn find_missing(&mut self, hosts: &[String]) {
        let missing = hosts.iter().filter(|host| !is_wildcard(host) && self.of(host).is_none());
        self.missing = missing.cloned().collect();
    }
}

#[cfg(test)]
mod tests {
    use super::super::pair::tests::pair;
    use super::*;

    fn own(names: &[&str], after_s: u64) -> Arc<Pair> {
        Arc::new(Pair { provenance: Provenance::Own, ..pair(names, 60, after_s) })
    }

    fn broken(name: &str, provenance: Provenance) -> Snapshot {
        let fault = Fault { name: name.into(), path: "f".into(), why: "w".into(), provenance, aside: None };
        Snapshot { missing: vec![name.into()], faults: vec![fault], ..Snapshot::default() }
    }

    #[test]
    fn a_host_is_served_by_its_own_or_the_wildcard_above() {
        let mut snapshot = Snapshot::default();
        snapshot.pairs.insert("*.example.com".into(), own(&["*.example.com"], 60));
        assert!(snapshot.of("a.example.com").is_some() && snapshot.of("b.a.example.com").is_none());
        snapshot.find_missing(&["a.example.com", "example.com", "*.other.example"].map(str::to_owned));
        assert_eq!(snapshot.missing, ["example.com"]);
    }

    #[test]
    fn what_served_goes_on_while_the_operators_files_are_broken() {
        let now = SystemTime::now();
        let mut before = Snapshot::default();
        before.pairs.insert("a.example".into(), own(&["a.example"], 3600));
        let kept = broken("a.example", Provenance::Own).keeping(&before, now);
        assert!(kept.of("a.example").is_some() && kept.missing.is_empty());
        before.pairs.insert("a.example".into(), own(&["a.example"], 0));
        let over = broken("a.example", Provenance::Own).keeping(&before, now);
        assert!(over.of("a.example").is_none() && over.missing == ["a.example"]);
        // A file that was removed on purpose is no fault.
        let gone = Snapshot { missing: vec!["a.example".into()], ..Snapshot::default() };
        assert!(gone.keeping(&before, now).of("a.example").is_none());
    }

    #[test]
    fn what_cannot_be_written_down_serves_from_memory() {
        let fresh = Arc::new(pair(&["a.example"], 0, 7200));
        let served = |snapshot: Snapshot| snapshot.with_unsaved("a.example", &fresh).of("a.example").cloned();
        assert_eq!(served(broken("a.example", Provenance::Acme)).as_ref(), Some(&fresh));
        let mut old = Snapshot::default();
        old.pairs.insert("a.example".into(), Arc::new(pair(&["a.example"], 60, 60)));
        assert_eq!(served(old).as_ref(), Some(&fresh));
        let mut of_operator = Snapshot::default();
        of_operator.pairs.insert("a.example".into(), own(&["a.example"], 60));
        assert_eq!(served(of_operator).map(|pair| pair.provenance), Some(Provenance::Own));
    }
}
