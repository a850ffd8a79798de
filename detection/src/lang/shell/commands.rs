//! Names of commands, sorted into how much a name alone says. It knows nothing of arguments or of where a name stands.

/// How much a name says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    /// An everyday word: `cat`, `time`, `who`.
    Word,
    /// An abbreviation or a verb that also stands in lists and prose: `id`, `ls`, `ping`.
    Terse,
    /// A program's name that people also write about: `perl`, `docker`.
    Solid,
    /// Means the program and nothing else: `whoami`, `netstat`.
    Exclusive,
}

/// What a Unix system would run for `name` (lower case, without its directory).
pub(super) fn unix(name: &[u8]) -> Option<Name> {
    listed(name).or_else(|| {
        // `python3.10`, `gcc-12`, `php8`: a version makes it a program's name whatever the word.
        let stem =
            name.iter().rposition(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'-')).map(|at| at + 1)?;
        let (stem, version) = name.split_at_checked(stem)?;
        (!version.is_empty() && contains(VERSIONED, stem)).then_some(Name::Exclusive)
    })
}

fn listed(name: &[u8]) -> Option<Name> {
    if contains(EXCLUSIVE, name) {
        Some(Name::Exclusive)
    } else if contains(TERSE, name) {
        Some(Name::Terse)
    } else if contains(SOLID, name) {
        Some(Name::Solid)
    } else if contains(WORDS, name) {
        Some(Name::Word)
    } else {
        None
    }
}

/// What `cmd.exe` would run for `name`, with or without `.exe`.
pub(super) fn windows(name: &[u8]) -> Option<Name> {
    let stem = [b".exe".as_slice(), b".com", b".bat", b".cmd"].iter().find_map(|end| name.strip_suffix(*end));
    let name = stem.unwrap_or(name);
    if contains(WINDOWS_EXCLUSIVE, name) {
        Some(Name::Exclusive)
    } else if contains(WINDOWS_TERSE, name) {
        Some(if stem.is_some() { Name::Exclusive } else { Name::Terse })
    } else if contains(WINDOWS_WORDS, name) {
        Some(if stem.is_some() { Name::Exclusive } else { Name::Word })
    } else {
        None
    }
}

/// Whether `name` runs what its arguments say: the next word that is no option is a command of its own.
pub(super) fn is_wrapper(name: &[u8]) -> bool {
    contains(WRAPPERS, name)
}

/// Whether `name` is a shell or an interpreter: piping into it runs what comes through.
pub(super) fn is_interpreter(name: &[u8]) -> bool {
    contains(INTERPRETERS, name)
        || unix(name) == Some(Name::Exclusive) && {
            let stem =
                name.iter().position(u8::is_ascii_digit).and_then(|at| name.get(..at)).unwrap_or_default();
            contains(INTERPRETERS, stem)
        }
}

/// Whether `name` only filters what is piped into it.
pub(super) fn is_filter(name: &[u8]) -> bool {
    contains(FILTERS, name)
}

/// Whether `name` talks to the host that its argument names.
pub(super) fn is_network(name: &[u8]) -> bool {
    contains(NETWORK, name)
}

/// Whether `name` wants a number.
pub(super) fn wants_number(name: &[u8]) -> bool {
    contains(NUMBERED, name)
}

/// Whether `word` is an operation of `name`: `net user`, `reg add`.
pub(super) fn is_operation(name: &[u8], word: &[u8]) -> bool {
    let name = name.strip_suffix(b".exe").unwrap_or(name);
    OPERATIONS.iter().any(|(program, operations)| program.as_bytes() == name && contains(operations, word))
}

/// Functions of programming languages whose argument is a command line.
pub(super) fn runs_commands(name: &[u8]) -> bool {
    let base =
        name.iter().rposition(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').map_or(0, |at| at + 1);
    name.get(base..).is_some_and(|base| contains(RUNNERS, base))
}

/// Whether the sorted `table` has `name`.
pub(super) fn contains(table: &[&str], name: &[u8]) -> bool {
    table.binary_search_by(|entry| entry.as_bytes().cmp(name)).is_ok()
}

#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "exec",
    "execsync",
    "execve",
    "passthru",
    "pcntl_exec",
    "popen",
    "proc_open",
    "shell_exec",
    "spawn",
    "spawnsync",
    "system",
    "wscript.shell",
];

#[rustfmt::skip]
const VERSIONED: &[&str] = &[
    "bash", "clang", "g++", "gcc", "java", "lua", "node", "openssl", "perl", "php", "pip", "pypy", "python",
    "ruby", "tclsh",
];

#[rustfmt::skip]
const WRAPPERS: &[&str] = &[
    "builtin", "busybox", "chroot", "command", "doas", "env", "eval", "exec", "ionice", "nice", "nohup",
    "setarch", "setsid", "stdbuf", "strace", "sudo", "taskset", "time", "timeout", "unshare", "xargs",
];

