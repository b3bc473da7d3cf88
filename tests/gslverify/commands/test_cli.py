from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gslverify import __version__
from gslverify.cli import main
from gslverify.commands.check import check as check_command
from gslverify.configuration.table import FLAG_VARIABLES, TABLE
from tests.gslverify.rule_files import HEAD, rule_text, write_rule, write_rules


def gslverify(*arguments: str) -> Result:
    """Run the command in this process; workers are left out unless asked for."""
    jobs = ("-j", "0") if "-j" not in arguments and arguments[:1] == ("check",) else ()
    return CliRunner().invoke(main, [*arguments, *jobs], prog_name="gslverify")


def check(*arguments: str) -> Result:
    """Run the static stage only."""
    return gslverify("check", *arguments, "--stages", "static")


@pytest.fixture
def mixed(folder: Path) -> Path:
    text = HEAD + rule_text("sound", options='tags={"easy"}') + rule_text("wrong", result="None")
    (folder / "rules.py").write_text(text, "utf-8")
    return folder


def test_check_is_the_default_command(mixed: Path) -> None:
    direct = gslverify("check", "rules.py", "--stages", "static")
    default = gslverify("rules.py", "--stages", "static", "-j", "0")
    options_first = gslverify("-j", "0", "--stages", "static", "rules.py")

    assert direct.exit_code == default.exit_code == options_first.exit_code == 1
    assert "PASS          sound" in default.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["rules.py::sound"], 0),
        (["rules.py"], 1),
        (["nowhere.py"], 2),
        (["rules.py::sound", "nowhere.py"], 2),
        (["rules.py", "nowhere.py"], 1),
        (["empty"], 5),
        (["rules.py", "-k", "neither"], 5),
        (["rules.py::sound", "empty"], 2),
        (["nowhere.py", "empty"], 2),
    ],
)
def test_exit_codes(arguments: list[str], code: int, mixed: Path) -> None:
    (mixed / "empty").mkdir()

    assert check(*arguments).exit_code == code


def test_crash_has_an_exit_code_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rules(folder, ["sound"])
    monkeypatch.setattr("gslverify.stages.static.check", lambda subst: 1 / 0)

    result = check("rules.py")

    assert result.exit_code == 3
    assert "GSL901" in result.stdout
    assert "Traceback" not in result.stdout
    assert "Traceback" in check("rules.py", "-v").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check"], "name files or folders, or set `rules`"),
        (["check", "rules.py", "--stages", "nmeric"], "did you mean `numeric`?"),
        (["check", "rules.py", "--stages", "colours"], "stages are static, examples, satisfiable"),
        (["check", "rules.py", "--sead", "3"], "No such option"),
        (["check", "rules.py", "-n", "many"], "not a valid integer"),
        (["check", "rules.py", "-n", "0"], "not in the range"),
        (["check", "rules.py", "-j", "two"], "neither a number nor `auto`"),
        (["check", "rules.py", "-o", "no/report.json"], "there is no folder `no`"),
        (["check", "rules.py", "--output-format", "xml"], "'xml' is not one of"),
        (["check", "rules.py", "-k", "a and"], "a word is missing"),
        (["check", "rules.py", "-k", "and and"], "-k 'and and': a word is missing at the start"),
        (["check", ""], "`` names no file; write FILE, FOLDER or FILE::RULE"),
        (["check", "::sound"], "`::sound` names no file"),
        (["check", "rules.py::"], "`rules.py::` names no rule; write rules.py or rules.py::RULE"),
        (["list", ""], "`` names no file"),
        (["show", "::sound"], "`::sound` names no file"),
        (["check", "rules.py", "-o", ""], "`.` is a folder; name a file"),
        (["check", "rules.py", "-n", "5", "--min-examples", "6"], "can never be reached with -n 5"),
        (["check", "rules.py", "--load-timeout", "0"], "not in the range"),
        (["list"], "name a file or folder"),
        (["list", "nowhere"], "GSL105 there is no file or folder `nowhere`"),
        (["show"], "Missing argument"),
        (["show", "rules.py::sond"], "did you mean `sound`?"),
        (["show", "rules.py::wrong"], "GSL104"),
        (["explain"], "name a code"),
        (["explain", "GSL9"], "there is no code `GSL9`; did you mean"),
        (["explain", "nonsense"], "gslverify explain --list"),
    ],
)
def test_mistakes_are_explained_without_a_traceback(
    arguments: list[str], message: str, mixed: Path
) -> None:
    result = gslverify(*arguments)

    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_settings_file_names_rules_and_effort(mixed: Path) -> None:
    text = "[tool.gslverify]\nrules = ['rules.py']\nstages = ['static']\njobs = 0\n"
    (mixed / "pyproject.toml").write_text(text, "utf-8")

    assert "PASS          sound" in gslverify("check", "-j", "0").stdout


