"""git over HTTP: clone, push, fetch and a large push through `git http-backend`."""

import os
import subprocess

import calls
import harness

BACKEND = """
import http.server, os, subprocess, sys, urllib.parse
class Backend(http.server.BaseHTTPRequestHandler):
    def run(self):
        url = urllib.parse.urlsplit(self.path)
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size); self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        environment = {**os.environ, "GIT_PROJECT_ROOT": sys.argv[2], "GIT_HTTP_EXPORT_ALL": "1", "REQUEST_METHOD": self.command, "PATH_INFO": url.path,
            "QUERY_STRING": url.query, "CONTENT_TYPE": self.headers.get("Content-Type", ""), "REMOTE_USER": "ann", "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_LENGTH": str(len(body)), "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        head, _, answer = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=environment).stdout.partition(b"\\r\\n\\r\\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in {**fields, "Content-Length": str(len(answer))}.items():
            self.send_header(name, value)
        self.end_headers(); self.wfile.write(answer)
    do_GET = do_POST = run
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Backend).serve_forever()
"""


def start(place):
    repository = place.folder / "repositories" / "garden.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", repository], check=True)
    subprocess.run(["git", "-C", repository, "config", "http.receivepack", "true"], check=True)
    port = harness.port()
    place.start(["python3", "-c", BACKEND, port, repository.parent], "backend")
    harness.answers(f"http://127.0.0.1:{port}/garden.git/HEAD")
    return port


def drive(run):
    work = run.place.folder / "work"
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(run.place.folder),
                   "GIT_AUTHOR_NAME": "Ann O'Neil", "GIT_AUTHOR_EMAIL": "ann@example.org", "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org"}

    def git(*words, folder=work):
        done = subprocess.run(["git", "-C", folder, *words], env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr.strip()[-160:]

    with run.step("clone an empty repository, push a branch"):
        git("clone", "-q", f"{run.url}/garden.git", str(work), folder=run.place.folder)
        (work / "README.md").write_text("# Garden\nIt's ours; select & drop in -- 1 = 1\n")
        (work / "query.sql").write_text("SELECT name FROM users WHERE id = '1' OR '1'='1' UNION SELECT 1 --\n")
        (work / "run.sh").write_text("#!/bin/sh\ncat /etc/passwd | sh\n<script>alert(1)</script>\n")
        git("add", ".")
        git("commit", "-q", "-m", "It's the first: select & union -- drop table")
        git("push", "-q", "origin", "HEAD:main")
    with run.step("clone, fetch with many commits, shallow clone, tags"):
        for number in range(30):
            (work / "log.txt").write_text(f"{number}\n")
            git("commit", "-q", "-a", "--allow-empty", "-m", f"Change {number}")
        git("tag", "v1.0")
        git("push", "-q", "--tags", "origin", "HEAD:main", "HEAD:refs/heads/feature/o'brien-select")
        for name, options in (("second", []), ("shallow", ["--depth", "1"]), ("old", ["-c", "protocol.version=0"])):
            git("clone", "-q", *options, f"{run.url}/garden.git", str(run.place.folder / name), folder=run.place.folder)
        git("fetch", "-q", "--all", folder=run.place.folder / "second")
        git("ls-remote", "-q", "origin")
    with run.step("push 6 MB, which git sends in chunks"):
        (work / "picture.bin").write_bytes(os.urandom(6_000_000))
        git("add", ".")
        git("commit", "-q", "-m", "A picture")
        git("push", "-q", "origin", "HEAD:main")
        git("pull", "-q", folder=run.place.folder / "second")
    with run.step("read files and branches by the pages of a forge"):
        for address in ("/garden.git/info/refs?service=git-upload-pack", "/garden.git/HEAD", "/ann/garden/src/branch/main/README.md", "/ann/garden/compare/main...feature/o'brien-select",
                        "/ann/garden/search?q=select+from&type=code", "/api/v1/repos/ann/garden/contents/README.md?ref=main", "/ann/garden/raw/branch/main/lib/utils.js"):
            calls.call(run, "GET", address)
    with run.step("scripts and hidden files by the pages of a forge", special=True):
        for address in ("/ann/garden/src/branch/main/run.sh", "/ann/garden/src/branch/main/query.sql", "/ann/garden/raw/branch/main/.gitignore", "/ann/garden/src/branch/main/.github/workflows/ci.yml",
                        "/ann/garden/raw/branch/main/index.php", "/ann/garden/src/branch/main/.env.example", "/ann/garden/raw/branch/main/old.bak"):
            calls.call(run, "GET", address)


if __name__ == "__main__":
    harness.debian("git")
    version = subprocess.run(["git", "--version"], capture_output=True, text=True).stdout.split()[-1]
    harness.measure("git-http", "git over HTTP and the pages of a forge (Gitea)", "Debian package `git`", version, start, drive, use=["gitea"], client=f"git {version}")
