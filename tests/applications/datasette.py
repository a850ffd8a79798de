"""datasette: pages of tables, facets and filters by links, statements in its editor."""

import sqlite3
import urllib.parse

import harness

ROWS = [("Tea & biscuits", 2.5, "it's green"), ("Rose; thorn", 3, "select one"), ("Cup 1=1", 1, "<b>bold</b> -- new"), ("O'Brien's mug", 4, None)]
STATEMENTS = ["select name, price from goods where name like '%e%' order by price desc limit 10",
              "select name from goods where 1=1 or '1'='1' union select name from sqlite_master -- all of it",
              "with t as (select *, row_number() over (order by price) r from goods) select json_group_array(json_object('n', name)), char(65) from t"]


def start(place):
    with sqlite3.connect(place.folder / "shop.db") as database:
        database.execute("create table goods (id integer primary key, name text, price real, note text)")
        database.executemany("insert into goods (name, price, note) values (?, ?, ?)", ROWS * 30)
    database.close()
    port = harness.port()
    place.start([PROGRAMS / "datasette", place.folder / "shop.db", "-p", port, "-h", "127.0.0.1", "--setting", "force_https_urls", "0"], "datasette")
    harness.answers(f"http://127.0.0.1:{port}/")
    return port


def drive(run):
    with harness.browser(run) as page:
        with run.step("databases, tables, rows"):
            for address in ("/", "/shop", "/shop/goods", "/shop/goods/1", "/shop/goods.json?_shape=array", "/-/versions", "/shop/goods.csv?_stream=on&_size=max"):
                harness.visit(page, address)
        with run.step("filters, facets, sorting"):
            page.goto("/shop/goods")
            page.select_option("select[name=_filter_column]", "name")
            page.select_option("select[name=_filter_op]", "contains")
            page.fill("input[name=_filter_value]", "O'Brien's")
            page.click("form.filters input[type=submit]")
            page.wait_for_selector("table.rows-and-columns")
            for query in ("_facet=name&_facet=price", "name__exact=Rose%3B+thorn&_sort_desc=price", "price__gt=2&price__lt=4&_sort=name",
                          "name__in=Cup+1%3D1%2CTea+%26+biscuits", "note__notnull=1&_next=50", "_col=name&_nocol=price", "note__isnull=1", "name__like=%25e%25"):
                harness.visit(page, f"/shop/goods?{query}")
        with run.step("filter with a condition of SQL (_where)", special=True):
            harness.visit(page, "/shop/goods?_where=price+%3E+2+and+name+like+%27%25e%25%27+or+1%3D1")
        with run.step("statements in the editor", special=True):
            for statement in STATEMENTS:
                page.goto("/shop")
                page.evaluate("""statement => { const form = document.querySelector('form.sql');
                    form.querySelector('[name=sql]').value = statement; HTMLFormElement.prototype.submit.call(form); }""", statement)
                page.wait_for_selector("table.rows-and-columns")
        with run.step("statements as JSON and CSV, with parameters", special=True):
            statement = urllib.parse.quote_plus("select * from goods where name = :name or price < :price")
            for ending in (".json", ".csv"):
                harness.visit(page, f"/shop{ending}?sql={statement}&name=O%27Brien&price=3&_shape=objects")


if __name__ == "__main__":
    PROGRAMS = harness.pypi("datasette", "datasette")
    harness.debian("chromium")
    harness.measure("datasette", "datasette", "PyPI package `datasette`", harness.pypi_version(PROGRAMS, "datasette"),
                    start, drive, use=["datasette"])
