//! Open challenges in files that replicas share, so that whichever of them an authority reaches can answer. The replica
//! that orders writes and removes them, the others read. It knows files and challenges, nothing of workers.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use waf_shared::control::{AlpnChallenge, HttpChallenge, Secret};
use waf_shared::limits::{ACME_ORDER_SECONDS, CHALLENGE_BYTES_MAX, CHALLENGES_MAX};

use crate::disk::StoreError;
use crate::disk::files::{read, write_whole};

/// Between two looks of a replica that does not order.
pub(super) const LOOK: Duration = Duration::from_secs(1);

/// Time for the others to find a challenge and to pass it on to their workers: a look, and as much again for a machine
/// that is busy and a volume that is slow.
pub(super) const SPREAD: Duration = Duration::from_secs(3);

/// For how long one is answered that nobody takes away: no order takes longer. It is counted from the moment at which
/// this replica saw it, since clocks of machines differ.
const ANSWERED: Duration = Duration::from_secs(ACME_ORDER_SECONDS);

/// Bytes of a file: keys and certificates stand there in base64.
const FILE_BYTES_MAX: usize = 2 * CHALLENGE_BYTES_MAX;

/// Ends a file's name.
const ENDING: &str = ".json";

/// An open challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Posted {
    Http(HttpChallenge),
    Alpn(AlpnChallenge),
}

/// The same as it is written down.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Written {
    Http01 { token: String, key_authorization: String },
    TlsAlpn01 { host: String, certificate: String, key: String },
}

impl Posted {
    /// Of what there is one at a time.
    fn file_name(&self) -> String {
        let (kind, of) = match self {
            Posted::Http(challenge) => ("http", &challenge.token),
            Posted::Alpn(challenge) => ("alpn", &challenge.host),
        };
        // Tokens come from the authority: their digest leads nowhere else.
        let digest = Sha256::digest(of.as_bytes());
        let digest = digest.iter().take(16).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        format!("{kind}-{digest}{ENDING}")
    }

    fn write(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&match self {
            Posted::Http(HttpChallenge { token, key_authorization }) => {
                Written::Http01 { token: token.clone(), key_authorization: key_authorization.clone() }
            }
            Posted::Alpn(AlpnChallenge { host, certificate_der, key_der }) => Written::TlsAlpn01 {
                host: host.clone(),
                certificate: STANDARD.encode(certificate_der),
                key: STANDARD.encode(&key_der.0),
            },
        })
    }

    /// `None` for what this version does not write.
    fn read(text: &[u8]) -> Option<Posted> {
        match serde_json::from_slice(text).ok()? {
            Written::Http01 { token, key_authorization } => {
                Some(Posted::Http(HttpChallenge { token, key_authorization }))
            }
            Written::TlsAlpn01 { host, certificate, key } => Some(Posted::Alpn(AlpnChallenge {
                host,
                certificate_der: STANDARD.decode(certificate).ok()?,
                key_der: Secret(STANDARD.decode(key).ok()?),
            })),
        }
    }
}

/// Writes one down, for its owner alone; gives the file.
pub(super) fn put(folder: &Path, posted: &Posted) -> Result<PathBuf, StoreError> {
    let path = folder.join(posted.file_name());
    let failed = |source| StoreError { act: "cannot write", path: path.clone(), source };
    let text = posted.write().map_err(|error| failed(error.into()))?;
    if text.len() > FILE_BYTES_MAX {
        return Err(failed(io::ErrorKind::FileTooLarge.into()));
    }
    write_whole(&path, &text)?;
    Ok(path)
}

/// Removes what an earlier one left: who is elected begins with none.
pub(super) fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(2 * CHALLENGES_MAX) {
        let _ = fs::remove_file(entry.path());
    }
}

