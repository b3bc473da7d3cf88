"""Conditions as they are pasted into a rule: by the names that its author has given."""

from __future__ import annotations

from itertools import chain, count
from typing import NamedTuple

from gsl.attr.term import Access, Term, subterms
from gsl.pat import Pattern
from gsl.span import resolve
from gsl.subst import Subst
from gsl.text.naming import author_names, kind_name
from gsl.text.terms import python_text


class Pasted(NamedTuple):
    """A condition as Python; `naming` says which patterns have to be named first, and how."""

    text: str
    naming: str = ""


def pasted(term: Term, subst: Subst) -> Pasted:
    """Return a condition as the author would write it, with suggestions for what has no name."""
    names, suggested = dict(author_names(subst)), []
    used = set(subst.origin[0].co_varnames) if subst.origin else set()
    for pattern in patterns_in(term):
        if pattern not in names:
            names[pattern] = _free_name(pattern.written_name or kind_name(pattern), used)
            used.add(names[pattern])
            suggested.append(f"name {_place(pattern)} `{names[pattern]}`")
    return Pasted(python_text(term, names), " and ".join(suggested))


def patterns_in(term: Term) -> list[Pattern]:
    """Return the patterns that a term is about, each once."""
    read = (part.pattern for part in subterms(term) if isinstance(part, Access))
    return list(dict.fromkeys(read))


def _free_name(kind: str, used: set[str]) -> str:
    numbered = (f"{kind}_{number}" for number in count(2))
    return next(name for name in chain((kind,), numbered) if name not in used)


def _place(pattern: Pattern) -> str:
    span = resolve(pattern.origin)
    which = f"{pattern!r} `{pattern.written_name}`" if pattern.written_name else repr(pattern)
    return which if span is None else f"{which} in line {span.line}"
