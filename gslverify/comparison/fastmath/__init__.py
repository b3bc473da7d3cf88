"""Arrays that are rounded as a machine may round them that is granted some flags.

The NumPy references of the operators run on them unchanged. Without a flag every step is computed
exactly and rounded once to its dtype; sums and products of whole tensors are one step, as nothing
is said about their order. A flag lets some of these roundings be left out, in the way in which
LLVM's documentation states it, so that all graphs between which the flag lets a compiler choose
have the same values: where source and target still differ, they need another flag. Values are kept
in float64, which has more than twice the digits of what is rounded to; networks in float64 are
rounded like float32. Those that have floats of other dtypes as well are computed once more with
float64 as it is, so that what is rounded before and after a conversion can be told apart.

Source: https://llvm.org/docs/LangRef.html#rewrite-based-flags.
"""

from __future__ import annotations

from gslverify.comparison.fastmath import functions, ufuncs
from gslverify.comparison.fastmath.array import Machine, Rounded

__all__ = ["Machine", "Rounded", "functions", "ufuncs"]
