"""Systems whose definition of operators a rule may select."""

from __future__ import annotations

from gsl.operators.declaration import REGISTRY


def semantics_known() -> list[str]:
    """Return the names of systems that define some operator on more values than GSL does.

    They are those whose results the NumPy references compute there.
    """
    declared = [item for one in REGISTRY.values() for item in one.elsewhere.items()]
    return sorted({system for system, known in declared if known.values is not None})
