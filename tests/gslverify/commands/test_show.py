"""Tests of `gslverify show` for files and for TVM."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from gslverify.cli import main
from gslverify.report.html.pair import rule_svg
from gslverify.report.html.sketch import Sketch
from tests.gslverify.rule_files import HEAD, rule_text, write_rules

SVG = "{http://www.w3.org/2000/svg}"


def show(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["show", *arguments])


def test_picture_has_both_sides_with_titles(folder: Path) -> None:
    write_rules(folder, ["one"])

    result = show("rules.py::one", "--svg", "one.svg")
    picture = ElementTree.fromstring((folder / "one.svg").read_text("utf-8"))
    source, target = picture.findall(f"{SVG}svg")

    assert (result.exit_code, result.output) == (0, "")
    assert [text.text for text in picture.findall(f"{SVG}text")] == ["source", "target"]
    assert "Relu(relu)" in (source.findtext(f"{SVG}title") or "")
    assert float(target.attrib["x"]) >= float(source.attrib["width"])
    assert float(picture.attrib["width"]) >= sum(float(s.attrib["width"]) for s in (source, target))


def test_page_says_nothing_about_a_verdict_and_runs_nothing(folder: Path) -> None:
    text = rule_text("one", 'origin="<script>alert(1)</script>"')
    (folder / "rules.py").write_text(HEAD + text)

    assert show("rules.py::one", "--html", "one.html").exit_code == 0
    page = (folder / "one.html").read_text("utf-8")

    assert page.count("<svg") == 2
    assert "relu(relu(x))  =&gt;  relu(x)" in page
    assert "PASS" not in page
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_pictures_stand_beside_a_form_that_is_named(folder: Path) -> None:
    write_rules(folder, ["one"])

    assert show("rules.py::one", "--svg", "a.svg", "--html", "a.html", "--dot").output.startswith(
        "digraph rule {"
    )
    assert (folder / "a.svg").exists()
    assert (folder / "a.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rules.py", "--svg", "a.svg"], "`rules.py` is 2 rules; name one"),
        (["rules.py", "--relax"], "`rules.py` is 2 rules; name one"),
        (["rules.py::one", "--svg", "nowhere/a.svg"], "there is no folder `nowhere`"),
        (["rules.py::one", "--html", "."], "is a directory"),
        (["rules.py::three", "--html", "a.html"], "there is no rule `three`"),
    ],
)
def test_mistakes(arguments: list[str], message: str, folder: Path) -> None:
    write_rules(folder, ["one", "two"])
    result = show(*arguments)

    assert result.exit_code == 2
    assert message in result.stderr
    assert not (folder / "a.svg").exists()


def test_disk_that_takes_no_picture(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gslverify.actions.show.write_report", full)
    write_rules(folder, ["one"])
    result = show("rules.py::one", "--svg", "a.svg")

    assert result.exit_code == 2
    assert "a.svg cannot be written: No space left on device" in result.stderr


def test_a_rule_without_drawings_has_no_picture() -> None:
    assert rule_svg(Sketch()) is None


@pytest.mark.smt
@pytest.mark.tvm
def test_relax_is_one_graph_before_and_after(folder: Path) -> None:
    write_rules(folder, ["one"])
    text = show("rules.py::one", "--relax").output

    source, target = text.split("def target(")
    assert "@I.ir_module" in source
    assert source.count("R.nn.relu(") == 2
    assert target.count("R.nn.relu(") == 1


@pytest.mark.smt
def test_rule_without_a_graph_has_no_relax(folder: Path) -> None:
    never = "Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim < 0])"
    (folder / "rules.py").write_text(HEAD + rule_text("never", result=never))
    result = show("rules.py::never", "--relax")

    assert result.exit_code == 2
    assert "no graph was found that the rule rewrites" in result.stderr
