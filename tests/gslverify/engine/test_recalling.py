"""What is known from earlier runs is looked up when there is time for it, and may end a run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from math import inf
from pathlib import Path
from types import TracebackType

import pytest

from gslverify import stages
from gslverify.codes.satisfiable import VACUOUS
from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule
from gslverify.engine.cache import Forgetful
from gslverify.engine.loop import verify
from gslverify.engine.pool import Outcome, Task
from gslverify.engine.writing import write_down
from gslverify.events import RuleDone
from gslverify.finding import Finding, StageResult, Verdict
from gslverify.settings import Settings
from gslverify.stages import EXAMPLES, PINNED, WAVES, prepare
from tests.gslverify.fake_stages import WAVES as FAKE
from tests.gslverify.rule_files import write_rules

STAGE = "satisfiable"


class Diary(Forgetful):
    """Knows rules by the beginnings of their names, and notes what is asked and done."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def recall(self, item: CollectedRule, stages: Iterable[str]) -> tuple[StageResult, ...] | None:
        name = item.rule.name
        self.lines.append(f"recall {name}")
        if name.startswith("wrong"):
            finding = Finding(VACUOUS, "nothing matches", subject="")
            return (StageResult(STAGE, Verdict.VACUOUS, (finding,)),)
        return (StageResult(STAGE, Verdict.PASS),) if name.startswith("known") else None


class Hired:
    """Workers that do what they are told at once."""

    deadline = inf

    def __init__(self, diary: Diary) -> None:
        self.diary = diary

    def __enter__(self) -> Hired:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.diary.lines.append("end")

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[int, Outcome]]:
        for task in tasks:
            self.diary.lines.append(f"begin {task.rule_id.partition('::')[2]}")
            yield task.number, (StageResult(STAGE, Verdict.PASS),)


def told(folder: Path, names: list[str], most_failures: int = 0) -> list[str]:
    """Return what was asked and done, with the rules in the order in which they were reported."""
    diary = Diary()
    items = collect([write_rules(folder, names).name], write=write_down)
    settings = Settings(stages=("static", STAGE), max_failures=most_failures)
    for event in verify(items, settings, WAVES, memory=diary, workers=Hired(diary)):
        if isinstance(event, RuleDone):
            diary.lines.append(f"done {event.result.rule_id.partition('::')[2]}")
    return diary.lines


def test_a_rule_is_looked_up_when_a_worker_is_free(folder: Path) -> None:
    assert told(folder, ["known_a", "new_b", "known_c", "new_d"]) == [
        "recall known_a",
        "recall new_b",
        "done known_a",
        "begin new_b",
        "done new_b",
        "recall known_c",
        "recall new_d",
        "begin new_d",
        "done known_c",
        "done new_d",
        "end",
    ]


def test_workers_are_not_needed_where_all_is_known(folder: Path) -> None:
    assert told(folder, ["known_a", "known_b"])[:2] == ["recall known_a", "recall known_b"]
    assert "end" not in told(folder, ["known_a", "known_b"])


def test_a_known_failure_ends_the_run_before_others_begin(folder: Path) -> None:
    lines = told(folder, ["wrong_a", "new_b"], most_failures=1)
    assert "done wrong_a" in lines
    assert not any(line.startswith("begin") for line in lines)


@pytest.mark.parametrize(
    ("wave", "settings", "expected"),
    [
        (WAVES[1], Settings(), ["gslverify.trials.backend"]),
        (WAVES[1], Settings(stages=("static", "gradient")), ["gslverify.trials.backend"]),
        (WAVES[1], Settings(stages=("static", "shape")), []),
        (WAVES[1], Settings(use_tvm=False), []),
        (FAKE[1], Settings(), []),
        (PINNED, Settings(), []),
        (EXAMPLES, Settings(), []),
    ],
)
def test_tvm_is_started_early_where_it_will_be_needed(
    wave: stages.Wave, settings: Settings, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    class Backend:
        def __init__(self, name: str) -> None:
            self.name = name

        def start(self) -> None:
            started.append(self.name)
            raise OSError("there are too many processes")  # left to the stage to tell

    monkeypatch.setattr("importlib.import_module", Backend)
    prepare(wave, settings)
    assert started == expected


LOADED = """
import sys
from gslverify.settings import Settings
from gslverify.stages import WAVES, prepare
prepare(WAVES[{wave}], Settings(use_tvm=False, stages={stages}))
print("gslverify.stages.numeric" in sys.modules)
"""


@pytest.mark.parametrize(
    ("wave", "stages", "loaded"),
    [
        (1, ("satisfiable", "numeric"), "True"),
        (1, ("satisfiable", "prove"), "False"),
        (0, ("satisfiable", "numeric"), "False"),
    ],
)
def test_later_stages_are_loaded_before_processes_are_made_of_this_one(
    wave: int, stages: tuple[str, ...], loaded: str
) -> None:
    script = LOADED.format(wave=wave, stages=stages)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == loaded, done.stderr
