"""Conversions of Python that keep what they are given, while the code of a user is followed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from gslverify.structures.models.kept_conversions import Followed, conversions_kept


class Kept(Followed):
    def converted(self, function: Any) -> Any:
        return self, function


KEPT = Kept()
ASKED = tuple((KEPT, one) for one in (int, float, len, round))


def inner(one: Any) -> Any:
    return float(one)


def converting(one: Any) -> Any:
    return int(one), inner(one), len(one), round(one)


class Reference:
    def __init__(self, scale: int) -> None:
        self.scale = scale

    def __call__(self, one: Any) -> Any:
        return int(one)


@pytest.mark.parametrize("reference", [converting, partial(converting)])
def test_what_is_followed_says_what_it_becomes(reference: Any) -> None:
    with conversions_kept(reference):
        assert reference(KEPT) == ASKED


def test_objects_and_methods_are_found() -> None:
    for one in (Reference(2), Reference(2).__call__):
        with conversions_kept(one):
            assert one(KEPT) == ASKED[0]


def plain(text: str) -> Any:
    assert isinstance(3, int)
    assert isinstance(1.5, float)
    assert not isinstance(1.5, int)
    assert type(int(text)) == int  # noqa: E721
    made = np.zeros(2, dtype=int), np.arange(2).astype(float), np.float32(2.5)
    return int(text, 16), float(made[2]), len(text), round(2.345, 1), made[0].dtype, made[1].dtype


def test_everything_else_is_converted_as_before() -> None:
    expected = plain("12")
    with conversions_kept(plain):
        assert plain("12") == expected


def test_names_are_gone_afterwards() -> None:
    with conversions_kept(converting):
        assert "int" in globals()
    assert "int" not in globals()
