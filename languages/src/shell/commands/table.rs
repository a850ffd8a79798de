//! Names of commands, sorted for the search.

pub(super) const RUNNERS: &[&str] = &[
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
pub(super) const VERSIONED: &[&str] = &[
    "bash", "clang", "g++", "gcc", "java", "lua", "node", "openssl", "perl", "php", "pip", "pypy", "python",
    "ruby", "tclsh",
];

#[rustfmt::skip]
pub(super) const WRAPPERS: &[&str] = &[
    "builtin", "busybox", "chroot", "command", "doas", "env", "eval", "exec", "ionice", "nice", "nohup",
    "setarch", "setsid", "stdbuf", "strace", "sudo", "taskset", "time", "timeout", "unshare", "xargs",
];

#[rustfmt::skip]
pub(super) const INTERPRETERS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "lua", "node", "perl", "php", "python", "rbash",
    "ruby", "sh", "tclsh", "tcsh", "zsh",
];

#[rustfmt::skip]
pub(super) const FILTERS: &[&str] = &[
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
pub(super) const NETWORK: &[&str] = &[
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

/// Programs of routine work on machines and projects, whose lines people copy into manuals, tickets and scripts. None of
/// them opens a connection or runs what an argument says.
#[rustfmt::skip]
pub(super) const ROUTINE: &[&str] = &[
    "alembic", "ansible-playbook", "apk", "apt", "apt-cache", "apt-get", "aptitude", "awk", "brew",
    "bundle", "cargo", "cat", "cd", "chmod", "chown", "cmake", "cmp", "column", "comm", "composer", "conda",
    "cp", "cut", "date", "df", "diff", "dir", "dnf", "docker", "docker-compose", "dpkg", "du", "echo",
    "egrep", "exit", "export", "fdisk", "ffmpeg", "fgrep", "file", "find", "flatpak", "free", "gcc", "gem",
    "git", "go", "gradle", "grep", "gunzip", "gzip", "head", "helm", "htop", "install", "iptables", "java",
    "javac", "journalctl", "jq", "jupyter", "kill", "kubectl", "less", "ll", "ln", "ls", "lsblk", "lscpu",
    "lsmod", "lsof", "lspci", "lsusb", "make", "man", "md5sum", "mkdir", "more", "mount", "mv", "mvn",
    "nano", "nginx", "npm", "npx", "openssl", "pacman", "pgrep", "php-fpm", "pip", "pip3", "pipenv", "pnpm",
    "podman", "poetry", "printf", "pwd", "rails", "rake", "read", "rmdir", "rpm", "rspec", "rustup",
    "screen", "sed", "seq", "service", "set", "sha256sum", "snap", "sort", "source", "ssh-keygen",
    "strings", "sudo", "svn", "sysctl", "systemctl", "tail", "tar", "tee", "terraform", "test", "tmux",
    "top", "touch", "tr", "traceroute", "trap", "umount", "uniq", "unset", "unzip", "uptime", "useradd",
    "usermod", "vi", "vim", "virtualenv", "watch", "wc", "whereis", "which", "xargs", "yarn", "yum", "zip",
    "zypper",
];

#[rustfmt::skip]
pub(super) const NUMBERED: &[&str] = &["kill", "seq", "shutdown", "sleep", "timeout", "usleep"];

#[rustfmt::skip]
pub(super) const OPERATIONS: &[(&str, &[&str])] = &[
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
pub(super) const EXCLUSIVE: &[&str] = &[
    "7z", "7za", "7zr", "aa-complain", "aa-disable", "aa-enforce", "aa-exec", "add-apt-repository",
    "addgroup", "addr2line", "adduser", "ansible-config", "ansible-console", "ansible-doc",
    "ansible-galaxy", "ansible-inventory", "ansible-playbook", "ansible-pull", "ansible-vault", "apt-cache",
    "apt-config", "aptitude", "aria2c", "arj", "arp", "arping", "ascii-xfr", "ash", "atrm", "base32",
    "base58", "base64", "basenc", "basez", "bconsole", "borg", "bpftrace", "bpytop", "bunzip2", "busctl",
    "busybox", "byebug", "bzcat", "bzegrep", "bzgrep", "bzless", "c89", "c99", "cargo-run", "certbot",
    "chattr", "check_by_ssh", "checkinstall", "chef-apply", "chef-client", "chef-run", "chef-shell",
    "chef-solo", "chef-vault", "chfn", "chgrp", "chmod", "choom", "chown", "chpasswd", "chroot", "chsh",
    "clisp", "cobc", "coproc", "cowthink", "cpulimit", "crontab", "cscli", "csplit", "csvtool",
    "cupsfilter", "debugfs", "deluser", "distcc", "dmesg", "dmidecode", "dmsetup", "dnsmap", "dosbox",
    "dpkg", "dstat", "dvips", "easyrsa", "ebtables", "efax", "egrep", "elvish", "enscript", "etcd",
    "etcdctl", "exiftool", "facter", "fakeroot", "faketime", "fgrep", "fping", "gawk", "gcc", "gcloud",
    "gdb", "gdbserver", "genisoimage", "getcap", "getent", "getfacl", "getopts", "gimptool", "ginsh",
    "git-shell", "gpasswd", "groupadd", "groupdel", "groupmod", "gsutil", "gtester", "gunzip", "gzexe",
    "gzip", "hexdump", "hping", "hping3", "htdigest", "htop", "htpasswd", "iconv", "ifconfig", "ifdown",
    "iftop", "ifup", "initctl", "insmod", "ionice", "iotop", "ip6tables", "iptables", "iptables-save",
    "ispell", "iwconfig", "jjs", "jobs-l", "journalctl", "jrunscript", "killall", "kmod", "ksshell",
    "kubectl", "lastb", "lastlog", "lastlogin", "ldapsearch", "ldconfig", "ldd", "lighttpd", "loginctl",
    "logsave", "losetup", "lsattr", "lsblk", "lscpu", "lsmod", "lsof", "lspci", "lsusb", "ltrace", "lua5",
    "luajit", "lwp-download", "lwp-request", "lzcat", "lzcmp", "lzegrep", "lzgrep", "lzless", "lzma",
    "lzop", "mawk", "md5sum", "mdadm", "minicom", "mkdir", "mkfifo", "mkfs", "mkisofs", "mknod", "mkpasswd",
    "mkswap", "modprobe", "mosquitto_pub", "msgattrib", "msgcat", "msgconv", "msgfilter", "msgmerge",
    "msguniq", "mtr", "multitime", "mysqladmin", "mysqldump", "mysqldumpslow", "nasm", "ncat", "netcat",
    "netstat", "nft", "nftables", "nmap", "nmcli", "nohup", "nologin", "nping", "nroff", "nsenter",
    "nslookup", "ntpdate", "ntpq", "objdump", "openrc", "openvpn", "openvt", "pandoc", "pdflatex", "pdftex",
    "perlbug", "pexec", "pgrep", "php-cgi", "pidof", "pidstat", "pkcon", "pkexec", "pkg_info", "pkginfo",
    "pkill", "printenv", "psad", "psed", "psftp", "pvesh", "pwck", "pypy", "pypy3", "python2", "python3",
    "qemu-img", "qpdf", "rbash", "readelf", "realpath", "redcarpet", "resolvectl", "rlogin", "rlwrap",
    "rmdir", "rmmod", "rmt", "rmt-dump", "rmt-tar", "rpmdb", "rpmquery", "rpmverify", "rsh", "rsync",
    "rsyslogd", "run-mailcap", "run-parts", "runscript", "rview", "rvim", "scanmem", "scp", "setarch",
    "setcap", "setfacl", "setlock", "setsid", "sftp", "sha1sum", "sha224sum", "sha256sum", "sha384sum",
    "sha512sum", "skopeo", "slsh", "smbclient", "smbmap", "socat", "softlimit", "sqlite3", "sqlmap",
    "ssh-agent", "ssh-copy-id", "ssh-keyscan", "sshd", "sshpass", "sshuttle", "start-stop-daemon", "stdbuf",
    "strace", "stty", "su-exec", "sudoedit", "sysctl", "sysdig", "systemctl", "systemd-resolve",
    "systemd-run", "sysvinit", "taskset", "tasksh", "tclsh", "tcpdump", "tcpping", "tcpreplay",
    "tcptraceroute", "tcsh", "tdbtool", "terraform", "tftp", "tmux", "torify", "tracepath", "traceroute",
    "traceroute6", "troff", "tshark", "tune2fs", "ulimit", "umount", "uname", "unexpand", "unlink",
    "unlzma", "unset", "unshare", "unxz", "unzip", "unzstd", "update-alternatives", "updatedb", "urlget",
    "useradd", "userdel", "usermod", "uudecode", "uuencode", "varnishncsa", "vigr", "vimdiff", "vipw",
    "virsh", "visudo", "vmstat", "vncviewer", "w3m", "wget", "whiptail", "whoami", "whois", "wireshark",
    "wpa_cli", "wpscan", "xargs", "xdg-open", "xelatex", "xetex", "xmodmap", "xxd", "xzcat", "xzcmp",
    "xzdiff", "xzegrep", "xzfgrep", "xzgrep", "xzless", "xzmore", "yash", "ypcat", "zathura", "zcat",
    "zcmp", "zdiff", "zdump", "zegrep", "zfgrep", "zgrep", "zipcloak", "zipgrep", "zipinfo", "zipnote",
    "zipsplit", "zless", "zmore", "zsh", "zstd", "zstdcat", "zstdgrep", "zstdless", "zstdmt", "zypper",
];

/// Names of programs that people also write about.
#[rustfmt::skip]
pub(super) const SOLID: &[&str] = &[
    "ansible", "apk", "apt", "apt-get", "awk", "bash", "bzip2", "cmake", "cpan", "cpio", "csh", "docker",
    "docker-compose", "fdisk", "ffmpeg", "flock", "ftp", "gpg", "grep", "ifne", "irb", "javac", "jshell",
    "ksh", "ldap", "lua", "lynx", "mailx", "mysql", "nano", "nawk", "nginx", "npm", "npx", "openssl",
    "pdksh", "perf", "perl", "php", "php-fpm", "pico", "ping6", "pip3", "printf", "psql", "python",
    "readonly", "rpm", "ruby", "sed", "ssh", "ssh-keygen", "systemd", "telnet", "tput", "uniq", "vim",
    "xdotool", "xpad", "xz", "yum",
];

/// Short or ambiguous names: abbreviations, verbs, parts of lists.
#[rustfmt::skip]
pub(super) const TERSE: &[&str] = &[
    "ab", "ag", "ar", "as", "bc", "cc", "cd", "cmp", "comm", "cp", "dc", "dd", "df", "dig", "dir", "dnf",
    "du", "ed", "env", "eqn", "ex", "fc", "fmt", "gcore", "git", "hostname", "id", "ip", "jq", "ld", "ll",
    "ln", "lp", "ls", "mt", "mv", "nc", "nl", "nm", "node", "od", "passwd", "pdb", "pg", "ping", "pip",
    "pr", "ps", "ptx", "pwd", "rc", "rm", "sh", "ss", "su", "sudo", "sysinfo", "tac", "tar", "tr", "uptime",
    "vi", "wc",
];

/// Common words that are also commands.
#[rustfmt::skip]
pub(super) const WORDS: &[&str] = &[
    "alias", "arch", "at", "batch", "bind", "bridge", "builtin", "bundle", "byobu", "capsh", "cat",
    "chef", "column", "command", "complete", "compose", "composer", "crash", "cups", "curl", "cut",
    "dash", "date", "declare", "dialog", "diff", "disown", "ditto", "echo", "emacs", "enable", "eval",
    "exec", "expand", "expect", "export", "expr", "false", "fetch", "file", "find", "finger", "fish",
    "fold", "gem", "go", "groups", "halt", "hash", "head", "help", "history", "host", "hostid", "info",
    "install", "java", "jobs", "joe", "join", "julia", "kill", "last", "latex", "less", "link", "local",
    "locate", "logger", "login", "look", "mail", "make", "man", "mesg", "more", "mosh", "mount",
    "neofetch", "nice", "octave", "paste", "patch", "pick", "pry", "puppet", "push", "rake", "read",
    "reboot", "reset", "rev", "run", "screen", "script", "select", "seq", "service", "set", "shift",
    "shuf", "shutdown", "sleep", "socket", "sort", "source", "split", "start", "stat", "stop",
    "strings", "svn", "sync", "tail", "tee", "test", "time", "timedatectl", "timeout", "top", "touch",
    "trap", "true", "truncate", "tune", "type", "umask", "unalias", "until", "update", "users", "view",
    "volatility", "w", "wait", "wall", "watch", "whereis", "which", "while", "who", "wine", "wish",
    "write", "xmore", "xpath", "yelp", "yes", "zip",
];

/// Programs of Windows whose names mean nothing else.
#[rustfmt::skip]
pub(super) const WINDOWS_EXCLUSIVE: &[&str] = &[
    "addinutil", "agentexecutor", "appcert", "appinstaller", "appvlp", "arp", "aspnet_compiler", "atbroker",
    "attrib", "auditpol", "autochk", "autoconv", "autofmt", "bcdboot", "bcdedit", "bdehdcfg", "bginfo",
    "bitsadmin", "bootcfg", "cacls", "cdb", "certreq", "certutil", "chkdsk", "chkntfs", "cleanmgr",
    "cmdkey", "cmdl32", "cmstp", "configsecuritypolicy", "conhost", "coregen", "createdump", "csc",
    "cscript", "dcdiag", "dcgpofix", "dcpromo", "defrag", "devinit", "devtoolslauncher", "dfsrmig", "dfsvc",
    "diantz", "diskcomp", "diskcopy", "diskpart", "diskperf", "diskraid", "diskshadow", "dism", "dispdiag",
    "dnscmd", "dnx", "doskey", "dotnet-trace", "dsquery", "dump64", "dxcap", "esentutl", "eventcreate",
    "evntcmd", "extexport", "extrac32", "findstr", "flattemp", "fltmc", "forfiles", "freedisk", "fsi",
    "fsianycpu", "fsutil", "fveupdate", "fxssvc", "gfxdownloadwrapper", "gpfixup", "gpresult", "gpscript",
    "gpupdate", "graftabl", "icacls", "ie4uinit", "iediagcmd", "ieexec", "ilasm", "infdefaultinstall",
    "installutil", "ipconfig", "ipxroute", "irftp", "klist", "ksetup", "ktmutil", "ktpass", "ldifde",
    "lodctr", "logman", "logoff", "lpq", "lpr", "makecab", "manage-bde", "mapadmin", "mavinject", "mbsacli",
    "mftrace", "mmc", "mofcomp", "mountvol", "mpcmdrun", "msbuild", "msconfig", "msdeploy", "msdt",
    "msedgewebview2", "mshta", "mshtml", "msiexec", "msinfo32", "msohtmed", "mspub", "mstsc", "msxsl",
    "nbtstat", "netcfg", "netdom", "netsh", "netstat", "nfsadmin", "nfsshare", "nfsstat", "nltest",
    "nslookup", "ntbackup", "ntcmdprompt", "ntdsutil", "ntfrsutl", "ntsd", "odbcconf",
    "offlinescannershell", "onedrivestandaloneupdater", "openconsole", "openfiles", "pagefileconfig",
    "pathping", "pcalua", "pcwrun", "pcwutl", "pentnt", "perfmon", "pkgmgr", "pktmon", "pnputil",
    "powershell", "powershell_ise", "presentationhost", "printbrm", "procdump", "protocolhandler",
    "provlaunch", "psexec", "pubprn", "pushd", "pushprinterconnections", "pwlauncher", "pwsh", "qappsrv",
    "qprocess", "quser", "qwinsta", "rasautou", "rasdial", "rcp", "rcsi", "rdpclip", "rdpsign",
    "rdrleakdiag", "reagentc", "regasm", "regedit", "regini", "regsvcs", "regsvr", "regsvr32", "rekeywiz",
    "relog", "remcomsvc", "repadmin", "repair-bde", "rexec", "risetup", "robocopy", "rpcinfo", "rpcping",
    "rsm", "rundll32", "runexehelper", "runonce", "runscripthelper", "rwinsta", "schtask", "schtasks",
    "scrcons", "scriptrunner", "scwcmd", "secedit", "serverceipoptin", "servermanagercmd", "serverweroptin",
    "setres", "setspn", "settingsynchost", "setx", "sfc", "showmount", "sigverif", "sqldumper", "sqlps",
    "sqltoolsps", "stordiag", "sxstrace", "syncappvpublishingserver", "sysinfo", "sysocmgr", "sysprep",
    "syssetup", "systeminfo", "takeown", "tapicfg", "taskkill", "tasklist", "tcmsetup",
    "testwindowremoteagent", "tlntadmn", "tpmtool", "tpmvscmgr", "tracerpt", "tracert", "tscon", "tsdiscon",
    "tsecimp", "tskill", "tsprof", "ttdinject", "tttracer", "typeperf", "tzutil", "unlodctr", "unregmp2",
    "vbc", "vdsldr", "verclsid", "visualuiaverifynative", "vsiisexelauncher", "vsjitdebugger", "vssadmin",
    "w32tm", "waitfor", "wbadmin", "wdsmcast", "wdsutil", "wecutil", "werfault", "wevtutil", "whoami",
    "winget", "winnt32", "winpop", "winrm", "winrs", "winsat", "winword", "wlrmdr", "wmiadap", "wmic",
    "wscript", "wsreset", "wuauclt", "xcopy", "xpack", "xwizard", "zipfldr",
];

/// Short or ambiguous names.
#[rustfmt::skip]
pub(super) const WINDOWS_TERSE: &[&str] = &[
    "assoc", "call", "cd", "chcp", "cls", "cmd", "del", "dir", "driverquery", "erase", "ftype", "gci",
    "gcm", "gdr", "getmac", "gjb", "goto", "gsn", "gsv", "gwmi", "hh", "hostname", "jsc", "md", "mklink",
    "net", "nlsfunc", "nltest", "pause", "ping", "popd", "rd", "reg", "rem", "ren", "rmdir", "sajb", "saps",
    "sasv", "sc", "schtask", "spps", "spsv", "tree", "ver", "vol", "wab", "wfc", "wsl",
];

/// Common words.
#[rustfmt::skip]
pub(super) const WINDOWS_WORDS: &[&str] = &[
    "at", "bash", "bind", "certoc", "color", "comp", "compact", "control", "convert", "copy", "date",
    "debug", "desktopimgdownldr", "echo", "exit", "expand", "explorer", "find", "format", "help", "label",
    "mode", "more", "move", "notepad", "print", "prompt", "query", "recover", "rename", "replace", "route",
    "runas", "set", "shift", "shutdown", "sort", "start", "subst", "time", "title", "type", "where",
];
