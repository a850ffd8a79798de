"""How an application on Werkzeug (Flask and others) reads a request."""

import gzip
import io
import sys
import urllib.parse

sys.dont_write_bytecode = True
from frames import attempt, serve, split  # noqa: E402
from werkzeug.wrappers import Request  # noqa: E402


def environment(line, pairs, body):
    method, target, _ = line.split(" ", 2)
    path, _, query = target.partition("?")
    found = {
        "REQUEST_METHOD": method,
        "PATH_INFO": urllib.parse.unquote_to_bytes(path.encode("latin-1")).decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": "shop.example",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.input_terminated": True,
    }
    for name, value in pairs:
        key = name.upper().replace("-", "_")
        if key == "TRANSFER_ENCODING":
            continue
        if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = "HTTP_" + key
            value = f"{found[key]},{value}" if key in found else value
        found[key] = value
    found["CONTENT_LENGTH"] = str(len(body))
    return found


def head(fields, request):
    fields.add("P", "", request.path)
    for name, value in request.args.items(multi=True):
        fields.add("q", name, value)
    for name, value in request.headers.items():
        fields.add("h", name, value)


def cookies(fields, request):
    for name, value in request.cookies.items(multi=True):
        fields.add("c", name, value)


def form(fields, request):
    for name, value in request.form.items(multi=True):
        fields.add("f", name, value)
    for name, file in request.files.items(multi=True):
        fields.add("n", "", name)
        fields.add("F", name, file.filename or "")
        for key, value in file.headers.items():
            fields.add("p", key, value)


def document(fields, request):
    fields.tree(request.get_json(silent=True, force=True, cache=False))


def read(fields, raw):
    line, pairs, body = split(raw)
    coded = [value.strip().lower() for name, value in pairs if name.lower() == "content-encoding"]
    if coded in (["gzip"], ["x-gzip"]):
        body = gzip.decompress(body)
    found = environment(line, pairs, body)
    attempt(fields, head, Request(dict(found)))
    attempt(fields, cookies, Request(dict(found)))
    if body:
        attempt(fields, form, Request({**found, "wsgi.input": io.BytesIO(body)}))
        request = Request({**found, "wsgi.input": io.BytesIO(body)})
        if request.is_json:
            attempt(fields, document, request)


serve(read)
