"""What a run asks about earlier ones; nothing is believed that is not seen to hold still.

Kept are results that PASS, which are believed if the rule still matches and agrees on a graph kept
with them, and VACUOUS ones. A refutation is kept with its counterexample and is only as good as
that: it is replayed, and has to fail with the same code. INCONCLUSIVE and ERROR are never kept.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from gsl.errors import GslError
from gslverify.atomic import reason_of
from gslverify.case import Case
from gslverify.corpus.collect import CollectedRule
from gslverify.corpus.containment import contained
from gslverify.engine.cache.folder import CacheFolder
from gslverify.engine.cache.form import from_text, to_text
from gslverify.engine.cache.key import UncacheableError, stage_key
from gslverify.engine.examination import skipped, stops
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings

WITH_WITNESS = "numeric"
"""The stage whose PASS has a graph to show."""


class Memory(Protocol):
    """What the engine asks before it runs stages, and tells afterwards."""

    def recall(
        self, item: CollectedRule, written: StageResult, stages: Iterable[str]
    ) -> tuple[StageResult, ...] | None:
        """Return the results of stages of a rule, given that of the first; None to run them."""

    def remember(self, item: CollectedRule, written: StageResult, result: StageResult) -> None:
        """Take note of a result."""

    def close(self) -> None:
        """Take note that the run is over."""


class Forgetful:
    """Remembers nothing."""

    def recall(
        self, item: CollectedRule, written: StageResult, stages: Iterable[str]
    ) -> tuple[StageResult, ...] | None:
        """Return None."""
        return None

    def remember(self, item: CollectedRule, written: StageResult, result: StageResult) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


@dataclass(slots=True)
class Remembering:
    """Keeps results in a folder; a disk that takes none costs a message and nothing else.

    A `mark` behind the keys keeps results apart that are only good for one purpose.
    """

    folder: CacheFolder
    settings: Settings
    mark: str = ""
    written: int = 0
    _told: set[str] = field(default_factory=set)

    def recall(
        self, item: CollectedRule, written: StageResult, stages: Iterable[str]
    ) -> tuple[StageResult, ...] | None:
        """Return what earlier runs found out, if all of it is known and still seen to hold."""
        found: list[StageResult] = []
        stop: StageResult | None = None
        for stage in stages:
            if stop is not None:
                found.append(skipped(stage, f"{stop.stage} refuted the rule"))
                continue
            result = self._known(item, written, stage)
            if result is None:
                return None
            found.append(replace(result, cached=True, seconds=0.0))
            stop = found[-1] if stops(result, self.settings) else None
        return tuple(found)

    def _known(self, item: CollectedRule, written: StageResult, stage: str) -> StageResult | None:
        key = self._key(item, written, stage)
        text = self.folder.read(key) if key else None
        if text is None:
            return None
        try:
            result, place = from_text(text)
            fits = isinstance(result, StageResult) and result.stage == stage
            if not fits or place not in ("", _place(item)):
                return None
            return result if self._holds(item, result) else None
        except Exception:  # an entry of another release may be anything; it is written anew
            return None

    def _holds(self, item: CollectedRule, result: StageResult) -> bool:
        if result.verdict is Verdict.PASS:
            cases = [] if result.witness is None else [("", result.witness)]
            if result.stage == WITH_WITNESS and not cases:
                return False
        else:
            cases = [(code, case) for code, case in _refuting(result) if case is not None]
        if not cases:
            return True
        with contained():
            subst = item.rule()
            replay: Callable[..., Any] = import_module("gslverify.trials.replay").replay
            return all(_same(replay(subst, case, code), code) for code, case in cases)

    def remember(self, item: CollectedRule, written: StageResult, result: StageResult) -> None:
        """Keep a result that may be kept."""
        key = self._key(item, written, result.stage) if _may_be_kept(result) else ""
        if not key:
            return
        place = _place(item) if result.findings else ""
        try:
            self.folder.write(key, to_text((replace(result, cached=False), place)))
            self.written += 1
        except OSError as error:
            self._tell(f"{self.folder.folder}: results cannot be kept: {reason_of(error)}")
        except (TypeError, ValueError, GslError) as error:
            self._tell(f"{item.rule_id}: its results are not kept: {error}")

    def close(self) -> None:
        """Keep the folder small."""
        if self.written:
            self.folder.prune()

    def _key(self, item: CollectedRule, written: StageResult, stage: str) -> str:
        if not written.rule_hash:
            return ""
        try:
            rule, settings = item.rule, self.settings
            key = stage_key(rule, written.rule_hash, written.operators, stage, settings)
            return key + self.mark
        except UncacheableError as error:
            self._tell(f"{item.rule_id}: its results are not kept: {error}")
            return ""

    def _tell(self, message: str) -> None:
        if message not in self._told:
            print(f"gslverify: {message}", file=sys.stderr)
            self._told.add(message)


def _may_be_kept(result: StageResult) -> bool:
    if result.cached or result.skipped or result.rule_hash:
        return False
    if result.verdict is Verdict.PASS:
        return result.witness is not None or result.stage != WITH_WITNESS
    if result.verdict is Verdict.VACUOUS:
        return True
    refuting = _refuting(result)
    shown = bool(refuting) and all(case is not None for _, case in refuting)
    return result.verdict is Verdict.FAIL and shown


def _refuting(result: StageResult) -> list[tuple[str, Case | None]]:
    return [
        (finding.code.id, finding.counterexample.case if finding.counterexample else None)
        for finding in result.findings
        if finding.code.verdict is Verdict.FAIL
    ]


def _same(replayed: Any, code: str) -> bool:
    if code:
        return replayed.code is not None and replayed.code.id == code
    return bool(replayed.code is None and not replayed.undecided and replayed.trial.comparisons)


def _place(item: CollectedRule) -> str:
    """Return where a rule is: what is found in it has places, which are its own."""
    return f"{item.rule.span} {_file_digest(item.path)}"


@lru_cache(maxsize=256)
def _file_digest(path: Path) -> str:
    """Return a hash of a rule file, in which editing moves the places."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
