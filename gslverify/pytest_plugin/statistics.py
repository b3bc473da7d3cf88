"""What options of hypothesis mean for rules: profiles, and statistics of what was drawn."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest

from gslverify.finding import StageResult
from gslverify.pytest_plugin.configure import hypothesis_profile, session_settings
from gslverify.settings import Settings

PROFILE = "gslverify.networks.profile"


def register_profile_of(config: pytest.Config) -> None:
    """Let hypothesis know the profile of rules that it is asked to load.

    Properties then have as many examples as rules have graphs, and failures are kept as theirs are.
    """
    settings, name = session_settings(config), hypothesis_profile(config)
    if name:
        door = importlib.import_module(PROFILE)
        door.register_profile(name, settings.max_examples, settings.examples_folder)


def note_statistics(item: pytest.Item, result: StageResult, settings: Settings) -> None:
    """Have hypothesis print the statistics of a stage that draws graphs among those of properties.

    Its plugin looks for an attribute of the item.
    """
    if result.counts.get("draws"):
        lines = _lines(item.nodeid, result, settings)
        setattr(item, "hypothesis_statistics", "\n".join(lines))  # noqa: B010


def _lines(name: str, result: StageResult, settings: Settings) -> Iterator[str]:
    counts = result.counts
    failing = sum(finding.counterexample is not None for finding in result.findings)
    yield f"{name}:\n"
    yield f"  - during generate phase ({result.seconds:.2f} seconds):"
    passing, refused = counts["examples"] + counts["declined"], counts["rejected"]
    yield f"    - {passing} passing graphs, {failing} failing graphs, {refused} refused draws"
    yield f"    - {counts['declined']} matches were declined, in {counts['contexts']} contexts"
    enough = f"settings.max_examples={settings.max_examples}"
    yield f"  - Stopped because {'a graph failed' if failing else enough}"
