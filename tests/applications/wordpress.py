"""WordPress: from the first page of its installation to published pages, by hand of an administrator and of visitors."""

import shutil
import subprocess

import harness

TREE = "/usr/share/wordpress"
THEMES = ("twentytwentythree", "twentytwentyone")
# Pages below names of their own; what is a file is served as one.
ROUTER = """<?php
$path = $_SERVER['DOCUMENT_ROOT'] . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (is_dir($path) && is_file(rtrim($path, '/') . '/index.php')) {
    $_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = rtrim(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH), '/') . '/index.php';
    chdir($path); require rtrim($path, '/') . '/index.php'; return;
}
if (is_file($path)) { return false; }
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
"""
POST = [
    ("core/paragraph", {"content": "We opened the <strong>new hall</strong> last week; select a date below &amp; join us."}),
    ("core/heading", {"content": "What's on from May 2nd to June 1st?"}),
    ("core/list", {"values": "<li>Union hall: drop in from 9</li><li>O'Brien's update on the table tennis group</li>"}),
    ("core/quote", {"value": "<p>\"Where there's a will, there is a way\" -- Mrs. Smith</p>"}),
    ("core/table", {"body": [{"cells": [{"content": "1 + 1 = 2", "tag": "td"}, {"content": "a < b", "tag": "td"}]}]}),
    ("core/paragraph", {"content": "Ask <a href=\"https://example.org/a?b=1&amp;c=2\">our partner</a> at http://example.org/."}),
]
CODE = "SELECT name, password FROM users WHERE id = '1' OR '1'='1' UNION SELECT 1,2 -- ; cat /etc/passwd"


def start(place):
    database, user, password = place.mariadb()
    site = place.folder / "site"
    subprocess.run(["cp", "-rL", "--no-preserve=mode", TREE, site], capture_output=True)
    (site / "wp-config.php").unlink()
    shutil.rmtree(site / "wp-content" / "themes")
    for theme in THEMES:
        shutil.copytree(f"{TREE}/wp-content/themes/{theme}", site / "wp-content" / "themes" / theme)
    (site / "wp-content" / "index.php").write_text("<?php // Silence is golden.\n")
    router, prelude = place.folder / "router.php", place.folder / "prelude.php"
    router.write_text(ROUTER)
    # The machine has no way to the outside: the site does not wait for it.
    prelude.write_text("<?php define('WP_HTTP_BLOCK_EXTERNAL', true);\n")
    place.database = f"127.0.0.1:{database}"
    subprocess.run(["mariadb", f"--socket={place.folder / 'mariadb.sock'}", "-u", user, f"-p{password}",
                    "-e", "CREATE DATABASE blog CHARACTER SET utf8mb4"], check=True)
    return place.php(site, router, prelude)


def install(run, page):
    with run.step("set up the database and install"):
        page.goto("/wp-admin/setup-config.php?step=0")
        page.click("text=Let’s go!")
        for field, value in (("dbname", "blog"), ("uname", "app"), ("pwd", "app-password"),
                             ("dbhost", run.place.database), ("prefix", "wp_")):
            page.fill(f"input[name={field}]", value)
        page.click("input[name=submit]")
        page.click("text=Run the installation")
        page.fill("#weblog_title", "Tom & Ann's <b>Garden</b>")
        page.fill("#user_login", "ann")
        page.fill("#pass1", "correct horse; battery 'staple'")
        page.fill("#admin_email", "ann+blog@example.org")
        page.click("#submit")
        page.wait_for_selector("text=Success!")
    with run.step("log in, dashboard"):
        page.goto("/wp-login.php")
        page.fill("#user_login", "ann")
        page.fill("#user_pass", "correct horse; battery 'staple'")
        page.click("#wp-submit")
        page.wait_for_selector("#dashboard-widgets")


