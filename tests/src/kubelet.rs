//! A ConfigMap volume as the kubelet lays it out and changes it: every version is a folder of its own, `..data` is a link
//! to it by its bare name, what programs open are links through `..data`, and a change is one rename of that link. The
//! folder of the version before goes away afterwards.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use time::OffsetDateTime;
use time::macros::format_description;

/// Puts `text` into the volume at `folder` as `name`, in the steps and the order of the kubelet.
pub fn write(folder: &Path, name: &str, text: &str) {
    write_all(folder, &[(name, text)]);
}

/// The same for all files of a volume, such as those of a Secret.
pub fn write_all(folder: &Path, files: &[(&str, &str)]) {
    let data = folder.join("..data");
    let before = fs::read_link(&data).ok();

    let version = version();
    let payload = folder.join(&version);
    fs::create_dir(&payload).expect("a folder in the volume");
    fs::set_permissions(&payload, fs::Permissions::from_mode(0o755)).expect("it is ours");
    for (name, text) in files {
        fs::write(payload.join(name), text).expect("a file in the volume");
        fs::set_permissions(payload.join(name), fs::Permissions::from_mode(0o644)).expect("it is ours");
    }

    let next = folder.join("..data_tmp");
    symlink(&version, &next).expect("a link in the volume");
    fs::rename(&next, &data).expect("a link can be renamed");

    for (name, _) in files {
        let visible = folder.join(name);
        if visible.symlink_metadata().is_err() {
            symlink(Path::new("..data").join(name), visible).expect("a link in the volume");
        }
    }
    if let Some(before) = before {
        fs::remove_dir_all(folder.join(before)).expect("nobody needs the version before");
    }
}

/// `..2026_11_22_09_30_00.1234567890`: the time, and a number that is not used again.
fn version() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1_000_000_000);
    let format = format_description!("..[year]_[month]_[day]_[hour]_[minute]_[second]");
    let time = OffsetDateTime::from(SystemTime::now()).format(&format).expect("every part is there");
    format!("{time}.{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
