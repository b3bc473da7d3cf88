"""Are all structures seen? `python benchmarks/structures.py [--quick] [--json]`.

First, of how many rules all structures are tried, and in what time (`enumeration.py`), and how many
proofs hold for all ranks, of all and of those whose rules match tensors of more axes than are tried
(`prove.py`). Then, how many rules are refuted that are wrong in one kind of match. These are made
from sound ones of the corpus (`gaps.py`), each wrong only for one rank, size or list of axes, one
length, one edge of a constant, one empty tensor, one side of a choice or two facts of which the
second is asked where the first holds, with up to ten inputs. Every one of them has to be refuted: a
PASS would be a gap that nobody sees, and VACUOUS would be false. TVM takes no part. `--quick` takes
some rules of each, `-v` names what is not refuted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import chain
from multiprocessing import get_context
from random import Random

import enumeration
from figures import Figure, report
from gaps import KINDS, Gap, gap_of
from numeric import CORPUS, samplers_of
from prove import all_ranks

from gslverify.corpus.declaration import LoadedRule
from gslverify.corpus.loading import load
from gslverify.finding import Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE

STAGES = (SATISFIABLE, SHAPE, PROVE, NUMERIC)
WANTED = 300
MOST_TRIES_A_GAP = 6
SETTINGS = Settings(use_tvm=False, hints=False)


def verdict_of(gap: Gap) -> tuple[str, str]:
    """Return what becomes of a rule, and at which stage with what words."""
    rule = replace(gap.rule, write=lambda: gap.subst, expect="", twin="")
    question = Question(f"gaps.py::{gap.rule.name}", rule, SETTINGS)
    last, words = Verdict.PASS, ""
    for stage in STAGES:
        result = stage.run(question)
        if result.verdict is Verdict.PASS:
            continue
        last = result.verdict
        words = f"{stage.name}: {'; '.join(f'{f.code.id} {f.message}' for f in result.findings)}"
        if last is not Verdict.INCONCLUSIVE:  # later stages may refute what this one leaves open
            break
    return last.value, words


@cache
def sound_rules() -> list[LoadedRule]:
    """Return the sound rules of the corpus, with what writes them."""
    loaded = (one for file in sorted((CORPUS / "sound").rglob("*.py")) for one in load(file))
    return [one for one in loaded if isinstance(one, LoadedRule)]


def examined(number: int) -> tuple[str, str, str, int] | None:
    """Make the gap of a number and verify it; None where no rule that is tried has one."""
    random, items = Random(number), sound_rules()
    kind = KINDS[number % len(KINDS)]
    for _ in range(MOST_TRIES_A_GAP):
        gap = gap_of(random.choice(items).rule, kind, samplers_of, random)
        if gap is not None:
            verdict, words = verdict_of(gap)
            name = f"{number} {gap.rule.name} [{kind}: {gap.fact}] {words}"
            return kind, verdict, name, gap.inputs
    return None


def gaps(wanted: int, start: int, jobs: int) -> Iterator[tuple[str, str, str, int]]:
    """Yield kind, verdict, name and number of inputs of so many gaps."""
    found, number = 0, start
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        while found < wanted:
            turn = range(number, number + 8 * jobs)
            number = turn.stop
            for one in pool.map(examined, turn):
                if one is not None and found < wanted:
                    found += 1
                    yield one


def figures(wanted: int, start: int, jobs: int, names_misses: bool) -> Iterator[Figure]:
    """Yield how many gaps are refuted, in all and by kinds, and how the others end."""
    verdicts: Counter[str] = Counter()
    by_kind: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    most_inputs = 0
    for kind, verdict, name, inputs in gaps(wanted, start, jobs):
        verdicts[verdict] += 1
        by_kind[kind][verdict] += 1
        most_inputs = max(most_inputs, inputs)
        if names_misses and verdict != Verdict.FAIL.value:
            print(f"{verdict}: {name}", flush=True)
    total = verdicts.total()
    for kind, seen in by_kind.items():
        if seen:
            yield share(f"refuted of {seen.total()} wrong for one {kind}", seen)
    yield share(f"refuted of {total} wrong in one kind of match", verdicts)
    for verdict in (Verdict.PASS, Verdict.VACUOUS):
        count = verdicts[verdict.value]
        yield Figure(f"wrong and {verdict.value}", count, "rules", 0, count == 0)
    yield Figure("most inputs of a rule", most_inputs, "inputs")


def share(name: str, seen: Counter[str]) -> Figure:
    """Return which share was refuted."""
    value = round(100 * seen[Verdict.FAIL.value] / seen.total(), 2)
    return Figure(name, value, "%", 100, value == 100)


def main() -> None:
    """Read the arguments, make the gaps, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth as many rules")
    parser.add_argument("--json", action="store_true", help="a list of figures as JSON")
    parser.add_argument("--wanted", type=int, default=0, help=f"rules to make (default {WANTED})")
    parser.add_argument("--start", type=int, default=0, help="number of the first (default 0)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("-v", action="store_true", help="name the rules that are not refuted")
    given = parser.parse_args()
    wanted = given.wanted or (WANTED // 10 if given.quick else WANTED)
    refuted = figures(wanted, given.start, given.jobs, given.v and not given.json)
    before = chain(enumeration.figures(given.quick), all_ranks(given.quick))
    report(chain(before, refuted), given.json)


if __name__ == "__main__":
    main()
