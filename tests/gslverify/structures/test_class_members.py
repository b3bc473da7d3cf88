"""Whatever is said of one structure of a class is right for the others: each is asked by itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from gsl.rule_files.collect import rules_in
from gsl.subst import Subst
from gslverify.prove.indices.relaxed import Replies
from gslverify.prove.proof import prove
from gslverify.prove.results import Open
from gslverify.semantics.solver import Answer, new_context
from gslverify.stages.questions import Questions
from gslverify.stages.scenarios import scenario_of
from gslverify.structures.equivalence.classes import Forms
from gslverify.structures.variants import Variant, enumerate_variants

CORPUS = Path(__file__).parents[3] / "rule_corpus"
FILES = ("sound/concat_split", "sound/reducing", "sound/reductions", "sound/reordering")
FILES_OF_WRONG_ONES = ("broken/concat_split", "broken/movement", "broken/bias")
STRUCTURES, CLASSES, MEMBERS = 120, 3, 2


def verdict(subst: Subst, variant: Variant) -> str:
    """Return whether some graph has a structure, and whether the rule is proved for it."""
    scenario = scenario_of(subst, variant, 4_000_000, new_context())
    answer = Questions().can_hold(scenario.solver)
    if answer is not Answer.SAT:
        return answer.value
    replies: Replies = {}
    found = prove(scenario.instance, scenario.solver, replies, 5_000)
    return "open" if isinstance(found, Open) else "proved"


def classes_of(subst: Subst) -> Iterator[list[Variant]]:
    """Yield some of the classes that have several structures, in some order."""
    forms, classes = Forms(), defaultdict[Hashable, list[Variant]](list)
    for variant in enumerate_variants(subst, most_runs=STRUCTURES).variants:
        classes[forms.of(variant.instance(subst))].append(variant)
    several = [one for form, one in classes.items() if form is not None and len(one) > 1]
    Random(0).shuffle(several)
    yield from islice(several, CLASSES)


@pytest.mark.parametrize("file", [*FILES, *FILES_OF_WRONG_ONES])
def test_a_structure_has_the_verdict_of_its_class(file: str) -> None:
    seen: Counter[str] = Counter()
    for rule in rules_in(CORPUS / f"{file}.py"):
        subst = rule.write()
        for first, *others in classes_of(subst):
            expected = verdict(subst, first)
            for other in Random(0).sample(others, min(MEMBERS, len(others))):
                assert verdict(subst, other) == expected, (rule.name, first.choices, other.choices)
                seen[expected] += 1
    compared = seen["proved"] if file in FILES else seen.total()
    assert compared >= 2
