"""Directus: its application for editors, collections, items, files, comments, flows and searches."""

import os
import subprocess

import harness

TEXT = "<p>It's on: select a date &amp; drop in -- <strong>1 &lt; 2</strong> <a href=\"https://example.org/?a=1&amp;b=2\">here</a></p>"
LISTING = "<script>alert(document.cookie)</script><pre>SELECT name FROM users WHERE id='1' OR '1'='1' UNION SELECT 1,2 --; cat /etc/passwd</pre>"
# Calls of the application's own scripts, with the session of the browser.
CALLS = """async calls => { const codes = []; for (const [method, path, body] of calls) { const answer = await fetch(path, {method,
    headers: body ? {'Content-Type': 'application/json'} : {}, body: body && JSON.stringify(body)}); codes.push([answer.status, method + ' ' + path]); }
    return codes }"""


def start(place):
    port = harness.port()
    environment = {**os.environ, "HOST": "127.0.0.1", "PORT": str(port), "SECRET": "of-one-run", "DB_CLIENT": "sqlite3", "DB_FILENAME": str(place.folder / "data.db"),
                   "ADMIN_EMAIL": "ann@example.org", "ADMIN_PASSWORD": "staple; 'horse'", "TELEMETRY": "false", "STORAGE_LOCAL_ROOT": str(place.folder / "uploads"),
                   "WEBSOCKETS_ENABLED": "true"}
    command = ["node", FOLDER / "node_modules" / "directus" / "cli.js"]
    subprocess.run([*command, "bootstrap"], check=True, capture_output=True, cwd=place.folder, env=environment)
    place.start([*command, "start"], "directus", cwd=place.folder, env=environment)
    harness.answers(f"http://127.0.0.1:{port}/server/ping", only_success=True)
    return port


def calls(page, *made):
    for status, name in page.evaluate(CALLS, list(made)):
        assert status < 400, f"{name}: status {status}"


def drive(run):
    with harness.browser(run) as page:
        with run.step("log in"):
            page.goto("/admin/login")
            page.fill("input[type=email]", "ann@example.org")
            page.fill("input[type=password]", "staple; 'horse'")
            page.click("button[type=submit]")
            page.wait_for_selector("#main-content, .module-bar, #navigation")
        with run.step("make a collection and its fields"):
            fields = [{"field": "id", "type": "integer", "schema": {"is_primary_key": True, "has_auto_increment": True}, "meta": {"hidden": True}},
                      {"field": "title", "type": "string", "meta": {"interface": "input", "note": "What's it? Select a short one -- 1 line"}},
                      {"field": "body", "type": "text", "meta": {"interface": "input-rich-text-html"}}, {"field": "price", "type": "float"}]
            calls(page, ("POST", "/collections", {"collection": "goods", "fields": fields, "schema": {}, "meta": {"display_template": "{{title}}", "note": "It's ours"}}),
                  ("POST", "/fields/goods", {"field": "size", "type": "string", "schema": {}, "meta": {"options": {"choices": [{"text": "L & XL", "value": "l"}]}}}))
        with run.step("write items, search, filter"):
            calls(page, ("POST", "/items/goods", {"title": "Tea & 'biscuits'", "body": TEXT, "price": 2.5}), ("PATCH", "/items/goods/1", {"title": "O'Brien's tea; 1/2"}),
                  ("GET", "/items/goods?limit=25&fields[]=id&fields[]=title&sort[]=-price&page=1&search=O%27Brien%20select&filter=" + "%7B%22_and%22:%5B%7B%22price%22:%7B%22_gt%22:1%7D%7D%5D%7D"),
                  ("GET", "/items/goods?aggregate[count]=*&filter[title][_contains]=tea&filter[price][_between]=1,5"))
        with run.step("search by the method SEARCH, as some programs do", special=True):
            calls(page, ("SEARCH", "/items/goods", {"query": {"filter": {"title": {"_contains": "O'Brien"}}}}))
        with run.step("pages of the application: items, an item, files, data model"):
            for address in ("/admin/content/goods", "/admin/content/goods/1", "/admin/files", "/admin/users", "/admin/settings/data-model/goods", "/admin/settings/flows", "/admin/insights"):
                harness.visit(page, address)
                page.wait_for_load_state("networkidle")
        with run.step("change an item in its form"):
            page.goto("/admin/content/goods/1")
            page.fill(".field input[type=text] >> nth=0", "Tea -- it's back; select & enjoy")
            with page.expect_response(lambda answer: "/items/goods" in answer.url and answer.request.method == "PATCH") as saved:
                page.keyboard.press("Control+s")
            assert saved.value.status < 300, f"status {saved.value.status}"
        with run.step("upload a picture, comment, save a view"):
            picture = harness.picture(run.place, "rose & thorn (1).png")
            answer = page.request.post("/files", multipart={"title": "Rose & 'thorn'", "file": {"name": picture.name, "mimeType": "image/png", "buffer": picture.read_bytes()}})
            assert answer.status < 300, f"status {answer.status}"
            calls(page, ("POST", "/comments", {"collection": "goods", "item": "1", "comment": "It's good -- see @ann; 1 = 1 & <b>more</b>"}),
                  ("POST", "/presets", {"collection": "goods", "bookmark": "Tea > 2", "filter": {"_and": [{"price": {"_gt": 2}}]}, "layout_query": {"tabular": {"sort": ["-price"]}}}),
                  ("POST", "/graphql", {"query": "query { goods(filter: {title: {_contains: \"O'Brien\"}}, sort: [\"-price\"]) { id title } }"}))
        with run.step("items with listings of SQL, shell and markup", special=True):
            calls(page, ("POST", "/items/goods", {"title": "Listing", "body": LISTING}), ("PATCH", "/items/goods/1", {"body": LISTING}))
        with run.step("a flow with a script, a request and a statement", special=True):
            calls(page, ("POST", "/flows", {"name": "Read", "trigger": "manual", "options": {"collections": ["goods"]}, "operations": [
                {"name": "Script", "key": "s", "type": "exec", "position_x": 19, "position_y": 1, "options": {"code": "module.exports = async data => { eval(data.x); return process.env }"}},
                {"name": "Ask", "key": "r", "type": "request", "position_x": 37, "position_y": 1, "options": {"url": "http://169.254.169.254/", "body": LISTING}}]}))


if __name__ == "__main__":
    FOLDER = harness.npm("directus", "directus")
    harness.debian("chromium")
    harness.measure("directus", "Directus", "npm package `directus`", harness.npm_version(FOLDER, "directus"), start, drive, use=["directus"],
                    settings=["accept: { methods: [GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, SEARCH] }"])
