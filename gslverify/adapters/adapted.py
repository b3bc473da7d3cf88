"""The events of a run over lifted rules as events about the rules and passes of a library."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gslverify.adapters.foreign import Lifted, Options, PassResult, Replayed
from gslverify.adapters.results import (
    command_of,
    identity,
    is_refuted,
    not_lifted,
    replayed,
    span_of,
    tried,
    without_doubt,
)
from gslverify.case import Case
from gslverify.events import Event, Live, RuleDone, RunDone, RunStarted, StageDone
from gslverify.finding import REFUTING, RuleResult, StageResult
from gslverify.project import parted

Replay = Callable[[str, Case], Replayed]
"""What a library does on the counterexample to a lifted rule, which is named."""

KeepScript = Callable[[str, str], str]
"""Puts the script of a finding, after the name of the rule or pass; returns the file."""


@dataclass(slots=True)
class _Entry:
    """A rule or pass of a library: what came of trying it, and what was lifted from it."""

    name: str
    place: str
    passed: PassResult | None = None
    rule: Lifted | None = None

    @property
    def is_lifted(self) -> bool:
        return self.rule is not None and bool(self.rule.text)


@dataclass
class Adapted:
    """What was read of a library; makes events about it of those about its lifted rules.

    Args:
        library: the name of the library.
        targets: what was asked for.
        passes: what came of trying passes.
        rules: the rules, lifted or with the reason why not.
        replay: asks the library about the counterexample to a lifted rule.
        keep: keeps the script of a finding.
        options: how passes were tried.
    """

    library: str
    targets: Sequence[str]
    passes: Sequence[PassResult]
    rules: Sequence[Lifted]
    replay: Replay
    keep: KeepScript
    options: Options = field(default_factory=Options)
    _done: list[RuleResult] = field(default_factory=list)
    _pending: list[_Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        entries: dict[tuple[str, str], _Entry] = {}
        for one in self.passes:
            entries[one.name, one.place] = _Entry(one.name, one.place, one)
        for rule in self.rules:
            known = entries.setdefault((rule.name, rule.place), _Entry(rule.name, rule.place))
            known.rule = rule
        self._pending = list(entries.values())
        self._lifted: Mapping[str, _Entry] = {one.name: one for one in self._pending if one.rule}

    def named(self, rule_id: str) -> str:
        """Return the id that reports have for a lifted rule."""
        entry = self._lifted.get(parted(rule_id)[1])
        return rule_id if entry is None else identity(entry.name, entry.place)

    def live(self, live: Live) -> Live:
        """Return a live event under the name of the library."""
        return replace(live, rule_id=self.named(live.rule_id))

    def events(self, events: Generator[Event, None, None]) -> Generator[Event, None, None]:
        """Yield the events of a run with those about passes, and rules that are not lifted."""
        try:
            for event in events:
                yield from self._instead(event)
        finally:
            events.close()

    def _instead(self, event: Event) -> Iterator[Event]:
        match event:
            case RunStarted():
                ids = tuple(identity(one.name, one.place) for one in self._pending)
                yield replace(event, rule_ids=ids)
            case StageDone():
                yield replace(event, rule_id=self.named(event.rule_id))
            case RuleDone(result):
                yield from self._told(result)
            case RunDone():
                for entry in self._pending:
                    if entry.passed is not None or not entry.is_lifted:
                        yield from self._tell(entry, ())
                trying = sum(one.seconds for one in self.passes if not one.cached)
                seconds = event.seconds + trying
                yield replace(event, results=tuple(self._done), seconds=seconds)

    def _told(self, result: RuleResult) -> Iterator[Event]:
        """Tell of a lifted rule, after whatever comes before it in the library."""
        entry = self._lifted.get(parted(result.rule_id)[1])
        if entry is None:
            self._done.append(result)
            yield RuleDone(result)
            return
        while self._pending:
            first = self._pending.pop(0)
            if first is entry:
                break
            yield from self._tell(first, ())
        yield from self._tell(entry, self._shown(entry, result), result)

    def _shown(self, entry: _Entry, result: RuleResult) -> tuple[StageResult, ...]:
        """Return the stages of a lifted rule; what refutes it has to be shown by the library."""
        assert entry.rule is not None
        if not is_refuted(result.stages):
            return result.stages
        refuting = [f for f in result.findings if f.code.verdict in REFUTING]
        examples = [one.counterexample for one in refuting]
        case = next((one.case for one in examples if one is not None and one.case), None)
        if case is None:
            answer = Replayed(False, "the refutation is about no graph")
        else:
            answer = self.replay(entry.name, case)
        script = self.keep(entry.name, answer.script) if answer.script else ""
        return replayed(result.stages, entry.rule, answer, script)

    def _tell(
        self, entry: _Entry, stages: tuple[StageResult, ...], inner: RuleResult | None = None
    ) -> Iterator[Event]:
        known: tuple[StageResult, ...] = ()
        target = ""
        if entry.passed is not None:
            target = entry.passed.target
            scripts = [one.script for one in entry.passed.findings]
            files = [self.keep(entry.name, script) if script else "" for script in scripts]
            known = (tried(entry.passed, files),)
        if entry.rule is not None and not entry.is_lifted:
            known += (not_lifted(entry.rule),)
        settled = without_doubt((*known, *stages))
        again = command_of(self.library, [target] if target else self.targets, self.options)
        name, place = identity(entry.name, entry.place), span_of(entry.place)
        remarks = () if inner is None else inner.remarks
        result = RuleResult(name, place, settled, remarks=remarks, again=again)
        self._done.append(result)
        if inner is None:
            for stage in settled:
                yield StageDone(name, stage)
        yield RuleDone(result)
