//! The files under `data_dir`. What this service writes appears whole or not at all; what it cannot read it sets aside;
//! what the operator put there it never changes. It blocks, and knows nothing of time.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use waf_shared::limits::{
    CERTIFICATES_MAX, CERTIFICATES_ON_DEMAND_MAX, CHAIN_BYTES_MAX, PRIVATE_KEY_BYTES_MAX,
};

use super::names::{covers, host_of, is_wildcard, stem, wildcard_of};
use super::pair::{Pair, PairError, Provenance};
use super::snapshot::{Fault, Snapshot};

/// Ends a file of this service: one that was cut off does not have it.
const END: &str = "# end\n";

/// Begins a certificate in PEM; in a file of this service the key stands before the first one.
const CERTIFICATE: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// Bytes of a file of this service.
const FILE_BYTES_MAX: usize = CHAIN_BYTES_MAX + PRIVATE_KEY_BYTES_MAX + 1024;

/// Bytes that are written to see whether a certificate could be.
const PROBE_BYTES: usize = 32 << 10;

/// Characters of the digest that tell directory URLs of one authority apart.
const SLUG_DIGEST_CHARS: usize = 8;

/// A file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{act} {}: {source}", path.display())]
pub struct StoreError {
    /// What failed.
    pub act: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Where everything lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The operator's own certificates, `<name>.pem` and `<name>.key`.
    pub own: PathBuf,
    /// Held locked by the replica that orders.
    pub lock: PathBuf,
    /// The account at one authority.
    pub account: PathBuf,
    /// Certificates of that authority, `<name>.pem`, key and chain in one file.
    pub issued: PathBuf,
}

impl Layout {
    /// Under `data_dir`, for the authority with this directory URL. Authorities are kept apart: what a staging authority
    /// issued is never served once the production one is asked.
    pub fn new(data_dir: &Path, directory_url: &str) -> Self {
        let acme = data_dir.join("acme");
        let authority = acme.join(slug(directory_url));
        Self {
            own: data_dir.join("certs"),
            lock: acme.join("lock"),
            account: authority.join("account.json"),
            issued: authority.join("certs"),
        }
    }
}

/// The authority of a URL and a few characters of its digest.
fn slug(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let mut slug: String = authority.chars().map(safe).take(100).collect();
    slug.push('-');
    let digest = Sha256::digest(url.as_bytes());
    slug.extend(
        digest
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .take(SLUG_DIGEST_CHARS)
            .filter_map(|n| char::from_digit(u32::from(n), 16)),
    );
    slug
}

/// The certificates under one `data_dir`.
#[derive(Debug, Clone)]
pub struct Store {
    layout: Layout,
    sets_aside: bool,
}

impl Store {
    /// Touches nothing yet.
    pub fn new(layout: Layout) -> Self {
        Self { layout, sets_aside: true }
    }

    /// One that leaves every file as it is.
    pub fn reading(layout: Layout) -> Self {
        Self { layout, sets_aside: false }
    }

    /// Where everything lies.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Every certificate that serves one of `hosts`. Files of this service that cannot be used are set aside.
    pub fn load(&self, hosts: &[String]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let mut tried = BTreeSet::new();
        for host in hosts.iter().take(CERTIFICATES_MAX) {
            self.load_host(host, &mut tried, &mut snapshot);
        }
        for name in self.on_demand(hosts) {
            self.load_host(&name, &mut tried, &mut snapshot);
        }
        snapshot.find_missing(hosts);
        snapshot
    }

    /// The operator's own first, then the operator's wildcard, then what was issued.
    fn load_host(&self, host: &str, tried: &mut BTreeSet<String>, snapshot: &mut Snapshot) {
        for own in [Some(host.to_owned()), wildcard_of(host)].into_iter().flatten() {
            if tried.insert(own.clone()) {
                match self.own(&own) {
                    Ok(pair) => snapshot.pairs.extend(pair.map(|pair| (own.clone(), Arc::new(pair)))),
                    Err(fault) => snapshot.faults.push(fault),
                }
            }
            if snapshot.pairs.contains_key(&own) {
                return;
            }
        }
        match self.issued(host) {
            Ok(pair) => snapshot.pairs.extend(pair.map(|pair| (host.to_owned(), Arc::new(pair)))),
            Err(fault) => snapshot.faults.push(fault),
        }
    }

