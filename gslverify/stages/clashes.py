"""What contradicts what in a source, or is too hard to tell, and where it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gsl.attr.conjuncts import conjuncts
from gsl.attr.term import Access, Term, subterms
from gsl.check.finding import place_of
from gsl.pat import Pattern
from gsl.span import Origin, Span, resolve
from gsl.subst import Subst
from gsl.text.naming import pattern_names
from gsl.text.terms import pattern_text, term_text
from gslverify.codes.satisfiable import VACUOUS
from gslverify.finding import Finding
from gslverify.project import in_project
from gslverify.semantics.solver import Answer, Solver
from gslverify.stages.contradiction import Contradiction
from gslverify.stages.questions import Questions
from gslverify.stages.scenarios import Scenario
from gslverify.structures.instance import Claim, CoveredError, InfeasibleError


def vacuous_structure(subst: Subst, obstacles: Sequence[InfeasibleError]) -> Finding:
    """Return that no structure can be built, and what fails in those that come furthest."""
    obstacles = [one for one in obstacles if not isinstance(one, CoveredError)] or obstacles
    reasons = [f"{_place(resolve(one.origin))}: {one}" for one in obstacles]
    reasons += [pin for one in obstacles for pin in _pins(subst, one.origin)]
    details = tuple(dict.fromkeys(reasons))
    places = [span for one in obstacles if (span := resolve(one.origin)) is not None]
    place = places[0] if places else subst.span
    message = "every structure that the source may have fails on what is named below"
    cure = "remove one of them" if len(details) > 1 else "remove or weaken it"
    return Finding(VACUOUS, message, place, cure, details, subject="structure")


def vacuous_constraints(subst: Subst, clashing: Sequence[Claim], structures: int) -> Finding:
    """Return that constraints contradict each other in so many structures."""
    details = tuple(f"{_place(claim.span)}: {claim.reason}" for claim in clashing)
    span = clashing[0].span if clashing else subst.span
    message = f"the constraints contradict each other in all {structures} structures"
    return Finding(VACUOUS, message, span, "remove one of them", details, subject="constraints")


def vacuous_conditions(subst: Subst, found: Contradiction) -> Finding:
    """Return the conditions that clash, and what of the patterns they clash with."""
    names = pattern_names(subst)
    places = [place_of(one) or subst.span for one in found.conditions]
    details = [
        f"{_place(place)}: {_kind(subst, one)} `{term_text(one, names)}`"
        for place, one in zip(places, found.conditions, strict=True)
    ]
    for one in found.conditions:
        details += _pins(subst, getattr(one, "origin", None))
    details += _demands(found, alone=len(details) == 1)
    some = "one of them" if len(found.conditions) > 1 else "the condition"
    cure = f"remove or weaken {some}"
    if found.minimal:
        cure += (
            ": without any one of them graphs match"
            if len(found.conditions) > 1
            else (": without it graphs match")
        )
    of_patterns = len(details) > len(found.conditions)
    several = len(found.conditions) > 1
    message = "these conditions contradict each other" if several else "this condition never holds"
    if of_patterns:
        verb = "contradict" if several else "contradicts"
        message = f"{'these conditions' if several else 'this condition'} {verb} the patterns"
    subject = "structure" if found.clash.refuted is None else "constraints"
    return Finding(
        VACUOUS, message, places[-1], cure, tuple(dict.fromkeys(details)), subject=subject
    )


def _kind(subst: Subst, condition: Term) -> str:
    """Tell a condition of the rule from what all rules of its file assume."""
    assumed = (part for one in subst.assumptions for part in conjuncts(one))
    return "the assumption" if any(part is condition for part in assumed) else "the condition"


def _demands(found: Contradiction, alone: bool) -> Iterator[str]:
    """Yield what follows from the patterns and takes part in a contradiction."""
    scenario = found.clash.refuted
    if scenario is not None:
        claims = scenario.instance.claims
        for number in scenario.solver.core().core:
            if not claims[number].written:
                yield f"{_place(claims[number].span)}: {claims[number].reason}"
    elif alone:
        written = {getattr(one, "origin", None) for one in found.conditions}
        for one in found.clash.obstacles:
            if one.origin not in written:
                yield f"{_place(resolve(one.origin))}: {one}"


def given_up(scenario: Scenario, asked: Questions) -> list[str]:
    """Return on which written conditions the solver gave up: those it cannot decide even alone."""
    solver = scenario.solver
    written = [claim for claim in scenario.instance.claims if claim.written]
    hard = [
        claim
        for claim in written
        if asked.can_hold(Solver([claim.term], solver.limit, solver.context)) is Answer.UNKNOWN
    ]
    described = [f"{_place(c.span)}: the solver gave up on {c.reason}" for c in hard or written]
    return described or ["the solver gave up"]


def _pins(subst: Subst, origin: Origin | None) -> Iterator[str]:
    """Yield what the source fixes of what a condition at a place asks for."""
    names = pattern_names(subst)
    for pattern, name in _asked(subst.where, origin):
        value = pattern.constraints.get(name)
        if value is not None:
            said = f"{pattern_text(pattern, names)} has `{name}={term_text(value, names)}`"
            yield f"{_place(resolve(pattern.origin))}: {said}"


def _asked(conditions: Iterable[Term], origin: Origin | None) -> Iterator[tuple[Pattern, str]]:
    """Yield the attributes that conditions written at a place ask for."""
    for condition in conditions:
        for part in subterms(condition):
            if origin is not None and getattr(part, "origin", None) == origin:
                for term in subterms(part):
                    if isinstance(term, Access):
                        yield term.pattern.original(), term.name


def _place(span: Span | None) -> str:
    return f"{in_project(Path(span.file))}:{span.line}:{span.column}" if span else "the source"
