"""Flags that were found out are written into rule files, and nothing else changes there."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pytest

from tests.documents import ROOT

FILE = """\
\"\"\"Rules.\"\"\"

from gsl import Subst, op, pat, rule

TAGS = {"one"}


@rule
def plain() -> Subst:
    return Subst(1, 2)  # ünchanged


@rule(tags=TAGS | {"two"}, origin="a, \u00fc")
def with_tags() -> Subst:
    return Subst(1, 2)


@rule(
    tags=TAGS,
    nan="same",
)
def promising() -> Subst:
    return Subst(1, 2)


@rule(expect="GSL401")
def wrong() -> Subst:
    return Subst(1, 2)
"""


@pytest.fixture(name="script", scope="module")
def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("declare", ROOT / "benchmarks/declare_flags.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_rule_says_its_own_flags(script: ModuleType) -> None:
    needed = {"plain": {"nsz", "nnan"}, "with_tags": {"arcp"}, "promising": (), "wrong": ()}
    text = script.declared(FILE, {name: frozenset(flags) for name, flags in needed.items()})
    assert text == FILE.replace("@rule\n", '@rule(flags={"nnan", "nsz"})\n').replace(
        'origin="a, \u00fc")', 'origin="a, \u00fc", flags={"arcp"})'
    ).replace('nan="same"', "flags=()")


def test_what_all_rules_need_is_said_once(script: ModuleType) -> None:
    text = script.declared(FILE, dict.fromkeys(("plain", "with_tags", "promising"), frozenset()))
    assert "from gsl import assume, Subst, op, pat, rule\n\nASSUME = [assume.flags()]\n" in text
    assert "flags=" not in text
    assert "nan=" not in text
    compile(text, "rules.py", "exec")


def test_rules_without_a_report_stay_as_they_are(script: ModuleType) -> None:
    assert script.declared(FILE, {}) == FILE
    only = script.declared(FILE, {"plain": frozenset({"afn"})})
    assert only == FILE.replace("@rule\n", '@rule(flags={"afn"})\n')


def test_only_what_passed_and_is_known_is_written(script: ModuleType) -> None:
    def told(verdict: str, **flags: Any) -> dict[str, Any]:
        return {"id": f"a::{verdict}{len(flags)}", "verdict": verdict, "flags": flags or None}

    known = {"needed": ["nsz"], "rounding_known": True}
    rules = [told("pass", **known), told("fail", **known), told("pass")]
    rules.append({**told("pass", **known), "id": "b", "flags": {**known, "rounding_known": False}})
    assert script.needed_by([{"rules": rules}]) == {"a::pass2": {"nsz"}}
