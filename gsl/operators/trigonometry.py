"""Trigonometric and hyperbolic functions and their inverses, applied to every element."""

from __future__ import annotations

from typing import Any

import numpy as np

from gsl.operators.defined import Values
from gsl.operators.elementwise import unary

BETWEEN_ONES = {"data": Values(low=-1.0, high=1.0)}

Tan = unary("Tan", "tan", np.tan, "The tangent of angles in radians.")
Asin = unary("Asin", "asin", np.arcsin, "The angle of a sine, in radians.", values=BETWEEN_ONES)
Acos = unary("Acos", "acos", np.arccos, "The angle of a cosine, in radians.", values=BETWEEN_ONES)
Atan = unary("Atan", "atan", np.arctan, "The angle of a tangent, in radians.")
Sinh = unary("Sinh", "sinh", np.sinh, "The hyperbolic sine.")
Cosh = unary("Cosh", "cosh", np.cosh, "The hyperbolic cosine.")
Asinh = unary("Asinh", "asinh", np.arcsinh, "The inverse of the hyperbolic sine.")
Acosh = unary(
    "Acosh",
    "acosh",
    np.arccosh,
    "The inverse of the hyperbolic cosine, defined from 1 on.",
    values={"data": Values(low=1.0)},
)
Atanh = unary(
    "Atanh",
    "atanh",
    np.arctanh,
    "The inverse of the hyperbolic tangent, defined between -1 and 1.",
    values={"data": Values(low=-0.999, high=0.999)},
)


def _in_float32(name: str) -> Any:
    """Return the lowering of a function that TVM 0.27 lacks for float16, or has as a formula."""

    def lowering(relax: Any, data: Any) -> Any:
        function = getattr(relax, name)
        if str(data.ty.dtype) != "float16":
            return function(data)
        return relax.astype(function(relax.astype(data, "float32")), "float16")

    return lowering


for declared in (Asin, Acos, Atan, Sinh, Cosh, Asinh, Acosh, Atanh):
    declared.relax(_in_float32(declared.relax_name))
