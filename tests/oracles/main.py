"""Searches attacks that work and pass: main.py JUDGE [--families NAMES] [--seconds N] [--seed N] [--parts N] [--record]
[--results FOLDER]. A part of a search is known by its family, its seed and its seconds; a part whose result is in the
folder of results is not run again, so a long search can be stopped and taken up."""

import argparse
import fnmatch
import importlib
import json
import pathlib
import sys

from judge import Judge
from search import Part

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES = ("sql", "shell", "paths", "templates", "markup")
SHOWN_MAX = 12


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("judge")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--record", action="store_true", help="add new classes to the findings, as open ones")
    return parser.parse_args()


class Findings:
    """The classes that are known, a file of JSON lines a family."""

    def __init__(self, family):
        self.path = HERE / "findings" / f"{family}.jsonl"
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.rows = {row["class"]: row for row in map(json.loads, lines)}

    def is_excluded(self, name):
        """True when the class is one of those that are not refused on purpose; their rows may be patterns."""
        return any(row["state"] == "excluded" and fnmatch.fnmatch(name, row["class"]) for row in self.rows.values())

    def is_known(self, name):
        return name in self.rows or self.is_excluded(name)

    def add(self, name, entry):
        self.rows[name] = {
            "class": name, "state": "open", "example": entry["example"], "effect": entry.get("effect"),
            "passes_in": entry.get("passes_in"),
        }  # fmt: skip

    def write(self):
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text("".join(json.dumps(self.rows[name]) + "\n" for name in sorted(self.rows)))

    def recheck(self, judge):
        """Closed classes whose example is judged wrongly again, and open ones whose example is judged rightly."""
        again, gone = [], []
        rows = [row for row in self.rows.values() if row["state"] in ("open", "closed")]
        for row, verdict in zip(rows, judge.verdicts([row["example"] for row in rows])):
            is_wrong = len(verdict.passes) < len(verdict.row) if row.get("honest") else bool(verdict.passes)
            if row["state"] == "closed" and is_wrong:
                again.append(row["class"])
            if row["state"] == "open" and not is_wrong:
                gone.append(row["class"])
        return again, gone


def part(family, oracle, judge, seed, chosen):
    """The result of a part, from the folder of results when it was run before."""
    file = chosen.results and chosen.results / f"{family.NAME}-{seed}-{chosen.seconds:g}.json"
    if file and file.exists():
        return json.loads(file.read_text())
    result = Part(family, oracle, judge, seed, chosen.seconds).run()
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(result))
    return result


def show(result, findings):
    excluded = sum(entry["by_chance"] for name, entry in result["classes"].items() if findings.is_excluded(name))
    working, passing = result["working"] - excluded, result["passing"] - excluded
    print(
        f"{result['family']}: seed {result['seed']}, {result['generated']} generated, {working} work, {passing} of them pass "
        f"({1e4 * passing / max(working, 1):.1f} in 10,000), {excluded} of excluded classes; {result['working_mutants']} working mutants, "
        f"{result['passing_mutants']} climbs pass; {result['honest']} honest values, {result['refused']} refused"
    )


def main():
    chosen = options()
    judge = Judge(chosen.judge)
    closed = (HERE / "findings" / "closed").read_text().split()
    wrong = []
    for name in chosen.families.split(","):
        family = importlib.import_module(f"families.{name}")
        findings = Findings(name)
        oracle = family.Oracle()
        again, gone = findings.recheck(judge)
        wrong += [f"a closed class is open again: {row}" for row in again]
        for row in gone:
            print(f"open, and judged rightly today: {row}")
            if chosen.record:
                findings.rows[row]["state"] = "closed"
        new = {}
        for seed in range(chosen.seed, chosen.seed + chosen.parts):
            result = part(family, oracle, judge, seed, chosen)
            show(result, findings)
            if result["generated"] and not result["working"] and oracle.works:
                wrong.append(f"no attack of the family {name} works: its oracle sees nothing")
            for rules, values in result["honest_refused"].items():
                print(f"  honest, refused by {rules}: {len(values)} × {values[0]!r}")
                if chosen.record:
                    row = f"{name}/honest/{rules}"
                    shortest = min(values, key=len)
                    findings.rows.setdefault(row, {"class": row, "state": "open", "honest": True, "example": shortest})
            new.update((row, entry) for row, entry in result["classes"].items() if not findings.is_known(row))
        for row, entry in sorted(new.items(), key=lambda item: -item[1]["count"])[:SHOWN_MAX]:
            print(f"  new: {row}: {entry['count']} × {entry['example']!r} ({entry.get('effect')})")
        for row in new:
            if any(fnmatch.fnmatch(row, pattern) for pattern in closed):
                wrong.append(f"a new class of a family that was closed: {row}")
        if chosen.record:
            for row, entry in new.items():
                findings.add(row, entry)
            findings.write()
        oracle.close()
    judge.close()
    for line in wrong:
        print(f"wrong: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
