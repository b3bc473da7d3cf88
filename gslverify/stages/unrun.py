"""Structures of which no graph could be run: each has to be proved, or nobody has looked at it."""

from __future__ import annotations

from collections.abc import Iterable, Set

from gsl.types import TupleType, Type
from gslverify.prove.indices.relaxed import Replies
from gslverify.prove.proof import prove
from gslverify.prove.results import Open
from gslverify.stage import Question
from gslverify.stages.scenarios import Scenario
from gslverify.stages.shape import shape_holds
from gslverify.structures.instance import Instance


def neither_run_nor_proved(
    question: Question, scenarios: Iterable[Scenario], conclusive: Set[int]
) -> str:
    """Return in which structure no graph was run, and which is not proved; empty for none.

    The samplers of those that were run are in `conclusive`, by their identities.
    """
    replies: Replies = {}
    for one in scenarios:
        if id(one.sampler) not in conclusive and not _is_proved(question, one, replies):
            return f"in which {_described(one.instance)}, and this structure is not proved"
    return ""


def _is_proved(question: Question, one: Scenario, replies: Replies) -> bool:
    if not shape_holds(question):
        return False
    found = prove(one.instance, one.solver, replies, question.settings.proof_steps)
    return not isinstance(found, Open)


def _described(instance: Instance) -> str:
    """Return what the inputs are like in a structure."""
    nodes = instance.bindings.nodes
    inputs = [(instance.names[key], nodes[key].expr.type) for key in instance.inputs]
    return ", ".join(f"{name} has {_axes(given)}" for name, given in inputs)


def _axes(given: Type) -> str:
    if isinstance(given, TupleType):
        return f"{len(given.fields)} fields"
    return "1 axis" if given.ndim == 1 else f"{given.ndim} axes"
