"""What every benchmark prints: figures with their targets, as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the table; `met` is None where there is no target."""

    figure: str
    value: float
    unit: str
    target: float | None = None
    met: bool | None = None


def figure(name: str, value: float, unit: str, target: float | None = None) -> Figure:
    """Return a figure that is to be at most its target, if it has one."""
    met = None if target is None else value <= target
    return Figure(name, round(value, 3), unit, target, met)


def at_least(name: str, value: float, unit: str, target: float) -> Figure:
    """Return a figure that is to be at least its target."""
    return Figure(name, round(value, 3), unit, target, value >= target)


def report(figures: Iterable[Figure], as_json: bool) -> None:
    """Print figures as they come, or all of them as a list of objects."""
    lines = []
    for line in figures:
        lines.append(line)
        if not as_json:
            show(line)
    if as_json:
        print(json.dumps([asdict(line) for line in lines], indent=1))


def show(line: Figure) -> None:
    """Print one line of the table."""
    mark = {None: "", True: "met", False: "MISSED"}[line.met]
    target = "" if line.target is None else f"target {line.target:g}"
    print(f"{line.figure:58} {line.value:14,.3f} {line.unit:16} {target:14} {mark}", flush=True)
