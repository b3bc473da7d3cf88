"""Whatever is wrong with the input has its code, place, cure and exit code; the rest still runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gslverify.codes.corpus import is_rule
from gslverify.corpus.collect import collect
from gslverify.engine.loop import verify
from gslverify.events import RunDone
from gslverify.exits import Exit, exit_code
from gslverify.finding import RuleResult, Verdict
from gslverify.settings import Settings
from tests.gslverify.rule_files import HEAD, rule_text, write_rule, write_rules

STATIC_ONLY = Settings(stages=("static",))


@dataclass(frozen=True)
class Mistake:
    """The function of a wrong rule and what has to be said about it; `place` is line:column."""

    name: str
    body: str
    code: str
    place: str
    says: str
    cure: str


X = "x = pat.Wildcard()\n"

MISTAKES = [
    Mistake(
        "a rule that raises",
        X + "return Subst(op.Relu(op.Relu(z)), op.Relu(x))",
        "GSL102",
        "7:34",
        "NameError: name 'z' is not defined",
        "call the function in python",
    ),
    Mistake(
        "no Subst",
        X + "op.Relu(x)",
        "GSL104",
        "4:1",
        "returns None instead of a Subst",
        "return Subst(...)",
    ),
    Mistake(
        "a comparison that Python splits",
        X + "return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[0 < x.ndim < 3])",
        "GSL118",
        "7:58",
        "an attribute expression has no truth value before matching",
        "write conditions with `&`",
    ),
    Mistake(
        "conditions connected by a word",
        X + "return Subst(op.Relu(op.Relu(x)), op.Relu(x), where=[x.ndim > 1 and x.ndim < 3])",
        "GSL118",
        "7:58",
        "an attribute expression has no truth value before matching",
        "write conditions with `&`",
    ),
    Mistake(
        "unknown operator",
        X + "return Subst(op.Rellu(x), x)",
        "GSL110",
        "7:18",
        "there is no operator `Rellu`; did you mean `Relu`?",
        "gslverify list --operators",
    ),
    Mistake(
        "unknown attribute",
        X + "return Subst(op.Conv2D(x, pat.Variable(), stride=(1, 1)), x)",
        "GSL112",
        "7:47",
        "attribute `stride` is not an attribute of Conv2D",
        "did you mean `strides`?",
    ),
    Mistake(
        "unknown attribute of a match",
        X + "conv = op.Conv2D(x, pat.Variable())\nreturn Subst(conv, x, where=[conv.stride == 1])",
        "GSL114",
        "8:34",
        "has no attribute `stride`",
        "did you mean `strides`?",
    ),
    Mistake(
        "unbound symbol",
        X + "return Subst(op.Split(x, indices_or_sections=2, axis=0)[attr.Symbol('i')], x)",
        "GSL120",
        "7:18",
        "symbol `i` is not bound here",
        "index=... of a pat.Variadic",
    ),
    Mistake(
        "number that Python does not write",
        X + "return Subst(op.Flip(x, axis=x.ndim * 10**5000), x)",
        "GSL146",
        "7:34",
        "is written with a number of 16610 bits, more than 1024",
        "smaller numbers",
    ),
    Mistake(
        "attribute used before it is matched",
        "y = pat.Variable()\nx = pat.Variable(shape=y.shape)\nreturn Subst(x + y, y + x)",
        "GSL121",
        "7:28",
        "attribute `shape` of the Variable pattern is used before it is matched",
        "where=[x.shape == y.shape]",
    ),
    Mistake(
        "target input that the source lacks",
        X + "return Subst(op.Relu(x), op.Relu(pat.Wildcard()))",
        "GSL131",
        "7:38",
        "is an input of the target that the source lacks",
        "use a pattern of the source",
    ),
    Mistake(
        "disconnected source",
        X + "y = pat.Wildcard()\nreturn Subst([op.Relu(x), op.Relu(y)], [x, y])",
        "GSL130",
        "8:31",
        "source output 1 is not connected",
        "let them share an input",
    ),
    Mistake(
        "mismatched outputs",
        X + "return Subst([op.Relu(x), op.Abs(x)], [op.Relu(x)])",
        "GSL132",
        "7:12",
        "the source has 2 outputs, the target 1",
        "list one target for every source",
    ),
]


def results_of(*selectors: str) -> list[RuleResult]:
    return list(run(*selectors).results)


def run(*selectors: str) -> RunDone:
    *_, done = verify(collect(selectors), STATIC_ONLY)
    assert isinstance(done, RunDone)
    return done


def assert_refuted_beside_a_sound_rule(done: RunDone, code: str) -> None:
    """The sound rule of the same run passes and the exit code tells of the finding."""
    refuted = [result for result in done.results if result.verdict is not Verdict.PASS]
    assert [f.code.id for result in refuted for f in result.findings] == [code]
    assert [result.rule_id for result in done.results if result.verdict is Verdict.PASS] == [
        "sound.py::sound"
    ]
    assert exit_code(done) is Exit.FINDINGS


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_mistakes_in_a_rule(mistake: Mistake, folder: Path) -> None:
    write_rule(folder, mistake.body)
    write_rules(folder, ["sound"], "sound.py")

    done = run(".")

    finding = done.results[0].findings[0]
    assert finding.span is not None
    assert f"{finding.span.line}:{finding.span.column}" == mistake.place
    assert mistake.says in finding.message
    assert mistake.cure in finding.cure
    assert_refuted_beside_a_sound_rule(done, mistake.code)


def test_file_that_does_not_import(folder: Path) -> None:
    (folder / "broken.py").write_text("import gsl\nimport gsl.nowhere\n", "utf-8")
    write_rules(folder, ["sound"], "sound.py")

    done = run(".")

    finding = done.results[0].findings[0]
    assert done.results[0].rule_id == "broken.py"
    assert finding.span is not None
    assert finding.span.line == 2
    assert "No module named 'gsl.nowhere'" in finding.message
    assert "python" in finding.cure
    assert_refuted_beside_a_sound_rule(done, "GSL101")


def test_name_used_twice(folder: Path) -> None:
    text = HEAD + rule_text("twice") + rule_text("twice")
    (folder / "rules.py").write_text(text, "utf-8")
    write_rules(folder, ["sound"], "sound.py")

    done = run(".")

    finding = done.results[0].findings[0]
    assert finding.span is not None
    assert finding.span.line == 11
    assert "`twice` is used twice, first in line 4" in finding.message
    assert "name of its own" in finding.cure
    assert_refuted_beside_a_sound_rule(done, "GSL103")


def test_name_used_three_times_is_one_finding(folder: Path) -> None:
    (folder / "rules.py").write_text(HEAD + rule_text("again") * 3, "utf-8")

    (result,) = results_of("rules.py")

    assert [finding.code.id for finding in result.findings] == ["GSL103"]


def test_path_that_does_not_exist(folder: Path) -> None:
    write_rules(folder, ["sound"], "sound.py")

    done = run("soud.py", "sound.py")

    missing, sound = done.results
    assert missing.rule_id == "soud.py"
    assert missing.findings[0].code.id == "GSL105"
    assert missing.findings[0].cure == "did you mean `sound.py`?"
    assert sound.verdict is Verdict.PASS
    assert exit_code(done) is Exit.USAGE


def test_folder_that_does_not_exist_below_one_that_does_not(folder: Path) -> None:
    (missing,) = results_of("nowhere/rules")

    assert missing.findings[0].message == "there is no file or folder `nowhere/rules`"
    assert "working directory" in missing.findings[0].cure


def test_rule_that_does_not_exist(folder: Path) -> None:
    write_rules(folder, ["sound"], "sound.py")

    done = run("sound.py::soudn", "sound.py")

    assert done.results[0].findings[0].code.id == "GSL106"
    assert done.results[0].findings[0].cure == "did you mean `sound`?"
    assert exit_code(done) is Exit.USAGE


def test_rule_of_a_file_that_does_not_import(folder: Path) -> None:
    (folder / "broken.py").write_text("import gsl.nowhere\n", "utf-8")

    done = run("broken.py::example")

    assert [finding.code.id for finding in done.results[0].findings] == ["GSL101"]
    assert exit_code(done) is Exit.FINDINGS


@pytest.mark.parametrize("selector", ["empty", "text.py"])
def test_nothing_to_verify(selector: str, folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "text.py").write_text("answer = 42\n", "utf-8")
    write_rules(folder, ["sound"], "sound.py")

    alone, together = run(selector), run(selector, "sound.py")

    assert alone.results[0].findings[0].code.id == "GSL107"
    assert f"`{selector}`" in alone.results[0].findings[0].message
    assert "@rule" in alone.results[0].findings[0].cure
    assert exit_code(alone) is Exit.NO_RULES
    assert together.results[1].verdict is Verdict.PASS
    assert exit_code(together) is Exit.USAGE


def test_findings_outrank_wrong_usage(folder: Path) -> None:
    write_rule(folder, "return None")

    assert exit_code(run("nowhere", "rules.py")) is Exit.FINDINGS


def test_rule_raises_far_away_from_its_file(folder: Path) -> None:
    (folder / "helper.py").write_text("def fail():\n    raise KeyError('far')\n", "utf-8")
    path = write_rule(folder, "return fail()")
    path.write_text("from helper import fail\n" + path.read_text("utf-8"), "utf-8")

    (result,) = results_of("rules.py")

    assert result.findings[0].span is not None
    assert result.findings[0].span.line == 7


def test_rule_that_recurses_without_end(folder: Path) -> None:
    write_rule(folder, "return example()")

    (result,) = results_of("rules.py")

    assert result.findings[0].code.id == "GSL102"
    assert "RecursionError" in result.findings[0].message


DECLARATIONS = [
    ('@rule("name")', "'name' is not a function", "3:2"),
    ('@rule(tags="conv")', "tags='conv' is not a set of words", "3:2"),
    ("@rule(tags=[1])", "tags=[1] is not a set of words", "3:2"),
    ("@rule(tags=3)", "tags=3 is not a set of words", "3:2"),
    ('@rule(nan="never")', "nan='never' is not 'may-change' or 'same'", "3:2"),
    ("@rule(nan=None)", "nan=None is not a text", "3:2"),
    ("@rule(expect=401)", "expect=401 is not a text", "3:2"),
    ('@rule(tag={"conv"})', "@rule has no argument `tag`; did you mean `tags`?", "3:2"),
    ("@rule(x=1)", "@rule has no argument `x`; its arguments are tags, origin,", "3:2"),
    ("@rule(tolerance=1e-3)", "there is no tolerance: what rounding may do is worked", "3:2"),
    ('@rule(reason="issue 12")', "reason= says why a failure is known; name its code", "3:2"),
    ('@rule(expect="GSL401", reason=12)', "reason=12 is not a text", "3:2"),
    ("@rule\n@rule", "the rule `example`, which has its @rule already, is not a function", "3:2"),
    ("@rule()\nclass Example: pass\n@rule", "the class `Example` is not a function", "3:2"),
]


@pytest.mark.parametrize(("decorator", "says", "place"), DECLARATIONS)
def test_misused_decorator(decorator: str, says: str, place: str, folder: Path) -> None:
    text = rule_text("example").replace("@rule()", decorator).strip()
    (folder / "broken.py").write_text(f"{HEAD}\n{text}\n", "utf-8")
    write_rules(folder, ["sound"], "sound.py")

    done = run(".")

    finding = done.results[0].findings[0]
    assert says in finding.message
    assert "@rule(tags=" in finding.cure
    assert finding.span is not None
    assert f"{finding.span.line}:{finding.span.column}" == place
    assert_refuted_beside_a_sound_rule(done, "GSL108")


def test_rules_beside_one_with_wrong_arguments_are_verified(folder: Path) -> None:
    text = HEAD + rule_text("wrong", options="tags=3") + rule_text("sound")
    (folder / "rules.py").write_text(text, "utf-8")

    wrong, sound = run("rules.py").results

    assert [finding.code.id for finding in wrong.findings] == ["GSL108"]
    assert is_rule(wrong)
    assert sound.verdict is Verdict.PASS


EVIL = """
class Evil(Exception):
    def __str__(self): raise RuntimeError
