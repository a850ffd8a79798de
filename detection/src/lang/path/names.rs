//! Names that give away what a path is after. Tables, and how they are matched: without regard to case.

use super::{Origin, Resolved};

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// Nothing known.
    Ordinary,
    /// A file of the operating system or of a server's configuration and logs.
    System,
    /// One of the files that are read first to prove a hole.
    Proof,
}

/// Last names of paths that are a proof wherever they stand.
const PROOFS: &[&[&str]] = &[
    &["etc", "passwd"],
    &["etc", "shadow"],
    &["etc", "gshadow"],
    &["etc", "master.passwd"],
    &["etc", "sudoers"],
    &["etc", "security", "passwd"],
    &["self", "environ"],
    &["self", "cmdline"],
    &["self", "maps"],
    &["self", "status"],
    &["boot.ini"],
    &["win.ini"],
    &["windows", "system.ini"],
    &["system32", "config", "sam"],
    &["repair", "sam"],
    &["system32", "cmd.exe"],
    &["system32", "drivers", "etc", "hosts"],
];

/// First names of absolute paths into the system; `*` is any name, and something must follow a name that ends in `/`.
const SYSTEM: &[&[&str]] = &[
    &["etc", "*"],
    &["proc", "*"],
    &["sys", "class"],
    &["sys", "kernel"],
    &["sys", "devices"],
    &["sys", "firmware"],
    &["sys", "fs"],
    &["sys", "block"],
    &["dev", "tcp"],
    &["dev", "udp"],
    &["dev", "mem"],
    &["dev", "kmem"],
    &["dev", "fd"],
    &["dev", "shm"],
    &["dev", "random"],
    &["dev", "urandom"],
    &["dev", "zero"],
    &["dev", "stdin"],
    &["boot", "grub"],
    &["var", "log"],
    &["var", "www"],
    &["var", "spool"],
    &["var", "mail"],
    &["var", "adm"],
    &["var", "backups"],
    &["var", "db"],
    &["var", "cron"],
    &["var", "apache"],
    &["var", "apache2"],
    &["var", "htdocs"],
    &["var", "lib", "mysql"],
    &["var", "lib", "php"],
    &["var", "lib", "php5"],
    &["var", "lib", "pgsql"],
    &["var", "lib", "postgresql"],
    &["var", "lib", "mlocate"],
    &["var", "local", "www"],
    &["var", "run", "secrets"],
    &["run", "secrets"],
    &["usr", "local", "etc"],
    &["usr", "local", "apache"],
    &["usr", "local", "apache2"],
    &["usr", "local", "apps"],
    &["usr", "local", "cpanel"],
    &["usr", "local", "zend"],
    &["usr", "etc"],
    &["usr", "pkg", "etc"],
    &["usr", "pkgsrc"],
    &["usr", "ports"],
    &["usr", "lib", "security"],
    &["usr", "lib", "cron"],
    &["usr", "adm"],
    &["usr", "spool"],
    &["private", "etc"],
    &["private", "var"],
    &["opt", "lampp"],
    &["opt", "xampp"],
    &["opt", "apache"],
    &["opt", "apache2"],
    &["opt", "httpd"],
    &["library", "webserver"],
    &["system volume information"],
    &["windows", "system32"],
    &["windows", "win.ini"],
    &["windows", "repair"],
    &["windows", "panther"],
    &["windows", "debug"],
    &["windows", "php.ini"],
    &["windows", "my.ini"],
    &["windows", "explorer.exe"],
    &["windows", "notepad.exe"],
    &["windows", "iis.log"],
    &["windows", "windowsupdate.log"],
    &["winnt"],
    &["inetpub"],
    &["xampp"],
    &["wamp"],
    &["wamp64"],
    &["appserv"],
    &["pagefile.sys"],
    &["hiberfil.sys"],
    &["autoexec.bat"],
];