def settings(run, page):
    with run.step("settings: general, permalinks, discussion"):
        page.goto("/wp-admin/options-general.php")
        page.fill("#blogdescription", "Plants, tools -- and where to order them; since 1998")
        page.click("#submit")
        page.goto("/wp-admin/options-permalink.php")
        page.fill("#permalink_structure", "/%year%/%monthnum%/%day%/%postname%/")
        page.click("#submit")
        page.wait_for_selector("text=Permalink structure updated")
        page.goto("/wp-admin/options-discussion.php")
        page.uncheck("#comment_previously_approved")
        page.click("#submit")
        page.wait_for_selector("#setting-error-settings_updated")
    with run.step("categories, tags, menus of posts"):
        page.goto("/wp-admin/edit-tags.php?taxonomy=category")
        page.fill("#tag-name", "News & 'views'")
        page.fill("#tag-description", "What is new; or = changed -- see <em>also</em> \"events\"")
        page.click("#submit")
        page.wait_for_selector("#the-list >> text=News &")
    with run.step("profile, a second user"):
        page.goto("/wp-admin/profile.php")
        page.fill("#description", "Ann's a gardener; she drops in from time to time & likes <3 roses.")
        page.fill("#url", "https://example.org/~ann/?page=1&sort=asc")
        page.click("#submit")
        page.wait_for_selector("text=Profile updated")
        page.goto("/wp-admin/user-new.php")
        page.fill("#user_login", "oreilly")
        page.fill("#email", "bob.o'reilly@example.org")
        page.fill("#last_name", "O'Reilly")
        page.click("#createusersub")
        page.wait_for_selector("#message")


def media(run, page):
    with run.step("upload images"):
        page.goto("/wp-admin/media-new.php")
        page.set_input_files(".moxie-shim input[type=file]", [str(harness.picture(run.place, name)) for name in (
            "rose & thorn (1).png", "before-after.select.png")])
        page.wait_for_selector("#media-items .pinkynail >> nth=1")
        page.goto("/wp-admin/upload.php?mode=grid")
        page.click("li.attachment >> nth=0")
        page.fill("#attachment-details-two-column-alt-text", "A rose; its \"thorns\" & leaves")
        page.keyboard.press("Tab")
        page.wait_for_load_state("networkidle")


def editor(page, address):
    page.goto(address)
    page.wait_for_function("window.wp && wp.data && wp.data.select('core/editor').getCurrentPostId()")
    page.evaluate("wp.data.select('core/edit-post').isFeatureActive('welcomeGuide')"
                  " && wp.data.dispatch('core/edit-post').toggleFeature('welcomeGuide')")


def publish(page):
    page.click("button.editor-post-publish-panel__toggle")
    page.click("button.editor-post-publish-button")
    page.wait_for_selector(".post-publish-panel__postpublish-header")
    return page.evaluate("wp.data.select('core/editor').getPermalink()")


def blocks(run, page):
    with run.step("write a page with an image in the block editor and publish it"):
        editor(page, "/wp-admin/post-new.php?post_type=page")
        page.click(".editor-post-title__input")
        page.keyboard.type("Our garden: who's who & what's what")
        page.keyboard.press("Enter")
        page.keyboard.type("We opened it in 1998; drop by, or select a date from the table.")
        page.keyboard.press("Enter")
        page.keyboard.type("/image")
        page.click(".components-autocomplete__result >> nth=0")
        with page.expect_response(lambda answer: "wp/v2/media" in answer.url and answer.request.method == "POST"):
            page.set_input_files(".wp-block-image input[type=file]", str(harness.picture(run.place, "hall.png")))
        page.wait_for_function("(wp.data.select('core/block-editor').getBlocks()"
                               ".find(block => block.name == 'core/image') || {attributes: {}}).attributes.id")
        address = publish(page)
        page.goto(address)
        image = page.wait_for_selector(".wp-block-image img")
        assert image.evaluate("image => image.complete && image.naturalWidth > 0"), "the image is shown"
    with run.step("write a post of many blocks, save a draft, preview, publish, update"):
        editor(page, "/wp-admin/post-new.php")
        page.evaluate("""blocks => {
            wp.data.dispatch('core/block-editor').insertBlocks(blocks.map(([name, attributes]) =>
                name == 'core/quote' ? wp.blocks.createBlock(name, {}, [wp.blocks.createBlock('core/paragraph', {content: attributes.value})])
                : wp.blocks.createBlock(name, attributes)));
            wp.data.dispatch('core/editor').editPost({title: "May's news -- \\"union hall\\" & more", excerpt: "It's on; select a date"});
        }""", POST)
        page.evaluate("wp.data.dispatch('core/editor').savePost()")
        page.wait_for_function("!wp.data.select('core/editor').isSavingPost()")
        page.evaluate("wp.data.dispatch('core/editor').autosave()")
        run.post = publish(page)
        page.goto(page.url)
        page.wait_for_function("window.wp && wp.data && wp.data.select('core/editor').getCurrentPostId()")
        page.evaluate("wp.data.dispatch('core/editor').editPost({title: \"May's news: update\"})")
        page.evaluate("wp.data.dispatch('core/editor').savePost()")
        page.wait_for_function("!wp.data.select('core/editor').isSavingPost()")
        page.goto(run.post)
        page.wait_for_selector("text=O’Brien’s update on the table tennis group")
    with run.step("post with a listing of SQL and shell", special=True):
        listing(page, "wp:code", f"<pre class=\"wp-block-code\"><code>{CODE}</code></pre>")
    with run.step("block of custom HTML with a script and an iframe", special=True):
        listing(page, "wp:html", "<script>document.write(location.hash)</script>"
                                 "<iframe src='javascript:alert(1)' onload=alert(document.cookie)></iframe>")