def test_show_settings_verifies_nothing(mixed: Path) -> None:
    (mixed / "pyproject.toml").write_text("[tool.gslverify]\nseed = 3\n", "utf-8")

    result = gslverify("check", "rules.py", "--show-settings", "-n", "7")

    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["seed", "3", "pyproject.toml:2"] in lines
    assert ["max-examples", "7", "flag"] in lines
    assert "PASS" not in result.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed = 'x", "pyproject.toml:3:1: the file is not TOML"),
        ("sead = 3", "pyproject.toml:2: there is no setting `sead`; did you mean `seed`?"),
    ],
)
def test_corrupt_settings_end_the_run_before_it_starts(
    text: str, message: str, mixed: Path
) -> None:
    (mixed / "pyproject.toml").write_text(f"[tool.gslverify]\n{text}\n", "utf-8")

    result = check("rules.py")

    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_environment_sets_what_flags_set(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GSLVERIFY_STAGES", "static")
    monkeypatch.setenv("GSLVERIFY_QUIET", "1")

    assert "sound" not in gslverify("check", "rules.py").stdout


def test_an_expression_of_the_environment_is_noted(
    mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GSLVERIFY_K", "wrong")

    report = json.loads(check("rules.py", "--output-format", "json").stdout)

    assert [rule["id"] for rule in report["rules"]] == ["rules.py::wrong"]
    assert report["run"]["expression"] == "wrong"


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("GSLVERIFY_MUTANT", "M01", "`rules.py` is not a rule"),
        ("GSLVERIFY_SHOW_SETTINGS", "1", "max-examples"),
        ("GSLVERIFY_NO_BASELINE", "1", "1 error"),
    ],
)
def test_every_flag_has_a_variable(
    variable: str, value: str, says: str, mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    (mixed / "pyproject.toml").write_text('[tool.gslverify]\nbaseline = "no.json"\n', "utf-8")

    result = check("rules.py")

    assert says in result.output


def test_flags_and_variables_of_check_belong_together() -> None:
    short_for_another = {"-x"}
    flags = {flag for parameter in check_command.params for flag in parameter.opts[:1]}
    settings = {flag for s in TABLE.values() for d in s.declarations for flag in d.split("/")}

    assert flags - settings - short_for_another - {"paths"} == FLAG_VARIABLES.keys()


def test_misspelt_command_is_named_with_the_one_meant(folder: Path) -> None:
    result = gslverify("chekc")

    assert result.exit_code == 2
    assert "there is no command `chekc`; did you mean `check`?" in result.stderr


def test_path_that_resembles_a_command_is_a_path(folder: Path) -> None:
    (folder / "chec").mkdir()

    result = gslverify("chec")

    assert "there is no command" not in result.stderr


def test_version_and_help(folder: Path) -> None:
    assert gslverify("--version").stdout == f"gslverify {__version__}\n"
    assert gslverify("--help").exit_code == 0
    for command in ("check", "list", "show", "explain"):
        assert "Usage: gslverify" in gslverify(command, "--help").stdout


def test_expression_selects_by_name_and_tag(mixed: Path) -> None:
    assert "wrong" not in check("rules.py", "-k", "easy").stdout
    assert "sound" not in check("rules.py", "-k", "not easy").stdout


def test_expression_that_selects_nothing_says_so(mixed: Path) -> None:
    result = check("rules.py", "-k", "zzz")

    assert result.exit_code == 5
    assert result.stderr == "-k 'zzz' selects none of 2 rules\n"
    assert result.stdout.startswith("0 rules: 0 pass, 0 fail ")


def test_tags_select_rules(mixed: Path) -> None:
    assert "wrong" not in check("rules.py", "--tag", "easy,other").stdout

    result = check("rules.py", "--tag", "none")

    assert result.exit_code == 5
    assert result.stderr == "--tag none selects none of 2 rules\n"


def test_patterns_choose_files_in_folders_only(mixed: Path) -> None:
    (mixed / "broken.py").write_text("import nowhere\n", "utf-8")

    assert "broken.py" not in check(".", "--files", "rul*.py").stdout
    assert "broken.py" in check("broken.py", "--files", "rul*.py").stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [([], 1), (["--exit-zero"], 0), (["--fail-on", "fail"], 0), (["--fail-on", "error"], 1)],
)
def test_what_fails_a_run_can_be_chosen(arguments: list[str], code: int, mixed: Path) -> None:
    assert check("rules.py", *arguments).exit_code == code


