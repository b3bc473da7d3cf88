"""What formulas have in common that differ in the numbering of their unknowns only.

Formulas are nodes of one graph without cycles, in which equal ones are one node; some of its leaves
are *atoms*, which may be numbered anew: axes, bound indices, symbols. Atoms get colours by what
they stand in until nothing changes (colour refinement); alike atoms are then told apart one group
after the other. Two formulas of one form are the same but for the numbering. Where the colours do
not show it, they may have two forms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

MOST_ROUNDS = 24

CONSTANT, SEVERAL = -1, -2
"""What a node has instead of its only atom: none, or several."""


class Formulas:
    """A graph of formulas: a node has a word and parts, in order or as a bag.

    Parts have lower numbers than what they are parts of. What depends on one atom only is known by
    its outline, which is the same for every atom.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._nodes: list[tuple[int, bool, tuple[int, ...]]] = []
        self._known: dict[tuple[int, bool, tuple[int, ...]], int] = {}
        self._only: list[int] = []
        self._outlines: list[int] = []
        self._forms: dict[int, int] = {}

    def _number(self, thing: Hashable) -> int:
        """Return a number that nothing else has."""
        return self._numbers.setdefault(thing, len(self._numbers))

    def atom(self, kind: str) -> int:
        """Return a new atom; only atoms of one kind may be exchanged."""
        number = len(self._nodes)
        self._nodes.append((self._number(kind), True, ()))
        self._only.append(number)
        self._outlines.append(self._number(("atom", kind)))
        return number

    def node(self, word: str, parts: Iterable[int] = ()) -> int:
        """Return the formula of a word and parts in order."""
        return self._node((self._number(word), True, tuple(parts)))

    def bag(self, word: str, parts: Iterable[int]) -> int:
        """Return the formula of a word and parts in any order."""
        return self._node((self._number(word), False, tuple(sorted(parts))))

    def _node(self, key: tuple[int, bool, tuple[int, ...]]) -> int:
        known = self._known.get(key)
        if known is not None:
            return known
        word, in_order, parts = key
        number = self._known[key] = len(self._nodes)
        self._nodes.append(key)
        atoms = {self._only[part] for part in parts} - {CONSTANT}
        only = CONSTANT if not atoms else SEVERAL if len(atoms) > 1 else atoms.pop()
        self._only.append(only)
        outlines = [self._outlines[part] for part in parts]
        shape = word, in_order, tuple(outlines if in_order else sorted(outlines))
        self._outlines.append(number if only == SEVERAL else self._number(shape))
        return number

    def form(self, root: int) -> int:
        """Return the number of the form of a formula."""
        known = self._forms.get(root)
        if known is None:
            known = self._forms[root] = self._form(root)
        return known

    def _form(self, root: int) -> int:
        wholes, atoms = self._below(root)
        colours = self._refined(wholes, atoms)
        order = sorted(atoms, key=lambda atom: colours[atom])
        labels = {atom: place for place, atom in enumerate(order)}
        done: dict[int, int] = {}

        def written(part: int) -> int:
            only = self._only[part]
            if only == SEVERAL:
                return done[part]
            return self._number(("outline", self._outlines[part], labels.get(only)))

        for number in wholes:
            word, in_order, parts = self._nodes[number]
            inner = [written(part) for part in parts]
            key = "form", word, in_order, tuple(inner if in_order else sorted(inner))
            done[number] = self._number(key)
        return written(root)

    def _below(self, root: int) -> tuple[list[int], list[int]]:
        """Return what lies in a formula: nodes of several atoms, parts first, and the atoms."""
        wholes, atoms, stack = set[int](), set[int](), [root]
        while stack:
            number = stack.pop()
            only = self._only[number]
            if only >= 0:
                atoms.add(only)
            elif only == SEVERAL and number not in wholes:
                wholes.add(number)
                stack += self._nodes[number][2]
        return sorted(wholes), sorted(atoms)

    def _refined(self, wholes: Sequence[int], atoms: Sequence[int]) -> dict[int, int]:
        """Return a colour for every atom, all of them different."""
        colours = {atom: self._nodes[atom][0] for atom in atoms}
        for _ in range(MOST_ROUNDS):
            before = len(set(colours.values()))
            if before == len(atoms):
                break
            colours = self._round(wholes, colours)
            groups = defaultdict(list)
            for atom, colour in colours.items():
                groups[colour].append(atom)
            if len(groups) > before:
                continue
            alike = [(len(group), colour) for colour, group in groups.items() if len(group) > 1]
            _, first = min(alike)
            for place, atom in enumerate(groups[first]):
                colours[atom] = hash((first, place))
        return colours

    def _round(self, wholes: Sequence[int], colours: dict[int, int]) -> dict[int, int]:
        only, outlines, nodes = self._only, self._outlines, self._nodes
        painted: dict[int, int] = {}
        for number in wholes:
            word, in_order, parts = nodes[number]
            inner = [
                painted[part]
                if only[part] == SEVERAL
                else hash((outlines[part], colours.get(only[part])))
                for part in parts
            ]
            painted[number] = hash((word, tuple(inner if in_order else sorted(inner))))
        above: dict[int, list[int]] = defaultdict(list)
        for number in reversed(wholes):
            _, in_order, parts = nodes[number]
            context = hash((painted[number], tuple(sorted(above[number]))))
            for place, part in enumerate(parts):
                inside = hash((context, place if in_order else -1))
                if only[part] == SEVERAL:
                    above[part].append(inside)
                elif only[part] >= 0:
                    above[only[part]].append(hash((inside, outlines[part])))
        return {
            atom: hash((colour, tuple(sorted(above[atom])))) for atom, colour in colours.items()
        }
