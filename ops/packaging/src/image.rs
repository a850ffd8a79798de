//! The container image as one archive, in the layout of the OCI image specification 1.1 with the `manifest.json` that
//! `docker load` reads: made without an engine, and the same bytes from the same tree.

use std::io;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::tree::{self, Entry, USER};

/// Name and tag under which engines list the image.
pub const NAME: &str = concat!("waf:", env!("CARGO_PKG_VERSION"));

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Nanoseconds in a second: engines count health checks in them.
const SECOND: u64 = 1_000_000_000;

/// The archive that engines load. `time` is seconds since 1970.
pub fn archive(entries: &[Entry], architecture: &str, time: u64) -> io::Result<Vec<u8>> {
    let layer = tree::archive(entries, time)?;
    let config = config(&digest(&layer), architecture, time).to_string().into_bytes();
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": descriptor(CONFIG, &config),
        "layers": [descriptor(LAYER, &layer)],
    })
    .to_string()
    .into_bytes();
    let mut named = descriptor(MANIFEST, &manifest);
    named["annotations"] =
        json!({ "org.opencontainers.image.ref.name": NAME, "io.containerd.image.name": NAME });
    named["platform"] = json!({ "architecture": architecture, "os": "linux" });
    let index = json!({ "schemaVersion": 2, "manifests": [named] });
    let docker = json!([{
        "Config": blob(&config), "RepoTags": [NAME], "Layers": [blob(&layer)],
    }]);
    let file = |path: String, content: Vec<u8>| Entry { path, content: Some(content), mode: 0o644, owner: 0 };
    let mut entries: Vec<Entry> = ["blobs", "blobs/sha256"]
        .map(|path| Entry { path: path.to_owned(), content: None, mode: 0o755, owner: 0 })
        .into();
    entries.extend([
        file(blob(&config), config),
        file(blob(&layer), layer),
        file(blob(&manifest), manifest),
        file("index.json".to_owned(), index.to_string().into_bytes()),
        file("manifest.json".to_owned(), docker.to_string().into_bytes()),
        file("oci-layout".to_owned(), json!({ "imageLayoutVersion": "1.0.0" }).to_string().into_bytes()),
    ]);
    tree::archive(&entries, time)
}

/// Configuration of the image. The health check asks the configuration's own health port.
fn config(layer: &str, architecture: &str, time: u64) -> Value {
    json!({
        "architecture": architecture,
        "os": "linux",
        "created": rfc3339(time),
        "config": {
            "User": format!("{USER}:{USER}"),
            "Entrypoint": ["/usr/bin/waf"],
            "WorkingDir": "/",
            "StopSignal": "SIGTERM",
            "Volumes": { format!("/{}", tree::DATA): {} },
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/waf", "health"],
                "Interval": 10 * SECOND,
                "Timeout": 5 * SECOND,
                "StartPeriod": 30 * SECOND,
                "Retries": 3,
            },
            "Labels": {
                "org.opencontainers.image.title": "waf",
                "org.opencontainers.image.version": env!("CARGO_PKG_VERSION"),
                "org.opencontainers.image.licenses": env!("CARGO_PKG_LICENSE"),
            },
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{layer}")] },
        "history": [{ "created": rfc3339(time), "created_by": "waf-packaging image" }],
    })
}

fn descriptor(media_type: &str, content: &[u8]) -> Value {
    json!({ "mediaType": media_type, "digest": format!("sha256:{}", digest(content)), "size": content.len() })
}

fn blob(content: &[u8]) -> String {
    format!("blobs/sha256/{}", digest(content))
}

fn digest(content: &[u8]) -> String {
    format!("{:x}", Sha256::digest(content))
}

/// Seconds since 1970 as engines read dates. What lies beyond the calendar is its beginning.
fn rfc3339(time: u64) -> String {
    let date = i64::try_from(time).ok().and_then(|time| OffsetDateTime::from_unix_timestamp(time).ok());
    date.unwrap_or(OffsetDateTime::UNIX_EPOCH).format(&Rfc3339).unwrap_or_default()
}
