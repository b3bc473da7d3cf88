"""Rules on a real cluster of two worker processes, one of which may be killed."""

from __future__ import annotations

import math
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gslverify.cli import main
from gslverify.corpus.collect import collect
from gslverify.engine import cluster
from gslverify.engine.cluster import Cluster, ClusterError, lost
from gslverify.engine.loop import ignore, verify
from gslverify.engine.pool import Task
from gslverify.events import RunDone
from gslverify.finding import Verdict
from gslverify.settings import Settings
from tests.gslverify.fake_stages import WAVES
from tests.gslverify.rule_files import write_rules
from tests.gslverify.runs import verdicts

distributed: Any = pytest.importorskip("distributed", reason="the extra [distributed] is missing")

REST = ["plain1", "slow1", "plain2", "slow2", "plain3", "slow3", "plain4", "slow4"]


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        made.wait_for_workers(2)
        yield made


def address_of(local: Any) -> str:
    return str(local.scheduler_address).replace("tcp://", "dask://")


def run(folder: Path, names: list[str], local: Any, **settings: Any) -> RunDone:
    path = write_rules(folder, names)
    chosen = Settings(**settings)
    workers = Cluster(address_of(local), chosen, ignore)
    done = list(verify(collect([path.name]), chosen, WAVES, workers=workers))[-1]
    assert isinstance(done, RunDone)
    return done


def test_the_results_are_those_of_this_machine(folder: Path, local: Any, diary: Path) -> None:
    names = ["plain", "wrong", "unclear", "raises", "early"]
    path = write_rules(folder, names)
    here = list(verify(collect([path.name]), Settings(jobs=1), WAVES))[-1]
    assert isinstance(here, RunDone)

    there = run(folder, names, local)

    assert verdicts(there) == verdicts(here)
    for one, other in zip(there.results, here.results, strict=True):
        assert one.rule_id == other.rule_id
        assert [f.message for f in one.findings] == [f.message for f in other.findings]


def test_a_rule_file_that_has_changed_is_read_anew(folder: Path, local: Any) -> None:
    assert verdicts(run(folder, ["plain"], local)) == {"plain": "PASS"}
    assert verdicts(run(folder, ["wrong"], local)) == {"wrong": "FAIL"}


def test_a_rule_that_ends_or_holds_up_its_process_costs_itself(folder: Path, local: Any) -> None:
    done = run(folder, ["plain", "dies", "other"], local, stage_timeout=60.0)

    assert verdicts(done) == {"plain": "PASS", "dies": "ERROR", "other": "PASS"}
    assert [f.code.id for f in done.results[1].findings] == ["GSL902"]


def test_a_worker_that_is_killed_loses_no_rule(folder: Path, local: Any) -> None:
    """The scheduler gives its work to others; the nanny starts a new one."""
    victims = list(local.workers.values())

    def kill() -> None:
        time.sleep(2.0)
        os.kill(victims[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    done = run(folder, REST, local)
    killer.join()

    assert verdicts(done) == dict.fromkeys(REST, "PASS")
    assert [result.rule_id for result in done.results] == [f"rules.py::{name}" for name in REST]


class Future:
    """What a scheduler gives back: a result, or an exception."""

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome

    def done(self) -> bool:
        return True

    def result(self, timeout: float) -> Any:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class Scheduler:
    """Gives back what it is told to, in turn, and then is gone."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = list(outcomes)
        self.keys: list[str] = []

    @property
    def status(self) -> str:
        return "running" if self.outcomes else "closed"

    def submit(self, *arguments: Any, key: str, pure: bool) -> Future:
        self.keys.append(key)
        return Future(self.outcomes.pop(0))


def outcomes_with(scheduler: Scheduler, count: int) -> list[tuple[int, Any]]:
    workers = Cluster.__new__(Cluster)
    workers.settings, workers.notify, workers.run_id = Settings(), ignore, "run"
    workers.client, workers.size, workers.deadline = scheduler, 1, math.inf
    tasks = [Task(n, f"a.py::r{n}", Path("a.py"), {"shape": "", "prove": ""}) for n in range(count)]
    return list(workers.run(tasks))


def test_a_task_is_tried_twice() -> None:
    died = RuntimeError("KilledWorker\nand more")
    done = lost(Task(0, "a.py::r0", Path("a.py"), {"shape": ""}), "example")
    scheduler = Scheduler(died, done, "left over")

    assert outcomes_with(scheduler, 1) == [(0, done)]
    assert len(set(scheduler.keys)) == 2

    ((number, results),) = outcomes_with(Scheduler(died, died, "left over"), 1)
    assert number == 0
    assert [result.verdict for result in results] == [Verdict.ERROR, Verdict.INCONCLUSIVE]
    (finding,) = results[0].findings
    assert finding.code.id == "GSL902"
    assert "in stage shape: RuntimeError: KilledWorker" in finding.message
    assert "and more" not in finding.message
    assert results[1].skipped


def test_a_scheduler_that_is_gone_costs_the_rules_that_are_left() -> None:
    done = lost(Task(0, "a.py::r0", Path("a.py"), {"shape": ""}), "example")

    found = outcomes_with(Scheduler(done, done), 4)

    assert [number for number, _ in found] == [0, 1, 2, 3]
    messages = [results[0].findings[0].message for _, results in found]
    assert ["scheduler of the cluster is gone" in message for message in messages] == [
        False,
        False,
        True,
        True,
    ]


def test_a_run_whose_time_is_over_leaves_the_cluster(folder: Path, local: Any) -> None:
    started = time.monotonic()

    done = run(folder, ["hangs", "plain"], local, budget=6.0)

    assert time.monotonic() - started < 60.0
    assert done.stop_reason
    assert verdicts(done)["hangs"] == "INCONCLUSIVE"
    assert verdicts(run(folder, ["other"], local)) == {"other": "PASS"}


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ray://localhost:1", "write `local` or `dask://HOST:PORT`"),
        ("dask://localhost", "write `local` or `dask://HOST:PORT`"),
        ("dask://localhost:99999", "write `local` or `dask://HOST:PORT`"),
        ("dask://[::1]:1/", "write `local` or `dask://HOST:PORT`"),
        ("dask://127.0.0.1:1", "the scheduler is not reached"),
        ("dask://127.0.0.1:nothing", "write `local` or `dask://HOST:PORT`"),
    ],
)
def test_a_cluster_that_is_not_there_is_a_usage_error(
    address: str, words: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1.0)
    write_rules(folder, ["plain"])

    done = CliRunner().invoke(main, ["check", "rules.py", "--executor", address])

    assert done.exit_code == 2
    assert words in done.output
    assert "Traceback" not in done.output


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"dask://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ClusterError, match="is not reached: what is there says nothing"):
            Cluster(address, Settings(), ignore)


def test_a_scheduler_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1.0)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=None, protocol="tcp"
        ) as empty,
        pytest.raises(ClusterError, match="the scheduler has no workers; start some"),
    ):
        Cluster(address_of(empty), Settings(), ignore)


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(cluster, "import_module", missing)

    with pytest.raises(ClusterError, match=r"pip install 'gslverify\[distributed\]'"):
        Cluster("dask://127.0.0.1:1", Settings(), ignore)
