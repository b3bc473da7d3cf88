"""Spans: the caret of a report stands exactly under what was written."""

from __future__ import annotations

import linecache
from pathlib import Path
from types import CodeType

import pytest

from gsl.attr.term import Access, Operation
from gsl.span import (
    Span,
    column_of,
    here,
    is_made_up,
    keyword_span,
    line_of_file,
    origin_of,
    resolve,
)
from tests.rule_text import place_in, run, underlined

WRITTEN = [
    ("one = op.Relu(pat.Wildcard())", "op.Relu(pat.Wildcard())"),
    ("x = pat.Wildcard()\none = x + x", "x + x"),
    ("x = pat.Wildcard()\none = -x", "-x"),
    ("x = pat.Wildcard()\nif True:\n        one = x[0]", "x[0]"),
    ("x = pat.Wildcard()\none = (x\n   *   x)", "x\n   *   x"),
    ("x = pat.Wildcard()\none = op.Add(\n    x,\n    x,\n)", "op.Add(\n    x,\n    x,\n)"),
    ("x = pat.Wildcard()\ntext, one = 'größer ≥ 卷积', op.Relu(x)", "op.Relu(x)"),
    ("x = pat.Wildcard()\ntext, one = '卷积', (x +\n 1)  # 卷积", "x +\n 1"),
    ("x, names = pat.Wildcard(), []\none = [op.Exp(x) for _ in 'a'][0]", "op.Exp(x)"),
    ("x = pat.Wildcard()\none = (lambda y: op.Tanh(y))(x)", "op.Tanh(y)"),
    ("x = pat.Wildcard()\none = pat.Variadic(x, min_len=2)", "pat.Variadic(x, min_len=2)"),
]


@pytest.mark.parametrize(("text", "part"), WRITTEN)
def test_span_of_a_pattern_is_what_was_written(text: str, part: str, tmp_path: Path) -> None:
    span = resolve(run(text, tmp_path)["one"].origin)

    assert part == underlined(span)
    assert place_in(text, part) == (span.line, span.column)


def test_spans_of_terms_are_what_was_written(tmp_path: Path) -> None:
    text = "w = pat.Variable()\nterm = 'ü' and w.shape[0] * 2 + 1"

    whole = run(text, tmp_path)["term"]
    product = whole.operands[0]
    access = product.operands[0].tuple

    assert isinstance(whole, Operation)
    assert isinstance(access, Access)
    assert underlined(resolve(whole.origin)) == "w.shape[0] * 2 + 1"
    assert underlined(resolve(product.origin)) == "w.shape[0] * 2"
    assert underlined(resolve(access.origin)) == "w.shape"


def test_span_prints_file_line_and_column() -> None:
    assert str(Span("rules/conv.py", 12, 5, 12, 9)) == "rules/conv.py:12:5"


def test_spans_are_ordered_by_place() -> None:
    spans = [Span("b.py", 1), Span("a.py", 2, 1), Span("a.py", 1, 9), Span("a.py", 1, 2)]

    assert [(span.file, span.line, span.column) for span in sorted(spans)] == [
        ("a.py", 1, 2),
        ("a.py", 1, 9),
        ("a.py", 2, 1),
        ("b.py", 1, 1),
    ]


def test_here_is_outside_of_the_package() -> None:
    span = resolve(here())

    assert span is not None
    assert (__file__, "here()") == (span.file, underlined(span))


def test_nowhere_has_no_span() -> None:
    assert origin_of(None) is None
    assert resolve(None) is None


def code_of(text: str, file: str) -> CodeType:
    return compile(text, file, "exec")


def test_span_without_positions_is_the_start_of_the_line() -> None:
    code = code_of("x = 1\ny = 2\n", "gone.py")

    assert Span("gone.py", 2, 1, 2, 1) == resolve((code, 10**6, 2))


def test_columns_are_offsets_when_the_source_is_gone() -> None:
    assert column_of("no such file.py", 3, 6) == 7
    assert column_of("no such file.py", 3, 0) == 1


def test_columns_count_characters(tmp_path: Path) -> None:
    file = tmp_path / "umlaut.py"
    file.write_text("größe = x\n", encoding="utf-8")

    offset = len("größe = ".encode())

    assert column_of(str(file), 1, offset) == 9


CALLS = """\
call(
    first=1,
    second=(2,
            3))
other(call(second=4), second=5)
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "rules.py"
    path.write_text(CALLS, "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("call", "name", "found"),
    [
        ((1, 1, 4, 16), "first", (2, 5, 2, 12)),
        ((1, 1, 4, 16), "second", (3, 5, 4, 15)),
        ((5, 7, 5, 21), "second", (5, 12, 5, 20)),
        ((5, 1, 5, 32), "second", (5, 23, 5, 31)),
    ],
)
def test_keyword_is_found_in_its_call(
    call: tuple[int, int, int, int], name: str, found: tuple[int, int, int, int], file: str
) -> None:
    assert keyword_span(Span(file, *call), name) == Span(file, *found)


@pytest.mark.parametrize("call", [(1, 1, 4, 16), (3, 1, 3, 5)])
def test_keyword_that_is_not_written_leaves_the_call(
    call: tuple[int, int, int, int], file: str
) -> None:
    assert keyword_span(Span(file, *call), "third") == Span(file, *call)


def test_text_that_cannot_be_read_leaves_the_call(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("call(\n", "utf-8")
    call = Span(str(path), 1, 1, 1, 5)

    assert keyword_span(call, "first") == call
    assert keyword_span(None, "first") is None


def test_text_that_is_run_counts_as_the_line_that_runs_it() -> None:
    found = eval("find()", {"find": line_of_file})

    assert found is not None
    assert found.file == __file__
    assert "eval" in linecache.getline(found.file, found.line)


@pytest.mark.parametrize(("file", "made_up"), [("<string>", True), ("rules.py", False)])
def test_names_that_python_makes_up(file: str, made_up: bool) -> None:
    assert is_made_up(file) is made_up
