"""Certificates of the proofs of a rule: written, checked, and told as derivations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gsl.subst import Rule
from gslverify.certificates.checking import check_structure
from gslverify.certificates.places import RefusedError
from gslverify.certificates.records import Record
from gslverify.certificates.writing import write_structure
from gslverify.prove.proof import prove
from gslverify.prove.results import Open
from gslverify.semantics.solver import new_context
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.satisfiable import scenarios_of

FORMAT = 1


@dataclass(slots=True)
class Certificate:
    """What shows that the elements of a rule are equal, structure by structure.

    Attributes:
        rule: the name of the rule.
        structures: a record for each structure, in the order in which they are examined.
        refused: why a structure is left open, or its certificate refused; empty for none.
    """

    rule: str
    structures: list[Record]
    refused: str = ""

    def as_json(self) -> str:
        """Return the certificate as the text of a file."""
        whole = {"certificate": FORMAT, "rule": self.rule, "structures": self.structures}
        return json.dumps(whole, indent=1)


def certificate_of(question: Question) -> Certificate:
    """Return the certificate of a rule, up to the first structure without one that is accepted."""
    scenarios = scenarios_of(question)
    found, replies = Certificate(question.rule.name, []), dict[Any, Any]()
    context, shown = new_context(), dict[Any, bool]()
    for one in (*scenarios.feasible, *scenarios.large):
        instance, solver = one.instance, one.solver
        result = prove(instance, solver, replies, question.settings.proof_steps)
        if isinstance(result, Open):
            found.refused = str(result)
            return found
        try:
            record = write_structure(instance, solver, replies, context, shown)
            check_structure(instance, json.loads(json.dumps(record)), context, shown)
        except RefusedError as error:
            found.refused = str(error)
            return found
        found.structures.append(record)
    return found


def check(question: Question, record: Record) -> str:
    """Return why a certificate is refused, empty where it is accepted.

    `record` is what the text of a certificate says; structures are made anew from the rule.
    """
    scenarios = scenarios_of(question)
    every = [*scenarios.feasible, *scenarios.large]
    context, shown = new_context(), dict[Any, bool]()
    try:
        if record["certificate"] != FORMAT or len(record["structures"]) != len(every):
            return "it is about other structures"
        for number, (one, found) in enumerate(zip(every, record["structures"], strict=True)):
            try:
                check_structure(one.instance, found, context, shown)
            except RefusedError as error:
                return f"structure {number + 1}: {error}"
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        return f"it cannot be read: {type(error).__name__}: {error}"
    return ""


def derivation(rule_id: str, rule: Rule) -> list[str]:
    """Return the proof of a rule as lines to read: that of its first structure, step by step."""
    found = certificate_of(Question(rule_id, rule, Settings()))
    count = len(found.structures)
    lines = [f"{rule_id}: certificates of {count} structures are accepted"]
    if found.refused:
        lines.append(f"the next one has none: {found.refused}")
    if found.structures:
        for target in found.structures[0]["targets"]:
            for output in target["outputs"]:
                lines.append(f"structure 1, {output['output']}:")
                lines += _told(output["proof"], "  ")
    return lines


def _told(proof: Record, margin: str) -> Iterator[str]:
    if "impossible" in proof:
        yield f"{margin}no element is in this case"
        return
    for step in proof["steps"]:
        if step["law"]:
            by = f"z3 with {len(step['claims'])} claims" if step.get("claims") else "z3"
            yield f"{margin}{step['place']} is {step['becomes']}  ({step['law']}; shown by {by})"
    if "holds" not in proof:
        yield f"{margin}source and target have one normal form"
        return
    for case in ("holds", "fails"):
        yield f"{margin}where [{proof['condition']}] {case}:"
        yield from _told(proof[case], margin + "  ")
