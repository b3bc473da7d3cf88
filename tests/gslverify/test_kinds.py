from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gslverify.durations import duration_text
from gslverify.kinds import (
    BUDGET,
    IGNORES,
    LIMIT,
    PATH,
    PATHS,
    SHARD,
    SWITCH,
    TEXTS,
    TIMEOUTS,
    URL,
    Kind,
    choice,
    seen_from,
    some_words,
    whole,
    word_or_whole,
    words,
)

FRUIT = words(("apple", "pear", "plum"), "fruit")
SEED = word_or_whole("random")
SOME_FRUIT = some_words(("apple", "pear", "plum"), "fruit", "none")


@pytest.mark.parametrize(
    ("kind", "text", "written", "value"),
    [
        (whole(0), "7", 7, 7),
        (SEED, "random", "random", "random"),
        (SEED, "3", 3, 3),
        (SWITCH, "yes", True, True),
        (SWITCH, "0", False, False),
        (BUDGET, "90", 90, 90.0),
        (BUDGET, "1h30m", "1h30m", 5400.0),
        (BUDGET, "250ms", 0.25, 0.25),
        (BUDGET, "0", 0, 0.0),
        (LIMIT, "1.5s", "1.5s", 1.5),
        (FRUIT, "plum,apple", ["plum", "apple"], ("apple", "plum")),
        (TEXTS, "a, b", ["a", "b"], ("a", "b")),
        (TEXTS, "a", "a", ("a",)),
        (choice(("one", "two")), "two", "two", "two"),
        (SHARD, "2/5", "2/5", (2, 5)),
        (
            TIMEOUTS,
            "shape=1m,numeric=5",
            {"shape": "1m", "numeric": 5},
            (("shape", 60.0), ("numeric", 5.0)),
        ),
        (
            IGNORES,
            "a.py::*:GSL140+GSL2",
            {"a.py::*": ["GSL140", "GSL2"]},
            (("a.py::*", ("GSL140", "GSL2")),),
        ),
    ],
)
def test_text_and_toml_mean_the_same(kind: Kind, text: str, written: Any, value: Any) -> None:
    assert kind.of_text(text) == value
    assert kind.of_toml(written) == value


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (whole(1), "0", "0 is not in the range x>=1"),
        (whole(0), "many", "'many' is not a valid integer"),
        (SEED, "-1", "neither a number nor `random`"),
        (SWITCH, "perhaps", "neither 1 nor 0"),
        (BUDGET, "60 s", "not a duration"),
        (BUDGET, "s", "not a duration"),
        (LIMIT, "0s", "not in the range x>0"),
        (FRUIT, "aple", "did you mean `apple`?"),
        (FRUIT, "", "no fruit is named"),
        (choice(("one", "two")), "twoo", "did you mean `two`?"),
        (SHARD, "6/5", "write 2/5 for the second of five"),
        (SHARD, "0/5", "not a part of a whole"),
        (TIMEOUTS, "numeric", "such as numeric=5m"),
        (TIMEOUTS, "numeric=soon", "not a duration"),
        (IGNORES, "GSL140", "a pattern and codes"),
    ],
)
def test_text_without_a_value_says_why(kind: Kind, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        kind.of_text(text)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "written", "message"),
    [
        (whole(0), True, "True is not a valid integer"),
        (whole(0), 1.5, "1.5 is not a valid integer"),
        (SWITCH, "true", "neither true nor false"),
        (BUDGET, True, "not a duration"),
        (BUDGET, -1, "not a duration"),
        (TEXTS, [1], "not a list of texts"),
        (TEXTS, 3, "not a list of texts"),
        (PATH, 3, "not a text"),
        (SHARD, 2, "not a part of a whole"),
        (TIMEOUTS, "numeric=5m", "not a table of times"),
        (IGNORES, ["GSL140"], "not a table of codes"),
    ],
)
def test_toml_of_another_type_is_refused(kind: Kind, written: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        kind.of_toml(written)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (BUDGET, "90s"),
        (BUDGET, "10m"),
        (BUDGET, "2h"),
        (SHARD, "2/5"),
        (TIMEOUTS, "numeric=5m,shape=30s"),
        (IGNORES, "a.py::*:GSL140+GSL2"),
        (TEXTS, "a,b"),
        (SWITCH, "true"),
    ],
)
def test_what_is_written_can_be_read_again(kind: Kind, text: str) -> None:
    assert kind.to_text(kind.of_text(text)) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.5, "0.5s"), (60, "1m"), (61, "61s"), (3600, "1h"), (5400, "90m")]
)
def test_durations_are_short(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_paths_of_a_file_are_relative_to_it(tmp_path: Path) -> None:
    inner = tmp_path / "inner"

    assert seen_from(inner, tmp_path, PATH, "known.json") == "../known.json"
    assert seen_from(inner, tmp_path, PATHS, ("a", "inner/b")) == ("../a", "b")
    assert seen_from(tmp_path, tmp_path, PATH, "known.json") == "known.json"
    assert seen_from(inner, tmp_path, PATH, "") == ""
    assert seen_from(inner, tmp_path, TEXTS, ("a",)) == ("a",)


def test_addresses_are_those_of_sites() -> None:
    assert [URL.of_text(text) for text in ("", "https://a.b/c")] == ["", "https://a.b/c"]
    for wrong in ("a.b", "https://", "ftp://a", "https://a b"):
        with pytest.raises(ValueError, match="is not an address"):
            URL.of_text(wrong)


@pytest.mark.parametrize(
    ("text", "value"),
    [("", ()), ("none", ("none",)), ("plum,apple", ("apple", "plum"))],
)
def test_some_words_may_be_none_on_purpose(text: str, value: tuple[str, ...]) -> None:
    assert SOME_FRUIT.of_text(text) == value
    assert SOME_FRUIT.of_toml(list(value)) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("none,plum", "`none` stands alone, without plum"),
        ("aple", "there is no fruit `aple`; did you mean `apple`?"),
    ],
)
def test_words_that_contradict_each_other_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        SOME_FRUIT.of_text(text)
