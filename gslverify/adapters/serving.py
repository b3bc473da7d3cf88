"""Ask a library about counterexamples: `python -m gslverify.adapters.serving LIBRARY TARGET...`.

A request is a line of standard input: the name of a rule, a tab, and a `gslverify.case.Case` as the
text of its pickle. The answer is a line of JSON on standard output, the fields of a `Replayed`.
What the library prints goes to standard error.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module

from gslverify.adapters import LIBRARIES
from gslverify.adapters.foreign import ForeignRule, Replayed, with_names
from gslverify.case import Case
from gslverify.passes.isolation import Died, Hung, Raised, run_each

SECONDS = 60.0


def main(library: str, *targets: str) -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    rules = dict(with_names(import_module(LIBRARIES[library]).rules(targets)))
    for line in sys.stdin:
        name, _, text = line.rstrip("\n").partition("\t")
        case: Case = pickle.loads(base64.b64decode(text))
        answers.write(json.dumps(asdict(answered(rules.get(name), case))) + "\n")
        answers.flush()


def answered(rule: ForeignRule | None, case: Case) -> Replayed:
    """Return what the library does on a counterexample, in a child that may crash or hang."""
    if rule is None or rule.replay is None:
        return Replayed(False, "the library cannot be asked about it")
    (answer,) = run_each([_task(rule.replay, case)], SECONDS)
    match answer:
        case Replayed():
            return answer
        case Died(how):
            return Replayed(True, f"its process ended: {how}")
        case Hung(seconds):
            return Replayed(False, f"there was no answer within {seconds:g} seconds")
        case Raised():
            return Replayed(False, f"{answer} ({answer.where})")
    raise TypeError(f"{type(answer).__name__} is no answer")


def _task(replay: Callable[[Case], Replayed], case: Case) -> Callable[[], Replayed]:
    return lambda: replay(case)


if __name__ == "__main__":
    main(*sys.argv[1:])
