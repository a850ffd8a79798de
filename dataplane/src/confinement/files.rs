//! Files that a worker may open, by Landlock: what resolving names, reading trust anchors and loading the C library's
//! modules need, for reading alone. It writes no file of its own accord: those for bodies come from the supervisor,
//! open.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

/// The newest version that rules are written for.
const ABI_USED: ABI = ABI::V6;

/// See [`ABI_USED`].
pub const ABI_WANTED: u32 = ABI_USED as u32;

/// Files that the C library reads to resolve a name. Editors and DHCP clients replace these files.
const RESOLVER_FILES: [&str; 6] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
];

/// Folders of services with the target of `/etc/resolv.conf`, and with sockets of resolvers.
const RESOLVER_FOLDERS: [&str; 4] =
    ["/run/systemd/resolve", "/run/NetworkManager", "/run/resolvconf", "/run/nscd"];

/// Modules of the C library that resolve names, and what leads to them. A static program has none.
const LIBRARIES: &[&str] = if cfg!(target_env = "musl") {
    &[]
} else {
    &["/etc/ld.so.cache", "/etc/ld.so.conf", "/usr/lib", "/usr/lib64", "/lib", "/lib64"]
};

/// Folders of trust anchors, and of the targets of links there.
const ANCHORS: [&str; 16] = [
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/ca-trust/extracted",
    "/etc/ca-certificates/extracted",
    "/etc/certs",
    "/etc/openssl/certs",
    "/opt/etc/ssl/certs",
    "/usr/share/ca-certificates",
    "/usr/share/ssl",
    "/usr/share/pki",
    "/usr/local/share/ca-certificates",
    "/var/lib/ca-certificates",
];

/// Randomness, for kernels whose system call does not give it, and word of a restored snapshot.
const DEVICES: [&str; 4] = ["/dev/urandom", "/dev/random", "/dev/sysgenid", "/dev/null"];

/// Everything that a worker may read; `anchors` are what the operator names in place of the system's trust anchors.
/// Files that are not there are left out by [`restrict`].
pub fn needed(anchors: &[PathBuf]) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = RESOLVER_FILES.iter().map(|file| resolver_file(Path::new(file))).collect();
    paths.extend(RESOLVER_FOLDERS.iter().map(PathBuf::from));
    paths.extend(LIBRARIES.iter().map(PathBuf::from));
    paths.extend(ANCHORS.iter().map(PathBuf::from));
    paths.extend(anchors.iter().cloned());
    paths.extend(DEVICES.iter().map(PathBuf::from));
    // The C library asks before it gives memory of a thread back.
    paths.push("/proc/sys/vm/overcommit_memory".into());
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// The path that is allowed for a file that may be replaced: rules apply to the file that a path leads to now, so that
/// a new file of the same name would be closed to a worker that was started before. Where the file is mounted by
/// itself, as containers do, it stays the same one and is enough; else it takes the folder.
fn resolver_file(path: &Path) -> PathBuf {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match real.parent() {
        Some(folder) if folder != Path::new("/") && mount_of(&real) == mount_of(folder) => folder.to_owned(),
        _ => real,
    }
}

/// The number of the mount that a path lies on; none where the kernel does not tell, which counts as one mount.
fn mount_of(path: &Path) -> Option<u64> {
    let found = statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok()?;
    (found.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(found.stx_mnt_id)
}

/// Restricts the calling thread, and all that it starts, to reading `paths`. The version of Landlock that is used; none
/// where there is none.
pub fn restrict(paths: &[PathBuf]) -> Result<Option<u32>, RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI_USED))?
        // No socket of its own is bound; upstreams may be on any port.
        .handle_access(AccessNet::BindTcp)?
        .scope(Scope::from_all(ABI_USED))?
        .create()?
        .add_rules(path_beneath_rules(paths, read))?
        .restrict_self()?;
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => Some((effective_abi as u32).min(ABI_WANTED)),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn a_file_of_its_own_mount_stands_for_itself_and_any_other_for_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::write(folder.join("target"), "").unwrap();
        std::os::unix::fs::symlink("target", folder.join("link")).unwrap();
        assert_eq!(resolver_file(&folder.join("link")), folder);
        // A mount of its own, and a file that only the root folder could stand for.
        assert_eq!(resolver_file(Path::new("/proc")), Path::new("/proc"));
        assert_eq!(resolver_file(Path::new("/nothing-of-that-name")), Path::new("/nothing-of-that-name"));
    }
}
