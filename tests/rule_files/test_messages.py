"""Messages hold data, whatever version of Python writes them."""

from __future__ import annotations

import pickle
from enum import Enum
from typing import Any

import pytest

from gsl.rule_files.messages import MessageError, read, written
from gslverify.finding import Level, Verdict


def as_up_to_3_11_3(member: Enum, protocol: int) -> Any:
    """How members of enumerations were pickled."""
    return getattr, (type(member), member.name)


def test_members_of_enumerations_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = {"verdict": Verdict.FAIL, "levels": (Level.PROVED, Level.TESTED)}
    assert read(written(sent)) == sent
    monkeypatch.setattr(Enum, "__reduce_ex__", as_up_to_3_11_3)
    assert read(written(sent)) == sent


def test_what_calls_a_function_is_not_read() -> None:
    class Caller:
        def __reduce__(self) -> Any:
            return print, ("called",)

    with pytest.raises(MessageError, match=r"builtins\.print, which is not data"):
        read(written(Caller()))
    with pytest.raises(MessageError, match="UnpicklingError"):
        read(pickle.dumps("cut")[:-1] + b"?")