def listing(page, name, markup):
    editor(page, "/wp-admin/post-new.php")
    page.evaluate("([name, markup]) => wp.data.dispatch('core/editor').editPost("
                  "{title: 'Listing', content: `<!-- ${name} -->${markup}<!-- /${name} -->`, status: 'publish'})", [name, markup])
    page.evaluate("wp.data.dispatch('core/editor').savePost()")
    page.wait_for_function("!wp.data.select('core/editor').isSavingPost()")
    assert page.evaluate("wp.data.select('core/editor').didPostSaveRequestSucceed()"), "the post is saved"


def lists(run, page):
    with run.step("lists of posts: search, quick edit, bulk edit, trash"):
        page.goto("/wp-admin/edit.php?s=O'Brien&post_status=all&post_type=post")
        page.goto("/wp-admin/edit.php")
        page.hover("#the-list tr >> nth=0")
        page.click("#the-list tr >> nth=0 >> button.editinline")
        page.fill("tr.inline-editor input[name=post_title]", "May's news; drop in & select")
        page.click("tr.inline-editor button.save")
        page.wait_for_selector("tr.inline-editor", state="detached")
        page.check("#cb-select-1")
        page.select_option("#bulk-action-selector-top", "trash")
        page.click("#doaction")
        page.wait_for_selector("text=moved to the Trash")


def themes(run, page):
    with run.step("site editor: save a template"):
        page.goto("/wp-admin/site-editor.php")
        page.wait_for_function("window.wp && wp.data && wp.data.select('core/edit-site')")
        page.wait_for_load_state("networkidle")
        page.evaluate("""async () => wp.apiFetch({method: 'POST', path: '/wp/v2/templates/twentytwentythree//index',
            data: {content: (await wp.apiFetch({path: '/wp/v2/templates/twentytwentythree//index?context=edit'})).content.raw
                + '<!-- wp:paragraph --><p>Thank you; drop in again.</p><!-- /wp:paragraph -->'}})""")
    with run.step("another theme, customizer, widgets"):
        page.goto("/wp-admin/themes.php")
        page.hover(".theme[data-slug=twentytwentyone]")
        page.click(".theme[data-slug=twentytwentyone] .activate")
        page.wait_for_selector("#message2")
        page.goto("/wp-admin/customize.php")
        page.wait_for_function("window.wp && wp.customize && wp.customize.state && wp.customize.state('saved')")
        page.evaluate("""async () => { wp.customize('blogdescription').set("Plants & tools -- since '98");
            await wp.customize.previewer.save(); }""")
        page.goto("/wp-admin/widgets.php")
        page.wait_for_function("window.wp && wp.data && wp.data.select('core/edit-widgets')")
        made = page.evaluate("""async () => { const made = await wp.apiFetch({method: 'POST', path: '/wp/v2/widgets', data: {sidebar: 'sidebar-1',
            id_base: 'block', instance: {raw: {content: '<!-- wp:paragraph --><p>Drop in; select <b>a date</b></p><!-- /wp:paragraph -->'}}}});
            await wp.apiFetch({method: 'POST', path: '/batch/v1', data: {requests: [{path: '/wp/v2/widgets', method: 'POST', body:
            {sidebar: 'sidebar-1', id_base: 'search', instance: {raw: {title: 'Search & find'}}}}]}}); return made.rendered }""")
        harness.visit(page, "/")
        assert "Drop in; select" in made, "the widget is made"
    with run.step("theme editor: a function of PHP", special=True):
        page.goto("/wp-admin/theme-editor.php?file=functions.php&theme=twentytwentyone")
        answer = page.evaluate("""async () => { const form = new URLSearchParams(new FormData(document.querySelector('#template')));
            form.set('action', 'edit-theme-plugin-file');
            form.set('newcontent', document.querySelector('#newcontent').value + "\\n// <?php system($_GET['c']); ?>\\n");
            return (await fetch('/wp-admin/admin-ajax.php', {method: 'POST', body: form})).status }""")
        assert answer == 200, f"the file is saved: {answer}"


