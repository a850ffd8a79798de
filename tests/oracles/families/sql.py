"""SQL, executed by SQLite: one database in memory a value."""

import sqlite3

NAME = "sql"
SAMPLED = 1

SETUP = """
CREATE TABLE items(id INTEGER PRIMARY KEY, name TEXT, price INT, published INT);
INSERT INTO items VALUES(1,'tea',3,1),(2,'milk',4,1),(3,'hidden',9,0),(4,'secret plan',9,0);
CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, password TEXT);
INSERT INTO users VALUES(1,'admin','k9!x'),(2,'anna','p3#q');
CREATE TABLE secrets(token TEXT);
INSERT INTO secrets VALUES('tok-5510');
CREATE TABLE notes(author TEXT, text TEXT);
"""

# Name, text before the value, text behind it.
TEMPLATES = (
    ("number", "SELECT id, name FROM items WHERE published = 1 AND id = ", " "),
    ("string", "SELECT id, name FROM items WHERE published = 1 AND name = '", "' "),
    ("like", "SELECT id, name FROM items WHERE published = 1 AND name LIKE '%", "%' ORDER BY id"),
    ("parentheses", "SELECT id, name FROM items WHERE (published = 1 AND (name = '", "')) LIMIT 9"),
    ("double-quotes", 'SELECT id, name FROM items WHERE published = 1 AND name = "', '"'),
    ("login", "SELECT id, name FROM users WHERE name = '", "' AND password = 'no'"),
    ("insert", "INSERT INTO notes(author, text) VALUES ('guest', '", "')"),
    ("update", "UPDATE items SET name = '", "' WHERE id = 1"),
    ("order", "SELECT id, name FROM items WHERE published = 1 ORDER BY ", " LIMIT 9"),
    ("list", "SELECT id, name FROM items WHERE published = 1 AND id IN (", ")"),
)
QUOTES = ("", "'", "'", "'", '"', "'", "'", "'", "", "")
CLOSERS = ("", "", "", "))", "", "", ")", "", "", ")")

STEPS_MAX = 200
SPACES = (" ", " ", "\t", "\n", "\r\n", "\f", "/**/", "/*x*/", "--x\n", " /* more tea */ ", "  ")


def join(c, tokens):
    """Tokens with white space or comments between them; nothing where none is needed."""
    space = c.of(SPACES) if c.rarely(3) else " "
    tight = c.rarely(3)
    text = ""
    for token in tokens:
        if not token:
            continue
        word = text[-1:].isalnum() or text[-1:] in "_$"
        needed = word and (token[0].isalnum() or token[0] in "_$")
        if text and (needed or not tight):
            text += space
        text += token
    return text


def name(c, text):
    return c.of((text, text, '"%s"', "[%s]", "`%s`", "main.%s")).replace("%s", text)


def secret(c):
    token = name(c, "token")
    if "main" in token:
        token = "token"
    table = name(c, "secrets")
    return c.of(((token, table), ("password", "users"), ("sql", "sqlite_master"), ("max(" + token + ")", table)))


def subquery(c):
    column, table = secret(c)
    forms = (
        ["(", c.case("select"), column, c.case("from"), table, c.case("limit") + " 1", ")"],
        ["(", c.case("select"), "count(*)", c.case("from"), table, ")"],
        ["(", c.case("with"), "x", c.case("as"), "(", c.case("select"), "*", c.case("from"), table, ")",
         c.case("select"), "1", c.case("from"), "x", ")"],
        ["(", c.case("values"), "(", "(", c.case("select"), column, c.case("from"), table, ")", ")", ")"],
        ["(", c.case("select"), "1", c.case("from"), table, c.case("where"), column, c.case("glob"), "'t*'", ")"],
    )
    return join(c, c.of(forms))


NUMBERS = ("1", "-1", "0x1", "1e0", ".5", "true", "+1", "2")
COLUMNS = ("id", "price", "rowid", '"id"', "[id]", "`id`", "+id", "items.id", "name")
COMPARISONS = (
    "1=1", "2>1", "'a'='a'", "1 is 1", "id=id", "1<>2", "name>''", "name is name", "id<>0", "price>id", "published=0", "published<1",
    "typeof(1)='integer'", "1 like 1", "id is id", "'1'='1'", "2!=3", "3>=id", "1==1", "1 is not 2",
)  # fmt: skip
EXPRESSIONS = (
    "1 in (1)", "1 between 0 and 2", "not 0", "~0", "'a' like 'a'", "exists(select 1)", "1 is not null", "case when 1 then 1 end",
    "coalesce(1,0)", "length('a')", "abs(-1)", "iif(1,1,0)", "1||1", "1<<1", "cast(1 as int)", "not id is null", "id notnull", "unicode('a')",
    "'1'", "1 not in (2)", "(1)", "random() is not null", "current_date", "x'31'", "hex(1)", "likely(1)", "nullif(1,0)", "name glob '*'",
    "name like '%'", "id collate binary", "not published", "1-0", "2*3", "date()", "char(49)", "id in (3)", "name regexp 'x' is null",
)  # fmt: skip


