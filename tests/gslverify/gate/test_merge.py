"""The reports of all shards become that of the whole run, and nothing else does."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gslverify.cli import main
from gslverify.exits import Exit
from gslverify.gate.merge import merged
from gslverify.gate.report import ReportError
from gslverify.report.documents import ReportDocument
from gslverify.report.json import dumps
from gslverify.session import part_of
from tests.gslverify.gate.reports import report, rule, write
from tests.gslverify.repro.cases import WRONG, write_rule
from tests.gslverify.rule_files import rule_text


def call(*arguments: str) -> Result:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done


def shard(number: int, count: int, *rules: dict[str, Any], **run: Any) -> ReportDocument:
    made = report(*rules, shard=f"{number}/{count}", **run)
    return replace(made, summary={"pass": len(rules)})


def all_of(*shards: ReportDocument) -> dict[Path, ReportDocument]:
    return {Path(f"{number}.json"): one for number, one in enumerate(shards)}


@pytest.mark.parametrize(("count", "items"), [(1, 5), (2, 5), (3, 5), (7, 5), (2, 0)])
def test_parts_have_everything_once(count: int, items: int) -> None:
    whole: Any = list(range(items))
    parts = [part_of(whole, number, count) for number in range(1, count + 1)]

    assert sorted(item for part in parts for item in part) == whole
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_the_old_order_is_restored(count: int) -> None:
    whole: Any = [rule(name) for name in "abcde"]
    shards = [shard(n, count, *part_of(whole, n, count)) for n in range(1, count + 1)]

    found = merged(all_of(*reversed(shards)))

    assert found.rules == report(*whole).rules
    assert found.run.shard == "1/1"
    assert found.summary == {"pass": 5}
    assert found.timing.total_s == 1.5 * count
    assert found.timing.jobs == 2
    assert set(found.timing.rules) == {one["id"] for one in whole}


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ((0, 0), 0),
        ((0, 1), 1),
        ((3, 0), 3),
        ((3, 1), 1),
        ((2, 0), 2),
        ((5, 5), 5),
        ((5, 0), 2),
        ((130, 1), 130),
    ],
)
def test_the_exit_code_is_that_of_the_whole(codes: tuple[int, int], code: int) -> None:
    one, other = codes
    found = merged(
        all_of(
            shard(1, 3, rule("a"), exit_code=one),
            shard(2, 3, rule("b"), exit_code=other),
            shard(3, 3, exit_code=0),
        )
    )

    assert found.run.exit_code == code


def test_a_shard_that_stopped_early_is_told() -> None:
    shards = (shard(1, 2, rule("a")), shard(2, 2, rule("b"), stop_reason="budget"))

    assert merged(all_of(*shards)).run.stop_reason == "budget"


@pytest.mark.parametrize(
    ("shards", "why"),
    [
        ([shard(1, 2, rule("a"))], "shards are missing: 2/2"),
        ([shard(1, 2), shard(1, 2)], "1.json: shard 1 is in 0.json already"),
        ([shard(1, 2), shard(2, 3)], "split in different ways"),
        ([shard(1, 2), shard(2, 2, seed=1)], "of another run than 0.json: `seed` differs"),
        ([shard(1, 2), replace(shard(2, 2), tool={})], "other versions of the tools"),
        ([shard(1, 2, rule("a")), shard(2, 2, rule("a"))], "more than one shard has the rule"),
        ([shard(3, 2)], "there is no shard 3/2"),
    ],
)
def test_what_does_not_fit_is_refused(shards: list[ReportDocument], why: str) -> None:
    with pytest.raises(ReportError) as caught:
        merged(all_of(*shards))
    assert why in str(caught.value)


def without_timing(path: str) -> str:
    document = json.loads(Path(path).read_text("utf-8"))
    del document["timing"]
    return dumps(document)


@pytest.mark.smt
def test_shards_together_are_the_whole_byte_for_byte(folder: Path) -> None:
    write_rule(folder, WRONG + "".join(rule_text(f"sound{n}") for n in range(3)))
    check = ("check", "rules.py", "--no-tvm", "--no-cache", "-j", "0", "-n", "4")
    json_to = ("--output-format", "json", "-o")

    whole = call(*check, *json_to, "whole.json")
    parts = [call(*check, *json_to, f"{n}.json", "--shard", f"{n}/3") for n in (1, 2, 3)]
    merge = call("merge", "3.json", "1.json", "2.json", "-o", "merged.json")

    assert [whole.exit_code, merge.exit_code] == [1, 1]
    assert [part.exit_code for part in parts] == [1, 0, 0]
    assert without_timing("merged.json") == without_timing("whole.json")


def test_more_shards_than_rules(folder: Path) -> None:
    write_rule(folder, WRONG)

    done = call("check", "rules.py", "--stages", "static", "--shard", "2/2", "-j", "0")

    assert done.exit_code == Exit.CLEAN


def test_the_merged_report_is_compared_with_the_baseline(folder: Path) -> None:
    call("baseline", "write", "--from", write(folder / "old.json", rule("a"), rule("b")))
    first = write(folder / "1.json", rule("a"), shard="1/2")
    second = write(folder / "2.json", rule("b", "fail", "GSL401"), shard="2/2", exit_code=1)

    done = call("merge", first, second, "--baseline", "gslverify-baseline.json", "-o", "all.json")

    assert done.exit_code == 1
    assert "1 REGRESSION, 1 unchanged" in done.output
    assert json.loads((folder / "all.json").read_text("utf-8"))["run"]["exit_code"] == 1
    known = call("merge", first, second, "-o", "no/such/folder.json")
    assert known.exit_code == 2
    assert "there is no folder `no/such`" in known.output


@pytest.mark.parametrize(
    ("verdict", "shard_code", "arguments", "code"),
    [
        ("inconclusive", 0, [], 0),
        ("inconclusive", 0, ["--fail-on", "inconclusive"], 1),
        ("inconclusive", 0, ["--fail-on", "inconclusive", "--exit-zero"], 0),
        ("inconclusive", 1, [], 1),
        ("fail", 1, ["--fail-on", "vacuous"], 0),
        ("fail", 1, ["--fail-on", "fail,vacuous"], 1),
        ("error", 3, ["--fail-on", "fail"], 0),
        ("error", 3, ["--fail-on", "error"], 3),
    ],
)
def test_what_fails_the_whole_can_be_chosen_without_a_baseline(
    verdict: str, shard_code: int, arguments: list[str], code: int, folder: Path
) -> None:
    one = rule("b", verdict, "GSL901")
    one["findings"][0]["verdict"] = verdict
    first = write(folder / "1.json", rule("a"), shard="1/2")
    second = write(folder / "2.json", one, shard="2/2", exit_code=shard_code)

    done = call("merge", first, second, "-o", "all.json", *arguments)

    assert done.exit_code == code
    assert json.loads((folder / "all.json").read_text("utf-8"))["run"]["exit_code"] == code


@pytest.mark.smt
@pytest.mark.parametrize(
    "fail_on", ["fail", "inconclusive", "vacuous", "error", "inconclusive,fail"]
)
def test_a_merge_fails_on_what_a_check_fails_on(fail_on: str, folder: Path) -> None:
    missing = rule_text("gone").replace("op.", "no.")
    write_rule(folder, WRONG + rule_text("sound") + missing)
    check = ("check", "rules.py", "--no-tvm", "-j", "0", "-n", "4")
    whole = call(*check, "--fail-on", fail_on)
    call(*check, "--output-format", "json", "-o", "1.json")

    merge = call("merge", "1.json", "--fail-on", fail_on)

    assert merge.exit_code == whole.exit_code


def test_a_pipe_is_written_to_and_not_replaced(folder: Path) -> None:
    whole = write(folder / "1.json", rule("a"))
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)

    done = call("merge", whole, "-o", "pipe")

    assert done.exit_code == 0
    assert pipe.is_fifo()
    assert json.loads(os.read(reading, 100_000))["run"]["shard"] == "1/1"
    os.close(reading)


@pytest.mark.parametrize("text", ["{}", "[]", "no", '{"rules": 3}'])
def test_a_file_that_is_no_report_is_named(text: str, folder: Path) -> None:
    (folder / "bad.json").write_text(text, "utf-8")

    done = call("merge", "bad.json")

    assert done.exit_code == 2
    assert "bad.json" in done.output
