"""What "proved" claims, and which findings would contradict it.

For every structure that the assurance names, with all sizes at least 1 and for all values of
attributes: on a graph that the source matches, the target can be built, its outputs have the types
of those of the source, every element is the same function of the inputs, and the target is defined
wherever the source is. Floats are real numbers, integers wrap.

So a proof does not speak of rounding and overflow of floats (GSL405, GSL409), of NaN, infinities
and signed zeros (GSL406), of inputs without elements (GSL407, GSL408), of what else the engine does
to a graph (GSL402, GSL471), of how a rule is written or lives with others (GSL1xx, GSL6xx, GSL7xx),
or of TVM.
"""

from __future__ import annotations

from collections.abc import Iterable

from gslverify.codes.gradient import GRADIENTS_DIFFER
from gslverify.codes.numeric import MATCH_REFUSED, OUTPUTS_DIFFER, TARGET_UNDEFINED
from gslverify.codes.satisfiable import VACUOUS
from gslverify.codes.shape import ILLEGAL_TARGET, OUTPUT_DTYPE, OUTPUT_SHAPE
from gslverify.finding import Assurance, Finding, Level, Reach

CONTRADICTING = frozenset(
    {
        VACUOUS,
        OUTPUT_SHAPE,
        OUTPUT_DTYPE,
        ILLEGAL_TARGET,
        OUTPUTS_DIFFER,
        MATCH_REFUSED,
        TARGET_UNDEFINED,
        GRADIENTS_DIFFER,
    }
)
"""Codes of findings that no proved rule may have."""


def is_proved(assurances: Iterable[Assurance]) -> bool:
    """Tell whether elements were proved to be equal for all sizes, and not only types."""
    return any(one.subject == "prove" and one.level is Level.PROVED for one in assurances)


def is_proved_everywhere(assurances: Iterable[Assurance]) -> bool:
    """Tell whether that was proved in every structure: one that was not tried may be wrong."""
    return any(is_proved([one]) and one.reach is Reach.SIZES for one in assurances)


def contradictions(assurances: Iterable[Assurance], findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that cannot be right if the proof is, and the other way round."""
    if not is_proved(assurances):
        return []
    return [finding for finding in findings if finding.code in CONTRADICTING]
