"""What a rule may assume or change about floating point and the width of integers.

The words are those of LLVM's fast-math flags (https://llvm.org/docs/LangRef.html#fast-math-flags):
a rule is valid under a set of flags.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gsl.errors import MisuseError, did_you_mean

FLAGS: Mapping[str, str] = {
    "nnan": "arguments and results are not NaN",
    "ninf": "arguments and results are not infinite",
    "nsz": "the sign of a zero does not matter",
    "reassoc": "sums and products are reordered: results differ by rounding",
    "arcp": "a division becomes a multiplication by a reciprocal",
    "contract": "a product and a sum are rounded once",
    "afn": "a function is replaced by an approximation",
    "nowrap": "intermediate integers do not wrap",
    "lossy": "a conversion to a narrower dtype is left out or added",
}
"""Flags by name, with what a rule that has one may assume or change."""

OF_SPECIAL_VALUES = frozenset({"nnan", "ninf", "nsz"})
"""Flags without which NaN, infinities and signed zeros come out of the target unchanged."""

OF_ROUNDING = frozenset({"reassoc", "arcp", "contract", "afn", "lossy"})
"""Flags without which every step of the target rounds to what the source has there."""

NOWRAP = "nowrap"
"""The flag with which a rule need not hold where integers of its source wrap."""

LOSSY = "lossy"
"""The flag with which a compiler may leave out a conversion to a narrower dtype, or add one."""

USUAL = frozenset({"reassoc", "contract", "arcp", "nsz"})
"""What a rule is taken to need that declares no flags."""


def wrong_flags(given: Any) -> str:
    """Return what is wrong with a set of flags, or the empty string."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return f'flags={given!r} is not a set of flags such as {{"nsz", "reassoc"}}'
    for name in given:
        if name not in FLAGS:
            hint = did_you_mean(str(name), FLAGS) or f"the flags are {', '.join(FLAGS)}"
            return f"there is no flag {name!r}; {hint}"
    return ""


def known_flags(given: Iterable[str]) -> frozenset[str]:
    """Return flags as a set; raise MisuseError for what is none."""
    names = given if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    wrong = wrong_flags(names)
    if wrong:
        raise MisuseError(wrong)
    return frozenset(names)


def in_order(flags: Iterable[str]) -> list[str]:
    """Return flags in the order in which they are listed."""
    chosen = set(flags)
    return [name for name in FLAGS if name in chosen]
