"""Certificates of the proofs of a rule: written, checked, printed as derivations."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gsl.errors import GslError
from gsl.subst import Rule
from gslverify.atomic import write_whole
from gslverify.certificates.checker import LIMIT
from gslverify.certificates.checking import check_structure
from gslverify.certificates.draw import RefusedError
from gslverify.certificates.enough import Searching
from gslverify.certificates.printing import proof_lines
from gslverify.certificates.records import Record, read, written
from gslverify.certificates.statement import Statement
from gslverify.certificates.writing import write_structure
from gslverify.prove.indices.relaxed import Replies
from gslverify.prove.proof import prove, targets
from gslverify.prove.results import Open
from gslverify.settings import Settings
from gslverify.stage import Question
from gslverify.stages.examination import scenarios_of
from gslverify.stages.scenarios import Scenario

FORMAT = 6


@dataclass(slots=True)
class Shown:
    """What the checker has asked z3 for the structures of a rule, and what it has accepted."""

    replies: dict[Any, bool] = field(default_factory=dict)
    limit: int = LIMIT
    needed: dict[Any, tuple[int, ...] | None] = field(default_factory=dict)
    ways: dict[Any, Any] = field(default_factory=dict)
    structures: list[Statement] = field(default_factory=list)
    forms: dict[Any, int] = field(default_factory=dict)

    def asked(self, scenario: Scenario) -> Searching:
        """Return what z3 may use for a structure."""
        claims = [claim.term for claim in scenario.instance.claims]
        replies, needed, ways = self.replies, self.needed, self.ways
        return Searching(claims, scenario.solver.context, replies, self.limit, 0, needed, ways)


@dataclass(slots=True)
class Certificate:
    """What shows that the elements of a rule are equal, structure by structure.

    Attributes:
        rule: the name of the rule.
        structures: a record for each structure, in the order in which they are examined, or the
            number of an earlier one from which it differs in the names of symbols only.
        refused: why a structure is left open, or its certificate refused; empty for none.
    """

    rule: str
    structures: list[Record] = field(default_factory=list)
    refused: str = ""
    written_from: Shown = field(default_factory=lambda: Shown(limit=LIMIT // 4))
    read_by: Shown = field(default_factory=Shown)

    def as_json(self) -> str:
        """Return the certificate as the text of a file."""
        whole = {"certificate": FORMAT, "rule": self.rule, "structures": self.structures}
        return json.dumps(whole, indent=1)

    def add(self, scenario: Scenario, replies: Replies, checked: bool = True) -> str:
        """Add a structure that is proved; return why its certificate is refused, empty for none."""
        asked = self.written_from.asked(scenario)
        try:
            statement = statement_of(scenario)
            number = len(self.structures)
            record: Record = self.written_from.forms.setdefault(statement.form, number)
            if record == number:
                found = write_structure(statement.ways, scenario.solver, replies, asked)
                record = written(found, asked.claims)
        except (RefusedError, GslError, RecursionError) as error:
            self.refused = str(error)
            return self.refused
        if checked:
            again = json.loads(json.dumps(record))
            self.refused = check_record(scenario, again, self.read_by)
        self.structures.append(record)
        return self.refused

    def write(self, folder: Path) -> None:
        """Write the certificate to the file of its rule in a folder; may raise OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w.-]+", "_", self.rule) + ".json"
        write_whole(folder / name, self.as_json().encode())


def statement_of(scenario: Scenario) -> Statement:
    """Return what is to be shown of a structure, made from the rule."""
    instance = scenario.instance
    return Statement([claim.term for claim in instance.claims], list(targets(instance)))


def check_record(scenario: Scenario, record: Record, shown: Shown) -> str:
    """Return why the record of a structure is refused, empty where it is accepted.

    `shown` has what was asked for structures before it, and grows.
    """
    asked = shown.asked(scenario)
    try:
        statement = statement_of(scenario)
        if isinstance(record, int):
            if shown.structures[record].form != statement.form:
                raise RefusedError(f"it is not alike structure {record + 1}")
        else:
            found = read(record, asked.claims, statement.outputs)
            check_structure(statement.ways, found, asked, statement.outputs)
    except (RefusedError, GslError, RecursionError) as error:
        return str(error)
    shown.structures.append(statement)
    return ""


def certificate_of(question: Question) -> Certificate:
    """Return the certificate of a rule, up to the first structure without one that is accepted."""
    scenarios = scenarios_of(question)
    found, replies = Certificate(question.rule_id), dict[Any, Any]()
    for one in (*scenarios.feasible, *scenarios.large):
        result = prove(one.instance, one.solver, replies, question.settings.proof_steps)
        if isinstance(result, Open):
            found.refused = str(result)
        if found.refused or found.add(one, replies):
            break
    return found


def check(question: Question, record: Record) -> str:
    """Return why a certificate is refused, empty where it is accepted.

    `record` is what the text of a certificate says; structures are made anew from the rule.
    """
    scenarios = scenarios_of(question)
    every, shown = [*scenarios.feasible, *scenarios.large], Shown()
    try:
        if record["certificate"] != FORMAT or len(record["structures"]) != len(every):
            return "it is about other structures"
        for number, (one, found) in enumerate(zip(every, record["structures"], strict=True)):
            refused = check_record(one, found, shown)
            if refused:
                return f"structure {number + 1}: {refused}"
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
        for target in found.structures[0]:
            for name, proof in target["outputs"].items():
                lines.append(f"structure 1, {name}:")
                lines += proof_lines(proof, "  ")
    return lines
