"""Rules on one graph each, without a search, and the flags that are found out for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from gsl import Subst, pat, rule
from gsl.attr.term import Constant
from gsl.expr import Call, Const, Expr, Var
from gsl.operators import Operator
from gsl.pat import Call as CallPattern
from gsl.pat import Const as ConstPattern
from gsl.pat import Pattern
from gslverify.finding import Finding
from gslverify.networks.network import Network
from gslverify.stage import FlagsNeeded, Outcome, Question, Settings
from gslverify.structures.models.concrete import Rewritten
from gslverify.trials.flags import flags_of
from gslverify.trials.rewriting import prepare
from gslverify.trials.trial import Outcome as Trial

Write = Callable[..., Subst]
Sides = Callable[..., tuple[Any, Any]]
"""Gives the source and the target of a rule for its inputs."""

SHAPE = (12, 10)
NUMBERS = (0.3, 0.7, 1.7)
"""What constants are that a rule leaves open, in turn."""
QUICK = Settings(use_tvm=False, shrink_budget=0.01)


def graph_of(
    subst: Subst, shapes: Mapping[int, tuple[int, ...]], dtype: str = "float32"
) -> tuple[Expr, ...]:
    """Return a graph that the source of a rule matches, with free inputs in their order."""
    made: dict[Pattern, Expr] = {}
    inputs = numbers = 0
    for pattern in subst.source_patterns:
        match pattern:
            case CallPattern(callee=Operator() as callee):
                written = pattern.constraints.items()
                given = {n: t.value for n, t in written if isinstance(t, Constant)}
                made[pattern] = Call(callee, [made[p] for p in pattern.operands], given)
            case ConstPattern():
                value = pattern.constraints.get("value")
                number = value.value if isinstance(value, Constant) else NUMBERS[numbers]
                numbers += value is None
                made[pattern] = Const(float(number), dtype)
            case _:
                made[pattern] = Var(f"x{inputs}", shapes.get(inputs, SHAPE), dtype)
                inputs += 1
    return tuple(made[output] for output in subst.source)


def trials_of(
    subst: Subst, shapes: Mapping[int, tuple[int, ...]], dtype: str = "float32"
) -> list[list[Trial]]:
    """Return the trials of one graph: on numbers of both signs, and on positive ones."""
    outputs = graph_of(subst, shapes, dtype)
    network = Network(outputs, outputs, "alone")
    rewritten = prepare(subst, network)
    assert isinstance(rewritten, Rewritten)
    assert rewritten.mismatch is None, rewritten.mismatch
    generator = np.random.default_rng(0)
    drawn = [_drawn(network, generator, least) for least in (-10.0, 0.1, -10.0, 0.1)]
    return [[Trial(network, one, rewritten.outputs)] for one in drawn]


def _drawn(network: Network, generator: np.random.Generator, least: float) -> dict[str, Any]:
    return {
        v.name: generator.uniform(least, 10.0, v.shape).astype(v.dtype) for v in network.variables
    }


def found_by(
    write: Write, passed: list[list[Trial]], flags: Iterable[str] | None = None
) -> list[Outcome]:
    """Return what is found out about a rule that declares some flags."""
    return list(flags_of(Question("tests::flagged", rule(flags=flags)(write), QUICK), passed))


def needed_by(outcomes: Iterable[Outcome]) -> str:
    """Return the flags that a rule needs."""
    (record,) = [one.record for one in outcomes if isinstance(one, FlagsNeeded)]
    assert record["rounding_known"]
    return " ".join(record["needed"])


def codes_of(outcomes: Iterable[Outcome]) -> list[str]:
    """Return the codes of what was found to be wrong."""
    return [one.code.id for one in outcomes if isinstance(one, Finding)]


def write_of(sides: Sides, dtype: str = "float32") -> Write:
    """Return a rule of these sides, whose first input has a dtype."""
    count = sides.__code__.co_argcount

    def write() -> Subst:
        inputs = [pat.Wildcard() for _ in range(count)]
        source, target = sides(*inputs)
        return Subst(source, target, where=[inputs[0].dtype == dtype])

    return write


def check_flags(
    write: Write, flags: str, shapes: Mapping[int, tuple[int, ...]], dtype: str = "float32"
) -> None:
    """Check that a rule needs these flags: with all of them it passes, with one less it fails."""
    passed = trials_of(write(), shapes, dtype)
    assert needed_by(found_by(write, passed)) == flags
    assert codes_of(found_by(write, passed, flags.split())) == []
    for flag in flags.split():
        less = found_by(write, passed, set(flags.split()) - {flag})
        assert codes_of(less) in (["GSL406"], ["GSL409"])