    /// Names with files that a wildcard of the configuration covers, at most [`CERTIFICATES_ON_DEMAND_MAX`].
    fn on_demand(&self, hosts: &[String]) -> Vec<String> {
        let wildcards: Vec<&String> = hosts.iter().filter(|host| is_wildcard(host)).collect();
        if wildcards.is_empty() {
            return Vec::new();
        }
        let names = [&self.layout.own, &self.layout.issued].into_iter().flat_map(|folder| stems(folder));
        let covered = names
            .filter_map(|stem| host_of(&stem))
            .filter(|name| wildcards.iter().any(|wildcard| covers(wildcard, name)));
        covered.collect::<BTreeSet<_>>().into_iter().take(CERTIFICATES_ON_DEMAND_MAX).collect()
    }

    fn own(&self, host: &str) -> Result<Option<Pair>, Fault> {
        let Some(stem) = stem(host) else { return Ok(None) };
        let chain_path = self.layout.own.join(format!("{stem}.pem"));
        let key_path = self.layout.own.join(format!("{stem}.key"));
        let fault = |path: &Path, why: String| Fault {
            name: host.to_owned(),
            path: path.to_owned(),
            why,
            provenance: Provenance::Own,
            aside: None,
        };
        let both = read(&chain_path, CHAIN_BYTES_MAX)
            .map_err(|error| fault(&chain_path, error.to_string()))
            .and_then(|chain| {
                let key = read(&key_path, PRIVATE_KEY_BYTES_MAX);
                key.map(|key| (chain, key)).map_err(|error| fault(&key_path, error.to_string()))
            })?;
        match both {
            (None, None) => Ok(None),
            (Some(_), None) => {
                Err(fault(&key_path, "there is a certificate, and no key beside it".to_owned()))
            }
            (None, Some(_)) => {
                Err(fault(&chain_path, "there is a key, and no certificate beside it".to_owned()))
            }
            (Some(chain), Some(key)) => Pair::parse(chain, key, Provenance::Own)
                .and_then(|pair| pair.serving(host))
                .map(Some)
                .map_err(|error| fault(&chain_path, error.to_string())),
        }
    }

