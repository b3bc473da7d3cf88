"""What targets follow from: the types, attributes and operators of what was matched.

Matches that agree in them have the same target, up to what its nodes are computed from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gsl.attr.code import NotCompiledError
from gsl.attr.term import ANYTHING, Access, Term, subterms
from gsl.attr.writer import Kind
from gsl.match.compiled.branch import attributes_like
from gsl.match.reads import EXACT, kind_of_domain
from gsl.operators import Operator
from gsl.operators.declaration import OpaqueOperator
from gsl.pat import Call, Const, GetInst, GetItem, Pattern, SameOperator, Tuple, Variable, Variadic
from gsl.subst import Subst

Fact = tuple[Pattern, str]
"""A matched pattern and the source of what matters of its node."""

SHARED = EXACT | {Kind.REAL}
"""Kinds of values of which equal ones are mostly one object in calls: all but zeros and NaN."""

TYPE = "{}.expr.type"
ATTRIBUTES = "{}.expr.attributes"
ANY_ATTRIBUTES = "getattr({}.expr, 'attributes', None)"
HEAD = "{}.head"


class Facts:
    """The facts about a match that the target of a rule follows from.

    `named` are the matched patterns that stand for one node each, `templates` those that stand for
    one in every field of `source`. NotCompiledError says that something else matters as well.
    """

    def __init__(
        self,
        subst: Subst,
        source: Variadic | None,
        named: Collection[Pattern],
        templates: Collection[Pattern],
    ) -> None:
        self._subst = subst
        self._source = source
        self._named = named
        self._templates = templates

    def independent(self) -> list[Fact]:
        """Return the facts without the types of calls that follow from the others.

        A template follows if the pattern that stands for it in field 0 does so, too.
        """
        facts = dict.fromkeys(self._facts())
        firsts = self._firsts()
        typed = {pattern for pattern, path in facts if path == TYPE}
        typed |= {firsts[pattern] for pattern in typed if pattern in firsts}
        following = set[Pattern]()
        for pattern in self._subst.source_patterns:
            if not isinstance(pattern, Call) or not typed.issuperset(pattern.operands):
                continue
            settled = ((p, ATTRIBUTES) in facts for p in (pattern, attributes_like(pattern)))
            if _is_plain(pattern) or any(settled):
                typed.add(pattern)
                if pattern not in firsts or firsts[pattern] in following:
                    following.add(pattern)
        return [(p, path) for p, path in facts if path != TYPE or p not in following]

    def _firsts(self) -> dict[Pattern, Pattern]:
        """Return what stands for templates in field 0 by templates, if something else does."""
        source = self._source
        return {} if source is None else dict(zip(source.templates, source.first, strict=False))

    def _facts(self) -> Iterator[Fact]:
        """Yield the matched patterns that a target is made of, each with what matters of it."""
        outputs = self._subst.source if self._source is None else (self._source.field,)
        yield from ((output, TYPE) for output in outputs)
        for pattern in self._subst.target_patterns:
            if isinstance(pattern, GetInst):
                yield pattern.template, TYPE
            elif pattern in self._named:
                yield pattern, TYPE
            else:
                yield from self._facts_of_made(pattern)

    def _facts_of_made(self, pattern: Pattern) -> Iterator[Fact]:
        if isinstance(pattern, Call) and pattern.attributes_of is not None:
            yield from self._facts_of_call(pattern.attributes_of)
        callee = pattern.callee if isinstance(pattern, Call) else None
        if isinstance(callee, SameOperator) and self._is_matched(callee.call):
            yield callee.call, HEAD
        if isinstance(pattern, Const) and pattern.like is not None:
            yield from self._fact(pattern.like, "dtype")
        for term in pattern.terms():
            yield from self._facts_of_term(term)

    def _facts_of_term(self, term: Term) -> Iterator[Fact]:
        for part in subterms(term) if term is not ANYTHING else ():
            if isinstance(part, Access) and part.pattern is not self._source:
                yield from self._fact(part.pattern, part.name)

    def _is_matched(self, pattern: Pattern) -> bool:
        return pattern in self._named or pattern in self._templates

    def _fact(self, pattern: Pattern, name: str) -> Iterator[Fact]:
        """Yield what the value of an attribute of a matched pattern follows from."""
        if isinstance(pattern, GetInst):
            pattern = pattern.template
        if not self._is_matched(pattern):
            return
        callee = pattern.callee if isinstance(pattern, Call) else None
        if isinstance(callee, Operator) and name in callee.attributes:
            yield from self._facts_of_call(pattern)
        elif name not in ("shape", "dtype", "ndim"):
            if not isinstance(pattern, Tuple):
                raise NotCompiledError(f"the {name} of {pattern!r}")
        else:
            yield pattern, TYPE
            if not isinstance(callee, Operator) and not isinstance(
                pattern, Variable | Const | GetItem
            ):
                yield pattern, ANY_ATTRIBUTES

    def _facts_of_call(self, pattern: Pattern) -> Iterator[Fact]:
        """Yield the attributes of a call, if equal ones are the same object."""
        if self._is_matched(pattern):
            callee = pattern.callee if isinstance(pattern, Call) else None
            if not isinstance(callee, Operator) or isinstance(callee, OpaqueOperator):
                yield pattern, ANY_ATTRIBUTES
            elif all(kind_of_domain(a.domain) in SHARED for a in callee.attributes.values()):
                yield pattern, ATTRIBUTES
            else:
                raise NotCompiledError("attributes that differ from call to call")


def _is_plain(pattern: Call) -> bool:
    """Tell whether the type of a call follows from those of its operands alone."""
    callee = pattern.callee
    if not isinstance(callee, Operator) or isinstance(callee, OpaqueOperator):
        return False
    return not callee.attributes
