"""Where in a rule file something was written."""

from __future__ import annotations

import ast
import linecache
import os
import stat
import sys
from dataclasses import dataclass
from itertools import islice
from types import CodeType, FrameType

Origin = tuple[CodeType, int, int]
"""A code object, the instruction in it and its line: cheap to keep, resolved only when shown."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of source text; lines and columns count from 1, the end is exclusive."""

    file: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def origin_of(frame: FrameType | None) -> Origin | None:
    """Return the origin of the first frame outward of `frame` that lies outside this package."""
    while frame is not None and is_internal(frame):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti, frame.f_lineno)


def here() -> Origin | None:
    """Return the origin of the code outside this package that is running now."""
    return origin_of(sys._getframe(1))


def line_of_file() -> Span | None:
    """Return the line of a file outside this package that is running; `exec` counts as its line."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (is_internal(frame) or is_made_up(frame.f_code.co_filename)):
        frame = frame.f_back
    return None if frame is None else Span(frame.f_code.co_filename, frame.f_lineno)


def is_made_up(file: str) -> bool:
    """Tell whether the name of a file is one that Python gives to text, such as "<string>"."""
    return file.startswith("<")


def is_internal(frame: FrameType) -> bool:
    """Tell whether a frame runs code of this package."""
    return _package(frame) in ("gsl", "dataclasses")


def is_written(frame: FrameType) -> bool:
    """Tell whether a frame runs code that somebody wrote for rules: neither ours nor generated."""
    module = frame.f_globals.get("__name__", "")
    written = _WRITTEN.get(module)
    if written is None:
        written = _WRITTEN[module] = _package(frame) not in ("gsl", "gslverify", "dataclasses")
    return written


def _package(frame: FrameType) -> str:
    module: str = frame.f_globals.get("__name__", "")
    if module not in _PACKAGES:
        _PACKAGES[module] = module.partition(".")[0]
    return _PACKAGES[module]


_PACKAGES: dict[str, str] = {}
"""The first parts of the names of modules."""

_WRITTEN: dict[str, bool] = {}
"""Which modules are neither ours nor generated."""


def resolve(origin: Origin | None) -> Span | None:
    """Turn an origin into a span; without positions (PEP 657) it is the start of the line."""
    if origin is None:
        return None
    code, instruction, line = origin
    positions = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    start, end, column, end_column = positions
    if start is None or end is None or column is None or end_column is None:
        return Span(code.co_filename, line, 1, line, 1)
    first = column_of(code.co_filename, start, column)
    return Span(code.co_filename, start, first, end, column_of(code.co_filename, end, end_column))


LARGEST_SOURCE = 2**24
"""Bytes of the largest file that is read as the source of something."""


def source_lines(file: str) -> list[str]:
    """Return the lines of a file of Python; none of what has no end, or is too large to be one."""
    try:
        require_source(file)
    except FileNotFoundError:
        pass  # what was typed is in no file, and yet known
    except OSError:
        return []
    return linecache.getlines(file)


def source_line(file: str, line: int) -> str:
    """Return a line of a file of Python with its end, empty where there is none."""
    lines = source_lines(file)
    return lines[line - 1] if 0 < line <= len(lines) else ""


def require_source(file: str | os.PathLike[str]) -> None:
    """Raise OSError for what is no file, as a pipe, or too large: reading it might never end."""
    status = os.stat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SOURCE:
        raise OSError(f"{os.fspath(file)} is no file of a source")


def column_of(file: str, line: int, offset: int) -> int:
    """Turn an offset in bytes, as Python gives it, into a column: in characters, from 1."""
    before = linecache.getline(file, line).encode()[:offset]
    return offset + 1 if not before else len(before.decode(errors="replace")) + 1


def keyword_span(call: Span | None, name: str) -> Span | None:
    """Return where keyword `name` stands in the call that `call` spans, else `call` itself."""
    if call is None:
        return None
    try:
        tree = ast.parse("".join(source_lines(call.file)))
    except SyntaxError:
        return call
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _span_of(node, call.file) == call:
            for keyword in node.keywords:
                if keyword.arg == name:
                    return _span_of(keyword, call.file)
    return call


def decorator_keyword_span(function: Span, name: str) -> Span | None:
    """Return where a decorator of the function that begins on a line is given keyword `name`."""
    try:
        tree = ast.parse("".join(source_lines(function.file)))
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or not node.decorator_list:
            continue
        if min(one.lineno for one in node.decorator_list) == function.line:
            calls = [one for one in node.decorator_list if isinstance(one, ast.Call)]
            found = [word for call in calls for word in call.keywords if word.arg == name]
            return _span_of(found[0], function.file) if found else None
    return None


def _span_of(node: ast.Call | ast.keyword, file: str) -> Span:
    end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    column = column_of(file, node.lineno, node.col_offset)
    return Span(file, node.lineno, column, end_line, column_of(file, end_line, end_offset))
