"""Values of terms in models of one instance: computed by walks at first, then by code.

Preferences are mended by trying hundreds of values, and each of them asks for the same claims and
definitions again. What is asked for often is compiled (`gsl.attr.writer`); where the code does not
come to a value, the walk has the last word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gsl.attr.code import Code, NotCompiledError
from gsl.attr.memory import Memory
from gsl.attr.term import Access, Symbol, Term
from gsl.attr.writer import MISSING, UNDECIDED, Kind, TermWriter, Written
from gslverify.structures.models.concrete import value_in

OFTEN = 4
"""A term that was asked for so many times is compiled; most texts have been compiled before."""

FAILURES = (*MISSING, *UNDECIDED)

_KINDS = {"int": Kind.INTEGER, "real": Kind.REAL, "bool": Kind.FLAG, "text": Kind.TEXT}

_Compiled = Callable[[Mapping[Symbol, Any]], Any]


class Evaluator:
    """Computes values of terms as `value_in` does; each symbol has a value of its sort."""

    def __init__(self) -> None:
        self._asked: Counter[Term] = Counter()
        self._compiled: dict[Term, _Compiled] = {}

    def value(self, term: Any, model: Mapping[Symbol, Any], known: Memory | None = None) -> Any:
        """Return the value of a term in a model; raises GslError where it has none.

        What is `known` in this very model may be used, and is added to.
        """
        function = self._compiled.get(term)
        if function is None:
            return self._walked(term, model, known)
        try:
            return function(model)
        except FAILURES:
            return value_in(term, model, known)

    def _walked(self, term: Any, model: Mapping[Symbol, Any], known: Memory | None) -> Any:
        if isinstance(term, Term):
            self._asked[term] += 1
            if self._asked[term] >= OFTEN:
                self._compiled[term] = _compiled(term)
        return value_in(term, model, known)


def _compiled(term: Term) -> _Compiled:
    """Return a function that gives the value of a term in a model, or raises one of FAILURES."""
    code = Code()

    def symbol(one: Symbol) -> Written:
        return Written(f"model[{code.constant(one)}]", _KINDS[one.sort])

    try:
        written = TermWriter(code, _refuse, (term,), symbol).write(term)
        code.line(f"return {written.text}")
        return code.function("(model)", "term of an instance")
    except NotCompiledError:
        return partial(value_in, term)


def _refuse(access: Access, writer: TermWriter) -> Written:
    raise NotCompiledError(f"attribute `{access.name}` is not part of an instance")