def test_statistics_follow_the_summary(mixed: Path) -> None:
    lines = check("rules.py", "--show-stats").stdout.splitlines()

    assert lines.index("slowest rules") > lines.index(next(x for x in lines if "2 rules:" in x))


def test_paths_without_a_rule_are_not_counted_as_rules(mixed: Path) -> None:
    (mixed / "broken.py").write_text("import nowhere\n", "utf-8")

    text = check("rules.py", "nowhere.py", "broken.py").stdout
    report = json.loads(check(".", "nowhere.py", "--output-format", "json").stdout)

    assert "2 rules: 1 pass, 0 fail, 1 error; 2 paths without a rule" in text
    assert report["summary"] == {"pass": 1, "error": 1, "without_rule": 2}


def test_stop_at_first_failure(folder: Path) -> None:
    (folder / "rules.py").write_text(HEAD + rule_text("wrong", result="None"), "utf-8")
    write_rules(folder, ["sound"], "zzz.py")

    result = check(".", "-x")

    assert "stopped after 1 failure" in result.stdout
    assert "sound" not in result.stdout


def test_json_on_standard_output_stands_alone(mixed: Path) -> None:
    noisy = (mixed / "rules.py").read_text("utf-8") + "\nprint('import noise')\n"
    (mixed / "rules.py").write_text(noisy, "utf-8")

    result = check("rules.py", "--output-format", "json")

    parsed = json.loads(result.stdout)
    assert parsed["run"]["exit_code"] == result.exit_code == 1
    assert [rule["verdict"] for rule in parsed["rules"]] == ["pass", "error"]
    assert "import noise" not in result.stdout


def test_json_has_the_arguments_and_the_meaning_of_rules(mixed: Path) -> None:
    result = gslverify("rules.py", "--stages", "static", "--output-format", "json", "-j", "0")

    parsed = json.loads(result.stdout)
    assert parsed["run"]["argv"][:3] == ["check", "rules.py", "--stages"]
    sound, wrong = parsed["rules"]
    assert re.fullmatch("sha256:[0-9a-f]{64}", sound["ir_hash"])
    assert wrong["ir_hash"] is None


def test_json_file_comes_beside_the_text(mixed: Path) -> None:
    result = check("rules.py", "--output-format", "json", "-o", "report.json")

    assert json.loads((mixed / "report.json").read_text("utf-8"))["summary"]["pass"] == 1
    assert "PASS          sound" in result.stdout


