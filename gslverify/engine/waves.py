"""Which waves of stages a run has, and which rules go through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gslverify.corpus.declaration import Collected, CollectedRule
from gslverify.repro.store import pinned_files
from gslverify.settings import Settings
from gslverify.stages import ALWAYS_RUN, EXAMPLES, PINNED, Wave


def chosen_waves(waves: Sequence[Wave], settings: Settings) -> list[Wave]:
    """Return the first wave and what the settings name of the others."""
    first, *others = waves
    chosen = [
        {name: location for name, location in wave.items() if name in settings.stages}
        for wave in others
    ]
    return [first, *(wave for wave in chosen if wave)]


def may_be_remembered(wave: Wave) -> bool:
    """Tell whether all stages are ours, and neither cheap nor about other files."""
    ours = all(location.startswith("gslverify.") for location in wave.values())
    return ours and ALWAYS_RUN.isdisjoint(wave)


def special_waves(settings: Settings) -> Iterator[tuple[Wave, Callable[[Collected], bool]]]:
    """Yield waves that only some rules go through, after the first, and which rules these are."""
    yield PINNED, _has_pinned
    if set(EXAMPLES) <= set(settings.stages):
        yield EXAMPLES, _has_examples


def _has_examples(item: Collected) -> bool:
    return isinstance(item, CollectedRule) and item.rule.has_examples


def _has_pinned(item: Collected) -> bool:
    return isinstance(item, CollectedRule) and bool(pinned_files(item.path, item.rule.name))
