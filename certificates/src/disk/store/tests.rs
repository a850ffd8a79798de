//! Files that are whole, cut, mixed up and unwritable.

use std::os::unix::fs::PermissionsExt;

use super::super::pair::tests::{made, pair};
use super::*;

const DIRECTORY: &str = "https://acme.example:14000/dir";

fn hosts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(Layout::new(folder.path(), DIRECTORY));
    (folder, store)
}

fn put_own(store: &Store, stem: &str, names: &[&str]) {
    let (chain, key) = made(names, 60, 3600);
    fs::create_dir_all(&store.layout.own).unwrap();
    fs::write(store.layout.own.join(format!("{stem}.pem")), chain).unwrap();
    fs::write(store.layout.own.join(format!("{stem}.key")), key).unwrap();
}

#[test]
fn what_is_saved_is_loaded_and_only_its_owner_reads_it() {
    let (_folder, store) = store();
    let saved = pair(&["a.example"], 60, 3600);
    store.probe("a.example").unwrap();
    store.save("a.example", &saved).unwrap();
    let snapshot = store.load(&hosts(&["a.example", "b.example"]));
    assert_eq!(snapshot.missing, ["b.example"]);
    assert!(snapshot.faults.is_empty());
    let loaded = snapshot.of("a.example").unwrap();
    assert_eq!((&loaded.names, loaded.not_after), (&saved.names, saved.not_after));
    assert!(
        !loaded.chain_pem.windows(7).any(|window| window == b"PRIVATE"),
        "the key stays out of the chain"
    );
    let path = store.issued_path("a.example").unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    // Nothing else lies there, and saving again replaces.
    store.save("a.example", &saved).unwrap();
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_set_aside() {
    let (_folder, store) = store();
    let path = store.issued_path("a.example").unwrap();
    store.save("a.example", &pair(&["a.example"], 60, 3600)).unwrap();
    let whole = fs::read(&path).unwrap();
    for end in [0, 1, whole.len() / 4, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..end]).unwrap();
        let looking = Store::reading(store.layout().clone());
        assert!(looking.load(&hosts(&["a.example"])).faults[0].aside.is_none() && path.exists());
        let snapshot = store.load(&hosts(&["a.example"]));
        assert_eq!(snapshot.missing, ["a.example"], "{end}");
        let [fault] = &snapshot.faults[..] else { panic!("{:?}", snapshot.faults) };
        let aside = fault.aside.clone().unwrap();
        assert_eq!(fs::read(&aside).unwrap(), whole[..end]);
        assert!(!path.exists());
        // It is reported once; then there is simply no certificate.
        assert!(store.load(&hosts(&["a.example"])).faults.is_empty());
    }
}

#[test]
fn another_hosts_certificate_or_key_is_no_good() {
    let (_folder, store) = store();
    store.save("a.example", &pair(&["b.example"], 60, 3600)).unwrap();
    let snapshot = store.load(&hosts(&["a.example"]));
    assert!(
        snapshot.faults[0].why.contains("not for a.example: it names b.example"),
        "{:?}",
        snapshot.faults
    );
    let mixed = Pair { key_pem: made(&["a.example"], 60, 60).1, ..pair(&["a.example"], 60, 3600) };
    store.save("a.example", &mixed).unwrap();
    let snapshot = store.load(&hosts(&["a.example"]));
    assert!(snapshot.faults[0].why.contains("does not belong"), "{:?}", snapshot.faults);
}

#[test]
fn the_operators_own_is_preferred_and_never_touched() {
    let (_folder, store) = store();
    store.save("a.example", &pair(&["a.example"], 60, 3600)).unwrap();
    put_own(&store, "a.example", &["a.example"]);
    let of = |snapshot: &Snapshot| snapshot.of("a.example").map(|pair| pair.provenance);
    assert_eq!(of(&store.load(&hosts(&["a.example"]))), Some(Provenance::Own));

    // Broken: what was issued serves, the fault is reported, the file stays.
    let key_path = store.layout.own.join("a.example.key");
    for broken in [Some(made(&["a.example"], 60, 60).1), Some(b"half".to_vec()), None] {
        match &broken {
            Some(bytes) => fs::write(&key_path, bytes).unwrap(),
            None => fs::remove_file(&key_path).unwrap(),
        }
        let snapshot = store.load(&hosts(&["a.example"]));
        assert_eq!(of(&snapshot), Some(Provenance::Acme));
        assert_eq!(snapshot.faults.len(), 1);
        assert!(snapshot.faults[0].aside.is_none() && store.layout.own.join("a.example.pem").exists());
    }
}