#[rustfmt::skip]
const INTERPRETERS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "lua", "node", "perl", "php", "python", "rbash",
    "ruby", "sh", "tclsh", "tcsh", "zsh",
];

#[rustfmt::skip]
const FILTERS: &[&str] = &[
    "awk",
    "base64",
    "cat",
    "column",
    "cut",
    "egrep",
    "fgrep",
    "fmt",
    "fold",
    "gawk",
    "grep",
    "gzip",
    "head",
    "jq",
    "less",
    "md5sum",
    "more",
    "nl",
    "rev",
    "sed",
    "sha256sum",
    "sort",
    "strings",
    "tac",
    "tail",
    "tee",
    "tr",
    "uniq",
    "wc",
    "xargs",
    "xxd",
];

#[rustfmt::skip]
const NETWORK: &[&str] = &[
    "arping",
    "curl",
    "dig",
    "fetch",
    "fping",
    "ftp",
    "host",
    "lwp-download",
    "lwp-request",
    "lynx",
    "mtr",
    "nc",
    "ncat",
    "netcat",
    "nmap",
    "nslookup",
    "ping",
    "ping6",
    "rsync",
    "scp",
    "sftp",
    "socat",
    "ssh",
    "telnet",
    "tftp",
    "traceroute",
    "tracert",
    "w3m",
    "wget",
    "whois",
];

#[rustfmt::skip]
const NUMBERED: &[&str] = &["kill", "seq", "shutdown", "sleep", "timeout", "usleep"];

#[rustfmt::skip]
const OPERATIONS: &[(&str, &[&str])] = &[
    ("cmd", &["/c", "/k", "/q", "/r"]),
    (
        "net",
        &[
            "accounts", "computer", "config", "group", "localgroup", "session", "share", "start", "stop", "use", "user",
            "users", "view",
        ],
    ),
    ("netsh", &["advfirewall", "firewall", "interface", "wlan"]),
    ("reg", &["add", "copy", "delete", "export", "query", "save"]),
    ("sc", &["config", "create", "delete", "query", "start", "stop"]),
    ("wmic", &["computersystem", "os", "process", "qfe", "service", "useraccount"]),
];

