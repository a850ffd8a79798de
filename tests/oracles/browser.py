"""A headless Chromium that is spoken to over a pipe: documents are written to frames of one page."""

import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

SECONDS_MAX = 20
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="oracle-")
        self.process, self.number = None, 0
        program = next((found for found in map(shutil.which, PROGRAMS) if found), None)
        if program:
            self.program = program
            try:
                self.start()
            except (OSError, KeyError, ValueError):
                self.stop()

    def start(self):
        there, self.output = os.pipe()
        self.input, back = os.pipe()
        self.rest = b""

        def ends():
            os.setsid()
            first, second = os.dup(there), os.dup(back)
            os.dup2(first, 3)
            os.dup2(second, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        arguments = [
            self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--no-first-run",
            "--disable-background-networking", "--remote-debugging-pipe", "--user-data-dir=" + self.folder, "about:blank",
        ]  # fmt: skip
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=ends, close_fds=False
        )
        os.close(there)
        os.close(back)
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        source = (pathlib.Path(__file__).resolve().parent / "engines/page.js").read_text()
        self.call("Page.enable", {}, self.session)
        self.call("Page.addScriptToEvaluateOnNewDocument", {"source": source}, self.session)
        self.call("Page.navigate", {"url": "about:blank"}, self.session)
        self.call("Runtime.evaluate", {"expression": source}, self.session)
        self.used = 0

    def call(self, method, parameters, session=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + SECONDS_MAX
        while time.monotonic() < deadline:
            while b"\0" in self.rest:
                line, self.rest = self.rest.split(b"\0", 1)
                answer = json.loads(line)
                if answer.get("method") == "Page.javascriptDialogOpening":
                    close = {"id": 0, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}, "sessionId": self.session}
                    os.write(self.output, json.dumps(close).encode() + b"\0")
                if answer.get("id") == self.number:
                    return answer["result"]
            if select.select([self.input], [], [], 1)[0]:
                piece = os.read(self.input, 1 << 16)
                if not piece:
                    break
                self.rest += piece
        raise OSError("the browser does not answer")

    def effects(self, documents):
        """What each document did; the browser is started again when it fails."""
        if not self.process:
            return [None] * len(documents)
        alone = "true" if len(documents) == 1 else "false"
        expression = f"Promise.all({json.dumps(documents)}.map((one) => run(one, {alone}))).then(JSON.stringify)"
        try:
            if self.used > 3000:
                self.stop()
                self.start()
            self.used += len(documents)
            answer = self.call("Runtime.evaluate", {"expression": expression, "awaitPromise": True}, self.session)
            return json.loads(answer["result"]["value"])
        except (OSError, KeyError, ValueError):
            self.stop()
            self.start()
            return [None] * len(documents)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            os.close(self.input)
            os.close(self.output)
        self.process = None

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
