"""Index variables get their domains from where they are used."""

from __future__ import annotations

from typing import Any

import pytest

from gsl.kernel.expression import Apply, Reduction, walk
from gsl.kernel.parser import parse


@pytest.mark.parametrize(
    ("text", "extents"),
    [
        ("C<8>[i] = A<8,3>[i,k]", {"k": 3}),
        ("C<8>[i] = A<10>[i+k]", {"k": 3}),
        ("C<4>[i] = A<8>[2*i+k]", {"k": 2}),
        ("C<2>[i] = A<32>[16*i+k]", {"k": 16}),
        ("C<1>[i] = A<2,16>[k//16, k%16]", {"k": 32}),
        ("C<1>[i] = A<8>[7-k]", {"k": 8}),
        ("C<1>[i] = A<4,9>[j,j+k]", {"j": 4, "k": 6}),
        ("C<n>[i] = A<n,m>[i,k]", {"k": "m"}),
        ("C<1>[i] = A<5>[3*k+1]", {"k": 2}),
    ],
)
def test_domains(text: str, extents: dict[str, Any]) -> None:
    value = parse(text, ["A"], ["C"]).statements[0].value
    assert isinstance(value, Reduction)
    found = {symbol.name: extent for symbol, extent in value.variables}
    assert {name: getattr(extent, "name", extent) for name, extent in found.items()} == extents


def test_each_additive_term_has_its_own_domain() -> None:
    text = "C<1>[i] = A<3>[k] + B<5>[k] * sum<r:2>(B<5>[r+k])"
    value = parse(text, ["A", "B"], ["C"]).statements[0].value
    assert isinstance(value, Apply)
    extents = [part.variables[0][1] for part in walk(value) if isinstance(part, Reduction)]
    assert extents == [3, 5, 2]
