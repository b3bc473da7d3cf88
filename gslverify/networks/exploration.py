"""Hypothesis looks for an example that fails, and makes it simpler, for a stage of the verifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from enum import Enum, auto
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase
from hypothesis.errors import HypothesisException
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.conjecture.engine import ConjectureRunner
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.internal.entropy import deterministic_PRNG
from hypothesis.internal.escalation import InterestingOrigin

from gslverify.atomic import own_folder
from gslverify.networks.choices import Choices, NothingDrawnError

T = TypeVar("T")
Phases = tuple[Phase, ...]
SEARCH: Phases = (Phase.generate, Phase.shrink)
GENERATE: Phases = (Phase.generate,)
REPLAY: Phases = (Phase.reuse, Phase.shrink)
"""Only what failed in an earlier run is examined."""
REUSE: Phases = (Phase.reuse,)
"""It is not made simpler, either."""


BACKEND = "gslverify"
KEY = b"choices"
"""Under what hypothesis keeps choices in a database of its own."""


Lead = Callable[[], Sequence[int]]
"""Returns what the next example begins with, such as the structure whose turn it is."""


def nothing() -> Sequence[int]:
    """Lead nowhere."""
    return ()


_LEAD: ContextVar[Lead] = ContextVar("lead", default=nothing)


class EvenProvider(HypothesisProvider):
    """Draws first what a search leads to, and then every number of a range equally often.

    The provider of hypothesis prefers numbers that are written in the modules that happen to be
    loaded, so that what is drawn for a rule would depend on the rules before it.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._first: list[int] | None = None

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        **options: Any,
    ) -> int:
        """Return a number of a range."""
        if self._random is None or min_value is None or max_value is None:
            return super().draw_integer(min_value, max_value, **options)
        if self._first is None:
            self._first = list(_LEAD.get()())
        if self._first:
            return min(max_value, self._first.pop(0))
        return self._random.randint(min_value, max_value)


AVAILABLE_PROVIDERS[BACKEND] = EvenProvider


class ExampleStatus(Enum):
    """What came of an example."""

    INCONCLUSIVE = auto()
    PASSED = auto()
    FAILED = auto()


FAILED = InterestingOrigin(AssertionError, "", 0, (), ())
"""All failures are one to hypothesis, which makes it simpler."""


class EnoughError(BaseException):
    """Nothing more is to be tried; hypothesis handles all other exceptions itself."""


class Kept(ExampleDatabase):
    """The failing choices of one search for one rule, in a folder with those of other rules.

    Hypothesis is given one key for all of them.
    """

    def __init__(self, folder: str, rule_id: str, name: str = "") -> None:
        super().__init__()
        self.folder = Path(folder)
        self._folder = DirectoryBasedExampleDatabase(folder)
        self._name = f"{rule_id}\0{name}".encode() + b"\0"

    def fetch(self, key: bytes) -> set[bytes]:
        """Return the choices that are kept under a key."""
        return set(self._folder.fetch(self._name + key))

    def save(self, key: bytes, value: bytes) -> None:
        """Keep choices, where that can be written."""
        with suppress(OSError):
            own_folder(self.folder)
        self._folder.save(self._name + key, value)

    def delete(self, key: bytes, value: bytes) -> None:
        """Forget choices."""
        self._folder.delete(self._name + key, value)


class _Drawn:
    """Choices of hypothesis, without what it knows of them where strategies draw them."""

    def __init__(self, data: ConjectureData) -> None:
        self._data = data

    def number(self, most: int) -> int:
        """Return a number from 0 to `most`."""
        return self._data.draw_integer(0, most) if most else 0


def explore(
    make: Callable[[Choices], T],
    examine: Callable[[T], ExampleStatus],
    examples: int,
    start: int,
    lead: Lead = nothing,
    kept: ExampleDatabase | None = None,
    phases: Phases = SEARCH,
) -> None:
    """Have `examples` that say something examined, the simplest first, until one fails.

    It is then examined again and again with simpler choices. What `make` makes follows from the
    choices alone; it raises NothingDrawnError. Both may raise EnoughError, which ends everything.
    The same `start` has the same examples, whatever the profile of hypothesis is and whatever seed
    pytest was given for it. Each begins with the numbers that `lead` returns.
    """

    def run(data: ConjectureData) -> None:
        try:
            status = examine(make(_Drawn(data)))
        except NothingDrawnError:
            data.mark_invalid()
        if status is ExampleStatus.FAILED:
            data.mark_interesting(FAILED)
        if status is ExampleStatus.INCONCLUSIVE:
            data.mark_invalid()

    usual = _usual(examples, phases)
    chosen = usual if kept is None else settings(usual, database=kept, phases=phases)
    token = _LEAD.set(lead)
    try:
        # References of others may draw random numbers: the same in every run.
        with deterministic_PRNG():
            # `given` would read the function again in every search, and reseed for every example.
            ConjectureRunner(run, settings=chosen, random=Random(start), database_key=KEY).run()
    except (EnoughError, HypothesisException):
        return
    finally:
        _LEAD.reset(token)


@lru_cache(maxsize=64)
def _usual(examples: int, phases: Phases) -> settings:
    """Return settings that take nothing from profiles."""
    return settings(
        backend=BACKEND,
        database=None,
        deadline=None,
        derandomize=False,
        max_examples=examples,
        phases=phases,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