/// Last names of server files: telling once a path is absolute or leads out.
const SERVER_FILES: &[&str] = &[
    "passwd",
    "shadow",
    "master.passwd",
    "httpd.conf",
    "httpd2.conf",
    "apache.conf",
    "apache2.conf",
    "nginx.conf",
    "lighttpd.conf",
    "php.ini",
    "php-fpm.conf",
    "my.cnf",
    "my.ini",
    "mysql.err",
    "access.log",
    "access_log",
    "error.log",
    "error_log",
    "system.ini",
    "web.config",
    "machine.config",
    "sysprep.inf",
    "sysprep.xml",
    "unattend.xml",
    "unattended.xml",
    "unattend.txt",
    "ntuser.dat",
    "ntuser.ini",
    "tomcat-users.xml",
    "web.xml",
    "proftpd.conf",
    "pureftpd.passwd",
    "vsftpd.conf",
    "sshd_config",
    "pg_hba.conf",
    "postgresql.conf",
    "redis.conf",
    "squid.conf",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "authorized_keys",
    "known_hosts",
    "wp-config.php",
    "config.inc.php",
    "localsettings.php",
    "applicationhost.config",
];

/// Hidden files and directories that hold secrets or a project's history.
const SECRET: &[&str] = &[
    ".addressbook",
    ".aptitude",
    ".aws",
    ".azure",
    ".bash_history",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".boto",
    ".bzr",
    ".cargo",
    ".circleci",
    ".composer",
    ".config",
    ".cshrc",
    ".cvsignore",
    ".dbeaver",
    ".dbus",
    ".docker",
    ".dockercfg",
    ".dockerenv",
    ".dockerignore",
    ".drush",
    ".ds_store",
    ".editorconfig",
    ".env",
    ".eslintrc",
    ".fetchmailrc",
    ".forward",
    ".ftpconfig",
    ".gcloud",
    ".gem",
    ".git",
    ".git-credentials",
    ".gitattributes",
    ".gitconfig",
    ".gitignore",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".gnupg",
    ".google_authenticator",
    ".hg",
    ".hgignore",
    ".history",
    ".htaccess",
    ".htdigest",
    ".htgroup",
    ".htpasswd",
    ".idea",
    ".java",
    ".kshrc",
    ".kube",
    ".ksh_history",
    ".lesshst",
    ".lftp",
    ".lighttpdpassword",
    ".local",
    ".login",
    ".m2",
    ".mailcap",
    ".mc",
    ".my.cnf",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".nsconfig",
    ".pam_environment",
    ".passwd",
    ".perf",
    ".pgpass",
    ".php_history",
    ".pinerc",
    ".pki",
    ".profile",
    ".proftpdpasswd",
    ".psql_history",
    ".pulse",
    ".pypirc",
    ".python_history",
    ".rediscli_history",
    ".remote-sync.json",
    ".rhosts",
    ".s3cfg",
    ".sh_history",
    ".shosts",
    ".sqlite_history",
    ".ssh",
    ".subversion",
    ".svn",
    ".tconn",
    ".terraform",
    ".tfstate",
    ".tmux.conf",
    ".travis.yml",
    ".vault-token",
    ".vidalia",
    ".viminfo",
    ".vim",
    ".vscode",
    ".wgetrc",
    ".www_acl",
    ".wwwacl",
    ".xauthority",
    ".yarnrc",
    ".zhistory",
    ".zsh_history",
    ".zshenv",
    ".zshrc",
];

/// Of [`SECRET`], those that nobody names in a value by accident: they tell even on a relative path.
const SECRET_ANYWHERE: &[&str] = &[
    ".aws",
    ".bash_history",
    ".env",
    ".git",
    ".git-credentials",
    ".htaccess",
    ".htdigest",
    ".htpasswd",
    ".kube",
    ".mysql_history",
    ".netrc",
    ".pgpass",
    ".psql_history",
    ".rhosts",
    ".ssh",
    ".svn",
    ".zsh_history",
];

