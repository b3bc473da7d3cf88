"""Rule files for tests, written into a temporary folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

HEAD = "from gsl import Subst, attr, op, pat, rule\n"

RULE = '''

@rule({options})
def {name}() -> Subst:
    """relu(relu(x))  =>  relu(x)"""
    x = pat.Wildcard()
    return {result}
'''

SOUND = "Subst(op.Relu(op.Relu(x)), op.Relu(x))"


def rule_text(name: str, options: str = "", result: str = SOUND) -> str:
    """Return a rule; by default it is sound."""
    return RULE.format(name=name, options=options, result=result)


def write_rules(folder: Path, names: Sequence[str], file: str = "rules.py") -> Path:
    """Write a file of sound rules with these names and return its path."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD + "".join(rule_text(name) for name in names), encoding="utf-8")
    return path


def write_rule(folder: Path, body: str, file: str = "rules.py", options: str = "") -> Path:
    """Write a file with one rule called `example`, given the lines of its function."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    path = folder / file
    path.write_text(f"{HEAD}\n\n@rule({options})\ndef example() -> Subst:\n{lines}", "utf-8")
    return path
