"""The names of the stages, for those that load none of them."""

from __future__ import annotations

STAGES = (
    "static",
    "examples",
    "satisfiable",
    "shape",
    "prove",
    "numeric",
    "gradient",
    "preconditions",
)
"""All in the order in which they run, cheapest first."""

USUAL_STAGES = tuple(stage for stage in STAGES if stage not in ("gradient", "preconditions"))
"""Those that run unless others are named; the profile "deep" runs all."""
