"""Wagtail with the administration of Django: pages, images and documents in one, users and groups in the other."""

import json
import os
import subprocess

import harness

SETTINGS = """
from .dev import *
ALLOWED_HOSTS = ["*"]
SECRET_KEY = "of-one-run"
DEBUG = False
STORAGES = {"default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WAGTAIL_ENABLE_UPDATE_CHECK = WAGTAIL_ENABLE_WHATS_NEW_BANNER = False
"""
MODEL = """
from wagtail.admin.panels import FieldPanel
from wagtail.blocks import CharBlock, RawHTMLBlock, RichTextBlock
from wagtail.fields import RichTextField, StreamField
from wagtail.models import Page


class HomePage(Page):
    intro = RichTextField(blank=True)
    body = StreamField([("heading", CharBlock()), ("text", RichTextBlock()), ("html", RawHTMLBlock())], blank=True, use_json_field=True)
    content_panels = Page.content_panels + [FieldPanel("intro"), FieldPanel("body")]
"""
# The form of a new page of the application "home", below the page that is there from the start.
ADD = "/".join(["/admin/pages/add", "home", "homepage", "3", ""])
TEXT = "It's on: select a date from the table -- or drop in & see; 1 < 2"
LISTING = "<script>alert(document.cookie)</script> SELECT name FROM users WHERE id='1' OR '1'='1' UNION SELECT 1,2 -- cat /etc/passwd"


def start(place):
    site = place.folder / "site"
    site.mkdir()
    subprocess.run([PROGRAMS / "wagtail", "start", "shop", site], check=True, capture_output=True)
    (site / "shop" / "settings" / "run.py").write_text(SETTINGS)
    (site / "home" / "models.py").write_text(MODEL)
    urls = site / "shop" / "urls.py"
    urls.write_text(urls.read_text().replace("if settings.DEBUG:", "if True:"))
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "shop.settings.run", "DJANGO_SUPERUSER_PASSWORD": "staple; 'horse'"}

    def manage(*words):
        subprocess.run([PROGRAMS / "python", "manage.py", *words], cwd=site, check=True, capture_output=True, env=environment)

    manage("makemigrations")
    manage("migrate")
    manage("createsuperuser", "--noinput", "--username", "ann", "--email", "ann@example.org")
    port = harness.port()
    place.start([PROGRAMS / "python", "manage.py", "runserver", "--noreload", "--insecure", f"127.0.0.1:{port}"], "django", cwd=site, env=environment)
    harness.answers(f"http://127.0.0.1:{port}/admin/login/")
    return port


def django(run, page):
    with run.step("Django admin: log in, lists, search"):
        page.goto("/django-admin/")
        page.fill("#id_username", "ann")
        page.fill("#id_password", "staple; 'horse'")
        page.click("input[type=submit]")
        page.wait_for_selector("#user-tools")
        for query in ("?q=O%27Brien+select", "?is_staff__exact=1&o=-1.2", "?all=&e=1", "?date_joined__gte=2026-01-01+00%3A00%3A00%2B00%3A00"):
            harness.visit(page, f"/django-admin/auth/user/{query}")
    with run.step("Django admin: make a group and a user, change it, delete"):
        page.goto("/django-admin/auth/group/add/")
        page.fill("#id_name", "Editors & 'union' (select)")
        page.select_option("#id_permissions_from", index=[0, 1, 2])
        page.click(".selector-chooseall, #id_permissions_add_link, #id_permissions_add_all")
        page.click("input[name=_save]")
        page.wait_for_selector(".messagelist .success")
        page.goto("/django-admin/auth/user/add/")
        page.fill("#id_username", "bob")
        page.fill("#id_password1", "a'b\"c;d -- 1=1")
        page.fill("#id_password2", "a'b\"c;d -- 1=1")
        page.click("input[name=_save]")
        page.fill("#id_last_name", "O'Brien")
        page.fill("#id_email", "bob.o'brien@example.org")
        page.click("input[name=_save]")
        page.wait_for_selector(".messagelist .success")
        page.check("tr:has-text('bob') .action-select")
        page.select_option("select[name=action]", "delete_selected")
        page.click("button[name=index]")
        page.click("input[type=submit]")
        page.wait_for_selector(".messagelist .success")


