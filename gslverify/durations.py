"""Durations as people write them: "90", "60s", "10m", "1h30m"."""

from __future__ import annotations

import re
from typing import Any

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


def seconds_of_text(text: str) -> float:
    """Return the seconds of "90", "60s", "10m", "1h30m" or "0", which is no limit."""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    parts = DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"{text!r} is not a duration; write 90, 60s, 10m or 1h30m")
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def seconds_of_toml(value: Any) -> float:
    """Return the seconds of a number or of a text."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    return seconds_of_text(value if isinstance(value, str) else repr(value))


def duration_text(seconds: float) -> str:
    """Return "90s", "10m" or "2h"."""
    for unit in ("h", "m"):
        if seconds >= UNITS[unit] and seconds % UNITS[unit] == 0:
            return f"{seconds / UNITS[unit]:.0f}{unit}"
    return f"{seconds:g}s"