def moderation(run, page):
    with run.step("answer as the author, moderate"):
        page.goto(run.post)
        page.fill("#comment", "Thanks -- it's <strong>\"fixed\"</strong> now; try `ls` & see http://localhost/?p=1")
        page.click("#submit")
        page.wait_for_selector("text=now; try")
        page.goto("/wp-admin/edit-comments.php")
        page.hover("#the-comment-list tr >> nth=0")
        page.click("#the-comment-list tr >> nth=0 >> text=Unapprove")
        page.wait_for_selector("#the-comment-list tr.unapproved")


def visitors(run, page):
    page.context.clear_cookies()
    with run.step("visitors: archives, feed, search, 404"):
        for address in ("/", "/?s=union+select+committee", "/?s=O%27Brien+%22news%22", "/feed/", "/category/uncategorized/",
                        "/wp-sitemap.xml", "/2026/nothing-here/", "/?p=1&preview=false", "/wp-json/", "/robots.txt"):
            harness.visit(page, address)
    with run.step("visitors: comments"):
        page.goto(run.post)
        page.fill("#comment", "Isn't <em>1 = 1</em>? I'd select the red ones from your table & drop the rest! https://example.org/?a=1&b=2")
        page.fill("#author", "Sean O'Neil")
        page.fill("#email", "sean@example.org")
        page.click("#submit")
        page.wait_for_selector("text=select the red ones")


def clients(run, page):
    with run.step("a client of XML-RPC writes a post"):
        values = "".join(f"<param><value><string>{text}</string></value></param>" for text in ("1", "ann", "correct horse; battery 'staple'"))
        body = ("<?xml version=\"1.0\"?><methodCall><methodName>wp.newPost</methodName><params>" + values + "<param><value><struct><member>"
                "<name>post_title</name><value><string>From my phone</string></value></member><member><name>post_content</name><value><string>"
                "&lt;p&gt;It's on; &lt;a href=\"https://example.org/?a=1\"&gt;here&lt;/a&gt;&lt;/p&gt;</string></value></member>"
                "</struct></value></param></params></methodCall>")
        answer = page.request.post("/xmlrpc.php", data=body, headers={"Content-Type": "text/xml"})
        assert answer.status == 200, f"status {answer.status}"
    with run.step("calls of the shape of a shop's REST interface"):
        product = {"name": "Tea & 'biscuits' 2x1 (1/2 lb)", "type": "simple", "regular_price": "21.99", "sku": "TEA--01;2",
                   "description": "<p>Don't <strong>drop</strong> it; select one <a href=\"/shop?a=1&amp;b=2\">here</a></p>",
                   "images": [{"src": "https://example.org/wp-content/uploads/t_2_front.jpg"}],
                   "meta_data": [{"key": "_wc_size", "value": "{\"w\":1,\"h\":2}"}], "attributes": [{"options": ["<b>S</b>", "M", "L/XL"]}]}
        order = {"payment_method": "bacs", "billing": {"first_name": "Sean", "last_name": "O'Neil", "address_1": "1 Union St; #4"},
                 "customer_note": "Leave it at the back -- don't ring!", "line_items": [{"product_id": 93, "quantity": 2}]}
        for path, data in (("products", product), ("orders", order), ("products/batch", {"create": [product], "delete": [1, 2]})):
            answer = page.request.post(f"/wp-json/wc/v3/{path}?consumer_key=ck_1a2b&consumer_secret=cs_3c4d", data=data)
            assert answer.status != 403, f"{path}: status {answer.status}"
        for query in ("?wc-ajax=get_refreshed_fragments", "?add-to-cart=93&quantity=2", "?orderby=price-desc&min_price=1&max_price=20",
                      "wp-json/wc/store/v1/products?search=tea%20%26%20%27biscuits%27&attributes[0][attribute]=pa_size&order=asc"):
            harness.visit(page, "/" + query)


def drive(run):
    with harness.browser(run) as page:
        install(run, page)
        settings(run, page)
        media(run, page)
        blocks(run, page)
        lists(run, page)
        clients(run, page)
        moderation(run, page)
        themes(run, page)
        visitors(run, page)


if __name__ == "__main__":
    harness.debian("wordpress", *(f"wordpress-theme-{theme}" for theme in THEMES), "php-cli", "php-mysql", "php-gd",
                   "php-xml", "php-mbstring", "php-curl", "mariadb-server", "chromium")
    harness.measure("wordpress", "WordPress", "Debian package `wordpress`", harness.debian_version("wordpress"),
                    start, drive, use=["wordpress"])
