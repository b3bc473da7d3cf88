"""The table of settings: one entry is a flag, an environment variable and a key of the file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from gsl.flags import FLAGS
from gslverify.configuration.kinds import (
    BUDGET,
    IGNORES,
    LIMIT,
    PATH,
    PATHS,
    SHARD,
    SWITCH,
    TEXT,
    TEXTS,
    TIMEOUTS,
    URL,
    Kind,
    choice,
    some_words,
    whole,
    word_or_whole,
    words,
)
from gslverify.finding import Verdict
from gslverify.report.formats import FORMATS
from gslverify.settings import NO_FLAG, STAGES, Settings

ENVIRONMENT_PREFIX = "GSLVERIFY_"

FLAG_VARIABLES = {
    flag: ENVIRONMENT_PREFIX + name
    for flag, name in {
        "-k": "K",
        "-o": "OUTPUT_FILE",
        "--mutant": "MUTANT",
        "--no-baseline": "NO_BASELINE",
        "--report": "REPORT",
        "--show-settings": "SHOW_SETTINGS",
        "--watch": "WATCH",
    }.items()
}
"""The variables of flags that are no settings; -x is a short --max-failures 1."""

UNITS_PER_SECOND = 1_000_000
"""Units of the solver's own resource count that stand for a second of --solver-timeout.

A second of wall-clock time would give other answers on other machines, and none that can be
repeated on a busy one. Typical queries use one to three million units in a second.
"""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        name: key in the file; the flag and the variable are made of it.
        kind: how its values are written.
        help: what it does, for `--help` and for the reference.
        group: where it stands in the help.
        flags: declarations of the flag, if it differs from `--name`; () is no flag.
        field: field of Settings, if it differs from the name.
        default: the default, if it is no field of Settings.
    """

    name: str
    kind: Kind
    help: str
    group: str
    flags: tuple[str, ...] | None = None
    field: str = ""
    default: Any = None

    @property
    def key(self) -> str:
        """The name of the field that holds the value."""
        return self.field or self.name.replace("-", "_")

    @property
    def declarations(self) -> tuple[str, ...]:
        """How the flag is written; a switch has its opposite beside it."""
        if self.flags is not None:
            return self.flags
        flag = f"--{self.name}"
        return (f"{flag}/--no-{self.name}",) if self.kind.is_switch else (flag,)

    @property
    def variable(self) -> str:
        """The name of the environment variable."""
        return ENVIRONMENT_PREFIX + self.name.upper().replace("-", "_")

    @property
    def opposite_variable(self) -> str:
        """The variable of the flag that turns a switch off; empty for other settings."""
        if not self.kind.is_switch:
            return ""
        return f"{ENVIRONMENT_PREFIX}NO_{self.name.upper().replace('-', '_')}"


def _limit_of_solver(kind: Kind) -> Kind:
    def units(seconds: float) -> int:
        return max(1, round(seconds * UNITS_PER_SECOND))

    return Kind(
        kind.metavar,
        lambda text: units(kind.of_text(text)),
        lambda value: units(kind.of_toml(value)),
        lambda value: f"{value / UNITS_PER_SECOND:g}s",
    )


VERDICTS = tuple(v.lower() for v in Verdict if v not in (Verdict.PASS, Verdict.XFAIL))

SELECTION = (
    Setting("rules", PATHS, "Files and folders to verify where none are named.", "selection", ()),
    Setting("files", TEXTS, "Patterns of the names of rule files in folders.", "selection"),
    Setting(
        "tags",
        TEXTS,
        "Only rules with one of these tags.",
        "selection",
        ("--tag",),
    ),
    Setting(
        "changed-since",
        TEXT,
        "Only rules that may have changed since a revision of git, such as main.",
        "selection",
        default="",
    ),
    Setting(
        "select", TEXTS, "Only report these codes, or codes that begin like this.", "selection"
    ),
    Setting("ignore", TEXTS, "Do not report these codes, or codes like this.", "selection"),
    Setting(
        "per-rule-ignores",
        IGNORES,
        "Codes that are not reported for some rules, such as 'old.py::*:GSL140+GSL471'.",
        "selection",
    ),
    Setting(
        "allow-no-rules",
        SWITCH,
        "Pass over named files that hold no rules, as a hook before commits names them.",
        "selection",
    ),
    Setting("shard", SHARD, "Verify one part of the rules only, such as 2/5.", "selection"),
)

EFFORT = (
    Setting("profile", TEXT, "Settings under a name: dev, ci, deep, or your own.", "effort"),
    Setting(
        "stages",
        words(STAGES, "stage"),
        f"Stages to run, of {', '.join(STAGES)}. The first always runs.",
        "effort",
    ),
    Setting(
        "max-examples",
        whole(1),
        "Graphs per rule in the numeric stage, or one for each structure of its source if these "
        "are more. TVM confirms a third of N, at least 25.",
        "effort",
        ("-n", "--max-examples"),
    ),
    Setting(
        "min-examples",
        whole(0),
        "Graphs below which the numeric stage is INCONCLUSIVE. Default: a third, at most 20.",
        "effort",
    ),
    Setting(
        "draws",
        whole(1),
        "Inputs drawn for a graph, from one distribution after the other; fewer for large tensors.",
        "effort",
    ),
    Setting(
        "require",
        choice(("complete", "proved", "tested")),
        "What every structure of a rule has to be: proved; shown impossible, proved or run "
        "(complete); or some are run (tested).",
        "effort",
    ),
    Setting("seed", word_or_whole("random"), "Start of all random choices.", "effort"),
    Setting(
        "flags",
        some_words(FLAGS, "flag", NO_FLAG),
        "Flags of floating point that rules may need which declare none, such as nsz,reassoc; none "
        "for no flag. A rule that needs more is refuted.",
        "effort",
    ),
    Setting("tvm", SWITCH, "Confirm on TVM what NumPy computed.", "effort", field="use_tvm"),
    Setting("hints", SWITCH, "Look for what a refuted rule lacks, and show hints.", "effort"),
    Setting("keep-going", SWITCH, "Run later stages of refuted rules, too.", "effort"),
    Setting("library", SWITCH, "Look at what rules do to each other: loops, shadows.", "effort"),
    Setting("max-failures", whole(0), "Stop after N failures; 0 is never.", "effort"),
    Setting(
        "jobs",
        word_or_whole("auto"),
        "Worker processes; 0 verifies in this one; auto is one per processor.",
        "effort",
        ("-j", "--jobs"),
    ),
    Setting("executor", TEXT, "Where rules are verified: local or dask://HOST:PORT.", "effort"),
)