/// Of [`SECRET`], those that settings sent as documents mention every day.
const COMMONPLACE: &[&str] = &[
    ".cargo",
    ".circleci",
    ".composer",
    ".config",
    ".dockerignore",
    ".editorconfig",
    ".eslintrc",
    ".gem",
    ".gitattributes",
    ".gitignore",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".hgignore",
    ".idea",
    ".java",
    ".local",
    ".m2",
    ".npmrc",
    ".terraform",
    ".travis.yml",
    ".vim",
    ".vscode",
    ".yarnrc",
];

/// Files of a project that a web server should not hand out.
const PUBLISHED_BY_MISTAKE: &[&str] = &[
    "wp-config.php",
    "wp-config.txt",
    "configuration.php-dist",
    "config.inc.php",
    "localsettings.php",
    "web.config",
    "composer.lock",
    "auth.json",
    "docker-compose.yml",
    "docker-compose.yaml",
    "dockerfile",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "appsettings.json",
    "database.yml",
    "secrets.yml",
    "secrets.yaml",
    "credentials.yml.enc",
    "master.key",
    "terraform.tfstate",
    "terraform.tfvars",
    "sftp-config.json",
    "local_settings.py",
    "npm-debug.log",
    "yarn-error.log",
    "error.log",
    "error_log",
    "debug.log",
    "access.log",
    "access_log",
    "thumbs.db",
    "dump.sql",
    "phpinfo.php.bak",
];

/// Ends of dumps and packed dumps of databases.
const DUMPS: &[&str] = &[
    ".sql",
    ".sql.gz",
    ".sql.zip",
    ".sql.bz2",
    ".sql.xz",
    ".sql.7z",
    ".sql.rar",
    ".sql.tar",
    ".sql.tgz",
    ".sql.tar.gz",
    ".sqlite3",
];

/// Directories and files in which coding assistants and agents keep settings, sessions and keys.
const ASSISTANTS: &[&str] = &[
    ".a0proj",
    ".aider",
    ".aider.conf.yml",
    ".aider.chat.history.md",
    ".aider.input.history",
    ".aiderignore",
    ".aiexclude",
    ".amazonq",
    ".amp",
    ".augment",
    ".augmentignore",
    ".bolt",
    ".claude",
    ".claude.json",
    ".claudeignore",
    ".cline",
    ".clinerules",
    ".clineignore",
    ".codeium",
    ".codeiumignore",
    ".codex",
    ".codexignore",
    ".continue",
    ".continueignore",
    ".continuerules",
    ".copilot",
    ".crush",
    ".cursor",
    ".cursorignore",
    ".cursorindexingignore",
    ".cursorrules",
    ".devin",
    ".fabric",
    ".factory",
    ".gemini",
    ".geminiignore",
    ".goose",
    ".goosehints",
    ".junie",
    ".kilocode",
    ".kilocodeignore",
    ".kiro",
    ".langflow",
    ".lovable",
    ".mcp",
    ".mcp.json",
    ".mcp.yaml",
    ".n8n",
    ".ollama",
    ".openai",
    ".opencode",
    ".openhands",
    ".plandex",
    ".qodo",
    ".qwen",
    ".replit",
    ".roo",
    ".roocode",
    ".rooignore",
    ".roomodes",
    ".rovodev",
    ".sourcegraph",
    ".supermaven",
    ".tabby",
    ".tabnine",
    ".trae",
    ".v0",
    ".warp",
    ".windsurf",
    ".windsurfignore",
    ".windsurfrules",
    ".zed",
    ".zencoder",
];

fn same(name: &[u8], known: &str) -> bool {
    name.eq_ignore_ascii_case(known.as_bytes())
}

fn listed(name: &[u8], table: &[&str]) -> bool {
    table.iter().any(|known| same(name, known))
}