/// Names that mean a program and nothing else.
#[rustfmt::skip]
const EXCLUSIVE: &[&str] = &[
    "aa-complain", "aa-disable", "aa-enforce", "aa-exec", "add-apt-repository", "addgroup", "addr2line",
    "adduser", "ansible-config", "ansible-console", "ansible-doc", "ansible-galaxy", "ansible-inventory",
    "ansible-playbook", "ansible-pull", "ansible-vault", "apt-cache", "apt-config", "aptitude", "arp",
    "arping", "atrm", "base32", "base58", "base64", "basenc", "basez", "bpftrace", "bunzip2", "busctl",
    "busybox", "byebug", "bzcat", "bzegrep", "bzgrep", "bzless", "c89", "c99", "certbot", "chattr",
    "check_by_ssh", "checkinstall", "chef-apply", "chef-client", "chef-run", "chef-shell", "chef-solo",
    "chef-vault", "chfn", "chgrp", "chmod", "choom", "chown", "chpasswd", "chroot", "chsh", "cobc",
    "coproc", "cowthink", "cpulimit", "crontab", "cscli", "csplit", "csvtool", "cupsfilter", "debugfs",
    "deluser", "dmesg", "dmidecode", "dmsetup", "dnsmap", "dosbox", "dpkg", "dvips", "easyrsa", "ebtables",
    "efax", "egrep", "facter", "fgrep", "fping", "gawk", "gcc", "gdb", "gdbserver", "genisoimage", "getcap",
    "getent", "getfacl", "getopts", "gimptool", "git-shell", "gpasswd", "groupadd", "groupdel", "groupmod",
    "gtester", "gunzip", "gzexe", "gzip", "hexdump", "hping3", "htdigest", "htop", "htpasswd", "iconv",
    "ifconfig", "ifdown", "iftop", "ifup", "initctl", "insmod", "ionice", "iotop", "ip6tables", "iptables",
    "iptables-save", "ispell", "jjs", "journalctl", "jrunscript", "killall", "kubectl", "lastb", "lastlog",
    "lastlogin", "ldapsearch", "ldconfig", "ldd", "lighttpd", "loginctl", "logsave", "lsattr", "lsblk",
    "lscpu", "lsmod", "lsof", "lspci", "lsusb", "ltrace", "lua5", "luajit", "lwp-download", "lwp-request",
    "lzcat", "lzcmp", "lzegrep", "lzgrep", "lzless", "lzma", "mawk", "md5sum", "mkdir", "mkfifo", "mkfs",
    "mknod", "mkpasswd", "mkswap", "modprobe", "msgattrib", "msgcat", "msgconv", "msgfilter", "msgmerge",
    "msguniq", "mtr", "mysqladmin", "mysqldump", "mysqldumpslow", "nasm", "ncat", "netcat", "netstat",
    "nft", "nmap", "nmcli", "nohup", "nologin", "nping", "nroff", "nsenter", "nslookup", "ntpdate",
    "objdump", "openvpn", "openvt", "pdflatex", "pdftex", "perlbug", "pexec", "pgrep", "php-cgi", "pidof",
    "pkexec", "pkg_info", "pkginfo", "pkill", "printenv", "psad", "psed", "psftp", "pwck", "pypy", "pypy3",
    "python2", "python3", "qpdf", "rbash", "readelf", "realpath", "redcarpet", "rlogin", "rlwrap", "rmdir",
    "rmmod", "rmt", "rmt-dump", "rmt-tar", "rpmdb", "rpmquery", "rpmverify", "rsh", "rsync", "rsyslogd",
    "run-mailcap", "run-parts", "runscript", "rview", "rvim", "scp", "setarch", "setcap", "setfacl",
    "setsid", "sftp", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "slsh", "smbclient",
    "smbmap", "socat", "sqlite3", "sqlmap", "ssh-agent", "ssh-keyscan", "sshd", "sshpass",
    "start-stop-daemon", "stdbuf", "strace", "stty", "su-exec", "sudoedit", "sysctl", "sysdig", "systemctl",
    "systemd-resolve", "systemd-run", "taskset", "tasksh", "tclsh", "tcpdump", "tcpping", "tcptraceroute",
    "tcsh", "tftp", "tmux", "tracepath", "traceroute", "traceroute6", "tshark", "ulimit", "umount", "uname",
    "unexpand", "unlink", "unlzma", "unset", "unshare", "unxz", "unzip", "unzstd", "update-alternatives",
    "updatedb", "useradd", "userdel", "usermod", "uudecode", "uuencode", "vigr", "vimdiff", "vipw", "virsh",
    "visudo", "vmstat", "vncviewer", "w3m", "wget", "whiptail", "whoami", "whois", "wireshark", "wpa_cli",
    "xargs", "xelatex", "xetex", "xmodmap", "xxd", "xzcat", "xzcmp", "xzdiff", "xzegrep", "xzfgrep",
    "xzgrep", "xzless", "xzmore", "ypcat", "zcat", "zcmp", "zdiff", "zegrep", "zfgrep", "zgrep", "zipcloak",
    "zipinfo", "zipnote", "zless", "zmore", "zsh", "zstd", "zstdcat", "zstdgrep", "zstdless", "zstdmt",
    "zypper",
];

/// Names of programs that people also write about.
#[rustfmt::skip]
const SOLID: &[&str] = &[
    "ansible", "apk", "apt", "apt-get", "awk", "bash", "bzip2", "cmake", "cpan", "cpio", "csh", "docker",
    "docker-compose", "fdisk", "ffmpeg", "flock", "ftp", "gpg", "grep", "ifne", "irb", "javac", "jshell",
    "ksh", "ldap", "lua", "lynx", "mailx", "mysql", "nano", "nawk", "nginx", "npm", "npx", "openssl",
    "pdksh", "perf", "perl", "php", "php-fpm", "pico", "ping6", "pip3", "printf", "psql", "python",
    "readonly", "rpm", "ruby", "sed", "ssh", "ssh-keygen", "systemd", "telnet", "tput", "uniq", "vim",
    "xdotool", "xpad", "xz", "yum",
];

/// Short or ambiguous names: abbreviations, verbs, parts of lists.
#[rustfmt::skip]
const TERSE: &[&str] = &[
    "ab", "ag", "ar", "as", "bc", "cc", "cd", "cmp", "comm", "cp", "dc", "dd", "df", "dig", "dir", "dnf",
    "du", "ed", "env", "eqn", "ex", "fc", "fmt", "gcore", "git", "hostname", "id", "ip", "jq", "ld", "ll",
    "ln", "lp", "ls", "mt", "mv", "nc", "nl", "nm", "node", "od", "passwd", "pdb", "pg", "ping", "pip",
    "pr", "ps", "ptx", "pwd", "rc", "rm", "sh", "ss", "su", "sudo", "sysinfo", "tac", "tar", "tr", "uptime",
    "vi", "wc",
];

