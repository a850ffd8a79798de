"""Installs applications, starts them behind the service and a browser in front of it, and writes the result.

A run is one configuration: the default, and where the application has a preset, the default with that preset. What is
sent in either run is the same.
"""

import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request
import zlib

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
CACHE = pathlib.Path(os.environ.get("WAF_APPLICATIONS", REPOSITORY / "target" / "applications"))
WAF = pathlib.Path(os.environ.get("WAF", REPOSITORY / "target" / "release" / "waf"))
# A run that hangs is ended: installation, start and both configurations.
SECONDS_MAX = int(os.environ.get("WAF_APPLICATIONS_SECONDS", "1500"))
# Bound of one action of the browser. The machine may be busy.
ACTION_MS_MAX = 20_000


def debian(*packages):
    """Installs the packages that are missing."""
    missing = [name for name in packages if not debian_version(name)]
    if missing:
        command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing]
        subprocess.run(command, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def debian_version(package):
    query = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package]
    answer = subprocess.run(query, capture_output=True, text=True).stdout.split()
    return answer[1] if answer[:1] == ["installed"] else None


def pypi(folder, *packages):
    """A virtual environment with the packages. Returns the folder of its programs."""
    programs = CACHE / folder / "bin"
    ready = CACHE / folder / ("ready-" + "-".join(packages).replace("/", "_"))
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", CACHE / folder], check=True)
        subprocess.run([programs / "pip", "install", "-q", "--disable-pip-version-check", *packages], check=True)
        ready.touch()
    return programs