LIMITS = (
    Setting("budget", BUDGET, "Time for the whole run; 0 is no limit.", "limits"),
    Setting("rule-budget", BUDGET, "Time for one rule; 0 is no limit.", "limits"),
    Setting(
        "shrink-budget", BUDGET, "Time for making a counterexample smaller; 0 is none.", "limits"
    ),
    Setting(
        "hint-budget", LIMIT, "Time for finding the condition that a refuted rule lacks.", "limits"
    ),
    Setting("stage-timeout", LIMIT, "Time for one stage of one rule.", "limits"),
    Setting("stage-timeouts", TIMEOUTS, "Other times for some stages.", "limits"),
    Setting(
        "solver-timeout",
        _limit_of_solver(LIMIT),
        f"Limit of one solver query. A second stands for {UNITS_PER_SECOND:,} units of the "
        "solver's resource count, so that answers are the same on every machine.",
        "limits",
        field="solver_limit",
    ),
    Setting(
        "proof-steps",
        whole(1),
        "Steps of the proof of one structure, which also bound its memory; a proof that needs more "
        "is left open.",
        "limits",
    ),
    Setting(
        "load-timeout",
        LIMIT,
        "Time for importing a rule file, and for writing down one rule.",
        "limits",
    ),
)

GATE = (
    Setting("fail-on", words(VERDICTS, "verdict"), "Verdicts that make the run fail.", "gate"),
    Setting("exit-zero", SWITCH, "Exit with 0 whatever was found.", "gate", ("--exit-zero",)),
    Setting(
        "strict-baseline",
        SWITCH,
        "Fail on entries of the baseline that are out of date; default where CI is set.",
        "gate",
    ),
    Setting("allow-inconclusive", SWITCH, "A rule that passed may be inconclusive.", "gate"),
)

BASELINE = Setting("baseline", PATH, "File of known results to compare with.", "gate")

STORAGE = (
    Setting("cache", SWITCH, "Use results of earlier runs again.", "storage"),
    Setting("cache-folder", PATH, "Where results are kept.", "storage"),
    Setting("failures-folder", PATH, "Where counterexamples are kept.", "storage"),
    Setting(
        "certificates",
        PATH,
        "Folder for the certificates of proofs; a proof whose certificate is refused is open.",
        "storage",
    ),
)

OUTPUT = (
    Setting(
        "output-format",
        choice(FORMATS),
        "Format of the report; all but full and concise replace the text where no -o is given.",
        "output",
        default="full",
    ),
    Setting("quiet", SWITCH, "Only problems, and the summary.", "output", ("-q", "--quiet")),
    Setting(
        "verbose", SWITCH, "Times, counts and all that was found.", "output", ("-v", "--verbose")
    ),
    Setting(
        "view",
        choice(("listing", "tree")),
        "How the text shows the networks of counterexamples.",
        "output",
        default="listing",
    ),
    Setting(
        "report-full",
        SWITCH,
        "Draw the rules without problems, too, in a report as HTML.",
        "output",
        ("--report-full",),
    ),
    Setting(
        "docs-url",
        URL,
        "Where this documentation is published; SARIF links codes to their pages.",
        "output",
    ),
    Setting("show-stats", SWITCH, "Where the time went.", "output", ("--show-stats",)),
    Setting(
        "color",
        choice(("auto", "always", "never")),
        "Colour on standard output; auto heeds NO_COLOR and FORCE_COLOR.",
        "output",
        default="auto",
    ),
    Setting("ascii", SWITCH, "No characters outside ASCII.", "output", ("--ascii",)),
)

TABLE: dict[str, Setting] = {
    setting.name: setting
    for setting in (*SELECTION, *EFFORT, *LIMITS, *GATE, BASELINE, *STORAGE, *OUTPUT)
}
"""All settings by name."""

FIELDS = frozenset(field.name for field in fields(Settings))


def default_of(setting: Setting) -> Any:
    """Return the value that a setting has where nobody gives one."""
    if setting.name == "jobs":
        return "auto"
    if setting.key in FIELDS:
        return getattr(Settings(), setting.key)
    if setting.default is None and setting.kind.is_switch:
        return False
    return setting.default


PROFILES: dict[str, dict[str, Any]] = {
    "dev": {},
    "ci": {"strict-baseline": True, "library": True},
    "deep": {
        "stages": list(STAGES),
        "max-examples": 1000,
        "rule-budget": "30m",
        "stage-timeout": "30m",
    },
}
"""Profiles that everybody has, as they would be written in the file."""