def send(page, address, fields):
    """Fills hidden fields of the editors of the form and submits it as the page's own script does."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    with page.expect_navigation():
        page.evaluate("""fields => { const form = document.querySelector('#page-edit-form');
            for (const [name, value] of Object.entries(fields)) {
                let field = form.elements[name];
                if (!field) { field = document.createElement('input'); field.type = 'hidden'; field.name = name; form.append(field); }
                field.value = value;
            }
            HTMLFormElement.prototype.submit.call(form); }""", fields)
    assert "Forbidden" not in page.title() and "403" not in page.title(), page.title()
    return page.url


def stream(kind, value):
    return {"body-count": "1", "body-0-deleted": "", "body-0-order": "0", "body-0-type": kind, "body-0-id": "", "body-0-value": value}


def draft(text, key="abcde"):
    return json.dumps({"blocks": [{"key": key, "text": text, "type": "unstyled", "depth": 0, "inlineStyleRanges": [{"offset": 0, "length": 4, "style": "BOLD"}],
                                   "entityRanges": [], "data": {}}], "entityMap": {}})


def wagtail(run, page):
    with run.step("Wagtail: dashboard, explorer, search"):
        for address in ("/admin/", "/admin/pages/", "/admin/pages/3/", "/admin/pages/search/?q=O%27Brien+%26+select", "/admin/reports/site-history/", "/admin/users/", "/admin/settings/", "/admin/redirects/"):
            harness.visit(page, address)
    with run.step("Wagtail: type a page in the rich text editor and publish"):
        page.goto(ADD)
        page.fill("#id_title", "What's on & who's who")
        page.click(".DraftEditor-root [contenteditable=true] >> nth=0")
        page.keyboard.type(TEXT, delay=5)
        page.click("[data-drilldown-toggle], .footer__container button[data-w-dropdown-target=toggle] >> nth=0")
        page.click("button[name=action-publish]")
        page.wait_for_selector(".messages .success")
    with run.step("Wagtail: a page of blocks, preview, save, publish"):
        fields = {"title": "May's news: union hall", "slug": "may", "intro": draft(TEXT), **stream("text", draft("He said \"drop it\"; she selects 2 from 3"))}
        send(page, ADD, {**fields, "action-publish": "action-publish"})
        harness.visit(page, "/may/")
    with run.step("Wagtail: upload images and a document"):
        page.goto("/admin/images/multiple/add/")
        page.set_input_files("input[type=file]", [str(harness.picture(run.place, name)) for name in ("rose & thorn (1).png", "union.select.png")])
        page.wait_for_function("document.querySelectorAll('#upload-list li form').length >= 2")
        page.goto("/admin/documents/multiple/add/")
        document = run.place.folder / "minutes of May.txt"
        document.write_text("Minutes: it's agreed; select the hall & drop the rest.\n")
        page.set_input_files("input[type=file]", str(document))
        page.wait_for_function("document.querySelectorAll('#upload-list li form').length >= 1")
    with run.step("Wagtail: settings of the site, a redirect, a user"):
        page.goto("/admin/redirects/add/")
        page.fill("#id_old_path", "/old/page?x=1&y=2")
        page.fill("#id_redirect_link", "https://example.org/?a=1&b=select")
        page.click("form[action*=redirects] button[type=submit], .footer button >> nth=0")
        page.wait_for_selector(".messages .success")
    with run.step("Wagtail: a block of raw HTML with a script and a listing of SQL", special=True):
        fields = {"title": "Listing", "slug": "listing", "intro": draft(LISTING), **stream("html", LISTING), "action-publish": "action-publish"}
        send(page, ADD, fields)
    with run.step("visitors: pages, search"):
        for address in ("/", "/may/", "/search/?query=select+from+O%27Brien+%26+more", "/nothing/"):
            harness.visit(page, address)


def drive(run):
    with harness.browser(run) as page:
        django(run, page)
        wagtail(run, page)


if __name__ == "__main__":
    PROGRAMS = harness.pypi("wagtail", "wagtail")
    harness.debian("chromium")
    version = f"{harness.pypi_version(PROGRAMS, 'wagtail')}, Django {harness.pypi_version(PROGRAMS, 'django')}"
    harness.measure("wagtail", "Wagtail and Django admin", "PyPI package `wagtail`", version, start, drive, use=["wagtail"])
