"""Select rules by words: ``-k "conv and not broken"`` over names and tags."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gsl.errors import GslError
from gslverify.corpus.declaration import Declaration

Accepts = Callable[[frozenset[str]], bool]


class SelectionError(GslError):
    """A selection expression cannot be read; the message shows where."""


def rule_selector(expression: str) -> Callable[[Declaration], bool]:
    """Return a function that tells whether a rule is meant.

    Words are combined by `and`, `or`, `not` and parentheses; a word is true of a rule when its
    name or one of its tags contains it. Raises SelectionError for anything else.
    """
    parser = _Parser(expression, re.findall(r"[()]|[^\s()]+", expression))
    accepts = parser.whole()

    def selected(rule: Declaration) -> bool:
        return accepts(frozenset({rule.name.lower(), *(tag.lower() for tag in rule.tags)}))

    return selected


@dataclass(slots=True)
class _Parser:
    """Recursive descent: `or` binds weakest, then `and`, then `not`."""

    text: str
    tokens: list[str]
    at: int = 0

    def whole(self) -> Accepts:
        """Read everything."""
        accepts = self._alternative()
        if self.at < len(self.tokens):
            raise self._error(f"`{self.tokens[self.at]}` was not expected")
        return accepts

    def _alternative(self) -> Accepts:
        accepts = self._conjunction()
        while self._take("or"):
            accepts = _either(accepts, self._conjunction())
        return accepts

    def _conjunction(self) -> Accepts:
        accepts = self._negation()
        while self._take("and"):
            accepts = _both(accepts, self._negation())
        return accepts

    def _negation(self) -> Accepts:
        if self._take("not"):
            inner = self._negation()
            return lambda words: not inner(words)
        if self._take("("):
            inner = self._alternative()
            if not self._take(")"):
                raise self._error("a closing parenthesis is missing")
            return inner
        return self._word()

    def _word(self) -> Accepts:
        if self.at == len(self.tokens) or self.tokens[self.at] in ("and", "or", ")"):
            raise self._error("a word is missing")
        word = self.tokens[self.at].lower()
        self.at += 1
        return lambda words: any(word in known for known in words)

    def _take(self, token: str) -> bool:
        found = self.at < len(self.tokens) and self.tokens[self.at] == token
        self.at += found
        return found

    def _error(self, what: str) -> SelectionError:
        read = " ".join(self.tokens[: self.at])
        place = f"after `{read}`" if read else "at the start"
        return SelectionError(f"-k {self.text!r}: {what} {place}")


def _either(left: Accepts, right: Accepts) -> Accepts:
    return lambda words: left(words) or right(words)


def _both(left: Accepts, right: Accepts) -> Accepts:
    return lambda words: left(words) and right(words)