def test_reports_are_named_with_the_exit_code(mixed: Path) -> None:
    result = check("rules.py", "--report", "json=a.json", "--report", "junit=b.xml")

    assert result.stdout.splitlines()[-1] == "reports: a.json  b.xml    exit 1"
    assert (mixed / "b.xml").read_text("utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("jsn=x", "there is no format `jsn`; did you mean `json`?"),
        ("json", "`json` is not FMT=PATH"),
        ("json=no/x", "there is no folder `no`"),
    ],
)
def test_reports_that_cannot_be_are_mistakes(argument: str, message: str, mixed: Path) -> None:
    result = check("rules.py", "--report", argument)

    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_text_file_has_no_colour(mixed: Path) -> None:
    result = check("rules.py", "-o", "report.txt", "--color", "always")

    assert "\x1b[" in result.stdout
    assert "\x1b[" not in (mixed / "report.txt").read_text("utf-8")
    assert "PASS          sound" in (mixed / "report.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colour_heeds_the_environment(
    environment: dict[str, str], coloured: bool, mixed: Path
) -> None:
    arguments = ["check", "rules.py", "--stages", "static", "-j", "0"]
    clean = {"NO_COLOR": None, "FORCE_COLOR": None}

    result = CliRunner().invoke(main, arguments, env={**clean, **environment}, color=True)

    assert ("\x1b[" in result.stdout) is coloured


def test_quiet_is_short(mixed: Path) -> None:
    lines = check("rules.py", "-q").stdout.splitlines()

    assert lines[0] == "rules.py"
    assert len(lines) == 5


