"""Candidates beside one another, grouped by what a rule compares them by.

A tensor may have a thousand users and a rule two outputs above it. To look at every pair would be
quadratic. But most conditions between the outputs are equations with one output on either side,
so the users are grouped once by their side of all equations, and a root only meets the group that
agrees with it. Guarded equations `guard | left == right` hold a candidate to the equation where
the root makes the guard false.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import takewhile
from operator import itemgetter
from typing import Any

from gsl.attr.code import Code
from gsl.attr.writer import MISSING
from gsl.graph import Graph, Node
from gsl.match.compiled.branch import BranchWriter, Shape, listed
from gsl.pat import Pattern
from gsl.pat.equations import Equation

FEW = 16
"""So many candidates are tried one after the other, which is faster than to group them."""

Profile = tuple[Any, ...]

Clash = tuple[int, Node]
"""A position at which a candidate must not have a node, because another pattern has it."""

_Table = tuple[Callable[[Profile], Any], "defaultdict[Any, Agreeing]"]
"""What is compared of a profile, and the candidates by that."""


def profile_of(
    output: Pattern, shape: Shape, found: Iterable[Equation]
) -> Callable[[Node], Profile | None]:
    """Return a function that gives the right sides of equations for a candidate for `output`.

    It gives None when the candidate cannot match whatever is bound before. Both only depend on
    the candidate and on which nodes its operands are.
    """
    code = Code()
    rights = [equation.right for equation in found]
    branch = BranchWriter(code, shape, rights)
    branch.outline(output, "candidate")
    texts = [branch.terms.write(right).text for right in rights]
    code.line(f"return {listed(branch.reads.together(texts))}")
    return code.function("(candidate)", "candidates")


def write_left(branch: BranchWriter, found: Sequence[Equation]) -> tuple[str, str]:
    """Write the left sides of equations; return which are required, as bits, and their values."""
    always = sum(1 << place for place, one in enumerate(found) if not one.guards)
    required = branch.code.fresh("r")
    branch.code.line(f"{required} = {always}")
    for place, equation in enumerate(found):
        if equation.guards:
            guards = " or ".join(branch.terms.write(guard).text for guard in equation.guards)
            branch.code.line(f"if not ({guards}): {required} |= {1 << place}")
    texts = [branch.terms.write(one.left).text for one in found]
    return required, listed(branch.reads.together(texts))


class Site:
    """A place in a rule where candidates are looked for among the users of a node.

    `profile` gives the right sides of the equations for a candidate, or None when it does not
    match by itself.
    """

    def __init__(self, profile: Callable[[Node], Profile | None]) -> None:
        self.profile = profile

    def agreeing(
        self, graph: Graph, anchor: Node, required: int, left: Profile, clashes: Sequence[Clash]
    ) -> Iterable[Node | None]:
        """Return the users of `anchor` whose profile is `left` where bits of `required` are set.

        Some may not be users any more. Many begin with the first that does not clash, because two
        patterns never stand for one node.
        """
        group = graph.memory.get((self, anchor))
        if group is None:
            group = graph.memory[self, anchor] = _Group(self, graph, anchor)
        group.update()
        return group.agreeing(required, left, clashes)


class Agreeing:
    """Users that agree, in the order of their numbers; None where one was taken away again.

    Before `_first` all are gone, and before `_starts[clash]` all have that clash or are gone. As
    users mostly come at the end, a crowd that clashes is passed over once and not every time.
    """

    __slots__ = ("_first", "_numbers", "_starts", "_users")

    def __init__(self) -> None:
        self._users: list[Node | None] = []
        self._numbers: list[int] = []
        self._first = 0
        self._starts: dict[Clash, int] | None = None

    def add(self, number: int, user: Node) -> None:
        """Add a user where its number belongs, at the end if that is higher than all others."""
        users, numbers = self._users, self._numbers
        if not numbers or number > numbers[-1]:
            users.append(user)
            numbers.append(number)
            return
        place = bisect_left(numbers, number)
        if numbers[place] == number:
            users[place] = user
        else:
            users.insert(place, user)
            numbers.insert(place, number)
        self._first = min(self._first, place)
        if self._starts:
            self._starts = {clash: min(start, place) for clash, start in self._starts.items()}

    def remove(self, number: int) -> None:
        """Take away the user with a number; one may be added again under it."""
        self._users[bisect_left(self._numbers, number)] = None

    def beginning(
        self, clashes: Iterable[Clash], present: Container[Node | None]
    ) -> Iterable[Node | None]:
        """Return the users, of many those from the first that is `present` and does not clash."""
        users = self._users
        if len(users) <= FEW:
            return users
        first = self._first
        while first < len(users) and users[first] not in present:
            first += 1
        start = self._first = first
        for clash in clashes:
            start = max(start, self._after(clash, present))
        return map(users.__getitem__, range(start, len(users))) if start else users

    def _after(self, clash: Clash, present: Container[Node | None]) -> int:
        position, node = clash
        starts = self._starts
        if starts is None:
            starts = self._starts = {}
        begin = place = max(starts.get(clash, 0), self._first)
        for place in range(begin, len(self._users)):
            user = self._users[place]
            if user is not None and user in present and user.operands[position] is not node:
                break
        else:
            place = len(self._users)
        if place > begin + FEW:
            starts[clash] = place
        return place


class _Group:
    """The users of one node by their profiles; kept up to date as users come, change and go.

    They are known in their order, with ascending numbers: the search takes the first that fits.
    """

    def __init__(self, site: Site, graph: Graph, anchor: Node) -> None:
        self._site = site
        self._anchor = anchor
        self._arrivals = graph.arrivals(anchor)
        self._seen = len(self._arrivals)
        self._known = {user: (i, self._profile(user)) for i, user in enumerate(anchor.users)}
        self._count = len(self._known)
        self._tables: dict[int, _Table] = {}

    def update(self) -> None:
        """Take up users that came or changed, forget those that left when they become many."""
        if len(self._arrivals) > self._seen:
            self._take_up(self._arrivals[self._seen :])
            self._seen = len(self._arrivals)
        users = self._anchor.users
        if len(self._known) > 2 * len(users) + FEW:
            self._known = {user: known for user, known in self._known.items() if user in users}
            self._tables = {}

    def _take_up(self, arrived: Sequence[Node]) -> None:
        """Look at users that may be new; the new ones are the last, others stay in their places."""
        changed = dict.fromkeys(arrived)
        last = list(takewhile(changed.__contains__, reversed(self._anchor.users)))
        for user in reversed(last):
            del changed[user]
            before = self._known.pop(user, None)
            if before is not None:
                self._forget(*before)
            self._note(user, self._count)
            self._count += 1
        for user in changed:
            before = self._known.get(user)
            if before is not None:
                self._forget(*before)
                self._note(user, before[0])

    def _forget(self, number: int, profile: Profile | None) -> None:
        if profile is not None:
            for chosen, table in self._tables.values():
                table[chosen(profile)].remove(number)

    def _note(self, user: Node, number: int) -> None:
        profile = self._profile(user)
        self._known[user] = number, profile
        if profile is not None:
            for chosen, table in self._tables.values():
                table[chosen(profile)].add(number, user)

    def _table(self, required: int) -> _Table:
        chosen = choosing(required)
        table: defaultdict[Any, Agreeing] = defaultdict(Agreeing)
        for user, (number, profile) in self._known.items():
            if profile is not None:
                table[chosen(profile)].add(number, user)
        return chosen, table

    def _profile(self, user: Node) -> Profile | None:
        try:
            return self._site.profile(user)
        except MISSING:
            return None

    def agreeing(
        self, required: int, left: Profile, clashes: Sequence[Clash]
    ) -> Iterable[Node | None]:
        """Return the users that agree with `left`."""
        if required not in self._tables:
            self._tables[required] = self._table(required)
        chosen, table = self._tables[required]
        found = table.get(chosen(left))
        return () if found is None else found.beginning(clashes, self._anchor.users)


def choosing(required: int) -> Callable[[Profile], Any]:
    """Return a function that gives the values of a profile at the bits of `required`."""
    places = [place for place in range(required.bit_length()) if required >> place & 1]
    return itemgetter(*places) if places else lambda profile: ()
