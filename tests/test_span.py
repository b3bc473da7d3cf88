from __future__ import annotations

from pathlib import Path

import pytest

from gsl.span import Span, here, keyword_span, resolve

TEXT = """\
call(
    first=1,
    second=(2,
            3))
other(call(second=4), second=5)
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "rules.py"
    path.write_text(TEXT, "utf-8")
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


def test_places_have_columns() -> None:
    span = resolve(here())

    assert span is not None
    assert Path(span.file).name == "test_span.py"
    assert (span.column, span.end_column) == (20, 26)
    assert str(span).endswith(f"test_span.py:{span.line}:20")


def test_no_origin_has_no_place() -> None:
    assert resolve(None) is None
