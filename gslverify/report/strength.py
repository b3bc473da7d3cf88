"""How much a PASS is worth, in one word: proved, equal for all inputs, or tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from gslverify.finding import Assurance, Reach, RuleResult, Verdict

ABOUT_VALUES = frozenset({"", "prove", "black-box"})
"""Subjects of assurances about what source and target compute."""

WORDS = {
    Reach.SIZES: "proved",
    Reach.SIZES_IN_PART: "proved in part",
    Reach.INPUTS: "equal for all inputs",
    Reach.GRAPHS: "tested",
}
"""Strengths in words, the strongest first."""

UNTESTED = "values not compared"


WEAK = frozenset({WORDS[Reach.GRAPHS], UNTESTED})
"""Words for rules of which only single graphs are known, or nothing."""


@dataclass(frozen=True, slots=True)
class Strength:
    """What is known of the values of a rule at best.

    Attributes:
        word: one of `WORDS`, or `UNTESTED`.
        text: the word and how far it reaches, such as "proved, ranks 0-4".
        flags: flags (`gsl.flags`) that the rule was seen to need.
    """

    word: str
    text: str
    flags: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.text}; needs {' '.join(self.flags)}" if self.flags else self.text


def strength_of(assurances: Iterable[Assurance]) -> Strength:
    """Return the strength of the best of all that was established about values."""
    about = [one for one in assurances if one.subject in ABOUT_VALUES]
    flags = tuple(dict.fromkeys(flag for one in about for flag in one.flags))
    if not about:
        return Strength(UNTESTED, UNTESTED)
    best = max(about, key=lambda one: one.reach)
    word = WORDS[best.reach]
    return Strength(word, best.text if best.reach >= Reach.SIZES_IN_PART else word, flags)


def counted_strengths(results: Iterable[RuleResult]) -> dict[str, int]:
    """Return how many of the rules that pass have which strength, the strongest first."""
    passed = (one for one in results if one.verdict is Verdict.PASS)
    counts = Counter(strength_of(one.assurances).word for one in passed)
    return {word: counts[word] for word in (*WORDS.values(), UNTESTED) if counts[word]}