#[test]
fn an_own_wildcard_serves_its_names_before_what_was_issued() {
    let (_folder, store) = store();
    store.save("a.shop.example", &pair(&["a.shop.example"], 60, 3600)).unwrap();
    put_own(&store, "_wildcard.shop.example", &["*.shop.example"]);
    let snapshot = store.load(&hosts(&["a.shop.example", "b.shop.example", "*.other.example"]));
    assert_eq!(snapshot.pairs.keys().collect::<Vec<_>>(), ["*.shop.example"]);
    assert!(snapshot.missing.is_empty() && snapshot.faults.is_empty());
}

#[test]
fn names_below_a_wildcard_of_the_configuration_are_found() {
    let (_folder, store) = store();
    for name in ["a.shop.example", "b.a.shop.example", "old.example"] {
        store.save(name, &pair(&[name], 60, 3600)).unwrap();
    }
    let snapshot = store.load(&hosts(&["*.shop.example"]));
    assert_eq!(snapshot.pairs.keys().collect::<Vec<_>>(), ["a.shop.example", "b.a.shop.example"]);
    assert!(snapshot.missing.is_empty());
}

#[test]
fn authorities_are_kept_apart() {
    let (folder, store) = store();
    store.save("a.example", &pair(&["a.example"], 60, 3600)).unwrap();
    let other = Store::new(Layout::new(folder.path(), "https://acme.example:14000/other"));
    assert_eq!(other.load(&hosts(&["a.example"])).missing, ["a.example"]);
    assert!(slug(DIRECTORY).starts_with("acme.example-14000-"), "{}", slug(DIRECTORY));
    assert!(!slug("https://../../etc").contains('/'));
}

#[test]
fn what_cannot_be_written_is_told_and_leaves_nothing_behind() {
    let (folder, store) = store();
    // A file where a folder has to be: no one can write below it, root neither.
    fs::write(folder.path().join("acme"), "").unwrap();
    let error = store.probe("a.example").unwrap_err().to_string();
    assert!(error.contains("cannot make the folder"), "{error}");
    assert!(store.save("a.example", &pair(&["a.example"], 60, 60)).is_err());
    assert!(store.save_account("{}").is_err());
    assert!(store.load(&hosts(&["a.example"])).faults.len() == 1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_is_too_large_or_no_file_is_not_read() {
    let (_folder, store) = store();
    let path = store.issued_path("a.example").unwrap();
    fs::create_dir_all(&path).unwrap();
    assert!(store.load(&hosts(&["a.example"])).faults[0].why.contains("no regular file"));
    fs::remove_dir(&path).unwrap();
    fs::write(&path, vec![b'.'; FILE_BYTES_MAX + 1]).unwrap();
    let snapshot = store.load(&hosts(&["a.example"]));
    assert_eq!(snapshot.faults.len(), 1);
    assert!(snapshot.pairs.is_empty());
}

#[test]
fn an_account_is_kept_and_can_be_set_aside() {
    let (_folder, store) = store();
    assert!(store.account().unwrap().is_none());
    store.save_account("{\"a\":1}").unwrap();
    assert_eq!(store.account().unwrap().as_deref(), Some("{\"a\":1}"));
    assert!(store.set_account_aside().unwrap().exists());
    assert!(store.account().unwrap().is_none());
    assert_eq!(
        fs::metadata(store.layout.account.parent().unwrap()).unwrap().permissions().mode() & 0o777,
        0o700
    );
}

#[test]
fn stamps_change_with_the_files() {
    let (_folder, store) = store();
    assert!(stamps(&store.layout.own).is_empty());
    put_own(&store, "a.example", &["a.example"]);
    let before = stamps(&store.layout.own);
    assert_eq!(before.len(), 2);
    assert_eq!(stamps(&store.layout.own), before);
    let beside = store.layout.own.join("next");
    fs::write(&beside, "other").unwrap();
    fs::rename(beside, store.layout.own.join("a.example.key")).unwrap();
    assert_ne!(stamps(&store.layout.own), before);
}
