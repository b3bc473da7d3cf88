"""How text is laid out: width, colour, characters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gsl.errors import one_line
from gslverify.finding import Verdict

COLOURS = {
    Verdict.PASS: "32",
    Verdict.XFAIL: "32",
    Verdict.FAIL: "31;1",
    Verdict.VACUOUS: "35;1",
    Verdict.INCONCLUSIVE: "33",
    Verdict.ERROR: "31;1",
}
STRENGTH_COLOURS = {
    "proved": "32",
    "proved in part": "36",
    "equal for all inputs": "36",
    "tested": "33",
    "values not compared": "33",
}
"""Only what is proved is green."""
DIM = "2"
BOLD = "1"

OWN_COLOURS = re.compile(r"(\x1b\[(?:[0-9]+;?)*m)")

DEFAULT_WIDTH = 100
NARROWEST = 60


@dataclass(frozen=True, slots=True)
class Style:
    """Settings of a text report; words carry the meaning, colour only repeats it.

    With `problems_only`, rules that are as they should be have no line; with `trees`, the networks
    of counterexamples are drawn as trees.
    """

    width: int = DEFAULT_WIDTH
    colour: bool = False
    ascii_only: bool = False
    verbosity: int = 0
    problems_only: bool = False
    trees: bool = False

    def paint(self, text: str, colour: str) -> str:
        """Wrap `text` in the escape codes of a colour, if colours are wanted."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self.colour and text else text

    def verdict(self, verdict: Verdict, columns: int = 0) -> str:
        """Return the painted name of a verdict, padded to `columns`."""
        padding = " " * (columns - len(verdict.value))
        return self.paint(verdict.value, COLOURS[verdict]) + padding

    def strength(self, text: str, word: str) -> str:
        """Return a text with the word that it begins with, how much a PASS is worth, painted."""
        if word not in STRENGTH_COLOURS or not text.startswith(word):
            return text
        return self.paint(word, STRENGTH_COLOURS[word]) + text[len(word) :]

    def plain(self, text: str) -> str:
        """Return `text` as a terminal may have it: names obey nobody, only our colours do.

        What lies outside ASCII is replaced, if that is wanted.
        """
        parts = OWN_COLOURS.split(text) if self.colour else [text]
        safe = "".join(p if OWN_COLOURS.fullmatch(p) else one_line(p) for p in parts)
        return safe.encode("ascii", "backslashreplace").decode() if self.ascii_only else safe
