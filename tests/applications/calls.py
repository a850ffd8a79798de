"""Calls without a browser, for applications whose clients are programs."""

import http.client
import json

import harness


def call(run, method, path, body=None, headers=None, bad=(403, 405, 413, 415)):
    """Sends one request and reads its answer. A status of a refusal is a fault of the step, which goes on."""
    connection = http.client.HTTPConnection("127.0.0.1", run.port, timeout=60)
    fields = {"Host": f"localhost:{run.port}", "User-Agent": "client/1.0", "Accept": "*/*", **(headers or {})}
    if isinstance(body, (dict, list)):
        body = json.dumps(body)
        fields.setdefault("Content-Type", "application/json")
    data = body.encode() if isinstance(body, str) else body
    connection.request(method, path, data, fields)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    run.pages += 1
    if answer.status in bad:
        run.note(f"{method} {path}: status {answer.status}")
    return answer.status, text


ECHO = """
import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        while length > 0:
            length -= len(self.rfile.read(min(length, 65536))) or length
        self.send_response(200); self.send_header("Content-Type", "application/json"); self.send_header("Content-Length", "2"); self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(b"{}")
    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""


def answers_always(place):
    """A server that answers everything with `{}`."""
    port = harness.port()
    place.start(["python3", "-c", ECHO, port], "server")
    harness.answers(f"http://127.0.0.1:{port}/")
    return port
