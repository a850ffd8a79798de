"""Frames between the comparison and a reader in Python: a batch of requests in, the fields of each out.

A batch is its length in bytes (4, big-endian) and as many requests, each with its own length before it. The answer is the
same with a list of fields for each request: a letter for the place, the name and the value, each with its length.
"""

import struct
import sys


def octets(text):
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogatepass")


class Fields:
    """Fields of one request."""

    def __init__(self):
        self.parts = []

    def add(self, place, name, value):
        name, value = octets(name), octets(value)
        self.parts.append(place.encode() + struct.pack(">I", len(name)) + name + struct.pack(">I", len(value)) + value)

    def tree(self, value):
        """Names and strings of a JSON document."""
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                for name, below in value.items():
                    self.add("n", "", name)
                    waiting.append(below)
            elif isinstance(value, list):
                waiting.extend(value)
            elif isinstance(value, str):
                self.add("j", "", value)


def attempt(fields, step, *arguments):
    """Runs one step of a reader: an application that fails on a request reads nothing more of it."""
    try:
        step(fields, *arguments)
    except Exception:  # whatever a library raises is its way to refuse
        pass


def split(raw):
    """Request line, header lines and the body without its framing, which the service has checked."""
    head, _, body = raw.partition(b"\r\n\r\n")
    line, *lines = head.split(b"\r\n")
    pairs = []
    for text in lines:
        name, _, value = text.partition(b":")
        pairs.append((name.decode("latin-1"), value.strip(b" \t").decode("latin-1")))
    if any(name.lower() == "transfer-encoding" for name, _ in pairs):
        body = dechunk(body)
    return line.decode("latin-1"), pairs, body


def dechunk(rest):
    out = []
    while True:
        line, _, rest = rest.partition(b"\r\n")
        size = int(line.split(b";")[0] or b"0", 16)
        if size == 0:
            return b"".join(out)
        out.append(rest[:size])
        rest = rest[size + 2 :]


def serve(read):
    """Answers batches until standard input ends."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while True:
        head = source.read(4)
        if len(head) < 4:
            return
        batch = source.read(struct.unpack(">I", head)[0])
        at, out = 0, []
        while at < len(batch):
            (size,) = struct.unpack_from(">I", batch, at)
            fields = Fields()
            attempt(fields, read, batch[at + 4 : at + 4 + size])
            at += 4 + size
            answer = b"".join(fields.parts)
            out.append(struct.pack(">I", len(answer)) + answer)
        answer = b"".join(out)
        sink.write(struct.pack(">I", len(answer)) + answer)
        sink.flush()
