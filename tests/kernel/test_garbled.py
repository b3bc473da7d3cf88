"""Whatever a text says, it is a kernel or an error with a place; nothing else is raised."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from gsl.errors import KernelError
from gsl.kernel.c import emit_c
from gsl.kernel.gradient import differentiate
from gsl.kernel.numpy_source import emit_numpy
from gsl.kernel.parser import parse
from gsl.kernel.printer import print_kernel
from gsl.kernel.statement import Kernel
from tests.kernel.ten_cases import LIFTED, TEN

TEXTS = [example.text for example in (*TEN, *LIFTED) if example.inputs[0] == "A"]
SIGNS = "ABCijknpqr0123456789<>[](),;=+-*/%!&|.: \n"
PIECES = [*SIGNS, "//", "sum<k:4>(", "1e9", "select("]


@st.composite
def garbled(draw: st.DrawFn) -> str:
    """Draw a kernel some places of which are replaced, left out or doubled."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(text)))
        width = draw(st.integers(0, 6))
        piece = draw(st.sampled_from(["", text[place : place + 9], *PIECES]))
        text = text[:place] + piece + text[place + width :]
    return text


def kernel_of(text: str) -> Kernel | None:
    """Return a kernel; None where an error says what is wrong, and where if it can."""
    try:
        return parse(text, ["A"], ["B" if "B<" in text.split("=")[0] else "C"], "garbled")
    except KernelError as error:
        if error.line < 1 and "output" not in str(error) and "the input" not in str(error):
            raise
        return None


@given(st.one_of(garbled(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)))
@settings(max_examples=400, deadline=None)
def test_nothing_but_kernel_errors(text: str) -> None:
    kernel = kernel_of(text)
    if kernel is None:
        return
    for one in (kernel, differentiate(kernel, ["A"])):
        assert print_kernel(one)
        for emit in (emit_numpy, emit_c):
            # Sizes that no input has, and empty tensors, are refused only here.
            with suppress(KernelError):
                assert emit(one)
