"""The report for people: a line per rule, a block per problem, a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap

from gslverify.codes.corpus import is_rule
from gslverify.durations import duration_text
from gslverify.engine.budget import STOPPED
from gslverify.engine.conclusion import COLLECTION
from gslverify.events import Event, RuleDone, RulesJoined, RunDone, RunStarted
from gslverify.finding import Assurance, Finding, RuleResult, StageResult, Verdict
from gslverify.project import parted
from gslverify.report.details import rule_block
from gslverify.report.known import NOTHING, Known
from gslverify.report.record import QUIET, Report
from gslverify.report.strength import Strength, counted_strengths, strength_of
from gslverify.report.style import BOLD, DIM, Style
from gslverify.report.verbose import verbose_lines
from gslverify.settings import Settings
from gslverify.stages import ALWAYS_RUN

VERDICT_COLUMNS = len(Verdict.INCONCLUSIVE.value)
MOST_NAME_COLUMNS = 48
"""A longer name has a line of its own."""

SUMMARY_WORDS = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "fail",
    Verdict.VACUOUS: "vacuous",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.ERROR: "error",
    Verdict.XFAIL: "expected to fail",
}


class TextReport:
    """Writes lines as rules are finished, and what needs attention at the end.

    Args:
        write: takes one line of text without its end.
        style: width, colour and verbosity: -1 only what needs attention, 1 everything known.
        known: failures that have a line instead of a block.
    """

    def __init__(
        self, write: Callable[[str], None], style: Style, known: Known | None = None
    ) -> None:
        self.write: Callable[[str], None] = lambda line: write(style.plain(line))
        self.style = style
        self.known = known or NOTHING
        self.settings = Settings()
        self._file = ""
        self._columns: dict[str, int] = {}

    def consume(self, event: Event) -> None:
        """Take one event of a run."""
        match event:
            case RunStarted(rule_ids=rule_ids, settings=settings):
                self.settings = settings
                self._columns = _name_columns(rule_ids)
            case RulesJoined(rule_ids=rule_ids):
                self._columns |= _name_columns(rule_ids)
            case RuleDone(result=result):
                self._rule(result)
            case RunDone():
                self._end(event)
            case _:
                pass

    def _rule(self, result: RuleResult) -> None:
        if result.verdict in QUIET and self._hides_quiet(result):
            return
        file, name = parted(result.rule_id)
        if file != self._file:
            self._file = file
            self.write(self.style.paint(file, BOLD))
        for line in rule_lines(result, name or file, self._columns[file], self.style):
            self.write(self.style.plain(line))

    def _hides_quiet(self, result: RuleResult) -> bool:
        """Tell whether a rule that is as it should be has no line; a warning needs one."""
        if self.style.verbosity < 0:
            return True
        return self.style.problems_only and not worth_telling(result, self.style)

    def _end(self, done: RunDone) -> None:
        if self.style.verbosity >= 0:
            for result in done.results:
                findings = worth_telling(result, self.style)
                if self.known.covers(result) and self.style.verbosity < 1:
                    continue
                if findings:
                    self.write("")
                    for line in rule_block(result, findings, self.settings, self.style):
                        self.write(line)
        for line in _known_lines(done, self.known):
            self.write(line)
        if done.results:
            self.write("")
        for line in summary_lines(done, self.settings, self.style):
            self.write(line)


def _known_lines(done: RunDone, known: Known) -> Iterator[str]:
    """Yield a line for each rule of which everything is known that speaks against it."""
    failures = [result for result in done.results if known.covers(result)]
    if failures:
        yield ""
        yield "known failures"
    for result in failures:
        codes = dict.fromkeys(f.code.id for f in result.findings if not f.code.is_warning)
        yield f"  {result.rule_id}  {' '.join(codes)}  {known.reason_of(result)}"


def full(report: Report) -> str:
    """Return the whole text about a finished run."""
    lines: list[str] = []
    text = TextReport(lines.append, report.style, report.known)
    for event in report.events():
        text.consume(event)
    return "".join(f"{line}\n" for line in (*lines, *report.remarks))


def _name_columns(rule_ids: Sequence[str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for rule_id in rule_ids:
        file, name = parted(rule_id)
        columns[file] = min(max(columns.get(file, 0), len(name or file)), MOST_NAME_COLUMNS)
    return columns


def worth_telling(result: RuleResult, style: Style) -> list[Finding]:
    """Return the findings to describe; those that were expected only when all is asked for."""
    if result.verdict is Verdict.XFAIL and style.verbosity < 1:
        return []
    return list(result.findings)


def is_cached(result: RuleResult) -> bool:
    """Tell whether earlier runs had found out everything but what is asked every time."""
    others = [s for s in result.stages if not s.skipped and s.stage not in ALWAYS_RUN]
    return bool(others) and all(stage.cached for stage in others)


def rule_lines(result: RuleResult, name: str, columns: int, style: Style) -> list[str]:
    """Return the line of a rule, continued below where it is too long, and counts when verbose."""
    head = f"  {style.verdict(result.verdict, VERDICT_COLUMNS)}  {name:<{columns}}"
    indent = 2 + VERDICT_COLUMNS + 2 + columns
    time = "cached" if is_cached(result) else _time(result)
    room = max(style.width - indent - 2 - len(time) - 2, 20)
    rows = _rows(_cells(result), room)
    padding = " " * (room - len(rows[0]))
    rows[0] = style.strength(rows[0], strength_of(result.assurances).word) + padding
    lines = [f"{head}  {rows[0]}  {style.paint(time, DIM)}"]
    if len(name) > columns:
        lines = [head, f"{'':<{indent}}  {rows[0]}  {style.paint(time, DIM)}"]
    lines += [f"{'':<{indent}}  {row}" for row in rows[1:]]
    if style.verbosity > 0:
        lines += [f"{'':<{indent}}  {line}" for line in verbose_lines(result, room)]
    return lines


def _cells(result: RuleResult) -> list[str]:
    """Return what the line of a rule says: of one that passes, first what that is worth."""
    if result.verdict is not Verdict.PASS:
        return [stage_cell(stage) for stage in result.stages if not stage.skipped]
    strength = strength_of(result.assurances)
    return [str(strength), *filter(None, (_rest(stage, strength) for stage in result.stages))]


def _rest(stage: StageResult, strength: Strength) -> str:
    """Return what a stage says beside the strength; nothing if it was only passed."""
    said = [one for one in stage.assurances if not one.flags and one.text != strength.text]
    words = [_words(one, stage.stage) for one in said]
    if stage.status == "open":
        words.append("open")
    return f"{stage.stage}: {'; '.join(words)}" if words else ""


def _time(result: RuleResult) -> str:
    hint = f", hint {result.hint_seconds:.1f}s" if result.hint_seconds else ""
    return f"{result.seconds:.1f}s{hint}"


def stage_cell(stage: StageResult) -> str:
    """Return the name of a stage with what it found or what it assures."""
    codes = list(dict.fromkeys(f.code.id for f in stage.findings if not f.code.is_warning))
    if stage.stage == COLLECTION:
        return " ".join(codes)
    said = codes or [_words(assurance, stage.stage) for assurance in stage.assurances]
    if stage.status == "open" and not said:
        said = ["open"]
    return f"{stage.stage}: {'; '.join(said)}" if said else stage.stage


def _words(assurance: Assurance, stage: str) -> str:
    return assurance.text if assurance.subject == stage else str(assurance)


def _rows(cells: Sequence[str], room: int) -> list[str]:
    rows = [""]
    for cell in cells:
        longer = f"{rows[-1]}  {cell}" if rows[-1] else cell
        if len(longer) <= room or not rows[-1]:
            rows[-1] = longer
        else:
            rows.append(cell)
    return [part for row in rows for part in wrap(row, room) or [""]]


def _folded(text: str, remark: str, style: Style) -> list[str]:
    """Put a remark behind a text, or below it when it does not fit."""
    whole = f"{text}    {remark}"
    if len(whole) <= style.width:
        return [whole]
    return [*wrap(text, style.width, subsequent_indent="  "), f"  {remark}"]


def counts_text(done: RunDone) -> str:
    """Return "41 rules: 37 pass, 2 fail, 2 inconclusive"."""
    about_rules = [result for result in done.results if is_rule(result)]
    verdicts = Counter(result.verdict for result in about_rules)
    always = (Verdict.PASS, Verdict.FAIL)
    counts = [
        f"{verdicts[verdict]} {word}"
        for verdict, word in SUMMARY_WORDS.items()
        if verdicts[verdict] or verdict in always
    ]
    cached = sum(is_cached(r) for r in about_rules if r.verdict is Verdict.PASS)
    counts[0] += f" ({cached} cached)" if cached else ""
    rules = "1 rule" if len(about_rules) == 1 else f"{len(about_rules)} rules"
    without = len(done.results) - len(about_rules)
    if without:
        counts[-1] += f"; {without} path{'s' if without > 1 else ''} without a rule"
    return f"{rules}: {', '.join(counts)}"


def summary_lines(done: RunDone, settings: Settings, style: Style) -> Iterator[str]:
    """Yield counts in words, the codes that occurred, and why the run ended early if it did."""
    budget = f" of {duration_text(settings.budget)} budget" if settings.budget else ""
    profile = f", profile {settings.profile}" if settings.profile != Settings().profile else ""
    facts = f"{done.seconds:.1f}s{budget}, seed {settings.seed}{profile}"
    yield from _folded(counts_text(done), facts, style)
    troubled = [r for r in done.results if r.verdict not in QUIET]
    codes = Counter(f.code.id for r in troubled for f in r.findings if not f.code.is_warning)
    strengths = counted_strengths(done.results)
    if sum(strengths.values()) > 1:
        yield f"passed: {', '.join(f'{number} {word}' for word, number in strengths.items())}"
    if codes:
        listed = "  ".join(f"{code} x{count}" for code, count in sorted(codes.items()))
        yield from _folded(f"codes: {listed}", f"(gslverify explain {min(codes)})", style)
    if done.stop_reason == STOPPED:
        yield "the budget is used up; rules that were not finished are inconclusive"
    elif done.stop_reason:
        yield f"{done.stop_reason}; rules that were not finished are not listed"
