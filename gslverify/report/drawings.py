"""The drawings of rules, for formats that show more than results.

They are made by processes that import the files of the rules, and come back as data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gsl.drawing.show import conditions_of, mermaid
from gsl.drawing.vertices import Drawing, drawings_of_rule
from gsl.rule_files.guard import Loss
from gsl.span import require_source
from gslverify.corpus.containment import contained
from gslverify.corpus.declaration import Collected, CollectedRule, Loaded, LoadedRule
from gslverify.corpus.guarded import asked
from gslverify.finding import RuleResult, Verdict
from gslverify.mutation.collect import find_item
from gslverify.settings import Settings


@dataclass(frozen=True, slots=True)
class Sides:
    """Mermaid flowcharts of the source and of the target of a rule, as lines."""

    source: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Both sides of a rule, and its conditions as text."""

    source: Drawing
    target: Drawing
    conditions: tuple[str, ...] = ()


def drawn(item: Collected) -> Drawn | None:
    """Return the drawings of a rule; None for what cannot be written down."""
    if not isinstance(item, CollectedRule):
        return None
    if item.written is not None and not item.written.result.rule_hash:
        return None
    return _drawn_in(item.path, _digest(item.path), item.rule_id).get(item.rule_id)


def drawn_for(collected: Iterable[Collected], result: RuleResult) -> Drawn | None:
    """Return the drawings of the rule that a result is about, if it has any."""
    item = next((one for one in collected if one.rule_id == result.rule_id), None)
    return None if item is None or result.verdict is Verdict.ERROR else drawn(item)


def sides_of(drawings: Drawn) -> Sides:
    """Return both sides of a rule as flowcharts of their own."""
    return Sides(
        ("flowchart TD", *mermaid(drawings.source, "s")),
        ("flowchart TD", *mermaid(drawings.target, "t")),
    )


def _digest(path: Path) -> str:
    try:
        require_source(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


@lru_cache(maxsize=4096)
def _drawn_in(path: Path, digest: str, rule_id: str) -> Mapping[str, Drawn]:
    """Return the drawings of all rules of a file; of a mutant, only those of the mutant."""
    name = rule_id.rpartition("::")[2]
    if "~" not in name:
        return _all_drawn_in(path, digest)
    found = asked(path, lambda loaded: _drawings([find_item(loaded, rule_id)]), SECONDS)
    return {} if isinstance(found, Loss) else found


@lru_cache(maxsize=4096)
def _all_drawn_in(path: Path, digest: str) -> Mapping[str, Drawn]:
    found = asked(path, _drawings, SECONDS)
    return {} if isinstance(found, Loss) else found


SECONDS = Settings().load_timeout


def _drawings(loaded: Sequence[Loaded | None]) -> dict[str, Drawn]:
    found = {}
    for item in loaded:
        if isinstance(item, LoadedRule):
            with suppress(Exception), contained():
                subst = item.rule()
                source, target = drawings_of_rule(subst)
                found[item.rule_id] = Drawn(source, target, tuple(conditions_of(subst)))
    return found