"""


def test_an_exception_without_a_text(folder: Path) -> None:
    path = write_rule(folder, "raise Evil")
    path.write_text(EVIL + path.read_text("utf-8"), "utf-8")

    (result,) = results_of("rules.py")

    assert result.findings[0].code.id == "GSL102"
    assert "raises Evil: its text cannot be had" in result.findings[0].message


def test_characters_that_a_terminal_obeys_are_escaped(folder: Path) -> None:
    write_rule(folder, r"raise ValueError('\x1b[31mred\x00')")
    (folder / "broken.py").write_text("raise ValueError('\x1b[31mred')\n", "utf-8")

    broken, rule = run(".").results

    assert r"ValueError: \x1b[31mred" in broken.findings[0].message
    assert r"ValueError: \x1b[31mred\x00" in rule.findings[0].message


@pytest.mark.parametrize(
    ("content", "cure"),
    [
        (b"name = 'caf\xe9'\n", "save it as UTF-8, or name its encoding"),
        (b"\x7fELF\x00\x01", "it is not a Python file"),
        (b"# -*- coding: nonsense -*-\n", "save it as UTF-8"),
        (b"def f(:\n", "run the file with python"),
    ],
)
def test_file_that_is_no_text(content: bytes, cure: str, folder: Path) -> None:
    (folder / "broken.py").write_bytes(content)
    write_rules(folder, ["sound"], "sound.py")

    done = run(".")

    assert cure in done.results[0].findings[0].cure
    assert_refuted_beside_a_sound_rule(done, "GSL101")


def test_declared_encoding_is_heeded(folder: Path) -> None:
    text = "# -*- coding: latin-1 -*-\n# caf\xe9\n" + HEAD + rule_text("sound")
    (folder / "rules.py").write_bytes(text.encode("latin-1"))

    assert run("rules.py").results[0].verdict is Verdict.PASS
