//! The files under `data_dir`. What this service writes appears whole or not at all; what it cannot read it sets aside;
//! what the operator put there it never changes. It blocks, and knows nothing of time.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use waf_shared::limits::{
    CERTIFICATES_MAX, CERTIFICATES_ON_DEMAND_MAX, CHAIN_BYTES_MAX, PRIVATE_KEY_BYTES_MAX,
};

use super::files::{StoreError, read, set_aside, write_whole};
use super::mounted::{self, Mounted};
use super::names::{MOUNTED_CHAIN, MOUNTED_KEY, covers, host_of, is_wildcard, stem, wildcard_of};
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

/// Bytes of the file of new names: many times what an hour's bound takes.
const NEW_NAMES_BYTES_MAX: usize = 4 << 10;

/// Characters of the digest that tell directory URLs of one authority apart.
const SLUG_DIGEST_CHARS: usize = 8;

/// Paths of all files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The operator's own certificates: `<name>.pem` and `<name>.key`, and folders with `tls.crt` and `tls.key`.
    pub own: PathBuf,
    /// Held locked by the replica that orders.
    pub lock: PathBuf,
    /// Held locked, together, by the replicas that do not.
    pub replicas: PathBuf,
    /// Open challenges, one file each, for every replica to answer.
    pub challenges: PathBuf,
    /// The account at one authority.
    pub account: PathBuf,
    /// Certificates of that authority, `<name>.pem`, key and chain in one file.
    pub issued: PathBuf,
    /// When new names below wildcards were ordered within the last hour.
    pub new_names: PathBuf,
}

impl Layout {
    /// Under `data_dir`, for the authority with this directory URL. Authorities are kept apart: what a staging
    /// authority issued is never served once the production one is asked.
    pub fn new(data_dir: &Path, directory_url: &str) -> Self {
        let acme = data_dir.join("acme");
        let authority = acme.join(slug(directory_url));
        Self {
            own: data_dir.join("certs"),
            lock: acme.join("lock"),
            replicas: acme.join("replicas"),
            challenges: acme.join("challenges"),
            account: authority.join("account.json"),
            issued: authority.join("certs"),
            new_names: authority.join("new-names.json"),
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

    /// Paths of all files.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Every certificate that serves one of `hosts`. Files of this service that cannot be used are set aside.
    pub fn load(&self, hosts: &[String]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let mut mounted = Mounted::load(&self.layout.own);
        snapshot.faults.append(&mut mounted.faults);
        let mut tried = BTreeSet::new();
        for host in hosts.iter().take(CERTIFICATES_MAX) {
            self.load_host(host, &mounted, &mut tried, &mut snapshot);
        }
        for name in self.on_demand(hosts, &mounted) {
            self.load_host(&name, &mounted, &mut tried, &mut snapshot);
        }
        snapshot.find_missing(hosts);
        snapshot
    }

    /// The operator's own first, then the operator's wildcard, then what was issued.
    fn load_host(
        &self,
        host: &str,
        mounted: &Mounted,
        tried: &mut BTreeSet<String>,
        snapshot: &mut Snapshot,
    ) {
        for own in [Some(host.to_owned()), wildcard_of(host)].into_iter().flatten() {
            if tried.insert(own.clone()) {
                match self.own(&own) {
                    Ok(pair) => snapshot.pairs.extend(pair.map(|pair| (own.clone(), Arc::new(pair)))),
                    Err(fault) => snapshot.faults.push(fault),
                }
                if let (false, Some((folder, pair))) =
                    (snapshot.pairs.contains_key(&own), mounted.named(&own))
                {
                    snapshot.pairs.insert(own.clone(), Arc::clone(pair));
                    snapshot.mounted.insert(own.clone(), folder.clone());
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
    fn on_demand(&self, hosts: &[String], mounted: &Mounted) -> Vec<String> {
        let wildcards: Vec<&String> = hosts.iter().filter(|host| is_wildcard(host)).collect();
        if wildcards.is_empty() {
            return Vec::new();
        }
        let names = [&self.layout.own, &self.layout.issued].into_iter().flat_map(|folder| stems(folder));
        let covered = names
            .filter_map(|stem| host_of(&stem))
            .chain(mounted.names().cloned())
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

    /// Tries to write a certificate before one is asked for: one that is issued and lost counts against the
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

    /// When new names below wildcards were ordered, as it was saved. A file that cannot be read is an error and stays:
    /// the next one that is saved replaces it.
    pub fn new_names(&self) -> Result<Vec<SystemTime>, StoreError> {
        let path = &self.layout.new_names;
        let failed = |source| StoreError { act: "cannot read", path: path.clone(), source };
        let Some(bytes) = read(path, NEW_NAMES_BYTES_MAX).map_err(failed)? else { return Ok(Vec::new()) };
        let seconds: Vec<u64> = serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?;
        let time = |seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        // What is no time is a time to come: it counts.
        Ok(seconds.into_iter().map(|seconds| time(seconds).unwrap_or_else(SystemTime::now)).collect())
    }

    /// Writes down when new names below wildcards were ordered.
    pub fn save_new_names(&self, times: &[SystemTime]) -> Result<(), StoreError> {
        let seconds = |time: &SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let text: Vec<String> = times.iter().map(|time| seconds(time).to_string()).collect();
        write_whole(&self.layout.new_names, format!("[{}]\n", text.join(",")).as_bytes())
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

/// File names in a folder that end in `.pem`, without that ending.
fn stems(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(CERTIFICATES_MAX);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| name.strip_suffix(".pem").map(str::to_owned)).collect()
}

/// Stamps that show cheaply that files of a folder have changed: name, inode, size and time of each, in order.
pub(super) fn stamps(folder: &Path) -> Vec<(String, u64, u64, i64, i64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(CERTIFICATES_MAX * 2);
    let mut stamps: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let ending = Path::new(&name).extension()?.to_str()?;
            if matches!(ending, "pem" | "key" | "crt") { stamp(&entry.path(), name) } else { None }
        })
        .collect();
    for pair in mounted::folders(folder) {
        for file in [MOUNTED_CHAIN, MOUNTED_KEY] {
            let path = pair.join(file);
            stamps.extend(stamp(&path, path.display().to_string()));
        }
    }
    stamps.sort();
    stamps
}

/// The stamp of one file, through links: Secrets are mounted behind them.
fn stamp(path: &Path, name: String) -> Option<(String, u64, u64, i64, i64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((name, metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests;
