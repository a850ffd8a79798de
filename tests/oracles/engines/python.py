"""Renders templates of Jinja2, Mako and Tornado that a value was pasted into: a JSON array of engine and source a line."""

import json
import os
import sys

SECRET = "tok-90817"
NAMES = {"name": "Anna", "price": 5, "items": ["tea", "milk"], "config": {"KEY": SECRET}, "user": {"name": "Anna"}}


def jinja(source):
    import jinja2

    return jinja2.Environment().from_string(source).render(NAMES)


def mako(source):
    from mako.template import Template

    return Template(source).render(**NAMES)


def tornado(source):
    from tornado.template import Template

    return Template(source).generate(**NAMES).decode()


ENGINES = {"jinja2": jinja, "mako": mako, "tornado": tornado}


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        engine, source = json.loads(line)
        try:
            output = ENGINES[engine](source)
        except BaseException:
            output = ""
        answers.write(json.dumps(str(output)[:20000]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
