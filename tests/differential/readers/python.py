"""How an application on Python's standard library alone reads a request."""

import email.parser
import email.policy
import gzip
import http.cookies
import http.server
import io
import json
import sys
import urllib.parse
import warnings
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from frames import attempt, serve, split  # noqa: E402

warnings.simplefilter("ignore")
try:
    import cgi  # gone since Python 3.13
except ImportError:
    cgi = None


class Handler(http.server.BaseHTTPRequestHandler):
    """The head as `http.server` reads it."""

    def __init__(self, raw):
        self.rfile, self.wfile = io.BytesIO(raw), io.BytesIO()
        self.client_address = ("127.0.0.1", 1)
        self.raw_requestline = self.rfile.readline(65537)
        self.is_good = self.parse_request()

    def log_message(self, *_):
        pass

    def send_error(self, *_, **__):
        pass


def head(fields, handler):
    path, _, query = handler.path.partition("?")
    fields.add("P", "", urllib.parse.unquote(path))
    for name, value in urllib.parse.parse_qsl(query.partition("#")[0], keep_blank_values=True):
        fields.add("q", name, value)
    for name, value in handler.headers.items():
        fields.add("h", name, value)
    origin = urllib.parse.urlsplit(handler.headers.get("referer", ""))
    for name, value in urllib.parse.parse_qsl(origin.query, keep_blank_values=True):
        fields.add("h", "referer", value)


def cookies(fields, text):
    for name, morsel in http.cookies.SimpleCookie(text).items():
        fields.add("c", name, morsel.value)
        fields.add("c", name, urllib.parse.unquote(morsel.value))


def simple_cookies(fields, text):
    for pair in text.split(";"):
        name, _, value = pair.strip().partition("=")
        fields.add("c", name, urllib.parse.unquote(value))


def form(fields, body, charset):
    for name, value in urllib.parse.parse_qsl(body.decode(charset, "replace"), keep_blank_values=True):
        fields.add("f", name, value)


def document(fields, body):
    fields.tree(json.loads(body))


def markup(fields, body):
    for element in xml.etree.ElementTree.fromstring(body).iter():
        for text in (element.text, element.tail, *element.attrib.values()):
            if text:
                fields.add("x", element.tag, text)


def leaves(message):
    """Parts without parts of their own. A message in a part is a file like any other."""
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        for part in message.get_payload():
            yield from leaves(part)
    elif message.get_content_maintype() != "message":
        yield message


def mail(fields, content_type, body, policy):
    """A body of parts as the library for mail reads it, transfer codings included."""
    front = b"Content-Type: " + content_type.encode("latin-1") + b"\r\n\r\n"
    message = email.parser.BytesParser(policy=policy).parsebytes(front + body)
    for part in leaves(message):
        name = part.get_param("name", header="content-disposition")
        name = name[2] if isinstance(name, tuple) else name or ""
        file_name = part.get_filename()
        # A form has named fields alone, and a nameless part of another body is text only if it says so.
        is_form = message.get_content_subtype() == "form-data"
        if not name and (is_form or part.get_content_maintype() != "text"):
            continue
        fields.add("n", "", name)
        if file_name is None:
            value = part.get_payload(decode=True) or b""
            fields.add("f", name, value)
            if part.get_content_type() == "application/json":
                attempt(fields, document, value)
        else:
            fields.add("F", name, file_name)


def storage(fields, handler, body):
    found = cgi.FieldStorage(
        io.BytesIO(body), handler.headers, environ={"REQUEST_METHOD": "POST"}, keep_blank_values=True
    )
    for item in found.list or []:
        if not item.name:
            continue
        fields.add("n", "", item.name)
        if item.filename:
            fields.add("F", item.name, item.filename)
        else:
            fields.add("f", item.name, item.value)


def read(fields, raw):
    handler = Handler(raw)
    if not handler.is_good:
        return
    attempt(fields, head, handler)
    for text in handler.headers.get_all("cookie", []):
        attempt(fields, cookies, text)
        attempt(fields, simple_cookies, text)
    _, _, body = split(raw)
    if not body:
        return
    if handler.headers.get("content-encoding", "").strip().lower() in ("gzip", "x-gzip"):
        body = gzip.decompress(body)
    kind = handler.headers.get_content_type()
    charset = handler.headers.get_content_charset() or "utf-8"
    if kind == "application/x-www-form-urlencoded":
        attempt(fields, form, body, charset)
    elif kind == "application/json" or kind.endswith("+json"):
        attempt(fields, document, body)
        attempt(fields, lambda fields: document(fields, body.decode(charset)))
    elif kind.endswith(("/xml", "+xml")):
        attempt(fields, markup, body)
    elif kind.startswith("multipart/"):
        for policy in (email.policy.compat32, email.policy.HTTP):
            attempt(fields, mail, handler.headers["content-type"], body, policy)
        if cgi:
            attempt(fields, storage, handler, body)


serve(read)
