//! Which program is started at an upgrade: the one that now lies where this one was started from, with the same
//! arguments. It knows paths, nothing of what is handed over.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// This program, whatever its file holds since.
const RUNNING: &str = "/proc/self/exe";

/// Command line of this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// Absolute, and as it was named: a link on the way is followed anew.
    pub path: PathBuf,
    /// Without the program's own name.
    pub arguments: Vec<OsString>,
}

impl Program {
    /// The program of this process. To be called at the start, while its file is the one that runs.
    pub fn of_this_process(search_path: &[PathBuf]) -> Program {
        let mut arguments = std::env::args_os();
        let name = arguments.next().unwrap_or_default();
        let folder = std::env::current_dir().unwrap_or_default();
        let is_this = |path: &Path| same_file(path, Path::new(RUNNING));
        let path = find(&name, &folder, search_path, is_this)
            .or_else(|| std::env::current_exe().ok())
            .unwrap_or_else(|| PathBuf::from(RUNNING));
        Program { path, arguments: arguments.collect() }
    }
}

/// Target of `name` when it was executed; `None` when that was not this program.
fn find(
    name: &OsStr,
    folder: &Path,
    search_path: &[PathBuf],
    is_this: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let name = Path::new(name);
    let is_plain = name.components().count() == 1 && !name.is_absolute();
    if name.as_os_str().is_empty() {
        None
    } else if is_plain && !name.as_os_str().to_string_lossy().contains('/') {
        search_path.iter().map(|place| folder.join(place).join(name)).find(|path| is_this(path))
    } else {
        Some(folder.join(name)).filter(|path| is_this(path))
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    identity(one).is_some_and(|file| identity(other) == Some(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_leads_to_where_it_led_at_the_start() {
        let path = ["/usr/local/bin".into(), "bin".into()];
        let found = |name: &str, here: &str| {
            find(OsStr::new(name), Path::new("/srv/op"), &path, |path| path == Path::new(here))
        };
        assert_eq!(found("/usr/bin/waf", "/usr/bin/waf"), Some("/usr/bin/waf".into()));
        assert_eq!(found("./waf", "/srv/op/./waf"), Some("/srv/op/./waf".into()));
        assert_eq!(found("target/waf", "/srv/op/target/waf"), Some("/srv/op/target/waf".into()));
        assert_eq!(found("waf", "/usr/local/bin/waf"), Some("/usr/local/bin/waf".into()));
        assert_eq!(found("waf", "/srv/op/bin/waf"), Some("/srv/op/bin/waf".into()));
        assert_eq!(found("waf", "/opt/waf"), None, "the name was made up by whoever started it");
        assert_eq!(found("/usr/bin/waf", "/opt/waf"), None);
        assert_eq!(found("", "/srv/op/"), None);
    }

    #[test]
    fn this_very_test_is_found() {
        let program = Program::of_this_process(&[]);
        assert!(program.path.is_absolute() && same_file(&program.path, Path::new(RUNNING)));
    }
}
