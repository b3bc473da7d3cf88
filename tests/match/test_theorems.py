"""The two theorems of chapter 4 of the thesis, on random rules and networks.

The second one holds for the network as far as the outputs of the match reach, taken in the order
of the source; in the order of the whole network it does not, see docs/explanation/matching.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from gsl import pat
from gsl.graph import Graph, Node, reverse_post_order, successors
from gsl.match import Bindings, matches_at
from tests.match.cutting import Cutter, random_outputs
from tests.match.reference import INPUTS, Problem

PAIRS = 600


def fixed_problems() -> Iterator[Problem]:
    """Yield problems whose patterns all stand for one node, so that there are no instances."""
    for seed in range(PAIRS):
        rng = Random(seed)
        graph = Graph(random_outputs(rng, rng.randint(4, 9)))
        problem = Cutter(rng, mutations=0.05).problem(graph, 1 + seed % 3)
        patterns = problem.subst.source_patterns
        if not any(isinstance(pattern, pat.Alt | pat.Variadic) for pattern in patterns):
            yield problem


def below(pattern: pat.Pattern) -> set[pat.Pattern]:
    return set(reverse_post_order([pattern]))


def first_unmatched(follow: Sequence[pat.Pattern], matched: set[pat.Pattern]) -> pat.Pattern:
    return next(pattern for pattern in follow if pattern not in matched)


def test_first_unmatched_successors_lead_to_the_next_output() -> None:
    """Theorem 1; the thesis forgets that an output may have been matched below an earlier one."""
    seen: Counter[str] = Counter()
    for problem in fixed_problems():
        source = problem.subst.source
        follow = successors(reverse_post_order(source))
        matched: set[pat.Pattern] = below(source[0])
        for output in source[1:]:
            starts = [p for p in matched & below(output) if not matched.issuperset(follow[p])]
            starts = [p for p in starts if not below(output).isdisjoint(set(follow[p]) - matched)]
            for pattern in starts if output not in matched else ():
                path = [first_unmatched(follow[pattern], matched)]
                while path[-1] is not output:
                    path.append(first_unmatched(follow[path[-1]], matched))
                assert set(path) <= below(output) - matched
                seen["paths"] += 1
                seen["long paths"] += len(path) > 1
            assert starts or output in matched or matched.isdisjoint(below(output))
            matched |= below(output)
    assert seen["paths"] > 100
    assert seen["long paths"] > 20


def images(patterns: Iterable[pat.Pattern], found: Bindings) -> list[Node]:
    return [found.nodes[pattern, ()] for pattern in patterns]


def is_subsequence(part: Sequence[Node], whole: Sequence[Node]) -> bool:
    rest = iter(whole)
    return all(any(node is one for one in rest) for node in part)


def test_successors_correspond() -> None:
    """Theorem 2: in order, as far as the outputs reach; and as sets, in the whole network."""
    seen: Counter[str] = Counter()
    for problem in fixed_problems():
        graph, source = problem.graph, problem.subst.source
        follow = successors(reverse_post_order(source))
        everywhere = successors(graph.order())
        for root in graph:
            for found in matches_at(problem.subst, graph, root):
                within = successors(reverse_post_order(images(source, found)))
                for pattern, users in follow.items():
                    node, matched = found.nodes[pattern, ()], images(users, found)
                    if isinstance(pattern, INPUTS):
                        assert is_subsequence(matched, within[node])
                        assert set(matched) <= set(everywhere[node])
                    else:
                        assert matched == within[node]
                        inside = pattern not in source
                        assert not inside or set(matched) == set(everywhere[node])
                        seen["out of order"] += inside and matched != everywhere[node]
                    seen["sequences"] += len(matched) > 1
    assert seen["sequences"] > 50
    assert seen["out of order"] > 0, "or the theorem would hold as it is written"