def test_ci_shows_problems_only(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    found, whole = check("rules.py"), check("rules.py", "-v")

    assert "sound" not in found.stdout
    assert "ERROR         wrong" in found.stdout
    assert "ERROR rules.py::wrong" in found.stdout
    assert "2 rules: 1 pass, 0 fail, 1 error" in found.stdout
    assert "PASS          sound" in whole.stdout


def test_equal_runs_give_equal_json(folder: Path) -> None:
    write_rules(folder, ["one", "two"])
    write_rule(folder, "return None", "wrong.py")

    def report(hash_seed: str, jobs: str) -> str:
        command = ["check", ".", "--stages", "satisfiable", "-j", jobs, "--output-format", "json"]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-m", "gslverify", *command],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        parsed = json.loads(done.stdout)
        del parsed["timing"]
        return json.dumps(parsed)

    assert report("1", "0") == report("2", "2")


def test_list_shows_equation_tags_and_expectation(folder: Path) -> None:
    options = 'tags={"b", "a"}, expect="GSL401", twin="sound", origin="a paper"'
    (folder / "rules.py").write_text(HEAD + rule_text("wrong", options), "utf-8")
    (folder / "broken.py").write_text("import nowhere\n", "utf-8")

    assert gslverify("list", ".").stdout.splitlines() == [
        "broken.py",
        "  GSL101 the file cannot be imported: ModuleNotFoundError: No module named 'nowhere'",
        "rules.py",
        "  wrong",
        "      relu(relu(x))  =>  relu(x)",
        "      tags: a, b   expect: GSL401   twin: sound   origin: a paper",
    ]


def test_list_as_json_has_everything_about_a_rule(folder: Path) -> None:
    options = 'tags={"b", "a"}, expect="GSL401", reason="issue 12", twin="sound", origin="a paper"'
    (folder / "rules.py").write_text(HEAD + rule_text("wrong", options), "utf-8")
    (folder / "broken.py").write_text("import nowhere\n", "utf-8")
    pinned = folder / "__counterexamples__" / "wrong" / "wrong-GSL401-0123.json"
    pinned.parent.mkdir(parents=True)
    pinned.touch()
    (folder / "pyproject.toml").write_text('[tool.gslverify]\nrules = ["."]\n')

    found = [gslverify("list", *flags).stdout for flags in (["--json"], ["--format", "json"])]
    broken, wrong = json.loads(found[0])

    assert found[0] == found[1]
    assert (broken["id"], broken["code"]) == ("broken.py", "GSL101")
    assert wrong == {
        "id": "rules.py::wrong",
        "file": "rules.py",
        "line": 4,
        "equation": "relu(relu(x))  =>  relu(x)",
        "tags": ["a", "b"],
        "expect": "GSL401",
        "flags": None,
        "semantics": None,
        "reason": "issue 12",
        "twin": "sound",
        "origin": "a paper",
        "pinned": ["__counterexamples__/wrong/wrong-GSL401-0123.json"],
    }
    text = gslverify("list").stdout
    assert "expect: GSL401 (issue 12)" in text
    assert "origin: a paper   pinned: 1" in text


@pytest.mark.parametrize("arguments", [["list"], ["list", "--operators", "--json"]])
def test_lists_that_cannot_be_are_mistakes(arguments: list[str], folder: Path) -> None:
    assert gslverify(*arguments).exit_code == 2


def test_list_operators_shows_attributes_with_defaults() -> None:
    lines = gslverify("list", "--operators").stdout.splitlines()

    assert "Concatenate((tensors, ...), *, axis=0)" in lines
    assert "Add(lhs, rhs)" in lines
    assert lines == [line for line in lines if line.strip()]


def test_show_prints_source_and_target(folder: Path) -> None:
    text = '"""relu(relu(x))  =>  relu(x)\n\n    Because it is idempotent.\n    """\n'
    write_rule(folder, text + "x = pat.Wildcard()\nreturn Subst(op.Relu(op.Relu(x)), op.Relu(x))")

    assert gslverify("show", "rules.py::example").stdout == (
        "rules.py::example\n"
        "relu(relu(x))  =>  relu(x)\n"
        "\n"
        "Because it is idempotent.\n"
        "\n"
        "source\n"
        "  x      = Wildcard()\n"
        "  relu   = Relu(x)\n"
        "  relu_2 = Relu(relu)\n"
        "  return relu_2\n"
        "target\n"
        "  relu_3 = Relu(x)\n"
        "  return relu_3\n"
    )


@pytest.mark.parametrize(
    ("form", "first"), [("--mermaid", "flowchart TD"), ("--dot", "digraph rule {")]
)
def test_drawings_for_programs_stand_alone(form: str, first: str, folder: Path) -> None:
    write_rules(folder, ["one"])

    assert gslverify("show", "rules.py::one", form).stdout.splitlines()[0] == first


def test_explain_prints_the_page_of_a_code() -> None:
    by_code, by_name = gslverify("explain", "gsl112"), gslverify("explain", "unknown-attribute")

    assert by_code.stdout == by_name.stdout
    assert by_code.stdout.startswith("GSL112 unknown-attribute: an operator has no attribute")
    assert "stride=(1, 1)" in by_code.stdout
    assert "strides=(1, 1)" in by_code.stdout


def test_explain_list_is_sorted() -> None:
    lines = gslverify("explain", "--list").stdout.splitlines()

    assert lines == sorted(lines)
    assert "GSL140  warning" in "\n".join(lines)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["check", "--help"],
        ["explain", "GSL401"],
        ["explain", "--list"],
        ["list", "rules.py"],
        ["list", "--operators"],
        ["show", "rules.py::sound"],
        ["check", "rules.py", "--stages", "nonsense"],
        ["check", "rules.py", "--stages", "static", "-j", "0"],
    ],
)
def test_nothing_heavy_is_imported_for_light_work(arguments: list[str], mixed: Path) -> None:
    script = f"from gslverify.cli import main\nmain({arguments!r})\n"
    watch = (
        "import atexit, sys\n"
        "heavy = {'tvm', 'z3', 'hypothesis', 'pytest', 'rich'}\n"
        "atexit.register(lambda: print('HEAVY', sorted(heavy & sys.modules.keys())))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", watch + script], capture_output=True, text=True, check=False
    )

    assert "HEAVY []" in done.stdout
