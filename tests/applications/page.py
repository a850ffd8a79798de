#!/usr/bin/env python3
"""Makes docs/applications.md of the results of the runs. `--check` compares it with the page that is there."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "applications.md"
COMMAND = "python3 tests/applications/page.py"
# Order of the page.
NAMES = ["wordpress", "dokuwiki", "mediawiki", "wagtail", "directus", "phpmyadmin", "datasette", "jupyterlab", "node-red", "mlflow",
         "sabre-dav", "git-http", "grafana-calls", "elasticsearch-calls"]
# Reasons of refusals in work that should pass, by application and rule. One without a reason here is an error.
REASONS = {
    ("wordpress", "command-injection-unix-commands/command-line"): "A false alarm: a word and a tag behind a semicolon (`it; select one <a href=…>`) are read as a command and a redirection of a shell.",
    ("dokuwiki", "command-injection-unix-commands/command-line"): "A false alarm: the `Referer` of a page of results (`&q=select+members+-drop`) is read as an assignment and a command of a shell. "
    "The page itself is shown.",
    ("sabre-dav", "request-validation-allowed-methods"): "Methods of WebDAV are not among the default ones: `accept.methods` allows them.",
}
HEAD = f"""# Applications

<!-- Made by `{COMMAND}`; edit that script, or run `tests/applications/run NAME`. -->

Applications that were installed from Debian, PyPI or npm and driven through the service by a browser or by their own clients,
in blocking mode. Each did its normal work in the default configuration, and then once more with its preset:

```yaml
version: v1alpha1
port: 8080
health_port: 9090
routes:
  - id: blog
    match: {{ paths: [/blog/*] }}
    upstream: http://127.0.0.1:3000
    use: [wordpress]
  - id: everything-else
    upstream: http://127.0.0.1:3001
```

[Presets](presets.md) lists what each preset allows, and where. *Normal work* is what should pass without any configuration. *Special work* sends
what would be an attack in any other place: statements in a SQL console, code in a notebook, markup in a template editor.
"""
TABLE = """
| Application | Version | Requests | Normal work refused | Special work refused | Configuration for special work | Refused with it |
|---|---|---:|---:|---:|---|---:|
"""
FOOT = """
## Repeat a run

```sh
tests/applications/run wordpress
```

needs root on a Debian machine, Python, and a release build of `waf` (`WAF=FILE` names another). It installs the application, starts it in a temporary
folder, drives it, writes `tests/applications/results/NAME.json` and makes this page. Without a name it runs all. The runs are not
part of `./test`: a test compares this page with the results. Requests to other hosts are cut off in the browser.
"""


def refused(run, special):
    return sum(found["times"] for step in run["steps"] if step["special"] == special for found in step["refused"])


def lines(result):
    """The configuration of the second run, in one cell."""
    words = [f"`use: [{', '.join(result['runs'][-1]['use'])}]`"] if result["runs"][-1]["use"] else []
    return "<br>".join(words + [f"`{line}`" for line in result["settings"]]) or "none"


def row(name, result):
    plain, configured = result["runs"][0], result["runs"][1:]
    left = str(configured[0]["refused"]) if configured else "–"
    return (f"| [{result['title']}](#{anchor(result['title'])}) | {result['version']} | {plain['requests']:,} | {refused(plain, False)} | {refused(plain, True)} "
            f"| {lines(result) if refused(plain, True) else 'none'} | {left} |")


def anchor(title):
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")


def sentences(steps):
    return "".join(f"- {step['name']}\n" for step in steps)


def findings(name, steps, explain):
    """A line for each rule and place of a step, with one of the requests."""
    text = ""
    for step in steps:
        groups = {}
        for found in step["refused"]:
            groups.setdefault((found["rule"], found["place"], found["status"]), []).append(found)
        for (rule, place, status), group in groups.items():
            times = sum(found["times"] for found in group)
            text += f"- {step['name']}: `{group[0]['method']} {group[0]['path']}`" + (f" and {times - 1} more" if times > 1 else "")
            text += f", {status}, `{rule}` in `{place}`." + (f" {REASONS[name, rule]}" if explain else "") + "\n"
    return text


def section(name, result):
    plain = result["runs"][0]
    steps = plain["steps"]
    text = f"\n## {result['title']}\n\n{result['package']}, {result['version']}; driven by {result['client']} on {result['date']}: "
    text += f"{plain['requests']:,} requests in the default configuration.\n\n"
    text += "Works by default:\n\n" + sentences([step for step in steps if not step["refused"] and not step["fault"]])
    unfinished = [step for step in steps if not step["refused"] and step["fault"]]
    if unfinished:
        text += "\nNothing was refused, but the script did not reach the end of:\n\n" + sentences(unfinished)
    normal = [step for step in steps if step["refused"] and not step["special"]]
    if normal:
        text += "\nRefused by default, although it is normal work:\n\n" + findings(name, normal, True)
    special = [step for step in steps if step["refused"] and step["special"]]
    if special:
        text += f"\nRefused by default, and allowed with {lines(result).replace('<br>', ' and ')}:\n\n" + findings(name, special, False)
    for run in result["runs"][1:]:
        left = [step for step in run["steps"] if step["refused"]]
        text += "\nRefused with that configuration: " + ("\n\n" + findings(name, left, True) if left else "nothing.\n")
    return text


def page():
    results = {name: json.loads((HERE / "results" / f"{name}.json").read_text()) for name in NAMES}
    rows = "".join(row(name, result) + "\n" for name, result in results.items())
    return HEAD + TABLE + rows + "".join(section(name, result) for name, result in results.items()) + FOOT


def main():
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit(f"docs/applications.md is not what the results say: {COMMAND}")


if __name__ == "__main__":
    main()
