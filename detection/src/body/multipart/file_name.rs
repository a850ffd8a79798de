//! Programs that would run a file, by its name. It knows names alone; contents are looked at elsewhere.

use waf_shared::catalog::Leaf;

use super::finding::Finding;

/// Extensions that a server runs when it serves the file, sorted.
const SERVED: &[&str] = &[
    "asa", "ascx", "ashx", "asmx", "asp", "aspx", "axd", "cfc", "cfm", "cgi", "cshtml", "fcgi", "jhtml",
    "jsp", "jspf", "jspx", "jsw", "phar", "php", "phps", "pht", "phtm", "phtml", "shtm", "shtml", "stm",
    "vbhtml", "war",
];

/// Extensions that a desktop runs when somebody opens the file, sorted.
const OPENED: &[&str] = &[
    "apk", "appx", "bat", "chm", "cmd", "cpl", "deb", "dll", "dmg", "exe", "gadget", "hta", "inf", "jar",
    "jnlp", "jse", "lnk", "mof", "msc", "msi", "msp", "pif", "ps1", "psm1", "reg", "rpm", "scf", "scr",
    "sct", "sys", "url", "vb", "vbe", "vbs", "wsc", "wsf", "wsh", "xll",
];

/// The same, but too common inside of honest names (domains, versions) to stand anywhere but at their end; sorted.
const OPENED_LAST: &[&str] = &["com", "pl", "run"];

/// Extensions of source text, which servers hand out and desktops open in an editor, sorted.
const SOURCES: &[&str] = &[
    "awk", "bash", "c", "cfg", "conf", "cpp", "cs", "css", "diff", "ejs", "erb", "go", "h", "ini", "java",
    "js", "json", "kt", "log", "lua", "md", "mjs", "patch", "py", "rb", "rs", "rst", "sh", "sql", "swift",
    "tex", "toml", "ts", "tsx", "txt", "yaml", "yml", "zsh",
];

/// Extensions of markup that browsers and converters read, sorted.
const MARKUP: &[&str] = &["dtd", "htm", "html", "mht", "svg", "xht", "xhtml", "xml", "xsd", "xsl", "xslt"];

/// Extensions of what people exchange, which hide another one; sorted.
const DOCUMENTS: &[&str] = &[
    "avi", "bmp", "csv", "doc", "docx", "gif", "heic", "htm", "html", "jpeg", "jpg", "mov", "mp3", "mp4",
    "odt", "pdf", "png", "ppt", "pptx", "rtf", "svg", "tif", "tiff", "txt", "wav", "webp", "xls", "xlsx",
    "xml", "zip",
];

/// Files that configure a server, an application or an account by lying there, sorted.
const CONFIGURATION: &[&str] = &[
    ".bash_profile",
    ".bashrc",
    ".env",
    ".gitconfig",
    ".htaccess",
    ".htgroup",
    ".htpasswd",
    ".my.cnf",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".profile",
    ".pypirc",
    ".user.ini",
    ".zshrc",
    "applicationhost.config",
    "authorized_keys",
    "config.inc.php",
    "config.yaml",
    "config.yml",
    "crontab",
    "database.yaml",
    "database.yml",
    "httpd.conf",
    "local_settings.py",
    "nginx.conf",
    "php.ini",
    "secrets.yaml",
    "secrets.yml",
    "settings.py",
    "sshd_config",
    "web.config",
    "web.xml",
    "wp-config.php",
];

/// Bytes of a name that are looked at: no file system takes longer ones.
const NAME_BYTES_MAX: usize = 1024;

/// Judges one reading of a file name.
pub(super) fn judge(name: &[u8], double_extension: bool, report: &mut impl FnMut(Finding)) {
    let name = plain(name);
    if CONFIGURATION.binary_search(&name.as_str()).is_ok() {
        report((Leaf::FileUploadLimitsExecutable, "a file would configure the server"));
        return;
    }
    let mut parts: Vec<&str> = name.split(['.', ';']).map(str::trim).collect();
    // A dotfile's first part is empty; a name without a dot has no extension.
    if parts.len() < 2 {
        return;
    }
    let last = parts.pop().unwrap_or_default();
    let runs = is_served(last) || is_in(OPENED, last);
    let runs_last = runs || is_in(OPENED_LAST, last);
    if runs_last {
        report((Leaf::FileUploadLimitsExecutable, "a file's name ends in an executable type"));
    }
    let inner = parts.get(1..).unwrap_or_default();
    let hidden = inner.iter().any(|part| is_served(part) || is_in(OPENED, part));
    let hides =
        (runs_last || matches!(last, "bash" | "sh")) && inner.iter().any(|part| is_in(DOCUMENTS, part));
    if double_extension && (hidden || hides) {
        report((Leaf::FileUploadLimitsDoubleExtension, "a file's name hides an executable type"));
    }
}

