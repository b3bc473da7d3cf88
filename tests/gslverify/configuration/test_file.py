from __future__ import annotations

from pathlib import Path

import pytest

from gslverify.configuration.file import (
    SettingsError,
    adapted_targets,
    built_in_profiles,
    find_file,
    read_file,
)

TABLE = "[tool.gslverify]\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(text, "utf-8")
    return path


def test_nearest_file_with_such_a_table_is_found(tmp_path: Path) -> None:
    outer = written(tmp_path, f"[project]\nname = 'x'\n{TABLE}seed = 3\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    written(tmp_path / "a", "[project]\nname = 'y'\n")

    assert find_file(inner) == outer


@pytest.mark.parametrize(
    "text",
    [
        "[tool]\ngslverify.seed = 3\n",
        "[tool]\ngslverify = {seed = 3}\n",
        "tool.gslverify.seed = 3\n",
        "[tool.'gslverify']\nseed = 3\n",
        '["tool"."gslverify"]\nseed = 3\n',
        "[[tool.gslverify]]\nseed = 3\n",
    ],
)
def test_a_table_may_be_written_in_other_ways(text: str, tmp_path: Path) -> None:
    """Settings that are passed over in silence would be taken for settings that count."""
    path = written(tmp_path, text)

    assert find_file(tmp_path) == path
    if "[[" in text:
        with pytest.raises(SettingsError, match="is not a table"):
            read_file(path, tmp_path)
    else:
        assert read_file(path, tmp_path).values["seed"].value == 3


@pytest.mark.parametrize("text", ["[project]\nname = 'gslverify'\n", "tool = 'gslverify'\n"])
def test_the_name_alone_is_no_table(text: str, tmp_path: Path) -> None:
    written(tmp_path, text)

    assert find_file(tmp_path) is None


def test_file_that_is_no_toml_is_not_passed_over(tmp_path: Path) -> None:
    written(tmp_path, f"{TABLE}seed = 3\n")
    inner = tmp_path / "a"
    inner.mkdir()
    path = written(inner, "garbage [[[\n")

    assert find_file(inner) == path
    with pytest.raises(SettingsError, match=r"^pyproject\.toml:1:9: the file is not TOML"):
        read_file(path, inner)


def test_file_without_the_table_is_none(tmp_path: Path) -> None:
    written(tmp_path, "[tool.other]\n[tool.gslverifyish]\n")

    assert find_file(tmp_path) is None


def test_values_have_places(tmp_path: Path) -> None:
    text = f"{TABLE}\nseed = 3\n'max-examples' = 7\n[tool.gslverify.stage-timeouts]\nshape = 5\n"

    file = read_file(written(tmp_path, text), tmp_path)

    assert {name: (v.value, v.origin) for name, v in file.values.items()} == {
        "seed": (3, "pyproject.toml:3"),
        "max-examples": (7, "pyproject.toml:4"),
        "stage-timeouts": ((("shape", 5.0),), "pyproject.toml:5"),
    }


def test_profiles_are_tables_of_their_own(tmp_path: Path) -> None:
    text = f"{TABLE}[tool.gslverify.profiles.nightly]\nbudget = '2h'\n"

    file = read_file(written(tmp_path, text), tmp_path)

    assert file.values == {}
    assert file.profiles["nightly"]["budget"].value == 7200
    assert file.profiles["nightly"]["budget"].origin == "pyproject.toml:3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max-exampels = 3", "pyproject.toml:2: there is no setting `max-exampels`; did you mean"),
        ("zzz = 3", "see `gslverify check --help`"),
        ("profile_s = 3", "did you mean `profiles`?"),
        ("\nseed = 'three'", "pyproject.toml:3: seed: `three` is neither a number nor `random`"),
        ("stages = ['nmeric']", "pyproject.toml:2: stages: there is no stage `nmeric`"),
        ("budget = 'soon'", "pyproject.toml:2: budget: 'soon' is not a duration"),
        ("seed = ", "pyproject.toml:2:8: the file is not TOML"),
        ("profiles = 3", "pyproject.toml:2: profiles are tables"),
        ("[tool.gslverify.profiles.ci]\nsead = 1", "pyproject.toml:3: there is no setting `sead`"),
        ("[tool.gslverify.profiles.ci]\nprofile = 'dev'", "there is no setting `profile`"),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"{TABLE}{text}\n")

    with pytest.raises(SettingsError) as raised:
        read_file(path, tmp_path)
    assert message in str(raised.value).replace(f"{tmp_path}/", "")


def test_table_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not a table"):
        read_file(written(tmp_path, "[tool]\ngslverify = 3\n"), tmp_path)


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"[tool.gslverify]\n\xff\xfe\n")

    assert find_file(tmp_path) == path
    with pytest.raises(SettingsError, match="cannot be read"):
        read_file(path, tmp_path)


def test_every_built_in_profile_can_be_read() -> None:
    assert built_in_profiles().keys() == {"dev", "ci", "deep"}
    assert built_in_profiles()["deep"]["rule-budget"].value == 1800
    assert "gradient" in built_in_profiles()["deep"]["stages"].value


@pytest.mark.parametrize(
    ("encoding", "words"), [("utf-16", "it is not text in UTF-8"), ("utf-8-sig", "is not TOML")]
)
def test_settings_in_an_encoding_that_toml_has_not_are_not_passed_over(
    encoding: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f"{TABLE}seed = 3\n", encoding)

    assert find_file(tmp_path) == path
    with pytest.raises(SettingsError, match=words):
        read_file(path, tmp_path)


def test_what_is_adapted_of_other_libraries_is_listed_by_library(tmp_path: Path) -> None:
    text = f'{TABLE}seed = 3\n[tool.gslverify.adapt]\nrelax = ["a", "b:c"]\nonnx = ["onnxslim"]\n'
    path = written(tmp_path, text)

    assert read_file(path, tmp_path).adapted == {"relax": ("a", "b:c"), "onnx": ("onnxslim",)}
    assert adapted_targets(tmp_path) == read_file(path, tmp_path).adapted
    assert read_file(path, tmp_path).values["seed"].value == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("adapt = 3\n", "pyproject.toml:2: `adapt` is a table; write [tool.gslverify.adapt]"),
        ('adapt.onxn = ["a"]\n', "no library `onxn` can be adapted; did you mean `onnx`?"),
        ('adapt.relax = "a"\n', 'relax: write a list of texts, such as ["MODULE"]'),
    ],
)
def test_what_cannot_be_adapted_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, TABLE + text)

    with pytest.raises(SettingsError) as error:
        read_file(path, tmp_path)

    assert message in str(error.value)
