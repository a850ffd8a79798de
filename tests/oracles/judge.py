"""The engine in its default configuration: verdicts about values from the program `judge`."""

import base64
import json
import subprocess

CONTAINERS = ("query", "form", "json")


class Verdict:
    def __init__(self, value, row):
        # A JSON string has no octets that are not UTF-8.
        is_text = not any("\udc80" <= letter <= "\udcff" for letter in value)
        self.row = row if is_text else row[:2]

    @property
    def passes(self):
        """The containers in which the value is not refused."""
        return [name for name, (refused, _, _) in zip(CONTAINERS, self.row) if not refused]

    @property
    def score(self):
        """The lowest score of the containers."""
        return min(score if not refused else max(score, 5) for refused, score, _ in self.row)

    @property
    def rules(self):
        return sorted({rule for _, _, rules in self.row for rule in rules})


class Judge:
    BATCH = 200

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def verdicts(self, values):
        found = []
        for start in range(0, len(values), self.BATCH):
            batch = values[start : start + self.BATCH]
            lines = [base64.b64encode(as_bytes(value)) or b"IA==" for value in batch]
            self.process.stdin.write(b"\n".join(lines) + b"\n\n")
            self.process.stdin.flush()
            found += [Verdict(value, json.loads(self.process.stdout.readline())) for value in batch]
        return found

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def as_bytes(value):
    return value.encode("utf-8", "surrogateescape")
