"""What tells a graph from every other one, to the last bit of its constants.

The text of a graph does not: it shortens constants and leaves out the types of inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gsl.expr import Expr
from gsl.graph import reverse_post_order
from gsl.records import encode
from gsl.types import Type

Identity = tuple[Any, ...]


def identity(outputs: Sequence[Expr]) -> Identity:
    """Return expressions, types and outputs of a graph, to be compared with those of another.

    Raises GraphError for a graph with a cycle, or with what is no expression.
    """
    records, positions = encode(outputs)
    types: list[Type] = [expr.type for expr in reverse_post_order(outputs)]
    plain = tuple(tuple(_plain(part) for part in record) for record in records)
    return plain, tuple(types), tuple(positions)


def _plain(part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return part.dtype.name, part.shape, part.tobytes()
    return part
