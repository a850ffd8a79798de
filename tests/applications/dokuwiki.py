"""DokuWiki: installed by its own form, then pages, media, revisions and the pages of an administrator."""

import shutil
import subprocess

import harness

PAGE = """====== Our club ======
Welcome! It's the place where we **select** new members; drop in on //Tuesdays// -- or Fridays.

  * [[wiki:syntax|How to write]] & {{wiki:dokuwiki-128.png}}
  * See [[https://example.org/?a=1&b=2]], or mail <ann@example.org>

^ Name ^ Size ^
| O'Brien | 1 < 2 |
"""
LISTING = """====== Notes ======
<code sql>SELECT name, password FROM users WHERE id='1' OR '1'='1' UNION SELECT 1,2 --</code>
<code bash>curl http://169.254.169.254/ | sh; cat /etc/passwd</code>
<html><script>alert(document.cookie)</script></html>
"""


def start(place):
    site = place.folder / "site"
    subprocess.run(["cp", "-rL", "--no-preserve=mode", "/usr/share/dokuwiki", site], capture_output=True)
    (site / "inc" / "preload.php").unlink()
    shutil.copytree("/etc/dokuwiki", site / "conf", ignore_dangling_symlinks=True)
    for name in ("local.php", "acl.auth.php", "users.auth.php"):
        (site / "conf" / name).unlink(missing_ok=True)
    shutil.copytree("/var/lib/dokuwiki/data", site / "data")
    settings = site / "conf" / "dokuwiki.php"
    settings.write_text(settings.read_text().replace("/var/lib/dokuwiki/data", "./data"))
    return place.php(site)


def write(page, name, text, summary):
    page.goto(f"/doku.php?id={name}&do=edit")
    page.fill("#wiki__text", text)
    page.fill("#edit__summary", summary)
    page.click("#edbtn__preview")
    page.wait_for_selector("#preview, .preview")
    page.click("#edbtn__save")
    page.wait_for_selector("#dokuwiki__content .page h1")


def administration(run, page):
    with run.step("install"):
        page.goto("/install.php")
        for field, value in (("title", "Tom & Ann's \"wiki\""), ("superuser", "ann"), ("fullname", "Ann O'Neil"),
                             ("email", "ann@example.org"), ("password", "staple; 'horse'"), ("confirm", "staple; 'horse'")):
            page.fill(f"input[name='d[{field}]']", value)
        page.click("button[type=submit] >> nth=-1")
        page.wait_for_selector("text=successfully")
    with run.step("log in"):
        page.goto("/doku.php?id=start&do=login")
        page.fill("input[name=u]", "ann")
        page.fill("input[name=p]", "staple; 'horse'")
        page.click("#dw__login button")
        page.wait_for_selector("text=Log Out")
    with run.step("settings, rights, a second user"):
        page.goto("/doku.php?id=start&do=admin&page=config")
        page.fill("#config___tagline", "It's ours -- select & enjoy")
        page.click("#dw__configform button[type=submit] >> nth=0")
        page.wait_for_selector("text=Settings updated successfully")
        page.goto("/doku.php?id=start&do=admin&page=usermanager")
        page.fill("#add_userid", "bob")
        page.fill("#add_userpass", "a'b\"c;d")
        page.fill("#add_userpass2", "a'b\"c;d")
        page.fill("#add_username", "Bob O'Brien")
        page.fill("#add_usermail", "bob@example.org")
        page.click("button[name='fn[add]']")
        page.goto("/doku.php?id=start&do=admin&page=acl")
        page.wait_for_selector("#acl_manager")


def drive(run):
    with harness.browser(run) as page:
        administration(run, page)
        with run.step("write, preview and save pages"):
            write(page, "start", PAGE, "First page; it's short & sweet")
            write(page, "club:minutes_2026-05", PAGE.replace("Our club", "Minutes"), "more -- see above")
        with run.step("edit a section, a draft of it"):
            page.goto("/doku.php?id=start&do=edit")
            page.click("#wiki__text")
            page.keyboard.press("Control+End")
            page.keyboard.type("It's late; select an item & drop it here. ", delay=20)
            page.evaluate("dw_editor && window.dw_locktimer && dw_locktimer.refresh()")
            page.wait_for_load_state("networkidle")
            page.click("#edbtn__save")
            page.wait_for_selector("#dokuwiki__content h1")
        with run.step("upload a picture, the manager of media"):
            page.goto("/doku.php?id=start&do=media&ns=&tab_files=upload")
            page.set_input_files("input[type=file]", str(harness.picture(run.place, "rose (1) & thorn.png")))
            page.click("#mediamanager__upload_button, .qq-upload-action button, #mediamanager__uploader button >> nth=0")
            page.wait_for_selector(".qq-upload-success, .success")
        with run.step("search, index, revisions, difference, feed"):
            for address in ("/doku.php?do=search&q=select+members+-drop+%22O%27Brien%22", "/doku.php?id=start&do=index", "/doku.php?id=start&do=revisions",
                            "/doku.php?id=start&do=diff", "/feed.php?mode=recent", "/doku.php?id=start&do=recent", "/doku.php?id=start&do=backlink",
                            "/doku.php?id=start&do=export_raw", "/lib/exe/detail.php?id=start&media=wiki:dokuwiki-128.png"):
                harness.visit(page, address)
        with run.step("page with listings of SQL, shell and markup", special=True):
            write(page, "notes", LISTING, "listing")


if __name__ == "__main__":
    harness.debian("dokuwiki", "php-cli", "php-xml", "php-gd", "chromium")
    harness.measure("dokuwiki", "DokuWiki", "Debian package `dokuwiki`", harness.debian_version("dokuwiki"),
                    start, drive, use=["dokuwiki"])
