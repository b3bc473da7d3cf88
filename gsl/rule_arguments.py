"""What the arguments of `@rule` may be."""

from __future__ import annotations

from typing import Any

from gsl.operators.semantics import semantics_known

NAN_POLICIES = ("may-change", "same")
"""What a rule may declare about NaN, infinities and signed zeros; the first is the default."""


def wrong_argument(words: Any, texts: dict[str, Any]) -> str:
    """Return what is wrong about the arguments of `rule`, or the empty string."""
    for name, text in texts.items():
        if not isinstance(text, str):
            return f"{name}={text!r} is not a text"
    if not isinstance(words, tuple) or not all(isinstance(word, str) for word in words):
        return f"tags={list(words) if isinstance(words, tuple) else words!r} is not a set of words"
    if texts["reason"] and not texts["expect"]:
        return "reason= says why a failure is known; name its code by expect=, or leave it out"
    if texts["nan"] not in NAN_POLICIES:
        return f"nan={texts['nan']!r} is not {' or '.join(map(repr, NAN_POLICIES))}"
    if texts["semantics"] not in ("", *(known := semantics_known())):
        return f"semantics={texts['semantics']!r} is not {' or '.join(map(repr, known))}"
    return ""


def wrong_graphs(graphs: dict[str, Any]) -> str:
    """Return what is wrong about graphs that are examples, or the empty string."""
    for name, given in graphs.items():
        if not isinstance(given, list | tuple):
            return f"{name}={given!r} is not a list of graphs"
    return ""
