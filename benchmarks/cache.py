"""How long a run takes when nothing has changed, and when one rule has.

    python benchmarks/cache.py [PATH] [options of gslverify check]

verifies the rules of PATH (default: rule_corpus) in a copy three times: from nothing, unchanged,
and with one rule changed. Prints seconds of wall-clock time, processes started and ended included.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RULE = '''

@rule
def one_more() -> Subst:
    """relu(relu(x))  =>  relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu({inner})), op.Relu({inner}))
'''
HEAD = "from gsl import Subst, op, pat, rule\n"
ROOT = Path(__file__).parent.parent


def timed(folder: Path, options: list[str]) -> tuple[float, dict[str, float]]:
    """Return the seconds of one run, and those that each rule took in it."""
    command = [sys.executable, "-m", "gslverify", "check", "rules", "-q", *options]
    command += ["--output-format", "json", "-o", "report.json"]
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    started = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    seconds = time.perf_counter() - started
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    report = json.loads((folder / "report.json").read_text("utf-8"))
    return seconds, report["timing"]["rules"]


def main() -> None:
    given = sys.argv[1:]
    source = Path(given.pop(0)) if given and not given[0].startswith("-") else ROOT / "rule_corpus"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(source, folder / "rules")
        more = folder / "rules" / "one_more.py"
        more.write_text(HEAD + RULE.format(inner="x"), "utf-8")
        cold, rules = timed(folder, given)
        print(f"{len(rules)} rules from nothing       {cold:8.1f} s", flush=True)
        again = min(timed(folder, given)[0] for _ in range(3))
        print(f"unchanged (best of 3)         {again:8.1f} s", flush=True)
        more.write_text(HEAD + RULE.format(inner="op.Abs(x)"), "utf-8")
        changed, _ = timed(folder, given)
        print(f"one rule changed              {changed:8.1f} s   {changed - again:+.1f} s")


if __name__ == "__main__":
    main()
