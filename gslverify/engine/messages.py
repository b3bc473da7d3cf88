"""What the processes of a run say to each other besides results and live events."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from gslverify.events import Live
from gslverify.finding import Counterexample, StageResult
from gslverify.stages import Wave

END = b""
"""The message that ends an answer."""


@dataclass(frozen=True, slots=True)
class Request:
    """A rule, its file and the stages to run, for a worker.

    `plan` is what earlier stages have worked out, `recalled` what an earlier run found out, which
    is given back where it still holds. Of a rule that `is_watched` graphs are recorded before they
    are run. Stages that are to end in time, and the rule, which has so many seconds for them, are
    ended by the process itself, which tells what it has found by then.
    """

    rule_id: str
    path: Path
    wave: Wave
    plan: tuple[Any, ...] = ()
    recalled: tuple[StageResult, ...] = ()
    is_watched: bool = False
    seconds: float = inf
    ends_in_time: bool = False


@dataclass(frozen=True, slots=True)
class HostEnded:
    """The process that had imported a file has ended, with this exit code."""

    exit_code: int


Message = Live | StageResult | Counterexample | HostEnded
"""What comes back, until END."""
