"""What a run asks about earlier ones; nothing is believed that is not seen to hold still.

Kept are results that PASS, which are believed if the rule still matches and agrees on a graph kept
with them, and VACUOUS ones. A refutation is kept with its counterexample and is only as good as
that: it is replayed, and has to fail with the same code. INCONCLUSIVE and ERROR are never kept.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from gsl.errors import GslError
from gsl.span import require_source
from gslverify.atomic import reason_of
from gslverify.corpus.declaration import CollectedRule, Written
from gslverify.engine.cache.folder import CacheFolder
from gslverify.engine.cache.form import from_text, to_text
from gslverify.engine.cache.holding import WITH_WITNESS, refuting
from gslverify.engine.cache.key import stage_key
from gslverify.engine.examination import skipped, stops
from gslverify.finding import StageResult, Verdict
from gslverify.settings import Settings


class Memory(Protocol):
    """What the engine asks before it runs stages, and tells afterwards."""

    def recall(self, item: CollectedRule, stages: Iterable[str]) -> tuple[StageResult, ...] | None:
        """Return the results of stages of a written rule, if all are known; None to run them.

        They are only believed where they are still seen to hold (`gslverify.engine.cache.holding`).
        """

    def remember(self, item: CollectedRule, result: StageResult) -> None:
        """Take note of a result."""

    def close(self) -> None:
        """Take note that the run is over."""


class Forgetful:
    """Remembers nothing."""

    def recall(self, item: CollectedRule, stages: Iterable[str]) -> tuple[StageResult, ...] | None:
        """Return None."""
        return None

    def remember(self, item: CollectedRule, result: StageResult) -> None:
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
    _reported: set[str] = field(default_factory=set)

    def recall(self, item: CollectedRule, stages: Iterable[str]) -> tuple[StageResult, ...] | None:
        """Return what earlier runs found out, if all of it is known."""
        found: list[StageResult] = []
        stop: StageResult | None = None
        for stage in stages:
            if stop is not None:
                found.append(skipped(stage, f"{stop.stage} refuted the rule"))
                continue
            result = self._known(item, stage)
            if result is None:
                return None
            found.append(replace(result, cached=True, seconds=0.0, hint_seconds=0.0))
            stop = found[-1] if stops(result, self.settings) else None
        return tuple(found)

    def _known(self, item: CollectedRule, stage: str) -> StageResult | None:
        if stage == "prove" and self.settings.certificates:
            return None  # which writes a file as well
        key = self._key(item, stage)
        text = self.folder.read(key) if key else None
        if text is None:
            return None
        try:
            result, place = from_text(text)
            fits = isinstance(result, StageResult) and result.stage == stage
            if not fits or place not in ("", _place(item)):
                return None
            lacking = stage == WITH_WITNESS and result.verdict is Verdict.PASS
            return None if lacking and result.witness is None else result
        except Exception:  # an entry of another release may be anything; it is written anew
            return None

    def remember(self, item: CollectedRule, result: StageResult) -> None:
        """Keep a result that may be kept."""
        key = self._key(item, result.stage) if _may_be_kept(result) else ""
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

    def _key(self, item: CollectedRule, stage: str) -> str:
        written = item.written or Written(StageResult("", Verdict.INCONCLUSIVE))
        if written.uncacheable:
            self._tell(f"{item.rule_id}: its results are not kept: {written.uncacheable}")
        rule_hash = written.result.rule_hash
        if written.uncacheable or not rule_hash:
            return ""
        return stage_key(item.rule, rule_hash, written.declared, stage, self.settings) + self.mark

    def _tell(self, message: str) -> None:
        if message not in self._reported:
            print(f"gslverify: {message}", file=sys.stderr)
            self._reported.add(message)


def _may_be_kept(result: StageResult) -> bool:
    if result.cached or result.skipped or result.rule_hash:
        return False
    if result.verdict is Verdict.PASS:
        return result.witness is not None or result.stage != WITH_WITNESS
    if result.verdict is Verdict.VACUOUS:
        return True
    cases = refuting(result)
    shown = bool(cases) and all(case is not None for _, case in cases)
    return result.verdict is Verdict.FAIL and shown


def _place(item: CollectedRule) -> str:
    """Return where a rule is: what is found in it has places, which are its own."""
    return f"{item.rule.span} {_file_digest(item.path)}"


@lru_cache(maxsize=256)
def _file_digest(path: Path) -> str:
    """Return a hash of a rule file, in which editing moves the places; no file, no known places."""
    try:
        require_source(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return os.urandom(32).hex()
