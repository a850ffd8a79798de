"""Node-RED: its editor, flows with functions, templates and commands, and what flows answer."""

import harness

PLAIN = [{"id": "t1", "type": "tab", "label": "It's ours -- select & go", "disabled": False, "info": ""},
         {"id": "n1", "type": "inject", "z": "t1", "name": "every day", "props": [{"p": "payload"}], "repeat": "86400", "crontab": "", "once": False,
          "topic": "", "payload": "", "payloadType": "date", "x": 120, "y": 80, "wires": [["n2"]]},
         {"id": "n2", "type": "change", "z": "t1", "name": "set payload", "rules": [{"t": "set", "p": "payload", "pt": "msg", "to": "temperature > 20 and door = open", "tot": "str"}],
          "x": 300, "y": 80, "wires": [["n3"]]},
         {"id": "n3", "type": "debug", "z": "t1", "name": "", "active": True, "tosidebar": True, "complete": "payload", "x": 480, "y": 80, "wires": []},
         {"id": "h1", "type": "http in", "z": "t1", "url": "/hello", "method": "get", "x": 120, "y": 200, "wires": [["h2"]]},
         {"id": "h2", "type": "http response", "z": "t1", "x": 480, "y": 200, "wires": []}]
SPECIAL = [{"id": "f1", "type": "function", "z": "t1", "name": "read", "func": "const fs = global.get('fs');\nmsg.payload = eval(msg.payload) || process.env.PATH;\nmsg.q = \"SELECT * FROM t WHERE id='\" + msg.id + \"' OR 1=1 --\";\nreturn msg;",
            "outputs": 1, "x": 300, "y": 300, "wires": [[]]},
           {"id": "f2", "type": "exec", "z": "t1", "command": "cat /etc/passwd | grep root; curl http://169.254.169.254/", "addpay": "", "x": 300, "y": 340, "wires": [[], [], []]},
           {"id": "f3", "type": "template", "z": "t1", "template": "<script>alert('{{payload}}')</script><img src=x onerror=alert(1)>", "x": 300, "y": 380, "wires": [[]]}]
DEPLOY = """async nodes => { const answer = await fetch('/flows', {method: 'POST', headers: {'Content-Type': 'application/json',
    'Node-RED-Deployment-Type': 'full', 'Node-RED-API-Version': 'v2'}, body: JSON.stringify({flows: nodes})}); return answer.status }"""


def start(place):
    port = harness.port()
    command = ["node", FOLDER / "node_modules" / "node-red" / "red.js", "--port", port, "--userDir", place.folder / "user", "-D", "telemetry.enabled=false"]
    place.start(command, "node-red")
    harness.answers(f"http://127.0.0.1:{port}/")
    return port


def editor(page):
    page.goto("/")
    page.wait_for_function("window.RED && RED.nodes && document.querySelector('#red-ui-palette-container .red-ui-palette-node')")
    page.evaluate("document.querySelectorAll('.red-ui-notification, .red-ui-tourGuide-shade, .red-ui-tourGuide-popover').forEach(e => e.remove())")


def drive(run):
    with harness.browser(run) as page:
        with run.step("open the editor"):
            editor(page)
        with run.step("import nodes in the editor and deploy by its button"):
            page.evaluate("nodes => RED.view.importNodes(nodes, {generateIds: true, addFlow: false, touchImport: true})", PLAIN[1:4])
            page.mouse.click(600, 400)
            page.evaluate("RED.nodes.dirty(true)")
            with page.expect_response(lambda answer: answer.url.endswith("/flows") and answer.request.method == "POST") as saved:
                page.evaluate("document.querySelector('#red-ui-header-button-deploy').click()")
            assert saved.value.status < 300, f"status {saved.value.status}"
        with run.step("deploy flows, answer of a flow, context, settings"):
            status = page.evaluate(DEPLOY, PLAIN)
            assert status < 300, f"status {status}"
            for address in ("/hello?name=O%27Brien", "/settings", "/nodes", "/flows", "/context/global", "/library/local/flows", "/locales/editor?lng=en-US", "/icons", "/diagnostics"):
                harness.visit(page, address)
            editor(page)
            status = page.evaluate("async () => (await fetch('/inject/n1', {method: 'POST'})).status")
            assert status != 403, f"status {status}"
        with run.step("deploy functions, commands and templates", special=True):
            status = page.evaluate(DEPLOY, PLAIN + SPECIAL)
            assert status < 300, f"status {status}"
        with run.step("one flow by the admin interface, a library entry", special=True):
            codes = page.evaluate("""async node => [(await fetch('/flow', {method: 'POST', headers: {'Content-Type': 'application/json'},
                body: JSON.stringify({label: 'API', nodes: [node]})})).status, (await fetch('/library/local/functions/read.js', {method: 'POST',
                headers: {'Content-Type': 'application/json'}, body: JSON.stringify({name: 'read', text: node.func})})).status]""",
                                  {"id": "g1", "type": "function", "func": SPECIAL[0]["func"], "outputs": 1, "wires": [[]]})
            assert all(code < 300 for code in codes), codes


if __name__ == "__main__":
    FOLDER = harness.npm("node-red", "node-red")
    harness.debian("chromium")
    harness.measure("node-red", "Node-RED", "npm package `node-red`", harness.npm_version(FOLDER, "node-red"), start, drive, use=["node-red"])
