"""A library of generated rules from end to end: `python benchmarks/library.py [--quick] [--json]`.

10,000 rules in 100 files, of which every tenth is wrong in its text, go through the stage `static`
in workers, and come back as a page and as JSON. Memory is the most that the reporter had, and the
most that any of its workers had. The page is opened in a headless Chromium, if there is one.
`--quick` takes 500 rules.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, figure, report
from page import opened

ROOT = Path(__file__).parent.parent
RULES, QUICK, RULES_OF_A_FILE = 10_000, 500, 100
MOST_MEGABYTES, MOST_SECONDS = 30.0, 2.0
MOST_MEMORY = 512.0
SAMPLED = 0.2

HEAD = "from gsl import Subst, op, pat, rule\n"
OPERATORS = ("Relu", "Abs", "Negative", "Exp", "Sigmoid", "Tanh", "Floor")
WRONG_EVERY = 10


def rule_text(number: int) -> str:
    one, other = OPERATORS[number % 7], OPERATORS[number // 7 % 7]
    source = f"op.{one}(op.{other}(x) + {number}.0) * y"
    target = f"y * op.{one}({number}.0 + op.{other}(x))"
    target = f"{target} + z" if number % WRONG_EVERY == 0 else target
    return f'''

@rule(tags={{"t{number % 9}"}})
def rule_{number}() -> Subst:
    """generated: {one} of {other}"""
    x, y, z = pat.Wildcard("x"), pat.Wildcard("y"), pat.Wildcard("z")
    return Subst({source}, {target})
'''


def written(folder: Path, count: int) -> None:
    for start in range(0, count, RULES_OF_A_FILE):
        texts = map(rule_text, range(start, start + RULES_OF_A_FILE))
        (folder / f"rules_{start:05}.py").write_text(HEAD + "".join(texts), encoding="utf-8")


def resident(process: int) -> float:
    """Return the megabytes that a process has; 0 for one that has ended."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    except OSError:
        return []
    below = [int(child) for child in text.split()]
    return [*below, *(deeper for child in below for deeper in children(child))]


def figures(count: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, count)
        command = [sys.executable, "-m", "gslverify", ".", "--stages", "static", "--no-cache"]
        command += ["-q", "--report", "html=report.html", "--report", "json=report.json"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        before = os.times()
        with open(os.devnull, "w") as nowhere:
            streams = {"stdout": nowhere, "stderr": nowhere}
            run = subprocess.Popen(command, cwd=folder, env=environment, **streams)
            reporter = workers = 0.0
            while run.poll() is None:
                reporter = max(reporter, resident(run.pid))
                workers = max([workers, *map(resident, children(run.pid))])
                time.sleep(SAMPLED)
        after = os.times()
        own = after.children_user + after.children_system - before.children_user
        page = (folder / "report.html").read_text("utf-8")
        yield figure(f"{count} rules, processor", own - before.children_system, "s")
        yield figure(f"{count} rules, memory of the reporter", reporter, "MB", MOST_MEMORY)
        yield figure(f"{count} rules, memory of a worker", workers, "MB", MOST_MEMORY)
        yield figure(f"{count} rules, page", len(page.encode()) / 1e6, "MB", MOST_MEGABYTES)
        size = (folder / "report.json").stat().st_size / 1e6
        yield figure(f"{count} rules, JSON", size, "MB")
        yield from opened(f"{count} rules", page, MOST_SECONDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="500 rules")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    chosen = parser.parse_args()
    report(figures(QUICK if chosen.quick else RULES), chosen.json)


if __name__ == "__main__":
    main()
