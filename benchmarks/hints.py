"""Which conditions are proposed, and how fast: `python benchmarks/hints.py [--quick] [--json]`.

Of the broken rules of the corpus those count whose sound twin differs from them in conditions only:
source and target are the same, and the matches of the twin are matches of the broken rule. A hint
is the condition of the twin, or a weaker one, if it holds in every match of the twin that is drawn.
Every hint is pasted into the text of its rule, by the names that it uses, and what comes of that
goes through all stages with the default settings: what is refuted then counts as wrong. Times
are processor times of the search for a hint alone. `--quick` takes every eighth rule.
"""

from __future__ import annotations

import argparse
import ast
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from figures import Figure, at_least, figure, report

from gsl.match.bindings import Scope
from gsl.pat import Pattern, Variable, Wildcard
from gsl.rule_files.collect import rules_in
from gsl.subst import Rule, Subst
from gsl.text.terms import term_text
from gslverify.engine.deadline import PROCESSOR, OutOfTimeError, ended_after
from gslverify.engine.examination import SHARE_OF_SEARCH
from gslverify.finding import Finding, Verdict
from gslverify.mutation.draft import Draft
from gslverify.preconditions.changed import with_conditions
from gslverify.preconditions.degenerate import is_degenerate
from gslverify.preconditions.propose import EXCLUDABLE, PROMISES, Proposal, Tell, proposal
from gslverify.preconditions.readings import value_of
from gslverify.preconditions.specimens import specimens
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.examination import fresh_scenarios_of
from gslverify.stages.numeric import NUMERIC
from gslverify.stages.prove import PROVE
from gslverify.stages.satisfiable import SATISFIABLE
from gslverify.stages.shape import SHAPE
from gslverify.structures.models.concrete import bindings_of

CORPUS = Path(__file__).parent.parent / "rule_corpus"
TWIN_MATCHES = 24
LEAST_SHARED = 2
"""So many matches of a twin have to be matches of the broken rule, too."""


@dataclass(frozen=True)
class Hinted:
    """A refuted rule, its twin, and what became of the search for a condition."""

    rule: Rule
    twin: Rule
    seconds: float
    proposal: Proposal | None
    in_twin: bool = False
    """Whether the condition holds in the matches of the twin."""

    verdict: Verdict | None = None
    """What the stages say of the rule with the condition pasted into its text."""

    @property
    def is_silly(self) -> bool:
        return self.proposal is not None and is_degenerate(self.proposal.condition)

    @property
    def is_wrong(self) -> bool:
        return self.proposal is not None and self.verdict is not Verdict.PASS

    @property
    def is_good(self) -> bool:
        return self.in_twin and not self.is_silly and not self.is_wrong


def rules(folder: str) -> dict[str, Rule]:
    files = sorted((CORPUS / folder).glob("*.py"))
    return {rule.name: rule for file in files for rule in rules_in(file)}


def skeleton(subst: Subst) -> Any:
    """Return what a rule is without the conditions on its source."""
    every = list(dict.fromkeys((*subst.source_patterns, *subst.target_patterns)))
    names = {pattern: f"p{number}" for number, pattern in enumerate(every)}
    made = set(subst.target_patterns) - set(subst.source_patterns)

    def one(pattern: Pattern) -> Any:
        kind = "input" if isinstance(pattern, Wildcard | Variable) else type(pattern).__name__
        terms = sorted(pattern.constraints.items()) if pattern in made else ()
        written = [(name, term_text(term, names)) for name, term in terms]
        operands = [names.get(operand, "") for operand in pattern.operands]
        return kind, str(getattr(pattern, "callee", "")), operands, written

    outputs = [names.get(output) for output in (*subst.source, *subst.target)]
    return [one(pattern) for pattern in every], outputs


def pairs(quick: bool) -> Iterator[tuple[Rule, Rule]]:
    """Yield broken rules with the twins that differ in conditions only."""
    sound, found = rules("sound"), []
    for rule in rules("broken").values():
        twin = sound.get(rule.twin)
        if twin is not None and skeleton(rule()) == skeleton(twin()):
            found.append((rule, twin))
    yield from found[:: 8 if quick else 1]


def refutation(question: Question) -> Finding | None:
    for stage in (SATISFIABLE, SHAPE, PROVE, NUMERIC):
        for finding in stage.run(question).findings:
            if finding.code.verdict is Verdict.FAIL:
                return finding
    return None