/// Returns `true` if there is a name, and every name is one of source text without an extension in it that a server runs.
pub(super) fn are_sources<'a>(names: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut names = names.peekable();
    names.peek().is_some()
        && names.all(|name| {
            let name = plain(name);
            let mut parts: Vec<&str> = name.split(['.', ';']).map(str::trim).collect();
            parts.pop().is_some_and(|last| is_in(SOURCES, last)) && !parts.into_iter().skip(1).any(is_served)
        })
}

/// Returns `true` for the name of a file of markup.
pub(super) fn is_markup(name: &[u8]) -> bool {
    plain(name).rsplit_once('.').is_some_and(|(_, extension)| is_in(MARKUP, extension))
}

/// The name as a file system takes it: the last step of a path, in lower case, decoded once, cut where Windows and C cut
/// it, without what Windows drops at its end.
fn plain(name: &[u8]) -> String {
    let name = name.get(..NAME_BYTES_MAX).unwrap_or(name);
    let decoded = percent(name);
    let step = decoded.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    let cut = step.split(|byte| matches!(byte, 0 | b':' | b'\r' | b'\n')).next().unwrap_or_default();
    let text = String::from_utf8_lossy(cut).to_lowercase();
    text.trim().trim_end_matches(['.', ' ', '"', '\'']).to_owned()
}

fn percent(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let coded = (byte == b'%').then_some(after).and_then(|after| {
            let (digits, left) = after.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
            Some((u8::from_str_radix(digits, 16).ok()?, left))
        });
        match coded {
            Some((decoded, left)) => {
                out.push(decoded);
                rest = left;
            }
            None => out.push(byte),
        }
    }
    out
}

fn is_in(table: &[&str], extension: &str) -> bool {
    table.binary_search(&extension).is_ok()
}

/// Also with a version behind it (`php7`, `phtml5`), as servers are configured.
fn is_served(extension: &str) -> bool {
    is_in(SERVED, extension)
        || is_in(SERVED, extension.trim_end_matches(|digit: char| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(name: &str) -> Vec<Leaf> {
        let mut found = Vec::new();
        judge(name.as_bytes(), true, &mut |(leaf, _)| found.push(leaf));
        found
    }

    #[test]
    fn tables_are_sorted_for_the_search() {
        for table in [SERVED, OPENED, OPENED_LAST, DOCUMENTS, CONFIGURATION] {
            assert!(table.is_sorted(), "{table:?}");
        }
    }

    #[test]
    fn names_of_programs_are_found() {
        const RUNS: Leaf = Leaf::FileUploadLimitsExecutable;
        const HIDES: Leaf = Leaf::FileUploadLimitsDoubleExtension;
        for (name, expected) in [
            ("setup.exe", &[RUNS][..]),
            ("SHELL.PHP", &[RUNS]),
            ("shell.php5", &[RUNS]),
            ("shell.php.", &[RUNS]),
            ("shell.php  ", &[RUNS]),
            ("shell.php::$DATA", &[RUNS]),
            ("shell. php", &[RUNS]),
            ("shell.php%00.jpg", &[RUNS]),
            ("shell.php\0.jpg", &[RUNS]),
            ("..\\..\\inetpub\\shell.aspx", &[RUNS]),
            ("x.php.jpg", &[HIDES]),
            ("shell.asp;.jpg", &[HIDES]),
            ("x.jpg.php", &[RUNS, HIDES]),
            ("invoice.pdf.exe", &[RUNS, HIDES]),
            (".htaccess", &[RUNS]),
            ("sub/web.config", &[RUNS]),
            ("config.yml", &[RUNS]),
            ("../.ssh/authorized_keys", &[RUNS]),
            (".user.ini", &[RUNS]),
        ] {
            assert_eq!(leaves(name), expected, "{name}");
        }
    }

    #[test]
    fn benign_names_pass() {
        for name in [
            "photo.jpg",
            "archive.tar.gz",
            "jquery.min.js",
            "Screenshot 2024-06-10 at 10.00.00.png",
            "O'Brien résumé.pdf",
            "Rechnung www.example.com.pdf",
            "report.v2.final.docx",
            "php",
            "README",
            ".gitignore",
            "",
            "...",
            "cart.phpunit.xml",
            "Makefile.am",
            "exe.txt",
        ] {
            assert_eq!(leaves(name), [], "{name}");
        }
    }
}