/// Every one that can be read, by file name; at most [`CHALLENGES_MAX`]. What cannot be read is passed over: it may be
/// on its way out.
fn all(folder: &Path) -> BTreeMap<String, Posted> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let names = names.filter(|name| name.ends_with(ENDING)).take(CHALLENGES_MAX);
    let one = |name: String| {
        let text = read(&folder.join(&name), FILE_BYTES_MAX).ok().flatten()?;
        Posted::read(&text).map(|posted| (name, posted))
    };
    names.filter_map(one).collect()
}

/// Challenges that a replica that does not order has seen.
#[derive(Debug, Default)]
pub(super) struct Following {
    since: BTreeMap<String, Instant>,
}

impl Following {
    /// Challenges to answer now.
    pub(super) fn look(&mut self, folder: &Path, now: Instant) -> Vec<Posted> {
        let found = all(folder);
        self.since.retain(|name, _| found.contains_key(name));
        found
            .into_iter()
            .filter_map(|(name, posted)| {
                let since = *self.since.entry(name).or_insert(now);
                (now.saturating_duration_since(since) < ANSWERED).then_some(posted)
            })
            .collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn http(token: &str) -> Posted {
        Posted::Http(HttpChallenge { token: token.into(), key_authorization: format!("{token}.key") })
    }

    fn alpn(host: &str, key_bytes: usize) -> Posted {
        let key_der = Secret(vec![7; key_bytes]);
        Posted::Alpn(AlpnChallenge { host: host.into(), certificate_der: vec![0, 255], key_der })
    }

    #[test]
    fn what_one_replica_writes_another_reads() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("challenges");
        let mut following = Following::default();
        let now = Instant::now();
        assert!(following.look(&folder, now).is_empty(), "there is no folder yet");
        let token = "../../../etc/passwd";
        let first = put(&folder, &http(token)).unwrap();
        put(&folder, &alpn("a.example", 3)).unwrap();
        // Posted again it replaces the one before.
        put(&folder, &alpn("a.example", 4)).unwrap();
        assert_eq!(first.parent(), Some(folder.as_path()));
        assert_eq!(fs::metadata(&first).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(following.look(&folder, now), [alpn("a.example", 4), http(token)]);
        fs::remove_file(first).unwrap();
        assert_eq!(following.look(&folder, now), [alpn("a.example", 4)]);
        clear(&folder);
        assert!(following.look(&folder, now).is_empty());
    }

    #[test]
    fn what_nobody_takes_away_ends_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let mut following = Following::default();
        let now = Instant::now();
        put(folder.path(), &http("t")).unwrap();
        assert_eq!(following.look(folder.path(), now).len(), 1);
        assert_eq!(following.look(folder.path(), now + ANSWERED / 2).len(), 1);
        assert!(following.look(folder.path(), now + ANSWERED).is_empty());
        // One that is put there again later is another one.
        clear(folder.path());
        following.look(folder.path(), now + ANSWERED);
        put(folder.path(), &http("t")).unwrap();
        assert_eq!(following.look(folder.path(), now + ANSWERED).len(), 1);
    }

    #[test]
    fn neither_strange_files_nor_many_of_them_do_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("a.json"), "no challenge").unwrap();
        fs::write(path.join("b.json"), r#"{"kind":"tls-alpn01","host":"h","certificate":"*","key":""}"#)
            .unwrap();
        fs::write(path.join("c.json"), vec![b' '; FILE_BYTES_MAX + 1]).unwrap();
        fs::write(path.join("d.json.new"), http("t").write().unwrap()).unwrap();
        fs::create_dir(path.join("e.json")).unwrap();
        assert!(Following::default().look(path, Instant::now()).is_empty());
        for number in 0..CHALLENGES_MAX + 5 {
            let text = http(&number.to_string()).write().unwrap();
            fs::write(path.join(format!("{number}.json")), text).unwrap();
        }
        assert!(Following::default().look(path, Instant::now()).len() <= CHALLENGES_MAX);
        assert!(put(path, &alpn("a.example", FILE_BYTES_MAX)).is_err());
    }
}
