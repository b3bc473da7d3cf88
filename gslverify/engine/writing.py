"""The first stage of a rule, in the process that has imported its file."""

from __future__ import annotations

from dataclasses import replace

from gsl.operators.declaration import REGISTRY
from gslverify.corpus.declaration import CollectedRule, LoadedRule, Written
from gslverify.engine.cache.key import UncacheableError, declared_operators
from gslverify.engine.examination import examine
from gslverify.events import Live
from gslverify.finding import StageResult
from gslverify.settings import Settings
from gslverify.stages import WAVES, load_stage

for _location in WAVES[0].values():
    load_stage(_location)  # before rule files are imported, which must not change it


def write_down(item: LoadedRule) -> Written:
    """Write a rule down and check its text; settings make no difference to that."""
    (result,) = examine(item, WAVES[0], Settings(), _ignore)
    try:
        return Written(result, tuple(declared_operators(result.operators)))
    except UncacheableError as error:
        return Written(result, uncacheable=str(error))


def written_here(item: CollectedRule, result: StageResult) -> CollectedRule:
    """Return a rule with the result of its first stage, which was run with those that follow."""
    unknown = [name for name in result.operators if name not in REGISTRY]
    why = f"operator {unknown[0]} is not declared by gsl" if unknown else ""
    return replace(item, written=Written(result, uncacheable=why))


def _ignore(live: Live) -> None:
    """Tell nobody: this takes no time."""