    fn issued(&self, host: &str) -> Result<Option<Pair>, Fault> {
        let Some(path) = self.issued_path(host) else { return Ok(None) };
        let fault = |why: String, aside: Option<PathBuf>| Fault {
            name: host.to_owned(),
            path: path.clone(),
            why,
            provenance: Provenance::Acme,
            aside,
        };
        let text = match read(&path, FILE_BYTES_MAX) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(None),
            // Not readable now is no reason to take it away: another replica may read it.
            Err(error) => return Err(fault(error.to_string(), None)),
        };
        match parse_issued(&text).and_then(|pair| pair.serving(host)) {
            Ok(pair) => Ok(Some(pair)),
            Err(error) => {
                let aside = if self.sets_aside { set_aside(&path).ok() } else { None };
                Err(fault(error.to_string(), aside))
            }
        }
    }

    fn issued_path(&self, host: &str) -> Option<PathBuf> {
        Some(self.layout.issued.join(format!("{}.pem", stem(host)?)))
    }

    /// Writes an issued certificate down.
    pub fn save(&self, host: &str, pair: &Pair) -> Result<(), StoreError> {
        let path = self.issued_path(host).ok_or_else(|| StoreError {
            act: "cannot name a file in",
            path: self.layout.issued.clone(),
            source: io::ErrorKind::InvalidFilename.into(),
        })?;
        let text = [&pair.key_pem[..], b"\n", &pair.chain_pem[..], b"\n", END.as_bytes()].concat();
        write_whole(&path, &text)
    }

    /// Whether a certificate could be written down, before one is asked for: what is issued and lost counts against the
    /// authority's limits all the same.
    pub fn probe(&self, host: &str) -> Result<(), StoreError> {
        // Orders run side by side, each with a file of its own.
        let path = self.layout.issued.join(format!("{}.probe", stem(host).unwrap_or_default()));
        write_whole(&path, &vec![b'.'; PROBE_BYTES])?;
        fs::remove_file(&path).map_err(|source| StoreError { act: "cannot remove", path, source })
    }

    /// The account, as it was saved.
    pub fn account(&self) -> Result<Option<String>, StoreError> {
        let path = &self.layout.account;
        let failed = |source| StoreError { act: "cannot read", path: path.clone(), source };
        let bytes = read(path, FILE_BYTES_MAX).map_err(failed)?;
        bytes
            .map(|bytes| String::from_utf8(bytes).map_err(|_| failed(io::ErrorKind::InvalidData.into())))
            .transpose()
    }

    /// Writes the account down.
    pub fn save_account(&self, text: &str) -> Result<(), StoreError> {
        write_whole(&self.layout.account, text.as_bytes())
    }

    /// Puts an account that cannot be used out of the way.
    pub fn set_account_aside(&self) -> Result<PathBuf, StoreError> {
        set_aside(&self.layout.account)
    }
}

/// Splits a file of this service.
fn parse_issued(text: &[u8]) -> Result<Pair, PairError> {
    let Some(whole) = text.strip_suffix(END.as_bytes()) else {
        return Err(PairError::Chain("the file was cut off".to_owned()));
    };
    let begins = whole.windows(CERTIFICATE.len()).position(|window| window == CERTIFICATE);
    let (key, chain) = whole.split_at(begins.unwrap_or(whole.len()));
    Pair::parse(chain.to_vec(), key.to_vec(), Provenance::Acme)
}

/// The contents of a regular file; `None` when there is none.
fn read(path: &Path, bytes_max: usize) -> io::Result<Option<Vec<u8>>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // Opening a pipe would wait for its other end.
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(Some(bytes)) }
}

/// Writes beside, then renames: a reader, or a machine that loses power, finds the old contents or the new ones.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |act: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| StoreError { act, path, source }
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(failed("cannot make the folder", folder))?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    // Only the replica that holds the lock writes: what lies there is of one that died.
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed("cannot write", &beside)(error));
        }
        _ => {}
    }
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path))
        .and_then(|()| File::open(folder)?.sync_all());
    written.map_err(|error| {
        // Nothing half written stays; the error tells about the file that was meant.
        let _ = fs::remove_file(&beside);
        failed("cannot write", path)(error)
    })
}

/// Renames a file out of the way. One earlier one of the same name goes.
fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".broken");
    let aside = PathBuf::from(aside);
    match fs::rename(path, &aside) {
        Ok(()) => Ok(aside),
        Err(source) => Err(StoreError { act: "cannot set aside", path: path.to_owned(), source }),
    }
}

/// File names in a folder that end in `.pem`, without that ending.
fn stems(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(CERTIFICATES_MAX);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| name.strip_suffix(".pem").map(str::to_owned)).collect()
}

/// Tells cheaply whether files of a folder have changed: name, inode, size and time of each, in order.
pub(super) fn stamps(folder: &Path) -> Vec<(String, u64, u64, i64, i64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(CERTIFICATES_MAX * 2);
    let mut stamps: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let ending = Path::new(&name).extension()?.to_str()?;
            if !matches!(ending, "pem" | "key") {
                return None;
            }
            // Through links: secrets are mounted behind them.
            let metadata = fs::metadata(entry.path()).ok()?;
            Some((name, metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
        })
        .collect();
    stamps.sort();
    stamps
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests;
