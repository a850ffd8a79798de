//! Pairs `tls.crt` and `tls.key` in folders, as Kubernetes mounts a Secret of type `kubernetes.io/tls`: the folder of the
//! operator's certificates itself, and each folder in it. They serve the names that their certificates have. It blocks,
//! and writes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use waf_shared::limits::{CERTIFICATES_MAX, CHAIN_BYTES_MAX, PRIVATE_KEY_BYTES_MAX};

use super::files::read;
use super::names::{MOUNTED_CHAIN as CHAIN, MOUNTED_KEY as KEY};
use super::pair::{Pair, Provenance};
use super::snapshot::Fault;

/// The pairs that can be used, by the names of their certificates.
#[derive(Debug, Default)]
pub(super) struct Mounted {
    by_name: BTreeMap<String, (PathBuf, Arc<Pair>)>,
    /// Folders whose files cannot be used.
    pub(super) faults: Vec<Fault>,
}

impl Mounted {
    /// Reads every pair in `own` and in the folders in it. Of two for one name, the one that lasts longer is taken.
    pub(super) fn load(own: &Path) -> Mounted {
        let mut mounted = Mounted::default();
        for folder in std::iter::once(own.to_owned()).chain(folders(own)) {
            match pair(&folder) {
                Ok(Some(pair)) => mounted.add(&folder, &Arc::new(pair)),
                Ok(None) => {}
                Err(fault) => mounted.faults.push(*fault),
            }
        }
        mounted
    }

    /// The pair whose certificate has this name, and its folder.
    pub(super) fn named(&self, name: &str) -> Option<&(PathBuf, Arc<Pair>)> {
        self.by_name.get(name)
    }

    /// The names of all certificates.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.by_name.keys()
    }

    fn add(&mut self, folder: &Path, pair: &Arc<Pair>) {
        for name in &pair.names {
            let is_known = |known: &(PathBuf, Arc<Pair>)| known.1.not_after >= pair.not_after;
            if !self.by_name.get(name).is_some_and(is_known) {
                self.by_name.insert(name.clone(), (folder.to_owned(), Arc::clone(pair)));
            }
        }
    }
}

/// Folders in `own`, in order. Those whose names begin with a dot are versions of a volume, reached by links.
pub(super) fn folders(own: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(own).into_iter().flatten().flatten();
    let visible = entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    let paths = visible.map(|entry| entry.path()).filter(|path| path.is_dir());
    let mut folders: Vec<PathBuf> = paths.take(CERTIFICATES_MAX).collect();
    folders.sort();
    folders
}

