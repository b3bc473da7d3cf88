"""Short ways to run the engine on rules with fake stages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gslverify.corpus.collect import collect
from gslverify.engine.loop import verify
from gslverify.engine.writing import write_down
from gslverify.events import Event, RunDone
from gslverify.settings import Settings
from tests.gslverify.fake_stages import WAVES
from tests.gslverify.rule_files import write_rules


def events_of(folder: Path, names: Sequence[str], **settings: Any) -> list[Event]:
    """Return all events of a run over sound rules with these names."""
    path = write_rules(folder, names)
    return list(verify(collect([path.name], write=write_down), Settings(**settings), WAVES))


def run(folder: Path, names: Sequence[str], **settings: Any) -> RunDone:
    """Return the end of a run over sound rules with these names."""
    done = events_of(folder, names, **settings)[-1]
    assert isinstance(done, RunDone)
    return done


def verdicts(done: RunDone) -> dict[str, str]:
    """Return the verdict of each rule by its name."""
    return {result.rule_id.partition("::")[2]: str(result.verdict) for result in done.results}


def codes(done: RunDone) -> dict[str, list[str]]:
    """Return the codes found for each rule that has any, by its name."""
    return {
        result.rule_id.partition("::")[2]: [finding.code.id for finding in result.findings]
        for result in done.results
        if result.findings
    }
