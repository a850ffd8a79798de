//! The watch over real directories: each change that settles is said once.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::timeout;

use super::*;

/// Longer than a change takes to settle, shorter than the poll: what is found in this time came by events.
const SOON: Duration = Duration::from_millis(900);

/// Longer than a second report of the same change would take.
const QUIET: Duration = Duration::from_millis(300);

struct Bed {
    dir: tempfile::TempDir,
    file: PathBuf,
    watch: Watch,
}

impl Bed {
    /// A directory with a file, prepared by `lay`, that is watched.
    fn new(lay: impl FnOnce(&Path)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        lay(dir.path());
        let file = dir.path().join("waf.yaml");
        let watch = Watch::new(Snapshot::take([&file]));
        Self { dir, file, watch }
    }

    fn plain() -> Self {
        Self::new(|dir| fs::write(dir.join("waf.yaml"), "one").unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// One change, accepted, and then nothing.
    async fn exactly_one(&mut self) {
        let change = timeout(SOON, self.watch.changed()).await.expect("a change");
        let Change::Settled(snapshot) = change else { panic!("{change:?}") };
        assert_eq!(snapshot, Snapshot::take([&self.file]));
        self.watch.accept(snapshot, false);
        self.nothing().await;
    }

    async fn missing(&mut self) {
        let change = timeout(SOON, self.watch.changed()).await.expect("a change");
        assert_eq!(change, Change::Missing(self.file.clone()));
        self.nothing().await;
    }

    async fn nothing(&mut self) {
        assert!(timeout(QUIET, self.watch.changed()).await.is_err(), "a change too many");
    }
}

#[tokio::test]
async fn a_write_is_one_change_and_the_same_contents_are_none() {
    let mut bed = Bed::plain();
    bed.nothing().await;
    fs::write(&bed.file, "two").unwrap();
    bed.exactly_one().await;
    fs::write(&bed.file, "two").unwrap();
    bed.nothing().await;
    fs::read(&bed.file).unwrap();
    fs::write(bed.path("another"), "file").unwrap();
    bed.nothing().await;
}

#[tokio::test]
async fn a_rename_over_is_one_change_again_and_again() {
    let mut bed = Bed::plain();
    for contents in ["two", "three", "four"] {
        fs::write(bed.path(".waf.yaml.swp"), contents).unwrap();
        fs::rename(bed.path(".waf.yaml.swp"), &bed.file).unwrap();
        bed.exactly_one().await;
    }
}

#[tokio::test]
async fn a_write_in_two_steps_is_one_change() {
    let mut bed = Bed::plain();
    fs::write(&bed.file, "").unwrap();
    assert!(timeout(Duration::from_millis(40), bed.watch.changed()).await.is_err(), "before it settled");
    fs::write(&bed.file, "two").unwrap();
    bed.exactly_one().await;
}

#[tokio::test]
async fn a_deleted_file_is_said_once_and_its_return_is_a_change_only_with_other_contents() {
    let mut bed = Bed::plain();
    fs::remove_file(&bed.file).unwrap();
    bed.missing().await;
    fs::write(&bed.file, "one").unwrap();
    bed.nothing().await;
    fs::remove_file(&bed.file).unwrap();
    bed.missing().await;
    fs::write(&bed.file, "two").unwrap();
    bed.exactly_one().await;
}

#[tokio::test]
async fn deleted_and_recreated_at_once_is_one_change() {
    let mut bed = Bed::plain();
    fs::remove_file(&bed.file).unwrap();
    fs::write(&bed.file, "two").unwrap();
    bed.exactly_one().await;
}

#[tokio::test]
async fn a_config_map_swap_is_one_change_again_and_again() {
    let mut bed = Bed::new(|dir| {
        fs::create_dir(dir.join("..v0")).unwrap();
        fs::write(dir.join("..v0/waf.yaml"), "zero").unwrap();
        symlink("..v0", dir.join("..data")).unwrap();
        symlink("..data/waf.yaml", dir.join("waf.yaml")).unwrap();
    });
    for version in 1..4 {
        let next = format!("..v{version}");
        fs::create_dir(bed.path(&next)).unwrap();
        fs::write(bed.path(&next).join("waf.yaml"), &next).unwrap();
        symlink(&next, bed.path("..data_tmp")).unwrap();
        fs::rename(bed.path("..data_tmp"), bed.path("..data")).unwrap();
        fs::remove_dir_all(bed.path(&format!("..v{}", version - 1))).unwrap();
        bed.exactly_one().await;
    }
}

#[tokio::test]
async fn a_change_behind_a_link_is_noticed() {
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("real.yaml");
    fs::write(&target, "one").unwrap();
    let mut bed = Bed::new(|dir| symlink(&target, dir.join("waf.yaml")).unwrap());
    fs::write(&target, "two").unwrap();
    bed.exactly_one().await;
}

#[tokio::test]
async fn a_replaced_directory_is_followed_by_the_poll() {
    let mut bed = Bed::new(|dir| {
        fs::create_dir(dir.join("etc")).unwrap();
        fs::write(dir.join("etc/waf.yaml"), "one").unwrap();
        symlink("etc/waf.yaml", dir.join("waf.yaml")).unwrap();
    });
    bed.nothing().await;
    fs::rename(bed.path("etc"), bed.path("old")).unwrap();
    fs::create_dir(bed.path("etc")).unwrap();
    fs::write(bed.path("etc/waf.yaml"), "two").unwrap();
    let change = timeout(POLL * 2, bed.watch.changed()).await.expect("the poll finds it");
    let Change::Settled(snapshot) = change else { panic!("{change:?}") };
    bed.watch.accept(snapshot, false);
    fs::write(bed.path("etc/waf.yaml"), "three").unwrap();
    bed.exactly_one().await;
}

#[tokio::test]
async fn the_poll_asks_for_a_look_while_something_is_sought() {
    let mut bed = Bed::plain();
    bed.watch.accept(Snapshot::take([&bed.file]), true);
    let change = timeout(POLL * 2, bed.watch.changed()).await.expect("a look");
    assert_eq!(change, Change::Settled(Snapshot::take([&bed.file])));
}