/// Everyday words that are also commands.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "alias", "arch", "at", "batch", "bind", "bridge", "bundle", "byobu", "capsh", "cat", "chef", "column",
    "complete", "compose", "composer", "crash", "cups", "curl", "cut", "dash", "date", "declare", "dialog",
    "diff", "disown", "ditto", "echo", "emacs", "enable", "eval", "exec", "expand", "expect", "export",
    "expr", "false", "fetch", "file", "find", "finger", "fish", "fold", "gem", "go", "groups", "halt",
    "hash", "head", "help", "history", "host", "hostid", "info", "install", "java", "jobs", "joe", "join",
    "julia", "kill", "last", "latex", "less", "link", "local", "locate", "logger", "login", "look", "mail",
    "make", "man", "mesg", "more", "mosh", "mount", "neofetch", "nice", "octave", "paste", "patch", "pick",
    "pry", "puppet", "push", "rake", "read", "reboot", "reset", "rev", "run", "screen", "script", "select",
    "seq", "service", "set", "shift", "shuf", "shutdown", "sleep", "socket", "sort", "source", "split",
    "start", "stat", "stop", "strings", "svn", "sync", "tail", "tee", "test", "time", "timedatectl",
    "timeout", "top", "touch", "trap", "true", "truncate", "tune", "type", "umask", "unalias", "update",
    "users", "view", "volatility", "wait", "wall", "watch", "whereis", "which", "while", "who", "wine",
    "wish", "write", "xmore", "xpath", "yelp", "yes", "zip",
];

/// Programs of Windows whose names mean nothing else.
#[rustfmt::skip]
const WINDOWS_EXCLUSIVE: &[&str] = &[
    "arp", "attrib", "auditpol", "bcdboot", "bcdedit", "bginfo", "bitsadmin", "cacls", "certreq",
    "certutil", "chkdsk", "cmdkey", "cmstp", "csc", "cscript", "diantz", "diskpart", "dism", "dsquery",
    "esentutl", "eventcreate", "extrac32", "findstr", "forfiles", "fsutil", "gpresult", "gpupdate",
    "icacls", "ieexec", "infdefaultinstall", "installutil", "ipconfig", "ldifde", "makecab", "mavinject",
    "mmc", "mofcomp", "msbuild", "msconfig", "mshta", "msiexec", "mstsc", "nbtstat", "netdom", "netsh",
    "netstat", "nltest", "nslookup", "ntdsutil", "odbcconf", "pathping", "pcalua", "pktmon", "pnputil",
    "powershell", "powershell_ise", "presentationhost", "psexec", "pushd", "pwsh", "qprocess", "quser",
    "qwinsta", "rasdial", "reagentc", "regasm", "regedit", "regini", "regsvcs", "regsvr32", "robocopy",
    "rpcping", "rundll32", "runonce", "runscripthelper", "schtasks", "scrcons", "setx", "sigverif",
    "sysinfo", "syssetup", "systeminfo", "takeown", "taskkill", "tasklist", "tracert", "typeperf",
    "unlodctr", "vssadmin", "w32tm", "wevtutil", "whoami", "winrm", "winrs", "wmic", "wscript", "wsreset",
    "wuauclt", "xcopy", "xwizard",
];

/// Short or ambiguous names.
#[rustfmt::skip]
const WINDOWS_TERSE: &[&str] = &[
    "assoc", "call", "cd", "cls", "cmd", "del", "dir", "driverquery", "erase", "ftype", "getmac", "goto",
    "hostname", "md", "mklink", "net", "nltest", "pause", "ping", "popd", "rd", "reg", "rem", "ren",
    "rmdir", "sc", "schtask", "tree", "ver", "vol",
];

/// Everyday words.
#[rustfmt::skip]
const WINDOWS_WORDS: &[&str] = &[
    "at", "bash", "bind", "certoc", "color", "comp", "compact", "control", "convert", "copy", "date",
    "debug", "desktopimgdownldr", "echo", "exit", "expand", "explorer", "find", "format", "help", "label",
    "mode", "more", "move", "notepad", "print", "prompt", "query", "recover", "rename", "replace", "route",
    "runas", "set", "shift", "shutdown", "sort", "start", "subst", "time", "title", "type", "where",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_lower_case() {
        let operations = OPERATIONS.iter().map(|(_, table)| *table);
        let tables = [
            EXCLUSIVE,
            SOLID,
            TERSE,
            WORDS,
            WINDOWS_EXCLUSIVE,
            WINDOWS_TERSE,
            WINDOWS_WORDS,
            RUNNERS,
            VERSIONED,
            WRAPPERS,
            INTERPRETERS,
            FILTERS,
            NETWORK,
            NUMBERED,
        ];
        for table in tables.into_iter().chain(operations) {
            for pair in table.windows(2) {
                assert!(pair[0] < pair[1], "{pair:?}");
            }
            assert!(table.iter().all(|name| name.to_ascii_lowercase() == *name));
        }
    }

    #[test]
    fn versions_are_part_of_a_name() {
        assert_eq!(unix(b"python3.10"), Some(Name::Exclusive));
        assert_eq!(unix(b"gcc-12"), Some(Name::Exclusive));
        assert_eq!(unix(b"time2"), None);
        assert_eq!(unix(b"3.10"), None);
    }
}
