"""Sums of atoms as text, as certificates and derivations show them."""

from __future__ import annotations

from collections.abc import Mapping

from gsl.attr.term import Symbol
from gslverify.certificates.ring import Ring, Sum

COMPARED: Mapping[str, str] = {"ge": ">= 0", "gt": "> 0", "eq": "== 0", "ne": "!= 0"}


def text_of(ring: Ring, value: Sum, inside: bool = False) -> str:
    """Return a sum as text; one inside of a product has parentheses."""
    if not value:
        return "0"
    parts = []
    for mono, number in sorted(value, key=lambda pair: pair[0]):
        factors = [atom_text(ring, atom) + (f"^{p}" if p != 1 else "") for atom, p in mono]
        number_is_said = number != 1 or not factors
        parts.append(" * ".join([str(number)] * number_is_said + factors))
    text = " + ".join(parts)
    return f"({text})" if inside and len(parts) > 1 else text


def atom_text(ring: Ring, number: int) -> str:
    """Return an atom as text."""
    head, what, arguments = ring.atoms[number]
    texts = [text_of(ring, argument) for argument in arguments]
    match head, what:
        case "symbol", Symbol(name=name):
            return name
        case "text" | "literal", _:
            return str(what)
        case "read", _:
            return f"{what}[{', '.join(texts)}]"
        case _, tuple() if texts and head in ("sum", "max", "min", "product"):
            *extents, body = texts
            names = (atom_text(ring, name) for name in what)
            bound = ", ".join(f"{n} < {e}" for n, e in zip(names, extents, strict=True))
            return f"{head}({bound}: {body})"
        case "in" | "not in", tuple():
            return f"[{texts[0]} {head} {', '.join(map(str, what))}]"
        case _ if head in COMPARED:
            return f"[{texts[0]} {COMPARED[head]}]"
        case "//", _:
            one, other = (text_of(ring, argument, inside=True) for argument in arguments)
            return f"({one} // {other})"
    return f"{head}({', '.join(texts)})"
