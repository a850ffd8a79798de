//! The file tree of the container image: the programs, certificates of authorities, a user that may do nothing, and the
//! papers. No shell, no package manager, no library.

use std::io;
use std::path::{Path, PathBuf};

/// User and group as which the service runs. Kubernetes wants a number to see that it is not root.
pub const USER: u64 = 65532;

/// Folder for certificates and large bodies; the service's own in a tree that is otherwise root's.
pub const DATA: &str = "data/waf";

/// Programs of the image, below `usr/bin`.
pub const PROGRAMS: [&str; 2] = ["waf", "waf-compile"];

/// `root` and `nobody` stand here so that numbers have names in listings.
const PASSWD: &str = "root:x:0:0:root:/nonexistent:/nonexistent\n\
                      nobody:x:65534:65534:nobody:/nonexistent:/nonexistent\n\
                      waf:x:65532:65532:waf:/nonexistent:/nonexistent\n";
const GROUP: &str = "root:x:0:\nnogroup:x:65534:\nwaf:x:65532:\n";

/// Files before the name servers. Both are built into the C library, so nothing is loaded for it.
const NSSWITCH: &str = "passwd: files\ngroup: files\nhosts: files dns\n";

/// A file or a folder of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path without a leading slash.
    pub path: String,
    /// `None` is a folder.
    pub content: Option<Vec<u8>>,
    /// Permission bits.
    pub mode: u32,
    /// User and group.
    pub owner: u64,
}

/// Sources of the tree.
#[derive(Debug)]
pub struct Sources<'a> {
    /// Folder that holds the programs.
    pub programs: &'a Path,
    /// Certificates of authorities in PEM.
    pub certificates: &'a Path,
    /// Text of the product's licence.
    pub licence: &'a str,
    /// Bill of materials.
    pub bill: &'a str,
    /// Licences of others.
    pub licences: &'a str,
}

/// A source that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be read")]
pub struct TreeError {
    path: PathBuf,
    source: io::Error,
}

/// Every entry by path, folders before what they hold.
pub fn entries(sources: &Sources<'_>) -> Result<Vec<Entry>, TreeError> {
    let folders = [
        "data",
        "etc",
        "etc/ssl",
        "etc/ssl/certs",
        "etc/waf",
        "usr",
        "usr/bin",
        "usr/share",
        "usr/share/doc",
        "usr/share/doc/waf",
    ];
    let mut entries: Vec<Entry> = folders
        .iter()
        .map(|path| Entry { path: (*path).to_owned(), content: None, mode: 0o755, owner: 0 })
        .collect();
    entries.push(Entry { path: DATA.to_owned(), content: None, mode: 0o700, owner: USER });
    let texts = [
        ("etc/passwd", PASSWD),
        ("etc/group", GROUP),
        ("etc/nsswitch.conf", NSSWITCH),
        ("usr/share/doc/waf/LICENSE", sources.licence),
        ("usr/share/doc/waf/bill-of-materials.cdx.json", sources.bill),
        ("usr/share/doc/waf/third-party-licences.txt", sources.licences),
    ];
    entries.extend(texts.map(|(path, text)| file(path, text.as_bytes().to_vec(), 0o644)));
    entries.push(file("etc/ssl/certs/ca-certificates.crt", read(sources.certificates)?, 0o644));
    for program in PROGRAMS {
        entries.push(file(&format!("usr/bin/{program}"), read(&sources.programs.join(program))?, 0o755));
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

fn file(path: &str, content: Vec<u8>, mode: u32) -> Entry {
    Entry { path: path.to_owned(), content: Some(content), mode, owner: 0 }
}

fn read(path: &Path) -> Result<Vec<u8>, TreeError> {
    std::fs::read(path).map_err(|source| TreeError { path: path.to_owned(), source })
}

/// The tree as an archive. Everything is dated `time` (seconds since 1970), so the same entries give the same bytes.
pub fn archive(entries: &[Entry], time: u64) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for entry in entries {
        let content = entry.content.as_deref().unwrap_or_default();
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(match entry.content {
            Some(_) => tar::EntryType::Regular,
            None => tar::EntryType::Directory,
        });
        header.set_mode(entry.mode);
        header.set_uid(entry.owner);
        header.set_gid(entry.owner);
        header.set_mtime(time);
        header.set_size(content.len() as u64);
        let path = if entry.content.is_some() { entry.path.clone() } else { format!("{}/", entry.path) };
        archive.append_data(&mut header, path, content)?;
    }
    archive.into_inner()
}
