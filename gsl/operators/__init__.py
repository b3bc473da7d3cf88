"""The operators: importing this package registers all declarations."""

from __future__ import annotations

from gsl.operators import convolution, elementwise
from gsl.operators.declaration import REGISTRY, Operator, lookup

__all__ = ["REGISTRY", "Operator", "convolution", "elementwise", "lookup"]