def pypi_version(programs, package):
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([programs / "python", "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def npm(folder, *packages):
    """A folder with the packages in `node_modules`."""
    place = CACHE / folder
    if not (place / "ready").exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").write_text("{}")
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--omit=dev", *packages], check=True, cwd=place)
        (place / "ready").touch()
    return place


def npm_version(place, package):
    return json.loads((place / "node_modules" / package / "package.json").read_text())["version"]


def port():
    """A free port below the range of outgoing connections."""
    for candidate in range(20000 + os.getpid() % 5000, 32768):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", candidate))
            except OSError:
                continue
        if candidate not in PORTS_GIVEN:
            PORTS_GIVEN.add(candidate)
            return candidate
    raise RuntimeError("no port is free")


PORTS_GIVEN = set()


def answers(url, seconds=120, only_success=False):
    """Waits until something answers there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=10):
                return
        except urllib.error.HTTPError:
            if not only_success:
                return
        except OSError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"nothing answers at {url}")


class Place:
    """A temporary folder and the processes of one run. Both are gone at its end."""

    def __init__(self, stack):
        self.stack = stack
        self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="application-")))
        self.folder.chmod(0o755)

    def start(self, command, name, **options):
        log = open(self.folder / f"{name}.log", "wb")
        process = subprocess.Popen(
            [str(word) for word in command], stdout=options.pop("stdout", log), stderr=log,
            stdin=subprocess.DEVNULL, start_new_session=True, **options)
        self.stack.callback(stop, process)
        return process

    def mariadb(self):
        """A database server of this run: port, user and password. The user may create databases."""
        folder, number = self.folder / "mariadb", port()
        user = ["--user=root"] if os.getuid() == 0 else []
        init = ["mariadb-install-db", f"--datadir={folder}", "--auth-root-authentication-method=normal",
                "--skip-test-db", *user]
        subprocess.run(init, check=True, capture_output=True)
        socket_path = self.folder / "mariadb.sock"
        self.start(["mariadbd", "--no-defaults", f"--datadir={folder}", f"--socket={socket_path}",
                    "--bind-address=127.0.0.1", f"--port={number}", "--skip-log-bin", *user], "mariadb")
        grant = "CREATE USER app@'%' IDENTIFIED BY 'app-password'; GRANT ALL ON *.* TO app@'%' WITH GRANT OPTION"
        command = ["mariadb", f"--socket={socket_path}", "-u", "root", "-e", grant]
        wait(lambda: subprocess.run(command, capture_output=True).returncode == 0)
        return number, "app", "app-password"

    def php(self, root, router=None, prelude=None):
        """PHP's own server on that folder. Returns its port."""
        number = port()
        settings = ["-d", "upload_max_filesize=32M", "-d", "post_max_size=32M", "-d", "display_errors=0"]
        settings += ["-d", f"auto_prepend_file={prelude}"] if prelude else []
        self.start(["php", *settings, "-S", f"127.0.0.1:{number}", "-t", root, *([router] if router else [])],
                   "php", env={**os.environ, "PHP_CLI_SERVER_WORKERS": "6"}, cwd=root)
        answers(f"http://127.0.0.1:{number}/")
        return number


def wait(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("it does not become ready")
        time.sleep(0.2)


def stop(process):
    """Ends the process and what it started."""
    for number, seconds in ((signal.SIGTERM, 10), (signal.SIGKILL, 10)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class Run:
    """One configuration in front of one application."""

    def __init__(self, place, upstream, use, settings):
        self.place, self.use, self.steps, self.pages = place, use, [], 0
        self.port = port()
        self.url = f"http://localhost:{self.port}"
        health = port()
        lines = [f"  - upstream: http://127.0.0.1:{upstream}"]
        lines += [f"    use: [{', '.join(use)}]"] if use else []
        lines += [f"    {line}" for line in settings]
        config = place.folder / "waf.yaml"
        config.write_text("\n".join(["version: v1alpha1", f"port: {self.port}", f"health_port: {health}",
                                     "routes:", *lines, ""]))
        self.events_file, self.access_file = place.folder / "events.jsonl", place.folder / "access.jsonl"
        place.start([WAF, "--config", config, "--access-log", self.access_file, "--drain", "2"], "waf",
                    stdout=open(self.events_file, "wb"))
        answers(f"http://127.0.0.1:{health}/readyz", only_success=True)

    @contextlib.contextmanager
    def step(self, name, special=False):
        """Something that a user does. `special`: what is sent would be an attack in any other place."""
        step = {"name": name, "special": special, "begin": time.time(), "fault": ""}
        self.steps.append(step)
        try:
            yield
        except Exception as fault:  # a refused request shows as a missing element: the next step goes on
            self.note((str(fault).splitlines() or [type(fault).__name__])[0])
            traceback.print_exc()
        print(f"{time.strftime('%H:%M:%S')} {self.use} {name}: {step['fault'] or 'done'}", flush=True)

    def note(self, fault):
        """A fault after which the step goes on."""
        self.steps[-1]["fault"] = self.steps[-1]["fault"] or fault[:200]

    def read(self, file):
        return [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")]

    def result(self):
        time.sleep(2)  # lines of the access log are written behind the answers
        shutil.copy(self.events_file, CACHE / (pathlib.Path(sys.argv[0]).stem + "-events.jsonl"))
        requests = [(moment(line["time"]), line) for line in self.read(self.access_file)]
        events = [(event["time"] / 1000, refusal(event)) for event in self.read(self.events_file)]
        # Bytes that are not HTTP, such as a TLS handshake on the plain port, are no request of a user.
        refused = [(at, found) for at, found in events if found["method"] != "UNKNOWN"]
        steps = []
        for step, after in zip(self.steps, [*self.steps[1:], {"begin": float("inf")}]):
            begin, end = step["begin"], after["begin"]
            found = [refusal for at, refusal in refused if begin <= at + 0.001 < end]
            kinds = []
            for kind in found:
                if kind not in kinds:
                    kinds.append(kind)
            steps.append({
                "name": step["name"], "special": step["special"], "fault": step["fault"],
                "requests": sum(1 for at, _ in requests if begin <= at + 0.001 < end),
                "refused": [{**kind, "times": found.count(kind)} for kind in kinds],
            })
        failed = [f"{line['status']} {line['method']} {line.get('path')}" for _, line in requests
                  if line["status"] >= 500]
        print("answers of 5xx:", sorted(set(failed)))
        return {"use": self.use, "pages": self.pages, "requests": len(requests),
                "refused": len(refused), "not_http": len(events) - len(refused), "steps": steps}


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def refusal(event):
    first = (event["waf"].get("matches") or [{}])[0]
    place = ":".join(part for part in (first.get("place"), first.get("name")) if part)
    url = event["http_request"]["url"]
    return {"method": event["http_request"]["http_method"],
            "path": re.sub(r"\d{5,}|[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)home(?=/)", "…", url["path"]),
            "place": place, "rule": first.get("rule") or event["waf"]["matched_protections"][0],
            "status": event["http_response"]["code"]}


@contextlib.contextmanager
def browser(run):
    """A page of a browser that counts what it loads."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"])
        context = chromium.new_context(base_url=run.url, viewport={"width": 1400, "height": 1000})
        context.set_default_timeout(ACTION_MS_MAX)
        # Nothing outside of the application is asked: avatars, fonts, news.
        context.route(lambda url: not url.startswith(("data:", "blob:", run.url)), lambda route: route.abort())
        page = context.new_page()

        def loaded(_):
            run.pages += 1

        page.on("load", loaded)
        page.on("dialog", lambda dialog: dialog.accept())
        try:
            yield page
        finally:
            chromium.close()


def measure(name, title, package, version, start, drive, use=(), settings=(), client="Chromium"):
    """Runs `drive(run)` in the default configuration and with the preset, and writes `results/NAME.json`.

    `start(place)` returns the port of a fresh instance of the application. `settings` are lines of the route beside `use`.
    """
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("the bound on time has run out"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    signal.alarm(SECONDS_MAX)
    CACHE.mkdir(parents=True, exist_ok=True)
    runs = []
    only = os.environ.get("WAF_APPLICATIONS_ONLY")
    for configured in (False, True) if use or settings else (False,):
        if only and only != ("configured" if configured else "default"):
            continue
        with contextlib.ExitStack() as stack:
            place = Place(stack)
            run = Run(place, start(place), list(use) if configured else [], settings if configured else ())
            drive(run)
            runs.append(run.result())
    if client == "Chromium":
        client = subprocess.run(["chromium", "--version"], capture_output=True, text=True).stdout
        client = " ".join(client.split()[:2])
    result = {"title": title, "package": package, "version": version, "client": client,
              "settings": list(settings), "date": time.strftime("%Y-%m-%d", time.gmtime()), "runs": runs}
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    (HERE / "results" / f"{name}.json").write_text(text)
    print(text)


def picture(place, name):
    """A PNG of noise: large enough for previews."""
    file = place.folder / name
    if not file.exists():
        width, height = 900, 600
        rows = b"".join(b"\0" + bytes((x * 7 + y * 3) % 256 for x in range(width * 3)) for y in range(height))

        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return file


def visit(page, address):
    """Loads a page, which may be a file or an error of the application, but not a refusal."""
    try:
        answer = page.goto(address)
    except Exception as fault:
        if "Download is starting" in str(fault):
            return
        raise
    assert answer is None or answer.status != 403, f"{address}: status {answer.status}"
