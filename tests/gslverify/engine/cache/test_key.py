"""What changes a key, and what does not."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from gsl import Subst
from gsl.operators.declaration import REGISTRY
from gsl.rule_files.collect import rules_in
from gslverify.corpus.declaration import Declaration
from gslverify.engine.cache import key
from gslverify.engine.cache.key import (
    ELSEWHERE,
    UncacheableError,
    declared_operators,
    stage_key,
)
from gslverify.settings import Settings
from tests.gslverify.rule_files import write_rules

SETTINGS = Settings()


@pytest.fixture
def rule(folder: Path) -> Declaration:
    (found,) = rules_in(write_rules(folder, ["one"]))
    return found


def key_of(
    rule: Declaration, stage: str = "numeric", digest: str = "sha256:1", **changes: Any
) -> str:
    return stage_key(rule, digest, (), stage, replace(SETTINGS, **changes))


def test_names_and_places_do_not_matter(rule: Declaration) -> None:
    other = replace(rule, name="other", expect="GSL401", tags=frozenset({"a"}), reason="new")

    assert key_of(rule) == key_of(other)


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1},
        {"max_examples": 61},
        {"min_examples": 1},
        {"use_tvm": False},
        {"max_variants": 3},
        {"solver_limit": 5},
        {"proof_steps": 5},
    ],
)
def test_settings_of_the_stage_matter(changes: dict[str, Any], rule: Declaration) -> None:
    assert key_of(rule, **changes) != key_of(rule)


def test_what_a_stage_does_not_look_at_does_not_matter(rule: Declaration) -> None:
    assert key_of(rule, "shape", max_examples=61) == key_of(rule, "shape")
    assert key_of(rule, jobs=3, budget=7.0, fail_on=("fail",)) == key_of(rule)


def test_rule_stage_and_versions_matter(rule: Declaration, monkeypatch: pytest.MonkeyPatch) -> None:
    first = key_of(rule)

    assert key_of(rule, digest="sha256:2") != first
    assert key_of(rule, "shape") != first
    monkeypatch.setattr(key, "installed_tools", lambda: (("z3", "9"),))
    assert key_of(rule) != first


def test_the_source_of_the_verifier_matters(
    rule: Declaration, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = key_of(rule)
    monkeypatch.setattr(key, "package_digest", lambda: "another")

    assert key_of(rule) != first


def test_settings_left_out_exist() -> None:
    assert set(ELSEWHERE.split()) <= {field.name for field in fields(Settings)}


def test_the_hash_of_a_rule_has_all_that_it_says() -> None:
    """A new argument has to find its way into gsl.canonical, or wrong results would be reused."""
    assert list(inspect.signature(Subst).parameters) == ["src", "tgt", "where", "aliases"]


DECLARATION = """
from gsl.operators.declaration import operator, Tensor
from {helper} import FACTOR

@operator()
def Scaled(need, data: Tensor):
    '''Scale.'''
    return data.shape

@Scaled.numpy
def _(data):
    return data * FACTOR
"""


@pytest.fixture
def declaration(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(folder))
    (folder / "own_helper.py").write_text("FACTOR = 2\n", "utf-8")
    path = folder / "own_operators.py"
    path.write_text(DECLARATION.format(helper="own_helper"), "utf-8")
    spec = importlib.util.spec_from_file_location("own_operators", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield path
    REGISTRY.pop("Scaled")
    sys.modules.pop("own_helper")


@pytest.mark.parametrize("file", ["own_operators.py", "own_helper.py"])
def test_the_source_of_own_operators_matters(
    file: str, declaration: Path, rule: Declaration
) -> None:
    def own() -> tuple[str, str]:
        own = tuple(declared_operators(("Relu", "Scaled")))
        named = stage_key(rule, "sha256:1", own, "numeric", SETTINGS)
        return named, key_of(rule)

    first, without = own()
    changed = declaration.parent / file
    changed.write_text(changed.read_text("utf-8") + "# changed\n", "utf-8")

    assert own()[0] != first
    assert own()[1] == without


def test_an_operator_without_source_is_not_kept(declaration: Path, rule: Declaration) -> None:
    declaration.unlink()

    with pytest.raises(UncacheableError, match="operator Scaled has code"):
        list(declared_operators(("Scaled",)))