def truth(c):
    return c.case(c.of(c.of((NUMBERS, COLUMNS, COMPARISONS, EXPRESSIONS))))


def disjunction(of):
    def production(c):
        form = c.of(("%s", "(%s)", "+%s")).replace("%s", c.case(c.of(of)))
        return join(c, [c.case("or"), c.case("not") if c.rarely(6) else "", form])

    return production


def operator(c):
    operators = ("=", "<>", "<", ">", ">=", "!=", "-", "+", "*", "|", "||", "&", "%", "<<", "is", "is not", "like", "in", "==", "/")
    return join(c, [c.case(c.of(operators)), c.of((truth, subquery))(c)])


def conjunction(c):
    forms = (
        ["and", subquery(c)],
        ["and", c.case("exists"), subquery(c)],
        ["and", "substr(", subquery(c), ",1,1)", ">", "'a'"],
        ["and", "1", c.case("in"), subquery(c)],
        ["or", subquery(c)],
        ["and", c.case("case"), c.case("when"), subquery(c), c.case("then"), "1", c.case("end")],
        ["and", "iif(", subquery(c), ",1,0)"],
        ["between", "0", "and", subquery(c)],
        ["is not", subquery(c)],
    )
    return join(c, [c.case(token) if token.isalpha() else token for token in c.of(forms)])


def union(c):
    column, table = secret(c)
    select = c.case("select")
    head = [c.case(c.of(("union", "union all", "union", "except", "intersect")))]
    forms = (
        [*head, select, "1", ",", column, c.case("from"), table],
        [*head, select, "1", ",", subquery(c)],
        [*head, c.case("values"), "(", "1", ",", subquery(c), ")"],
        [*head, select, "*", c.case("from"), "(", select, "1", ")", c.case("join"), "(", select, column, c.case("from"), table, ")"],
        [*head, select, "id", ",", "password", c.case("from"), "users"],
        [*head, select, "1", c.case("as"), "a", ",", column, "b", c.case("from"), table, "t"],
        [*head, c.case("select distinct"), column, ",", "2", c.case("from"), table, c.case("group by"), "1"],
        [*head, select, "price", ",", "name", c.case("from"), "items", c.case("where"), "published", "=", "0"],
    )
    return join(c, c.of(forms))


def stacked(c):
    statements = (
        "delete from items", "drop table items", "update users set name='x'", "insert into users values(9,'x','y')",
        "replace into users values(1,'x','y')", "create table z as select * from secrets", "alter table items rename to z",
        "with x as (select 1) delete from items", "delete from users where id=1", "update items set published=1 where id=3",
        "create view v as select * from secrets", "pragma writable_schema=1;delete from sqlite_master", "create index i on items(id)",
        "create trigger t after insert on notes begin delete from items;end", "begin;drop table users;commit",
    )  # fmt: skip
    words = c.of(statements).split(" ")
    keyword = [c.case(word) if word.isalpha() and "'" not in word else word for word in words]
    return ";" + join(c, keyword)


def values(c):
    """What goes on behind the value of an INSERT or the assignment of an UPDATE."""
    return c.of((
        "||" + subquery(c),
        "'),('x',{}".format(subquery(c)).lstrip("'"),
        "," + join(c, ["price", "=", subquery(c)]),
        "," + join(c, ["price", "=", "0"]) + c.of((" where 1", " where id>0")),
    ))


def in_table(c):
    return join(c, [c.case(c.of(("or", "and", "or not"))), c.of(("1", "id", "'a'", "null")), c.case(c.of(("in", "not in"))), name(c, "secrets")])


CORES = {
    "or-comparison": disjunction(COMPARISONS), "or-expression": disjunction(EXPRESSIONS), "or-number": disjunction(NUMBERS),
    "or-column": disjunction(COLUMNS), "union": union, "subquery": conjunction, "in-table": in_table, "operator": operator,
    "stacked": stacked, "value": values,
}  # fmt: skip
PREFIXES = ("1", "tea", "", "0", "x", "O", "green tea", "1.5", "-1", "null", "no such thing", "tea, milk and sugar for two")


def ending(c, at):
    """The end that makes the rest of the statement valid or takes it off."""
    quote = QUOTES[at]
    forms = ["--", "-- ", "/*", ";", "--x", ";--", "-- thank you", "/* see below", "\n--"]
    if quote:
        balanced = [" and 'a'='a", "||'", " or '", " and '1", "='", " and name<>'", "+'", " and not '", " like '", " collate binary||'"]
        forms += [text.replace("'", quote) for text in balanced]
    else:
        forms = ["", *forms]
    return c.of(forms)


