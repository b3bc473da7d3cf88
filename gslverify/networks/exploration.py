"""Hypothesis looks for an example that fails, and makes it simpler, for a stage of the verifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from enum import Enum, auto
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar
from unittest import SkipTest

from hypothesis import HealthCheck, Phase, Verbosity, core, given, reject, seed, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase
from hypothesis.errors import HypothesisException
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

from gslverify.atomic import own_folder
from gslverify.networks.choices import Choices, Drawn, NothingDrawnError

T = TypeVar("T")
Phases = tuple[Phase, ...]
SEARCH: Phases = (Phase.generate, Phase.shrink)
GENERATE: Phases = (Phase.generate,)
REPLAY: Phases = (Phase.reuse, Phase.shrink)
"""Only what failed in an earlier run is examined."""
REUSE: Phases = (Phase.reuse,)
"""It is not made simpler, either."""


BACKEND = "gslverify"


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


class EnoughError(BaseException):
    """Nothing more is to be tried; hypothesis handles all other exceptions itself."""


class _FailedError(Exception):
    """An example failed."""


class Kept(ExampleDatabase):
    """The failing choices of one search for one rule, in a folder with those of other rules.

    Hypothesis names searches by the code of their function, which is the same for all rules.
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


class _Maker(Generic[T]):
    """What makes examples, with few words: hypothesis writes strategies down again and again."""

    def __init__(self, make: Callable[[Choices], T]) -> None:
        self.make = make

    def __repr__(self) -> str:
        return "make"


class _Made(Generic[T]):
    """An example, with few words, too."""

    def __init__(self, example: T) -> None:
        self.example = example

    def __repr__(self) -> str:
        return "example"


@st.composite
def _example(draw: st.DrawFn, maker: _Maker[T]) -> _Made[T]:
    try:
        return _Made(maker.make(Drawn(draw)))
    except NothingDrawnError:
        reject()


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

    def run(example: T) -> None:
        match examine(example):
            case ExampleStatus.INCONCLUSIVE:
                reject()
            case ExampleStatus.FAILED:
                raise _FailedError

    # Hypothesis reads the source of the function in every run, so it is short.
    def holds(made: _Made[T]) -> None:
        run(made.example)

    usual = _usual(examples, phases)
    chosen = usual if kept is None else settings(usual, database=kept, phases=phases)
    token = _LEAD.set(lead)
    # A seed given to pytest would be that of every search, and hide what is kept from all of them.
    forced, core.global_force_seed = core.global_force_seed, None
    try:
        # The settings come last: `seed` would take the database away again.
        chosen(seed(start)(given(_example(_Maker(make)))(holds)))()
    except (_FailedError, EnoughError, HypothesisException, SkipTest):
        return  # hypothesis skips where nothing is kept to be examined again
    finally:
        core.global_force_seed = forced
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
