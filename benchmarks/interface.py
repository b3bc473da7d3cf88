"""How light the interface is: `python benchmarks/interface.py [--quick] [--json]`.

Seconds of whole processes, the best of a few, since another program can only make them longer.
The time that Python itself takes to start is among them and is shown beside them. The rules are the
first 200 of `rule_corpus/`; nothing is taken from a cache.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from figures import Figure, figure, report

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "rule_corpus"
RULES = 200
HEAVY = ("tvm", "z3", "hypothesis", "numpy", "rich", "pytest")


def run(arguments: Sequence[str], folder: Path = ROOT) -> tuple[float, float]:
    """Run Python and return the seconds on the wall and those of the processor."""
    before = os.times()
    started = time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    wall, after = time.perf_counter() - started, os.times()
    own = (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )
    return wall, own


def best(arguments: Sequence[str], repeat: int) -> tuple[float, float]:
    """Return the best of several runs, wall and processor each."""
    times = [run(arguments) for _ in range(repeat)]
    return min(wall for wall, _ in times), min(own for _, own in times)


def starting(repeat: int) -> Iterator[Figure]:
    python, python_own = best(["-c", "pass"], repeat)
    yield figure("python alone", python, "s")
    yield figure("python alone, processor", python_own, "s")
    for name, arguments, target in (
        ("gslverify --help", ["--help"], 0.2),
        ("gslverify check --help", ["check", "--help"], 0.2),
        ("gslverify explain GSL401", ["explain", "GSL401"], None),
        ("gslverify list", ["list", str(CORPUS / "sound" / "algebra.py")], None),
    ):
        wall, own = best(["-m", "gslverify", *arguments], repeat)
        yield figure(name, wall, "s", target)
        yield figure(f"{name}, processor", own, "s")


def loaded() -> Iterator[Figure]:
    """Count the heavy modules that light commands load."""
    for arguments, allowed in (
        (["--help"], HEAVY[:0]),
        (["check", "--help"], HEAVY[:0]),
        (["explain", "GSL401"], HEAVY[:0]),
        (["list", str(CORPUS / "sound" / "algebra.py")], ("numpy",)),
    ):
        script = (
            "import atexit, sys\n"
            f"heavy = set({HEAVY!r}) - set({allowed!r})\n"
            "atexit.register(lambda: print(len(heavy & sys.modules.keys()), file=sys.stderr))\n"
            f"from gslverify.cli import main\nmain({arguments!r})\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        count = int(done.stderr.split()[-1])
        yield figure(f"heavy modules of `{arguments[0]}`", count, "modules", 0)


def cold(jobs: int, quick: bool) -> Iterator[Figure]:
    """Verify 200 rules without the numeric stages, in a folder that has no cache."""
    sys.path.insert(0, str(ROOT))
    from gslverify.corpus.collect import CollectedRule, collect

    found = [i.rule_id for i in collect([str(CORPUS)]) if isinstance(i, CollectedRule)]
    chosen = found[: RULES // 10 if quick else RULES]
    stages = "static,satisfiable,shape"
    options = ["--stages", stages, "--no-cache", "-q", "-j", str(jobs)]
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(ROOT / rule_id) for rule_id in chosen]
        wall, own = run(["-m", "gslverify", "check", *options, *paths], Path(folder))
    name = f"{stages} for {len(chosen)} rules, cold, {jobs} workers"
    yield figure(name, wall, "s", None if quick else 20)
    yield figure(f"{name}, processor", own, "s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="20 rules, and fewer repetitions")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    chosen = parser.parse_args()
    repeat = 3 if chosen.quick else 10
    measures = (starting(repeat), loaded(), cold(2, chosen.quick))
    report(chain.from_iterable(measures), chosen.json)


if __name__ == "__main__":
    main()