def attack(c):
    at = c.below(len(TEMPLATES))
    core = c.tagged(CORES)
    gap = c.of((" ", "", " ", "/**/", "\t", "\n"))
    closer = CLOSERS[at] if c.rarely(2) else ""
    prefix = c.of(PREFIXES)
    if at == 8:
        prefix = c.of(("id", "1", "case", "name"))
    return at, prefix + QUOTES[at] + closer + gap + core + ending(c, at)


PROSE = (
    "select the best tea from our list", "union of 2 sets", "Order by phone or by mail", "drop the table off at 5", "1 or 2",
    "5 - 3 = 2", "Where is the update?", "rock and roll", "please insert a coin and select a drink", "delete my account",
    "from 9 to 5", "O'Brien and O'Neil", "it's 5 o'clock", "'quoted' and \"quoted\"", "a = b or c = d", "C++ -- the language",
    "group by age, order by name", "like 'A' or like 'B'", "I can't select 'all' or 'none'", "either 1 or 1.5 cups",
)  # fmt: skip
OBJECTS = ("tea", "users", "the table", "items", "your order", "a drink", "'em all", "5 o'clock", "O'Hara's", "all 3", "#4")
VERBS = ("select", "insert", "update", "delete", "drop", "create", "join", "order", "group", "limit", "union", "having", "like")
WORDS = ("from", "into", "where", "by", "and", "or", "not", "is", "in", "as", "set", "values", "between", "--", "=", ";", "with")


def honest(c):
    if c.rarely(3):
        return c.of(PROSE) + c.of(("", ".", "?", " -- thanks", " (see #12)", " or so", " & more", "; thanks"))
    parts = []
    for _ in range(1 + c.below(3)):
        parts += [c.of(VERBS), c.of(OBJECTS), c.of(WORDS), c.of(OBJECTS)]
    return " ".join(parts).capitalize() + c.of((".", "", "?", "!"))


def state(connection):
    """The number of changes and the version of the schema."""
    return connection.total_changes, connection.execute("PRAGMA schema_version").fetchone()[0]


class Oracle:
    """Runs a statement and says what it did that no literal does."""

    works = True

    def __init__(self):
        self.read = set()

    def effect(self, at, value):
        if "\0" in value:
            return None
        connection = sqlite3.connect(":memory:", isolation_level=None)
        try:
            connection.executescript(SETUP)
            return self.run(connection, at, value)
        finally:
            connection.close()

    def run(self, connection, at, value):
        name, before, behind = TEMPLATES[at]
        self.read, steps = set(), [0]

        def authorize(action, first, second, _database, _trigger):
            if action == sqlite3.SQLITE_ATTACH:
                self.read.add("attach")
                return sqlite3.SQLITE_DENY
            if action == sqlite3.SQLITE_READ and first in ("secrets", "sqlite_master", "users"):
                self.read.add((first, second))
            return sqlite3.SQLITE_OK

        def tick():
            steps[0] += 1
            return steps[0] > STEPS_MAX

        old = state(connection)
        connection.set_authorizer(authorize)
        connection.set_progress_handler(tick, 10_000)
        rows = None
        try:
            rows = connection.execute(before + value + behind).fetchmany(100)
        except (sqlite3.Warning, sqlite3.ProgrammingError):
            try:
                connection.executescript(before + value + behind)
            except (sqlite3.Error, sqlite3.Warning):
                pass
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                return None
            return "time"
        except (sqlite3.Error, UnicodeEncodeError, OverflowError):
            return None
        connection.set_authorizer(None)
        return self.judged(connection, name, value, rows, old)

    def judged(self, connection, name, value, rows, old):
        if name != "login" and self.read and rows is not None:
            return "another table is read"
        if any(table != "users" for table, *_ in self.read - {"attach"}) and rows is not None:
            return "another table is read"
        if name == "login":
            if rows and value not in ("admin", "anna"):
                return "login without the password"
        elif rows and any(len(row) > 1 and row[1] in ("hidden", "secret plan") for row in rows):
            return "hidden rows are shown"
        try:
            changes, schema = state(connection)
        except sqlite3.Error:
            return "tables are changed"
        # An UPDATE without its WHERE writes the column that it is meant to write, in more rows.
        expected = {"insert": 1, "update": 4}.get(name, 0)
        if schema != old[1] or changes > old[0] + expected:
            return "tables are changed"
        if name == "update":
            others = connection.execute("SELECT sum(price), sum(published), count(*) FROM items").fetchone()
            return None if others == (25, 2, 4) else "another column is written"
        notes = connection.execute("SELECT author FROM notes").fetchall()
        return "other rows are written" if any(author != "guest" for (author,) in notes) else None

    def close(self):
        pass
