"""Files of rules: collected in order, mistakes named by file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gsl.errors import RuleFileError
from gsl.rule_files.collect import complaint, load_rules, written
from gsl.subst import Subst

RULE = '''
@rule({arguments})
def {name}() -> Subst:
    """relu(relu(x)) => relu(x)"""
    x = pat.Wildcard()
    return Subst(op.Relu(op.Relu(x)), op.Relu(x))
'''

HEAD = "from gsl import Subst, op, pat, rule\n"


def written_file(path: Path, *names: str, arguments: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rules = (RULE.format(name=name, arguments=arguments) for name in names)
    path.write_text(HEAD + "".join(rules), encoding="utf-8")
    return path


def names(selector: str) -> list[str]:
    return [rule.name for rule in load_rules(selector)]


def test_the_rules_of_a_file_come_in_order(tmp_path: Path):
    file = written_file(tmp_path / "rules.py", "second", "first")
    assert names(str(file)) == ["second", "first"]
    assert all(isinstance(rule(), Subst) for rule in load_rules(str(file)))


def test_the_files_of_a_folder_come_by_name(tmp_path: Path):
    written_file(tmp_path / "b.py", "b")
    written_file(tmp_path / "a" / "deep.py", "a")
    written_file(tmp_path / "__pycache__" / "c.py", "c")
    written_file(tmp_path / ".hidden" / "d.py", "d")
    assert names(str(tmp_path)) == ["a", "b"]


def test_one_rule_is_selected(tmp_path: Path):
    file = written_file(tmp_path / "rules.py", "one", "two")
    assert names(f"{file}::two") == ["two"]


def test_rules_wrong_on_purpose_are_left_out(tmp_path: Path):
    file = written_file(tmp_path / "wrong.py", "wrong", arguments='expect="GSL501"')
    with pytest.raises(RuleFileError, match="no rules to apply"):
        load_rules(str(file))
    assert names(f"{file}::wrong") == ["wrong"]


def test_rules_of_an_imported_file_are_not_its_own(tmp_path: Path):
    written_file(tmp_path / "library_of_the_test.py", "theirs")
    file = written_file(tmp_path / "rules.py", "own")
    file.write_text("import library_of_the_test\n" + file.read_text(), encoding="utf-8")
    assert names(str(file)) == ["own"]


MISTAKES = {
    "syntax": ("def broken(:\n", "SyntaxError"),
    "name": (f"{HEAD}op.Rellu\n", "did you mean `Relu`"),
    "exception": ("1 / 0\n", "ZeroDivisionError: division by zero"),
    "exit": ("raise SystemExit(3)\n", "SystemExit: 3"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_file_that_cannot_be_imported_is_named(tmp_path: Path, kind: str):
    source, message = MISTAKES[kind]
    file = tmp_path / "broken.py"
    file.write_text(source, encoding="utf-8")
    with pytest.raises(RuleFileError, match=rf"broken\.py` cannot be imported: .*{message}"):
        load_rules(str(tmp_path))


HARM = {
    "ends the process": ("import os\nos._exit(0)\n", "it ends the process with exit code 0"),
    "never ends": ("while True: pass\n", "it does not come to an end within 0.5 seconds"),
    "interrupts": ("raise KeyboardInterrupt\n", "it raises KeyboardInterrupt"),
}


@pytest.mark.parametrize("kind", HARM)
def test_a_file_that_would_end_the_process_is_named(tmp_path: Path, kind: str):
    source, message = HARM[kind]
    (tmp_path / "harmful.py").write_text(source, encoding="utf-8")
    assert f"harmful.py` cannot be imported: {message}" in complaint(str(tmp_path), seconds=0.5)


def test_rules_are_written_down_by_name(tmp_path: Path):
    rules = load_rules(str(written_file(tmp_path / "rules.py", "one", "two")))
    substs = written(rules)
    assert list(substs.values()) == ["one", "two"]
    assert all(isinstance(subst, Subst) for subst in substs)


BODIES = {
    "exit": ("raise SystemExit(3)", "SystemExit: 3"),
    "exception": ("return [][1]", "IndexError: list index out of range"),
    "nothing": ("return None", "rule `harmful` returns None instead of a Subst"),
    "ends the process": ("import os; os._exit(0)", "it ends the process with exit code 0"),
    "never ends": ("while True: pass", "it does not come to an end within 0.5 seconds"),
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_rule_that_cannot_be_written_down_is_named(tmp_path: Path, kind: str):
    body, message = BODIES[kind]
    file = written_file(tmp_path / "rules.py", "sound")
    text = f"{file.read_text('utf-8')}\n@rule\ndef harmful():\n    {body}\n"
    file.write_text(text, "utf-8")
    told = complaint(str(file), seconds=0.5)
    assert f"rule `harmful` of `{file}` cannot be written down" in told
    assert message in told


def test_nothing_is_said_about_rules_that_can_be_used(tmp_path: Path):
    assert complaint(str(written_file(tmp_path / "rules.py", "one", "two"))) == ""


def test_a_missing_path_has_a_suggestion(tmp_path: Path):
    written_file(tmp_path / "rules.py", "one")
    with pytest.raises(RuleFileError, match=r"no file or folder .*; did you mean `rules\.py`"):
        load_rules(str(tmp_path / "rule.py"))
    with pytest.raises(RuleFileError, match=r"no file or folder `nowhere/at/all`$"):
        load_rules("nowhere/at/all")


def test_a_missing_rule_has_a_suggestion(tmp_path: Path):
    file = written_file(tmp_path / "rules.py", "relu_relu")
    with pytest.raises(RuleFileError, match=r"no rule `relu_rellu` .*did you mean `relu_relu`"):
        load_rules(f"{file}::relu_rellu")


def test_an_empty_folder_is_a_mistake(tmp_path: Path):
    with pytest.raises(RuleFileError, match="a rule is a function under @rule"):
        load_rules(str(tmp_path))


def test_a_file_that_is_not_python_is_a_mistake(tmp_path: Path):
    file = tmp_path / "rules.txt"
    file.write_text("", encoding="utf-8")
    with pytest.raises(RuleFileError, match="it is not a Python file"):
        load_rules(str(file))


def test_rules_made_by_exec_belong_to_the_file_that_makes_them(tmp_path: Path):
    file = written_file(tmp_path / "rules.py", "first")
    made = RULE.format(name="made", arguments="")
    text = f"{file.read_text('utf-8')}\nexec({made!r})\n"
    file.write_text(text + RULE.format(name="last", arguments=""), "utf-8")

    rules = load_rules(str(file))

    assert [rule.name for rule in rules] == ["first", "made", "last"]
    line = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith("exec"))
    assert (rules[1].span.file, rules[1].span.line) == (str(file), line)


def test_a_file_that_was_edited_at_once_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    file = written_file(tmp_path / "rules.py", "earlier")
    then = file.stat()
    assert names(str(file)) == ["earlier"]
    written_file(file, "nowhere")
    os.utime(file, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert names(str(file)) == ["nowhere"]