def hinted(rule: Rule, twin: Rule) -> Hinted | None:
    """Return what is proposed; None for what no condition of the twin is about."""
    question = Question(rule.name, rule, Settings(use_tvm=False))
    finding = refutation(question)
    matches = matches_of_twin(question.subst, twin)
    if finding is None or finding.code not in EXCLUDABLE or len(matches) < LEAST_SHARED:
        return None
    if finding.code in PROMISES and rule.kept != twin.kept:
        return None  # the twin promises less, and has no other conditions
    started, told = time.process_time(), list[Proposal]()
    made = in_time(question, finding, told.append)
    seconds = time.process_time() - started
    if made is None and told:
        made = told[-1]
    one = Hinted(rule, twin, seconds, made)
    if made is None or made.term is None:
        return one
    in_twin = all(value_of(made.term, scope) is True for scope in matches)
    return replace(one, in_twin=in_twin, verdict=verdict_of(question, made))


def in_time(question: Question, finding: Finding, tell: Tell) -> Proposal | None:
    seconds = SHARE_OF_SEARCH * question.settings.hint_budget
    with suppress(OutOfTimeError), ended_after(seconds, PROCESSOR):
        return proposal(question, finding, tell)
    return None


def matches_of_twin(subst: Subst, twin: Rule) -> list[Scope]:
    """Return matches of the twin as those of the broken rule."""
    question = Question(twin.name, twin, Settings(use_tvm=False))
    samplers = [scenario.sampler for scenario in fresh_scenarios_of(question).feasible]
    drawn = specimens(question.subst, samplers, TWIN_MATCHES, 0) if samplers else []
    made = [bindings_of(subst, one.network.outputs, one.network.matched) for one in drawn]
    return [Scope(bindings) for bindings in made if bindings is not None]


def verdict_of(question: Question, made: Proposal) -> Verdict:
    """Return what all stages say of a rule that has the proposed condition, too."""
    rule = question.rule
    write = rule.write if made.naming else pasted(rule, made.condition)
    if made.naming and made.term is not None:
        draft = with_conditions(question.subst, made.term)
        write = partial(Draft.build, draft)
    changed = replace(rule, write=write, expect="", expect_reason="", twin="")
    asked = Question(f"{rule.name} with its hint", changed, question.settings)
    for stage in (SATISFIABLE, SHAPE, PROVE, NUMERIC):
        verdict = stage.run(asked).verdict
        if verdict is not Verdict.PASS:
            return verdict
    return Verdict.PASS


def pasted(rule: Rule, condition: str) -> Callable[[], Subst]:
    """Return the function of a rule from its file with a condition written into its `where`."""
    file = Path(rule.write.__code__.co_filename)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == rule.name)
    call = next(
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Call)
    )
    more = ast.parse(condition, mode="eval").body
    where = next((one for one in call.keywords if one.arg == "where"), None)
    if where is None:
        call.keywords.append(ast.keyword("where", ast.List([more], ast.Load())))
    else:
        where.value = ast.List([ast.Starred(where.value, ast.Load()), more], ast.Load())
    tree.body.insert(1, ast.parse("from gsl import attr").body[0])
    names: dict[str, Any] = {"__name__": "pasted"}
    exec(compile(ast.fix_missing_locations(tree), str(file), "exec"), names)
    write: Callable[[], Subst] = names[rule.name].write
    return write


def figures(quick: bool, verbose: bool) -> Iterator[Figure]:
    found = []
    for rule, twin in pairs(quick):
        one = hinted(rule, twin)
        if one is not None:
            found.append(one)
            if verbose:
                print(line_of(one), file=sys.stderr, flush=True)
    times = sorted(one.seconds for one in found)
    share = 100 * sum(one.is_good for one in found) / len(found)
    yield figure("refuted rules whose twin has more conditions", len(found), "rules")
    yield at_least("the condition of the twin, or a weaker one that is sound", share, "%", 60)
    yield figure("hints", sum(one.proposal is not None for one in found), "rules")
    yield figure("silly", sum(one.is_silly for one in found), "rules", 0)
    yield figure("wrong", sum(one.is_wrong for one in found), "rules", 0)
    yield figure("search for a hint, median", median(times), "s", 1.0)
    yield figure("search for a hint, 95th percentile", quantiles(times, n=20)[-1], "s", 3.0)


def line_of(one: Hinted) -> str:
    made = one.proposal
    mark = "good" if one.is_good else "wrong" if one.is_wrong else "other" if made else "none"
    text = "" if made is None else f"{made.condition} {'proved' if made.proved else 'tested'}"
    return f"{mark:6} {one.seconds:5.2f} s  {one.rule.name}: {text}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="every eighth rule only")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.add_argument("-v", "--verbose", action="store_true", help="print every hint")
    given = parser.parse_args()
    report(figures(given.quick, given.verbose), given.json)


if __name__ == "__main__":
    main()
