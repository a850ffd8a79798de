//! The container image, made of the programs under test, unpacked, and run as an engine would run it: its tree as a root
//! that cannot be written, `/proc` and a bare `/dev`, a volume for data, and a user without privileges.
//!
//! Differences from the shipped image: these programs were built for tests and are linked dynamically, so the libraries
//! that they need are put beside them.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::programs;
use crate::running::{self, Ports, Waf};

/// Everything dated.
const TIME: &str = "1760000000";

/// An image on disk, unpacked.
#[derive(Debug)]
pub struct Image {
    folder: tempfile::TempDir,
    /// Name and tag under which engines list it.
    pub name: String,
    /// The way engines run it.
    pub config: Value,
    /// The tree.
    pub root: PathBuf,
}

/// The reason why nothing can be run inside here, if any: an engine needs root and its capabilities.
pub fn cannot_run() -> Option<&'static str> {
    if !nix::unistd::Uid::effective().is_root() {
        return Some("only root can change the root of a process");
    }
    let allowed = Command::new("unshare").args(["--mount", "true"]).output();
    let allowed = allowed.is_ok_and(|output| output.status.success());
    (!allowed).then_some("this root has no capability for mounts")
}

/// The archive that engines load, made of the programs under test.
pub fn archive(out: &Path) -> Vec<u8> {
    let programs = programs::waf();
    let output = Command::new(programs::waf_packaging())
        .arg("--root")
        .arg(programs::repository())
        .args(["image", "--time", TIME, "--programs"])
        .arg(programs.parent().expect("programs lie in a folder"))
        .arg("--out")
        .arg(out)
        .output()
        .expect("the program can be started");
    assert!(output.status.success(), "{output:?}");
    std::fs::read(out).expect("it was written")
}

impl Image {
    /// Makes the image and unpacks it by what its own index says.
    pub fn unpacked() -> Image {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let (layout, root) = (folder.path().join("layout"), folder.path().join("root"));
        for path in [&layout, &root] {
            std::fs::create_dir(path).expect("a folder in the test's folder");
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
        let file = folder.path().join("image.tar");
        archive(&file);
        unpack(&file, &layout);
        let index = json(&layout.join("index.json"));
        let manifest = json(&blob(&layout, &index["manifests"][0]));
        let config = json(&blob(&layout, &manifest["config"]));
        let layers = manifest["layers"].as_array().expect("a list of layers");
        assert_eq!(layers.len(), 1);
        let layer = blob(&layout, &layers[0]);
        assert_eq!(config["rootfs"]["diff_ids"][0], layers[0]["digest"], "the layer is not compressed");
        let docker = json(&layout.join("manifest.json"));
        assert_eq!(layout.join(docker[0]["Layers"][0].as_str().expect("a path")), layer);
        unpack(&layer, &root);
        let name = docker[0]["RepoTags"][0].as_str().expect("a name").to_owned();
        Image { folder, name, config, root }
    }

    /// Every path of the tree, relative to its root.
    pub fn paths(&self) -> BTreeSet<String> {
        fn walk(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
            for entry in std::fs::read_dir(folder).expect("it can be listed") {
                let path = entry.expect("it can be listed").path();
                found.insert(path.strip_prefix(root).expect("below the root").display().to_string());
                if path.is_dir() && !path.is_symlink() {
                    walk(&path, root, found);
                }
            }
        }
        let mut found = BTreeSet::new();
        walk(&self.root, &self.root, &mut found);
        found
    }

    /// Puts the libraries of the programs where the loader looks for them, and makes the folders that engines mount on.
    pub fn furnish(&self) {
        for folder in ["proc", "dev"] {
            std::fs::create_dir(self.root.join(folder)).expect("a folder in the tree");
        }
        for program in ["waf", "waf-compile"] {
            let output = Command::new("ldd").arg(self.root.join("usr/bin").join(program)).output();
            let text = String::from_utf8_lossy(&output.expect("ldd can be started").stdout).into_owned();
            for library in text.split_whitespace().filter(|word| word.starts_with('/')) {
                let to = self.root.join(&library[1..]);
                std::fs::create_dir_all(to.parent().expect("it lies in a folder"))
                    .expect("a folder in the tree");
                std::fs::copy(library, to).expect("a library can be copied");
            }
        }
    }

    /// A command inside, as an engine starts it.
    pub fn command(&self, arguments: &[&str]) -> Command {
        const INSIDE: &str = "set -e; root=\"$1\"; shift; mount --make-rprivate /; mount --bind \"$root\" \"$root\"; \
            mount -t proc -o nosuid,nodev,noexec proc \"$root/proc\"; mount -t tmpfs -o mode=755,nosuid tmpfs \"$root/dev\"; \
            touch \"$root/dev/null\"; mount --bind /dev/null \"$root/dev/null\"; \
            mount -t tmpfs -o mode=700,uid=65532,gid=65532 tmpfs \"$root/data/waf\"; \
            mount -o remount,bind,ro \"$root\"; \
            exec chroot --userspec=65532:65532 --groups= \"$root\" \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", INSIDE, "sh"]).arg(&self.root);
        let entry = self.config["config"]["Entrypoint"][0].as_str().expect("the image says what to start");
        command.arg(entry).args(arguments).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command
    }

    /// Runs a command inside to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("unshare can be started")
    }

    /// Starts the service inside and waits until it is ready.
    pub fn serve(&self, ports: Ports) -> Waf {
        let config = self.root.join("etc/waf/waf.yaml");
        let nothing = tempfile::tempdir().expect("a folder for the test");
        let waf = running::start(self.command(&[]), ports, nothing, config);
        waf.ready().unwrap_or_else(|why| panic!("{}: {why}", self.folder.path().display()))
    }
}

fn unpack(archive: &Path, into: &Path) {
    let output = Command::new("tar")
        .args(["--same-permissions", "-xf"])
        .arg(archive)
        .arg("-C")
        .arg(into)
        .output()
        .expect("tar can be started");
    assert!(output.status.success(), "{output:?}");
}

fn json(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).expect("it is JSON")
}

/// The file that a descriptor names, with its size and digest compared.
fn blob(layout: &Path, descriptor: &Value) -> PathBuf {
    let digest = descriptor["digest"].as_str().and_then(|digest| digest.strip_prefix("sha256:"));
    let digest = digest.expect("a digest");
    let path = layout.join("blobs/sha256").join(digest);
    let content = std::fs::read(&path).expect("the blob is there");
    assert_eq!(descriptor["size"].as_u64(), Some(content.len() as u64));
    let found = format!("{:x}", Sha256::digest(&content));
    assert_eq!(digest, found);
    path
}
