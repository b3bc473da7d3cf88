"""Checks of what terms refer to: symbols of fields, and attributes of patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gsl.attr.term import Access, Symbol, Term, free_symbols, operation, subterms
from gsl.check.finding import Findings, Place, place_of, source_places, target_places
from gsl.errors import RuleError
from gsl.pat import Call, GetInst, GetItem, Pattern, SameOperator, Variadic
from gsl.span import Span
from gsl.subst import Subst
from gsl.text.naming import pattern_names
from gsl.text.terms import python_text


def symbols_bound(subst: Subst) -> Findings:
    """GSL120: every symbol belongs to a variadic pattern around the place where it is used."""
    reported: set[tuple[Pattern, Symbol]] = set()
    source = subst.derived(source_places)
    for place in (*source, *subst.derived(target_places)):
        unbound = {s for term in place.pattern.terms() for s in free_symbols(term)} - place.symbols
        for symbol in unbound:
            if (place.pattern, symbol) not in reported:
                reported.add((place.pattern, symbol))
                yield _unbound(symbol, place_of(place.pattern))
    for term in subst.where:
        for symbol in free_symbols(term):
            yield _unbound(symbol, place_of(term) or subst.span)


def _unbound(symbol: Symbol, span: Span | None) -> RuleError:
    cure = "give it as index=... of a pat.Variadic that has this pattern among its templates"
    return RuleError("GSL120", f"symbol `{symbol.name}` is not bound here", span, cure)


def matched_before_used(subst: Subst) -> Findings:
    """GSL121, GSL122: an attribute is used only after the pattern that has it was matched."""
    source = subst.derived(source_places)
    context = _Context(subst, frozenset(source))
    for place in source:
        yield from context.unknown(place, _terms(place.pattern, matching=True))
        context.known.add(place)
    nowhere = Place(subst.source[0]) if subst.source else None
    if nowhere is not None:
        yield from context.unknown(nowhere, subst.where)
    for place in subst.derived(target_places):
        yield from context.unknown(place, _terms(place.pattern, matching=False))
        context.known.add(place)


def _terms(pattern: Pattern, matching: bool) -> list[Term]:
    """Return what is evaluated for a pattern; lengths of tuples only matter for building them."""
    terms = [] if matching and isinstance(pattern, Variadic) else list(pattern.terms())
    others: list[Pattern] = []
    if isinstance(pattern, GetInst):
        others = [pattern.variadic]
    elif isinstance(pattern, Call):
        same = [pattern.callee.call] if isinstance(pattern.callee, SameOperator) else []
        like = [pattern.attributes_of] if pattern.attributes_of is not None else []
        others = [*same, *like]
    name = "length" if isinstance(pattern, GetInst) else "operator"
    return [*terms, *(Access(other, name, pattern.origin) for other in others)]


class _Context:
    """What has been matched so far, in the order in which the engine works."""

    def __init__(self, subst: Subst, source: frozenset[Place]) -> None:
        self.known: set[Place] = set()
        self._subst, self._source = subst, source
        self._patterns = frozenset(subst.source_patterns)

    def unknown(self, place: Place, terms: Iterable[Term]) -> Findings:
        """Yield a finding for every attribute that has no value at `place`."""
        for access in _accesses(terms):
            owner = access.pattern
            needed = place.see(owner.variadic if isinstance(owner, GetInst) else owner)
            if needed not in self.known:
                yield self._finding(access, needed, place.pattern)

    def _finding(self, access: Access, needed: Place, user: Pattern) -> RuleError:
        what = f"attribute `{access.name}` of {access.pattern!r}"
        if needed in self._source:
            message, code = f"{what} is used before it is matched", "GSL121"
            cure = self._as_condition(access, user)
        elif needed.pattern in self._patterns:
            message, code = f"{what} has a value in every field, this does not say which", "GSL122"
            cure = "use src(pattern, index) where src is the variadic pattern"
        else:
            message, code = f"{what}, which is not part of the source", "GSL122"
            cure = self._of_source(needed.pattern)
        return RuleError(code, message, place_of(access), cure)

    def _of_source(self, pattern: Pattern) -> str:
        """Return what to write for a pattern that is none of the source."""
        if any(_is_same_field(pattern, one) for one in self._patterns):
            return "keep the field in a variable: each time it is written it is another pattern"
        return "use patterns of the source"

    def _as_condition(self, access: Access, user: Pattern) -> str:
        """Return the condition to write instead of a constraint; conditions are evaluated last."""
        for name, term in user.constraints.items():
            if any(part is access for part in subterms(term)):
                names = pattern_names(self._subst)
                condition = operation("==", Access(user, name), term)
                text = python_text(condition, names)
                return f"drop `{name}=` there and write Subst(..., where=[{text}])"
        return "state the constraint at the pattern that is matched later"


def _is_same_field(one: Pattern, other: Pattern) -> bool:
    """Tell whether two patterns are the same field of one tuple, taken twice."""
    if not (isinstance(one, GetItem) and isinstance(other, GetItem)):
        return False
    return one.operands == other.operands and repr(one.constraints) == repr(other.constraints)


def _accesses(terms: Iterable[Term]) -> Iterator[Access]:
    for term in terms:
        for part in subterms(term):
            if isinstance(part, Access):
                yield part
