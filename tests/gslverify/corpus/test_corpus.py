from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule, Unusable
from gslverify.project import in_project
from tests.gslverify.rule_files import HEAD, rule_text, write_rules


def ids(selectors: list[str]) -> list[str]:
    return [item.rule_id for item in collect(selectors)]


def test_rules_come_in_the_order_of_the_source(folder: Path) -> None:
    write_rules(folder, ["second", "first", "third"])

    assert ids(["rules.py"]) == ["rules.py::second", "rules.py::first", "rules.py::third"]


def test_folders_are_searched_in_the_order_of_names(folder: Path) -> None:
    write_rules(folder, ["b"], "lib/deep/b.py")
    write_rules(folder, ["a"], "lib/a.py")
    write_rules(folder, ["hidden"], "lib/.hidden.py")
    write_rules(folder, ["package"], "lib/__init__.py")
    write_rules(folder, ["kept"], "lib/__counterexamples__/kept.py")

    assert ids(["lib"]) == ["lib/a.py::a", "lib/deep/b.py::b"]


def test_one_rule_can_be_selected(folder: Path) -> None:
    write_rules(folder, ["one", "two"])

    assert ids(["rules.py::two"]) == ["rules.py::two"]


def test_a_rule_selected_twice_is_verified_once(folder: Path) -> None:
    write_rules(folder, ["one", "two"])

    assert ids(["rules.py::two", "rules.py", "."]) == ["rules.py::two", "rules.py::one"]


def test_imported_rules_belong_to_their_own_file(folder: Path) -> None:
    write_rules(folder, ["original"], "base.py")
    path = write_rules(folder, ["own"], "more.py")
    path.write_text("from base import original\n" + path.read_text("utf-8"), "utf-8")

    assert ids(["more.py"]) == ["more.py::own"]


def test_rule_file_may_declare_dataclasses(folder: Path) -> None:
    text = (
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n\n"
        "@dataclass\nclass Sizes:\n    rows: int\n\n" + HEAD + rule_text("one")
    )
    (folder / "rules.py").write_text(text, "utf-8")

    assert isinstance(collect(["rules.py"])[0], CollectedRule)


def test_search_path_is_restored(folder: Path) -> None:
    write_rules(folder, ["one"])
    before = list(sys.path)

    collect(["rules.py"])

    assert sys.path == before


def test_folders_that_are_closed_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rules(folder, ["one"], "rules/one.py")
    write_rules(folder, ["two"], "rules/closed/two.py")
    scandir = os.scandir

    def refuse(path: str) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr("os.scandir", refuse)
    closed, one = collect(["rules"])

    assert isinstance(closed, Unusable)
    assert closed.finding.code.id == "GSL105"
    assert closed.finding.message == ("the folder `rules/closed` cannot be read: Permission denied")
    assert one.rule_id == "rules/one.py::one"


def test_file_in_a_closed_folder_is_not_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object, **options: object) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.stat", refuse)
    monkeypatch.setattr("os.listdir", refuse)
    (item,) = collect(["rules/one.py"])

    assert isinstance(item, Unusable)
    assert item.finding.message == "there is no file or folder `rules/one.py`"


def test_file_that_cannot_be_read_has_its_own_cure(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_rules(folder, ["one"])

    def refuse(name: object) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tokenize.open", refuse)
    path.write_text("import nowhere")
    (item,) = collect(["rules.py"])

    assert isinstance(item, Unusable)
    assert item.finding.cure == "check the permissions of the file (Permission denied)"


@pytest.mark.parametrize("leads_to", ["link.py", "nowhere.py"])
@pytest.mark.parametrize("selector", ["lib", "lib/link.py", "lib/link.py::one"])
def test_link_that_leads_to_no_file_is_told(leads_to: str, selector: str, folder: Path) -> None:
    write_rules(folder, ["one"], "lib/rules.py")
    (folder / "lib/link.py").symlink_to(leads_to)

    link, *others = collect([selector])

    assert isinstance(link, Unusable)
    assert str(link.finding.code) == "GSL105"
    assert link.finding.message == "`lib/link.py` is a link that leads to no file"
    assert [item.rule_id for item in others] == (["lib/rules.py::one"] if selector == "lib" else [])


def test_two_files_of_one_name_do_not_mix(folder: Path) -> None:
    write_rules(folder, ["sound"], "sound/conv.py")
    write_rules(folder, ["broken"], "broken/conv.py")

    assert ids(["sound", "broken"]) == ["sound/conv.py::sound", "broken/conv.py::broken"]


def test_nothing_but_the_rules_of_the_file_is_run(folder: Path) -> None:
    write_rules(folder, ["one"])
    (item,) = collect(["rules.py"])

    assert isinstance(item, CollectedRule)
    assert item.rule.equation == "relu(relu(x))  =>  relu(x)"
    assert item.rule.span.line == 4


def test_ids_outside_the_project_are_absolute(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_rules(folder, ["one"], "lib/rules.py")
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")

    assert in_project(path) == path.resolve().as_posix()
    assert ids(["../lib"]) == [f"{path.resolve().as_posix()}::one"]


def test_exit_in_a_rule_file_does_not_end_the_run(folder: Path) -> None:
    (folder / "rules.py").write_text("import sys\nsys.exit(3)\n", "utf-8")
    write_rules(folder, ["one"], "zzz.py")

    broken, good = collect(["."])

    assert isinstance(broken, Unusable)
    assert broken.finding.message.endswith("SystemExit: 3")
    assert good.rule_id == "zzz.py::one"


def test_place_of_an_import_error_is_the_line_that_ran(folder: Path) -> None:
    text = "def helper():\n    return 1 / 0\n\n\nhelper()\n"
    (folder / "rules.py").write_text(text, "utf-8")

    (broken,) = collect(["rules.py"])

    assert isinstance(broken, Unusable)
    assert broken.finding.span is not None
    assert broken.finding.span.line == 2


def test_place_of_a_syntax_error_is_its_line(folder: Path) -> None:
    (folder / "rules.py").write_text("import gsl\n\ndef rule(:\n", "utf-8")

    (broken,) = collect(["rules.py"])

    assert isinstance(broken, Unusable)
    assert broken.finding.span is not None
    assert broken.finding.span.line == 3


def warnings_of(selectors: list[str]) -> list[str]:
    items = [item for item in collect(selectors) if isinstance(item, CollectedRule)]
    return [f"{w.code} {w.message}; {w.cure}" for item in items for w in item.warnings]


def test_twin_that_is_nowhere_is_a_warning(folder: Path) -> None:
    write_rules(folder, ["sound"], "lib/sound.py")
    text = HEAD + rule_text("wrong", 'twin="sound"') + rule_text("odd", 'twin="suond"')
    (folder / "lib" / "wrong.py").write_text(text, "utf-8")

    assert warnings_of(["lib"]) == [
        "GSL603 no rule is called `suond`, the twin of this one; did you mean `sound`?"
    ]
    assert warnings_of(["lib/wrong.py"]) == []


def test_twins_may_be_in_a_folder_beside(folder: Path) -> None:
    write_rules(folder, ["right"], "lib/sound/rules.py")
    text = HEAD + rule_text("wrong", 'twin="right"') + rule_text("odd", 'twin="rihgt"')
    (folder / "lib" / "broken").mkdir()
    (folder / "lib" / "broken" / "rules.py").write_text(text, "utf-8")

    assert [w.split(",")[0] for w in warnings_of(["lib/broken"])] == [
        "GSL603 no rule is called `rihgt`"
    ]
