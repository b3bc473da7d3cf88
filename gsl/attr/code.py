"""Python source that is put together line by line, for what rules are compiled to."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any


class NotCompiledError(Exception):
    """A rule has a form that is not compiled; it is interpreted instead, which is only slower."""


class Code:
    """Lines of one function and the constants that they mention by name."""

    def __init__(self) -> None:
        self.depth = 1
        self.constants: dict[str, Any] = {}
        self._lines: list[str] = []
        self._names: dict[int, str] = {}
        self._fresh = 0

    def line(self, text: str) -> None:
        """Add a line at the present depth."""
        self._lines.append("    " * self.depth + text)

    def mark(self) -> int:
        """Return the place after the lines so far, for `insert`."""
        return len(self._lines)

    def insert(self, place: int, text: str) -> None:
        """Add a line at the first depth in a place that was marked."""
        self._lines.insert(place, "    " + text)

    def open(self, text: str) -> None:
        """Add the head of a block; what follows is inside it until `depth` is reset."""
        self.line(text)
        self.depth += 1

    def fresh(self, prefix: str) -> str:
        """Return a name that is not used yet."""
        self._fresh += 1
        return f"{prefix}{self._fresh}"

    def constant(self, value: Any) -> str:
        """Return the name under which the function finds `value`."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"k{len(self.constants)}"
            self.constants[name] = value
        return name

    def function(self, signature: str, title: str) -> Callable[..., Any]:
        """Compile the lines to a function with a signature such as ``(root, graph)``.

        Raises NotCompiledError when blocks or parentheses are nested deeper than Python allows.
        """
        text = "\n".join([f"def compiled{signature}:", *self._lines, ""])
        names = dict(self.constants)
        try:
            exec(_bytecode(text, title), names)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise NotCompiledError(f"nested too deeply: {error}") from error
        compiled: Callable[..., Any] = names["compiled"]
        return compiled


@lru_cache(maxsize=2048)
def _bytecode(text: str, title: str) -> CodeType:
    """Return what Python runs for a text; structures of one rule often differ in constants only."""
    return compile(text, f"<{title}>", "exec")
