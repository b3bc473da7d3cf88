"""Operators that ONNX and GSL have alike, under two names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gsl.expr import Expr
from gsl.onnx.build import call
from gsl.onnx.site import Site
from gsl.onnx.table import OLDEST, reads, writes


def alike(
    name: str,
    onnx_name: str,
    since: int = 1,
    given: Callable[[Site], list[Expr]] = Site.operands,
    **defaults: Any,
) -> None:
    """Declare both rows of an operator that has the same operands and attributes in both.

    `given` are its operands, `defaults` those that ONNX has for its attributes.
    """

    def read(site: Site) -> Expr:
        attributes = {key: site.attribute(key, value) for key, value in defaults.items()}
        return call(name, *given(site), **attributes)

    def write(out: Any, written: Any, *operands: Any) -> Any:
        return out.node(onnx_name, *operands, **{key: written.attributes[key] for key in defaults})

    reads(onnx_name, since=since)(read)
    writes(name, since=max(since, OLDEST))(write)