/// What a resolved path of that origin leads to.
pub(crate) fn target(path: &Resolved<'_>, origin: Origin) -> Target {
    let names = path.segments();
    let ends_as = |tail: &&[&str]| {
        names
            .len()
            .checked_sub(tail.len())
            .and_then(|at| names.get(at..))
            .is_some_and(|names| names.iter().zip(tail.iter()).all(|(name, known)| same(name, known)))
    };
    let starts_as = |head: &&[&str]| {
        names.len() >= head.len()
            && names.iter().zip(head.iter()).all(|(name, known)| *known == "*" || same(name, known))
    };
    if PROOFS.iter().any(ends_as) {
        return Target::Proof;
    }
    let placed = origin == Origin::Absolute || path.climbs > 0;
    let server_file = names.last().is_some_and(|name| listed(name, SERVER_FILES));
    let share =
        origin == Origin::Absolute && names.get(1).is_some_and(|name| name.len() > 1 && name.ends_with(b"$"));
    if placed && (server_file || share || SYSTEM.iter().any(starts_as)) {
        Target::System
    } else {
        Target::Ordinary
    }
}

/// How readily a hidden name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// In a request path, where nothing asks for it by accident.
    Requested,
    /// On an absolute path in a document, where tools keep their settings.
    Placed,
    /// On any path.
    Anywhere,
}

/// Whether the path leads to a hidden file that holds secrets.
pub(crate) fn is_secret_dotfile(path: &Resolved<'_>, telling: Telling) -> bool {
    let listed_so = |name: &[u8]| match telling {
        Telling::Requested => listed(name, SECRET),
        Telling::Placed => listed(name, SECRET) && !listed(name, COMMONPLACE),
        Telling::Anywhere => listed(name, SECRET_ANYWHERE),
    };
    path.segments().iter().any(|name| {
        let variant = name.get(..5).is_some_and(|start| same(start, ".env.")) && !is_sample(name);
        name.first() == Some(&b'.') && (listed_so(name) || variant)
    })
}

/// `.env.example` is meant to be read.
fn is_sample(name: &[u8]) -> bool {
    [".env.example", ".env.sample", ".env.dist", ".env.template"].iter().any(|known| same(name, known))
}

/// Whether the path leads to an assistant's files.
pub(crate) fn is_assistant_file(path: &Resolved<'_>) -> bool {
    path.segments().iter().any(|name| name.first() == Some(&b'.') && listed(name, ASSISTANTS))
}

/// Whether a request for that path asks for a file that was published by mistake.
pub(crate) fn is_published_by_mistake(path: &Resolved<'_>) -> bool {
    // Servlet containers never serve these directories.
    let private = |name: &&[u8]| same(name, "web-inf") || same(name, "meta-inf");
    path.segments().first().is_some_and(private)
        || path.segments().last().is_some_and(|name| {
            listed(name, PUBLISHED_BY_MISTAKE)
                || DUMPS.iter().any(|end| {
                    name.len()
                        .checked_sub(end.len())
                        .and_then(|at| name.get(at..))
                        .is_some_and(|tail| same(tail, end))
                })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_lower_case() {
        let flat = SYSTEM.iter().chain(PROOFS).flat_map(|names| names.iter());
        for name in flat.chain(SECRET).chain(SERVER_FILES).chain(ASSISTANTS).chain(PUBLISHED_BY_MISTAKE) {
            assert_eq!(*name, name.to_ascii_lowercase());
        }
        assert!(SECRET_ANYWHERE.iter().chain(COMMONPLACE).all(|name| SECRET.contains(name)));
    }

    #[test]
    fn targets_are_told_apart() {
        for (path, origin, expected) in [
            ("/etc/make.conf", Origin::Absolute, Target::System),
            ("../etc/passwd", Origin::Relative, Target::Proof),
            ("/WINDOWS/Win.ini", Origin::Absolute, Target::Proof),
            ("../apache/logs/access.log", Origin::Relative, Target::System),
            (r"\\host\c$\x", Origin::Absolute, Target::System),
            ("/usr/bin/terraform", Origin::Absolute, Target::Ordinary),
            ("/var/lib/milvus", Origin::Absolute, Target::Ordinary),
            ("/tmp/helm", Origin::Absolute, Target::Ordinary),
            ("logs/access.log", Origin::Relative, Target::Ordinary),
            ("/etc", Origin::Absolute, Target::Ordinary),
        ] {
            assert_eq!(target(&Resolved::of(path.as_bytes()), origin), expected, "{path}");
        }
    }
}
