"""Are flags true? `python benchmarks/flags.py [--every N] [--quick] [--json]`.

For every sound rule of the corpus the numeric stage finds the flags that it needs. Each flag has to
have a witness, and the rule that declares all of them but one has to be refuted, by a finding that
names that one. `--every` takes every Nth rule, `--quick` every sixtieth, `-v` names the misses.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context

from figures import Figure, at_least, figure, report
from prove import rules

from gsl.subst import Rule
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.numeric import NUMERIC

SETTINGS = Settings(use_tvm=False, hints=False)


@dataclass(slots=True)
class Sample:
    """What was found out about one rule: its flags, those without a witness, those not missed."""

    name: str
    known: bool = False
    needed: tuple[str, ...] = ()
    unwitnessed: tuple[str, ...] = ()
    not_missed: list[str] = field(default_factory=list)


def run(one: Rule, flags: frozenset[str] | None) -> StageResult:
    """Return what the numeric stage says of a rule that declares these flags and no others."""
    asked = replace(one, flags=flags, nan="", assumptions=())
    return NUMERIC.run(Question(f"flags.py::{one.name}", asked, SETTINGS))


def names(result: StageResult, flag: str) -> bool:
    """Tell whether a rule is refuted, and by a finding whose cure names a flag."""
    refuting = [one for one in result.findings if not one.code.is_warning]
    return result.verdict is Verdict.FAIL and any(f'"{flag}"' in one.cure for one in refuting)


@cache
def sound_rules() -> list[Rule]:
    return rules("sound", quick=False)


def sample(number: int) -> Sample:
    """Return what was found out about the flags of a rule of the corpus."""
    one = sound_rules()[number]
    free = run(one, one.declared if "nowrap" in (one.declared or ()) else None)
    if not free.flags:
        return Sample(one.name)
    needed = tuple(free.flags["needed"])
    found = Sample(one.name, free.flags["rounding_known"], needed)
    found.unwitnessed = tuple(flag for flag in needed if flag not in free.flags["witnesses"])
    for flag in needed:
        if not names(run(one, frozenset(needed) - {flag}), flag):
            found.not_missed.append(flag)
    return found


def figures(every: int, jobs: int, names_misses: bool) -> Iterator[Figure]:
    numbers = range(0, len(sound_rules()), every)
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        found = list(pool.map(sample, numbers))
    if names_misses:
        for one in found:
            if one.not_missed or one.unwitnessed or not one.known:
                print(one, file=sys.stderr)
    known = sum(one.known for one in found)
    yield at_least("sound rules with a set of flags", 100 * known / len(found), "%", 100)
    flags = sum(len(one.needed) for one in found)
    yield figure("flags that these need", flags, "flag")
    witnessed = flags - sum(len(one.unwitnessed) for one in found)
    yield at_least("flags with a witness", 100 * witnessed / flags if flags else 100, "%", 100)
    missed = flags - sum(len(one.not_missed) for one in found)
    share = 100 * missed / flags if flags else 100
    yield at_least("rules refuted by name with one flag less", share, "%", 100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every Nth rule")
    parser.add_argument("--quick", action="store_true", help="take every sixtieth rule")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.add_argument("-v", "--verbose", action="store_true", help="name what is missed")
    asked = parser.parse_args()
    every = 60 if asked.quick else asked.every
    report(figures(every, asked.jobs, asked.verbose), asked.json)


if __name__ == "__main__":
    main()
