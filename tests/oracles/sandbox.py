"""Child processes that execute values: without privileges, with limits, with a time for each value."""

import json
import os
import resource
import select
import subprocess
import tempfile

SECONDS_MAX = 3
ANSWER_BYTES_MAX = 1 << 20


def limits_alone():
    os.setsid()
    pairs = ((resource.RLIMIT_CPU, 600), (resource.RLIMIT_FSIZE, 1 << 20), (resource.RLIMIT_NPROC, 400), (resource.RLIMIT_CORE, 0))
    for limit, value in pairs:
        resource.setrlimit(limit, (value, value))


def limits():
    limits_alone()
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


class Child:
    """A program that reads a JSON value a line and answers with one a line. It is started again when it ends."""

    def __init__(self, command, environment=None):
        self.command, self.process, self.before = command, None, limits
        self.environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", **(environment or {})}
        self.folder = tempfile.mkdtemp(prefix="oracle-")
        os.chmod(self.folder, 0o755)

    def works(self, question, answer):
        """True when the program gives that answer. An interpreter in a private folder keeps the user's identity."""
        for self.before in (limits, limits_alone):
            if answer in (self.ask(question) or ""):
                return True
        return False

    def ask(self, question):
        """The answer; nothing when the program ended or took too long."""
        try:
            return self.answer(question)
        except (OSError, ValueError):
            return self.stop()

    def answer(self, question):
        if not self.process:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.folder,
                env=self.environment, preexec_fn=self.before,
            )  # fmt: skip
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.line()
        return json.loads(answer) if answer else self.stop()

    def line(self):
        answer = b""
        while not answer.endswith(b"\n") and len(answer) < ANSWER_BYTES_MAX:
            if not select.select([self.process.stdout], [], [], SECONDS_MAX)[0]:
                return None
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                return None
            answer += piece
        return answer

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            try:
                self.process.stdin.close()
            except OSError:
                pass
        self.process = None

    def close(self):
        self.stop()
        os.rmdir(self.folder)
