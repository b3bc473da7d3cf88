"""Every operator has a kernel, which is asked about axes that are known only.

That it says the same as the NumPy reference is looked at in `test_three_way`.
"""

from __future__ import annotations

import pytest
from one_call import OPERATORS

from gsl.attr.term import Symbol
from gsl.errors import UndecidedError
from gsl.kernel.meaning import named
from gsl.types import TensorType


def test_every_operator_has_a_kernel() -> None:
    assert [name for name, operator in OPERATORS.items() if operator.meaning is None] == []


@pytest.mark.parametrize("name", ["Flip", "Cumsum", "Softmax", "Sum", "Transpose"])
def test_no_kernel_is_asked_about_an_axis_that_is_not_known(name: str) -> None:
    operator, data = OPERATORS[name], TensorType((2, 3), "float32")
    (axes,) = (one for one, declared in operator.attributes.items() if declared.domain.names_axes)
    attributes = operator.normalise({axes: (0, 1) if name == "Transpose" else 0}, (data,))
    unknown = Symbol("n")
    attributes[axes] = (unknown,) if isinstance(attributes[axes], tuple) else unknown
    with pytest.raises(UndecidedError, match="axis depends on an unknown size"):
        operator.element((Symbol("i"), Symbol("j")), [named("x", data)], attributes, None)
