"""How long a run takes when nothing has changed, and when one rule has.

    python benchmarks/cache.py [PATH] [--quick] [--json] [options of gslverify check]

verifies up to 200 rules of PATH (default: rule_corpus), taken evenly from all of its files, in a
copy: from nothing, then unchanged, then with one rule changed. Prints seconds of wall-clock time,
processes started and ended included.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from figures import Figure, figure, report

RULE = '''

@rule
def one_more() -> Subst:
    """relu(relu(x))  =>  relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu({inner})), op.Relu({inner}))
'''
RULES = 200
HEAD = "from gsl import Subst, op, pat, rule\n"
ROOT = Path(__file__).parent.parent


def chosen_rules(folder: Path) -> list[str]:
    """Return the ids of rules in a folder, at most as many as are measured, from all its files."""
    sys.path.insert(0, str(ROOT))
    from gslverify.corpus.collect import CollectedRule, collect

    items = [item for item in collect([str(folder)]) if isinstance(item, CollectedRule)]
    ids = [f"{item.path.relative_to(folder.parent)}::{item.rule.name}" for item in items]
    return [ids[number * len(ids) // RULES] for number in range(RULES)] if len(ids) > RULES else ids


def timed(folder: Path, options: list[str]) -> tuple[float, dict[str, float]]:
    """Return the seconds of one run, and those that each rule took in it."""
    command = [sys.executable, "-m", "gslverify", "check", "-q", *options]
    command += ["--output-format", "json", "-o", "report.json"]
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    started = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    if done.returncode not in (0, 1):
        told = f"{' '.join(command)} ended with {done.returncode}"
        raise SystemExit(f"{told}\n{done.stderr}")
    document = json.loads((folder / "report.json").read_text("utf-8"))
    return seconds, document["timing"]["rules"]


def measured(source: Path, options: list[str]) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if source.is_file():
            (folder / "rules").mkdir()
            shutil.copy(source, folder / "rules")
        else:
            shutil.copytree(source, folder / "rules")
        chosen = chosen_rules(folder / "rules")
        more = folder / "rules" / "one_more.py"
        more.write_text(HEAD + RULE.format(inner="x"), "utf-8")
        options = [*options, "rules/one_more.py", *chosen[: RULES - 1]]
        cold, rules = timed(folder, options)
        yield figure("rules", len(rules), "")
        yield figure("from nothing", cold, "s")
        again = min(timed(folder, options)[0] for _ in range(3))
        yield figure("unchanged, best of 3", again, "s", 5)
        more.write_text(HEAD + RULE.format(inner="op.Abs(x)"), "utf-8")
        changed, _ = timed(folder, options)
        yield figure("one rule changed, beyond unchanged", changed - again, "s", 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, help="rules to verify; default: rule_corpus")
    parser.add_argument("--quick", action="store_true", help="the rules of one file")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    chosen, options = parser.parse_known_args()
    default = ROOT / "rule_corpus" / ("sound/transpose.py" if chosen.quick else "")
    report(measured(chosen.path or default, options), chosen.json)


if __name__ == "__main__":
    main()
