from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from gslverify.configuration.file import SettingsError
from gslverify.configuration.resolve import resolve, settings_lines
from gslverify.configuration.table import TABLE
from gslverify.settings import Settings, automatic_jobs


def configure(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.gslverify]\n{text}\n", "utf-8")


def test_without_anything_settings_are_the_defaults(tmp_path: Path) -> None:
    assert resolve({}, {}, tmp_path).settings == Settings(jobs=automatic_jobs())


def test_every_field_that_a_user_may_set_is_in_the_table() -> None:
    internal = {"max_variants", "declining", "explained"}

    assert {field.name for field in fields(Settings)} - internal <= {
        setting.key for setting in TABLE.values()
    }


def test_flag_environment_profile_file_default_in_this_order(tmp_path: Path) -> None:
    names = ["seed", "max-examples", "max-failures", "jobs"]
    file = "\n".join(f"{name} = 1" for name in names)
    profile = "\n".join(f"{name} = 2" for name in names[:3])
    configure(tmp_path, f"{file}\n[tool.gslverify.profiles.dev]\n{profile}")
    environment = {"GSLVERIFY_SEED": "3", "GSLVERIFY_MAX_EXAMPLES": "3", "OTHER": "x"}

    found = resolve({"seed": 4, "max-failures": None}, environment, tmp_path)

    assert [found[name] for name in names] == [4, 3, 2, 1]
    assert [found.values[name].origin for name in names] == [
        "flag",
        "GSLVERIFY_MAX_EXAMPLES",
        "pyproject.toml:9",
        "pyproject.toml:5",
    ]
    assert found.values["budget"].origin == "default"


@pytest.mark.parametrize(
    ("flags", "environment", "file", "profile"),
    [
        ({}, {}, "", "dev"),
        ({}, {}, "profile = 'ci'", "ci"),
        ({}, {"GSLVERIFY_PROFILE": "deep"}, "profile = 'ci'", "deep"),
        ({"profile": "own"}, {"GSLVERIFY_PROFILE": "deep"}, "[tool.gslverify.profiles.own]", "own"),
    ],
)
def test_profile_is_itself_a_setting(
    flags: dict[str, str], environment: dict[str, str], file: str, profile: str, tmp_path: Path
) -> None:
    configure(tmp_path, file)

    assert resolve(flags, environment, tmp_path).settings.profile == profile


def test_profile_of_the_file_extends_the_built_in_one(tmp_path: Path) -> None:
    configure(tmp_path, "profile = 'deep'\n[tool.gslverify.profiles.deep]\nmax-examples = 500")

    settings = resolve({}, {}, tmp_path).settings

    assert (settings.max_examples, settings.rule_budget) == (500, 1800)


@pytest.mark.parametrize(
    ("flags", "environment", "message"),
    [
        ({"profile": "depp"}, {}, "there is no profile `depp` (flag); did you mean `deep`?"),
        ({"profile": "zzz"}, {}, "profiles are dev, ci, deep"),
        ({}, {"GSLVERIFY_SEEED": "1"}, "GSLVERIFY_SEEED of the environment means nothing; did you"),
        ({}, {"GSLVERIFY_QQQQQQQQQQQ": "1"}, "--show-settings"),
        ({}, {"GSLVERIFY_SEED": "x"}, "GSLVERIFY_SEED in the environment: `x` is neither"),
        ({"max-examples": 5, "min-examples": 6}, {}, "can never be reached with -n 5"),
    ],
)
def test_mistakes_are_explained(
    flags: dict[str, object], environment: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as raised:
        resolve(flags, environment, tmp_path)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("environment", "use_tvm"),
    [
        ({}, True),
        ({"GSLVERIFY_TVM": "0"}, False),
        ({"GSLVERIFY_NO_TVM": "1"}, False),
        ({"GSLVERIFY_NO_TVM": "0"}, True),
    ],
)
def test_switches_have_opposites(
    environment: dict[str, str], use_tvm: bool, tmp_path: Path
) -> None:
    assert resolve({}, environment, tmp_path).settings.use_tvm is use_tvm


def test_ci_is_strict_about_the_baseline_unless_told_otherwise(tmp_path: Path) -> None:
    assert resolve({}, {"CI": "true"}, tmp_path).settings.strict_baseline
    assert not resolve(
        {"strict-baseline": False}, {"CI": "true"}, tmp_path
    ).settings.strict_baseline
    assert not resolve({}, {}, tmp_path).settings.strict_baseline


def test_enough_graphs_follow_from_all(tmp_path: Path) -> None:
    assert resolve({"max-examples": 9}, {}, tmp_path).settings.min_examples == 3
    assert resolve({"max-examples": 9, "min-examples": 5}, {}, tmp_path).settings.min_examples == 5


def test_random_seed_is_a_number_that_can_be_given_again(tmp_path: Path) -> None:
    seeds = {resolve({"seed": "random"}, {}, tmp_path).settings.seed for _ in range(3)}

    assert len(seeds) > 1
    assert all(isinstance(seed, int) and seed >= 0 for seed in seeds)


def test_paths_of_the_file_move_along(tmp_path: Path) -> None:
    configure(tmp_path, "rules = ['rules']\nbaseline = 'known.json'")
    inner = tmp_path / "inner"
    inner.mkdir()

    settings = resolve({}, {}, inner).settings

    assert (settings.rules, settings.baseline) == (("../rules",), "../known.json")


def test_time_of_the_solver_is_counted_in_its_own_units(tmp_path: Path) -> None:
    found = resolve({}, {"GSLVERIFY_SOLVER_TIMEOUT": "2s"}, tmp_path)

    assert found.settings.solver_limit == 2_000_000
    assert any("solver-timeout" in line and "2s" in line for line in settings_lines(found))


def test_lines_show_value_and_origin(tmp_path: Path) -> None:
    configure(tmp_path, "budget = '10m'")

    lines = {
        line.split()[0]: line.split()[1:] for line in settings_lines(resolve({}, {}, tmp_path))
    }

    assert lines["budget"] == ["10m", "pyproject.toml:2"]
    assert lines["baseline"] == ["-", "default"]
    assert list(lines) == list(TABLE)


def test_defaults_are_values_of_their_kinds() -> None:
    for setting in TABLE.values():
        text = setting.kind.to_text(setting.default)
        assert isinstance(text, str)


def test_timeouts_of_stages(tmp_path: Path) -> None:
    configure(tmp_path, "stage-timeout = '1m'\nstage-timeouts = { numeric = '5m' }")

    settings = resolve({}, {}, tmp_path).settings

    assert (settings.timeout_of("shape"), settings.timeout_of("numeric")) == (60, 300)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"ignore": ("GSL401",)}, "ignore (flag): GSL401 decides the verdict of a rule"),
        ({"select": ("GSL999",)}, "select (flag): GSL999 is no code; did you mean"),
        ({"per-rule-ignores": (("a::*", ("X",)),)}, "per-rule-ignores (flag): X is no code"),
        ({"ignore": ("",)}, "nothing is no code"),
    ],
)
def test_only_warnings_can_be_left_out(
    flags: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as raised:
        resolve(flags, {}, tmp_path)
    assert message in str(raised.value)


def test_families_of_codes_can_be_left_out(tmp_path: Path) -> None:
    assert resolve({"ignore": ("GSL14", "GSL4")}, {}, tmp_path).settings.ignore == ("GSL14", "GSL4")
