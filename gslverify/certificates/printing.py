"""Records of certificates as lines to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

INFIX = frozenset({"+", "-", "*", "/", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"})


def proof_lines(proof: dict[str, Any], margin: str) -> Iterator[str]:
    """Yield the steps of a proof, case by case."""
    if "impossible" in proof:
        yield f"{margin}no element is in this case"
        return
    for case in ("holds", "fails") if "condition" in proof else ():
        yield f"{margin}where {text_of(proof['condition'])} {case}:"
        yield from proof_lines(proof[case], margin + "  ")
    for step in proof.get("steps", ()):
        yield f"{margin}{_of_step(step)}"
    for factor, step in proof.get("parts", ()):
        yield f"{margin}{text_of(factor)} times {_of_step(step)}"
    if "steps" in proof:
        yield f"{margin}source and target have one value"


def _of_step(step: dict[str, Any]) -> str:
    facts = {fact for used in step.get("from", ()) for fact in used}
    shown = f"; from {len(facts)} facts" if facts else ""
    where = "".join(f", {name} < {text_of(extent)}" for _, name, extent in step.get("indices", ()))
    subjects = _joined(step["about"])
    parts = "".join(f"; {_of_step(part)}" for _, part in step.get("parts", ()))
    return f"{step['law']}: {subjects}{where}{shown}{parts}"


def _joined(records: Iterable[Any]) -> str:
    return ", ".join(map(text_of, records))


def text_of(record: Any) -> str:
    """Return the record of a term, an expression or several of them as text."""
    match record:
        case {"name": name}:
            return str(name)
        case {"several": several}:
            return f"({_joined(several)})"
        case {"indices": variables}:
            return ", ".join(f"{name} < {text_of(extent)}" for _, name, extent in variables)
        case {"number": value}:
            return text_of(value)
        case {"read": name, "at": indices}:
            return f"{name}[{_joined(indices)}]"
        case {"where": condition, "then": then, "else": otherwise}:
            sides = text_of(then), text_of(otherwise)
            return f"({sides[0]} where {text_of(condition)} else {sides[1]})"
        case {"apply": function, "to": arguments}:
            return text_of([function, *arguments])
        case {"over": variables, "combine": function, "of": body}:
            bound = ", ".join(f"{name} < {text_of(extent)}" for _, name, extent in variables)
            return f"{function}({bound}: {text_of(body)})"
        case {"tuple": values}:
            return f"({', '.join(map(str, values))})"
        case {"fraction": text} | {"float": text}:
            return str(text)
        case [head, one, other] if head in INFIX:
            return f"({text_of(one)} {head} {text_of(other)})"
        case [head, *operands]:
            return f"{head}({_joined(operands)})"
    return str(record)