/// The pair in a folder; none where neither file is there.
fn pair(folder: &Path) -> Result<Option<Pair>, Box<Fault>> {
    let (chain_path, key_path) = (folder.join(CHAIN), folder.join(KEY));
    let fault = |path: &Path, why: String| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = path.to_owned();
        Box::new(Fault { name, path, why, provenance: Provenance::Own, aside: None })
    };
    let file = |path: &Path, bytes_max| read(path, bytes_max).map_err(|error| fault(path, error.to_string()));
    match (file(&chain_path, CHAIN_BYTES_MAX)?, file(&key_path, PRIVATE_KEY_BYTES_MAX)?) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(fault(&key_path, "there is a certificate, and no key beside it".to_owned())),
        (None, Some(_)) => Err(fault(&chain_path, "there is a key, and no certificate beside it".to_owned())),
        (Some(chain), Some(key)) => Pair::parse(chain, key, Provenance::Own)
            .map(Some)
            .map_err(|error| fault(&chain_path, error.to_string())),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::time::SystemTime;

    use super::super::pair::tests::made;
    use super::super::snapshot::Snapshot;
    use super::super::store::{Layout, Store, stamps};
    use super::*;

    struct Stand(tempfile::TempDir);

    impl Stand {
        fn new() -> Stand {
            Stand(tempfile::tempdir().unwrap())
        }

        fn layout(&self) -> Layout {
            Layout::new(self.0.path(), "https://acme.example/dir")
        }

        fn put(&self, folder: &str, file: &str, bytes: impl AsRef<[u8]>) {
            let folder = self.layout().own.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(file), bytes).unwrap();
        }

        fn pair(&self, folder: &str, names: &[&str], after_s: u64) {
            let (chain, key) = made(names, 60, after_s);
            self.put(folder, CHAIN, chain);
            self.put(folder, KEY, key);
        }

        fn load(&self, hosts: &[&str]) -> Snapshot {
            let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
            Store::new(self.layout()).load(&hosts)
        }
    }

    fn folder_of(snapshot: &Snapshot, name: &str) -> Option<String> {
        let folder = snapshot.mounted.get(name)?;
        Some(folder.file_name()?.to_str()?.to_owned())
    }

    #[test]
    fn pairs_serve_the_names_of_their_certificates() {
        let stand = Stand::new();
        stand.pair("", &["a.example"], 3600);
        stand.pair("some-secret", &["b.example", "www.b.example", "unasked.example"], 3600);
        stand.pair("wild", &["*.c.example"], 3600);
        stand.put("notes", "readme.txt", "of no interest");
        let hosts = ["a.example", "b.example", "www.b.example", "x.c.example", "*.d.example", "e.example"];
        let snapshot = stand.load(&hosts);
        assert!(snapshot.faults.is_empty(), "{:?}", snapshot.faults);
        let names: Vec<_> = snapshot.pairs.keys().collect();
        assert_eq!(names, ["*.c.example", "a.example", "b.example", "www.b.example"]);
        assert_eq!(snapshot.missing, ["e.example"]);
        for (name, folder) in
            [("a.example", "certs"), ("www.b.example", "some-secret"), ("*.c.example", "wild")]
        {
            assert_eq!(folder_of(&snapshot, name).as_deref(), Some(folder), "{name}");
        }
    }

    #[test]
    fn names_below_a_wildcard_of_the_configuration_are_found() {
        let stand = Stand::new();
        stand.pair("deep", &["a.shop.example", "b.a.shop.example", "other.example"], 3600);
        let snapshot = stand.load(&["*.shop.example"]);
        assert_eq!(snapshot.pairs.keys().collect::<Vec<_>>(), ["a.shop.example", "b.a.shop.example"]);
        stand.pair("wild", &["*.shop.example"], 3600);
        let snapshot = stand.load(&["*.shop.example"]);
        assert!(snapshot.pairs.contains_key("*.shop.example"), "{:?}", snapshot.pairs.keys());
    }

    #[test]
    fn a_file_of_the_hosts_name_is_preferred_and_so_is_the_pair_that_lasts_longer() {
        let stand = Stand::new();
        stand.pair("a-old", &["a.example"], 3600);
        stand.pair("b-new", &["a.example"], 7200);
        stand.pair("c-old", &["a.example"], 3600);
        assert_eq!(folder_of(&stand.load(&["a.example"]), "a.example").as_deref(), Some("b-new"));
        let (chain, key) = made(&["a.example"], 60, 600);
        stand.put("", "a.example.pem", &chain);
        stand.put("", "a.example.key", key);
        let snapshot = stand.load(&["a.example"]);
        assert_eq!(snapshot.of("a.example").unwrap().chain_pem, chain);
        assert_eq!(folder_of(&snapshot, "a.example"), None);
    }

    #[test]
    fn a_pair_that_is_broken_keeps_the_one_before() {
        let stand = Stand::new();
        stand.pair("secret", &["a.example", "b.example"], 3600);
        let hosts = ["a.example", "b.example"];
        let mut before = stand.load(&hosts);
        let served = before.of("a.example").unwrap().clone();
        let (chain, key) = made(&["a.example"], 60, 3600);
        for (file, bytes) in [
            (KEY, &key[..]),
            (CHAIN, &chain[..chain.len() / 2]),
            (CHAIN, b""),
            (KEY, b"nothing"),
            (CHAIN, &vec![b'.'; CHAIN_BYTES_MAX + 1]),
        ] {
            stand.pair("secret", &["a.example", "b.example"], 3600);
            stand.put("secret", file, bytes);
            before = stand.load(&hosts).keeping(&before, SystemTime::now());
            assert_eq!(before.faults.len(), 1, "{file}");
            assert_eq!(before.of("a.example"), Some(&served), "{file}");
            assert!(before.of("b.example").is_some() && before.missing.is_empty());
            assert_eq!(folder_of(&before, "b.example").as_deref(), Some("secret"), "the next fault needs it");
        }
        stand.pair("secret", &["a.example", "b.example"], 3600);
        fs::remove_file(stand.layout().own.join("secret").join(KEY)).unwrap();
        before = stand.load(&hosts).keeping(&before, SystemTime::now());
        assert!(before.faults[0].why.contains("no key beside it"), "{:?}", before.faults);
        assert_eq!(before.of("a.example"), Some(&served));
        // A pair that replaces it elsewhere serves, and one that was removed on purpose is gone.
        stand.pair("other", &["a.example"], 60);
        before = stand.load(&hosts).keeping(&before, SystemTime::now());
        assert_ne!(before.of("a.example"), Some(&served));
        assert!(before.of("b.example").is_some());
        fs::remove_dir_all(stand.layout().own.join("secret")).unwrap();
        let after = stand.load(&hosts).keeping(&before, SystemTime::now());
        assert_eq!(after.missing, ["b.example"]);
    }

    #[test]
    fn a_volume_that_swaps_its_link_is_read_once_and_seen_to_change() {
        let stand = Stand::new();
        let volume = stand.layout().own.join("secret");
        let version = |name: &str, next: &str| {
            stand.pair(&format!("secret/{name}"), &["a.example"], 3600);
            std::os::unix::fs::symlink(name, volume.join(next)).unwrap();
            fs::rename(volume.join(next), volume.join("..data")).unwrap();
        };
        version("..2026_01", "..next");
        for file in [CHAIN, KEY] {
            std::os::unix::fs::symlink(Path::new("..data").join(file), volume.join(file)).unwrap();
        }
        let (first, stamps_before) = (stand.load(&["a.example"]), stamps(&stand.layout().own));
        assert_eq!(stamps_before.len(), 2, "{stamps_before:?}");
        version("..2026_02", "..next");
        let second = stand.load(&["a.example"]);
        assert!(second.faults.is_empty() && second.of("a.example") != first.of("a.example"));
        assert_ne!(stamps(&stand.layout().own), stamps_before);
    }
}
