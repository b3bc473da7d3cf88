"""Arrays of residues modulo a prime: the references of the operators as polynomials.

The NumPy references run on them unchanged. Every input element is a random residue, so that two
networks that agree compute the same rational functions of their inputs, but for an error that the
degrees bound (Schwartz and Zippel). What is no rational function is a random function with a key,
a new unknown for every argument; a law that such a function obeys is used only where it holds.
Agreement proves an identity over the real numbers, and over integers that wrap. Disagreement
proves nothing, because two names of one function look different here.

Sources: J. T. Schwartz, Fast probabilistic algorithms for verification of polynomial identities;
M. Wu et al., Mirage: a multi-level superoptimizer for tensor programs, for exponentials.
"""

from __future__ import annotations

from gslverify.comparison.modular import functions, ufuncs
from gslverify.comparison.modular.array import Modular
from gslverify.comparison.modular.field import PRIMES, Field, OutsideError, VanishingError

__all__ = [
    "PRIMES",
    "Field",
    "Modular",
    "OutsideError",
    "VanishingError",
    "functions",
    "ufuncs",
]
