"""Functions that are put together line by line."""

from __future__ import annotations

import pytest

from gsl.attr.code import Code, NotCompiledError


def test_lines_become_a_function() -> None:
    code = Code()
    code.open("for item in items:")
    code.line("if item > least: return item")
    code.depth = 1
    code.line("return None")

    largest = code.function("(items, least)", "test")

    assert largest([1, 5, 7], 4) == 5
    assert largest([], 4) is None


def test_values_are_found_under_names_of_their_own() -> None:
    code = Code()
    text = "'); raise SystemExit('"
    name, again, other = code.constant(text), code.constant(text), code.constant(len)
    code.line(f"return {other}({name})")

    assert name == again != other
    assert code.constants == {name: text, other: len}
    assert code.function("()", "test")() == len(text)


def test_equal_values_do_not_share_a_name() -> None:
    code = Code()

    assert code.constant(1.0) != code.constant(True)


def test_fresh_names_are_never_used_twice() -> None:
    code = Code()

    assert len({code.fresh(prefix) for prefix in "nnmmn"}) == 5


def test_functions_do_not_share_what_they_know() -> None:
    one, other = Code(), Code()
    for code, value in ((one, "one"), (other, "other")):
        code.line(f"return {code.constant(value)}")

    assert [code.function("()", "test")() for code in (one, other)] == ["one", "other"]


TOO_DEEP = {
    "blocks": lambda code: [code.open("for i in items:") for _ in range(25)],
    "parentheses": lambda code: code.line("return " + "(" * 300 + "1" + ")" * 300),
}


@pytest.mark.parametrize("name", TOO_DEEP)
def test_what_python_cannot_nest_is_not_compiled(name: str) -> None:
    code = Code()
    TOO_DEEP[name](code)
    code.line("return None")

    with pytest.raises(NotCompiledError, match="nested too deeply"):
        code.function("(items)", "test")
