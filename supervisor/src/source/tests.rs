//! The source over a real file and the real compiler: each change is reported once, as what it is.

use std::fs;
use std::time::Duration;

use tokio::time::timeout;
use waf_shared::plan::Digest;

use super::*;

/// Longer than any report takes, the slow poll included.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longer than a second report of the same change would take.
const QUIET: Duration = Duration::from_millis(300);

struct Bed {
    dir: tempfile::TempDir,
    events: mpsc::Receiver<SourceUpdate>,
    force: Arc<Notify>,
    digest: Digest,
}

fn config(route: &str) -> String {
    format!("version: v1alpha1\nroutes:\n  - id: {route}\n    upstream: http://127.0.0.1:9\n")
}

impl Bed {
    /// A source that follows a valid file.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("waf.yaml");
        fs::write(&file, config("first")).unwrap();
        let options = Options { host_checks: false, ..Options::default() };
        let (compiled, source) = Source::open(file, options).unwrap();
        let (sender, events) = mpsc::channel(8);
        let force = Arc::new(Notify::new());
        tokio::spawn(source.follow(sender, force.clone()));
        Self { dir, events, force, digest: compiled.digest }
    }

    fn write(&self, text: &str) {
        fs::write(self.dir.path().join("waf.yaml"), text).unwrap();
    }

    async fn found(&mut self) -> SourceUpdate {
        match timeout(PATIENCE, self.events.recv()).await.expect("a report in time") {
            Some(found) => found,
            _ => panic!("the source has ended"),
        }
    }

    /// The next report is a plan, and nothing comes after it.
    async fn compiled(&mut self) -> Digest {
        let SourceUpdate::Compiled { compiled, .. } = self.found().await else { panic!("no plan") };
        self.nothing().await;
        compiled.digest
    }

    /// The next report is this list, and nothing comes after it.
    async fn invalid(&mut self) -> String {
        let SourceUpdate::Invalid(diagnostics) = self.found().await else { panic!("no list") };
        self.nothing().await;
        diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    async fn nothing(&mut self) {
        assert!(timeout(QUIET, self.events.recv()).await.is_err(), "a report too many");
    }
}

#[tokio::test]
async fn a_change_is_a_new_plan_and_a_forced_look_is_the_same_one() {
    let mut bed = Bed::new();
    bed.force.notify_one();
    assert_eq!(bed.compiled().await, bed.digest);
    bed.write(&config("second"));
    let second = bed.compiled().await;
    assert_ne!(second, bed.digest);
    bed.write(&config("first"));
    assert_eq!(bed.compiled().await, bed.digest);
}

#[tokio::test]
async fn a_fault_is_reported_once_and_fixed_by_the_next_change() {
    let mut bed = Bed::new();
    bed.write("version: v2\n");
    assert!(bed.invalid().await.contains("version"));
    bed.force.notify_one();
    assert!(bed.invalid().await.contains("version"));
    bed.write(&config("first"));
    assert_eq!(bed.compiled().await, bed.digest);
}

#[tokio::test]
async fn a_missing_file_is_no_fault() {
    let mut bed = Bed::new();
    let file = bed.dir.path().join("waf.yaml");
    fs::remove_file(&file).unwrap();
    assert!(matches!(bed.found().await, SourceUpdate::Missing(missing) if missing == file));
    bed.write(&config("second"));
    assert_ne!(bed.compiled().await, bed.digest);
}

#[tokio::test]
async fn a_file_that_is_named_before_it_exists_is_found_when_it_appears() {
    let mut bed = Bed::new();
    bed.write(&(config("first") + "    openapi: { spec: api/shop.yaml }\n"));
    assert!(bed.invalid().await.contains("shop.yaml"));
    fs::create_dir(bed.dir.path().join("api")).unwrap();
    let contract = "openapi: 3.0.3\ninfo: { title: shop, version: '1' }\npaths: {}\n";
    fs::write(bed.dir.path().join("api/shop.yaml"), contract).unwrap();
    let with_contract = bed.compiled().await;
    assert_ne!(with_contract, bed.digest);
    // From now on the contract is watched like the configuration.
    fs::write(bed.dir.path().join("api/shop.yaml"), contract.replace("shop", "store")).unwrap();
    assert_ne!(bed.compiled().await, with_contract);
}
