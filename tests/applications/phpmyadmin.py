"""phpMyAdmin: databases, tables and rows by its forms, statements in its console, files in and out."""

import subprocess

import harness

TABLE = ("CREATE TABLE goods (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(80), price DECIMAL(8,2) DEFAULT 0, note TEXT);"
         " INSERT INTO goods (name, price, note) VALUES ('Tea', 2.5, 'it''s green'), ('Rose & thorn', 3, 'select'), ('Cup', 1, '');")
QUERY = ("SELECT g.name, COUNT(*) AS n, SLEEP(0) FROM goods g LEFT JOIN information_schema.tables t ON 1=1 WHERE g.name LIKE '%e%' OR '1'='1'"
         " GROUP BY g.name UNION ALL SELECT user, 1, @@version FROM mysql.user ORDER BY 2 DESC LIMIT 5 -- all of it")


def start(place):
    port, user, password = place.mariadb()
    subprocess.run(["mariadb", f"--socket={place.folder / 'mariadb.sock'}", "-u", user, f"-p{password}", "-e",
                    "CREATE DATABASE shop; USE shop; " + TABLE], check=True)
    site = place.folder / "site"
    subprocess.run(["cp", "-rL", "--no-preserve=mode", "/usr/share/phpmyadmin", site], capture_output=True)
    for folder in ("temporary", "cache"):
        (place.folder / folder).mkdir()
    config = place.folder / "config.inc.php"
    config.write_text(f"""<?php
$cfg['blowfish_secret'] = '{"k" * 32}';
$cfg['TempDir'] = '{place.folder}/temporary';
$cfg['Servers'][1] = ['auth_type' => 'cookie', 'host' => '127.0.0.1', 'port' => '{port}'];
$cfg['Console']['Mode'] = 'collapse';
""")
    vendor = site / "libraries" / "vendor_config.php"
    text = vendor.read_text().replace("/etc/phpmyadmin/config.inc.php", str(config))
    vendor.write_text(text.replace("/var/lib/phpmyadmin/tmp/", f"{place.folder}/temporary/"))
    return place.php(site)


def statement(page, route, text):
    page.goto(f"/index.php?route={route}")
    page.wait_for_function("window.codeMirrorEditor")
    page.evaluate("text => codeMirrorEditor.setValue(text)", text)
    page.click("#button_submit_query")
    page.wait_for_selector(".alert-success, .table_results, .result_query .alert-success")


def forms(run, page):
    with run.step("log in"):
        page.goto("/index.php")
        page.fill("#input_username", "app")
        page.fill("#input_password", "app-password")
        page.click("#input_go")
        page.wait_for_selector("#serverinfo, #topmenu")
    with run.step("make a database"):
        page.goto("/index.php?route=/server/databases")
        page.fill("#text_create_db", "stock")
        page.click("#buttonGo")
        page.wait_for_selector("#server-breadcrumb >> text=stock")
    with run.step("pages of the server: status, variables, users, character sets"):
        for route in ("status", "status/processes", "status/queries", "status/advisor", "variables", "privileges", "collations", "engines", "plugins"):
            harness.visit(page, f"/index.php?route=/server/{route}")


def tables(run, page):
    with run.step("make a table and fill it in the SQL window", special=True):
        statement(page, "/database/sql&db=shop", TABLE.replace("goods", "parts"))
    with run.step("browse, sort, structure"):
        page.goto("/index.php?route=/sql&db=shop&table=goods&pos=0")
        page.wait_for_selector("table.table_results td.data")
        page.click("table.table_results th[data-column=name] a.sortlink")
        page.wait_for_selector("table.table_results td.data")
        page.goto("/index.php?route=/table/structure&db=shop&table=goods")
        page.goto("/index.php?route=/database/structure&db=shop")
    with run.step("insert a row by the form"):
        page.goto("/index.php?route=/table/change&db=shop&table=goods")
        page.fill("#field_2_3", "O'Brien's mug; 1/2 price")
        page.fill("#field_4_3", "Select it -- or drop us a line & win; 1 = 1")
        page.click("#buttonYes")
        page.wait_for_selector(".alert-success")
    with run.step("change a cell in place"):
        page.goto("/index.php?route=/sql&db=shop&table=goods&pos=0")
        page.dblclick("td.grid_edit >> nth=0")
        page.fill(".cEdit .edit_box >> visible=true", "Tea 'n' biscuits")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Tea 'n' biscuits")
        page.wait_for_load_state("networkidle")
    with run.step("search in a table and in the database"):
        page.goto("/index.php?route=/table/search&db=shop&table=goods")
        page.fill("#fieldID_1", "Tea")
        page.click("input[name=submit]")
        page.wait_for_selector("table.table_results")
        page.goto("/index.php?route=/database/search&db=shop")
        page.fill("input[name=criteriaSearchString]", "O'Brien select")
        page.click("#select_all, a:has-text('Select all') >> nth=0")
        page.click("#buttonGo")
        page.wait_for_selector("#searchresults table, #searchresults li")


def statements(run, page):
    with run.step("a statement with UNION, comments and system tables", special=True):
        statement(page, "/table/sql&db=shop&table=goods", QUERY)
    with run.step("make a view and a routine", special=True):
        statement(page, "/database/sql&db=shop", "CREATE VIEW cheap AS SELECT * FROM goods WHERE price < 3; "
                                                 "CREATE PROCEDURE p() SELECT LOAD_FILE('/etc/passwd'), CHAR(65,66) INTO @a, @b;")
    with run.step("import a dump"):
        dump = run.place.folder / "dump.sql"
        dump.write_text(TABLE.replace("goods", "more"))
        page.goto("/index.php?route=/database/import&db=shop")
        page.set_input_files("#input_import_file", str(dump))
        page.click("#buttonGo")
        page.wait_for_selector("text=Import has been successfully finished")
    with run.step("export"):
        page.goto("/index.php?route=/database/export&db=shop")
        with page.expect_download():
            page.click("#buttonGo")
    with run.step("drop a table", special=True):
        statement(page, "/database/sql&db=shop", "DROP TABLE IF EXISTS parts; DELETE FROM goods WHERE id = 1 OR 1=1;")


def drive(run):
    with harness.browser(run) as page:
        forms(run, page)
        tables(run, page)
        statements(run, page)


if __name__ == "__main__":
    harness.debian("phpmyadmin", "php-cli", "php-mysql", "php-xml", "php-mbstring", "mariadb-server", "chromium")
    harness.measure("phpmyadmin", "phpMyAdmin", "Debian package `phpmyadmin`", harness.debian_version("phpmyadmin"),
                    start, drive, use=["phpmyadmin"])
