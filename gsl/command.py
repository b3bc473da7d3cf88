"""The command line of the language: `python -m gsl apply RULES MODEL`."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from math import inf
from pathlib import Path
from typing import NoReturn

from gsl.drawing.vertices import drawing_of_graph
from gsl.engine.record import Record
from gsl.engine.rounds import settle
from gsl.errors import GslError, MisuseError, ModelError, printable
from gsl.expr import Call, Expr
from gsl.flags import FLAGS, known_flags
from gsl.fold import FoldRecord
from gsl.graph import reverse_post_order
from gsl.model_files import (
    READERS,
    WRITERS,
    Notes,
    read_model,
    require_writable,
    try_model,
    write_model,
)
from gsl.operators.declaration import OpaqueOperator
from gsl.presets import PRESETS
from gsl.rule_files.collect import complaint, load_rules, written
from gsl.rule_files.guard import followed
from gsl.speed import Comparison
from gsl.subst import Subst
from gsl.workload import Workload

USER_MISTAKE = 2
"""Exit code for anything that the user can put right."""

INTERRUPTED = 130

SHOWN_ROOTS = 5

OPSET = "the opset of OUT.onnx, by default the newest that onnxruntime has all of"

RULES = f"a file of rules, a folder of such, FILE::RULE, or a preset ({', '.join(PRESETS)})"


class _Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USER_MISTAKE, f"gsl: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` name, by default those of the process.

    Returns the exit code: 0, or 2 with one line on the standard error for a mistake of the user.
    """
    given = _parser().parse_args(arguments)
    try:
        problem = _problem(given)
    except KeyboardInterrupt:
        return INTERRUPTED
    if problem:
        print(f"gsl: {printable(' '.join(problem.split()))}", file=sys.stderr)
        return USER_MISTAKE
    return 0


@dataclass(frozen=True, slots=True)
class _Complaint:
    """What the user can put right, said by the process that has imported the rule files."""

    text: str


def _problem(given: argparse.Namespace) -> str:
    """Apply rules, and print what is found out; return what went wrong, or the empty string.

    Rules and models are read by processes of their own, whose end is not that of this one: it says
    how they ended.
    """
    is_preset = given.rules in PRESETS and not Path(given.rules).exists()
    problem = "" if is_preset else complaint(given.rules)
    if problem:
        return problem

    def tell(said: str | _Complaint) -> None:
        if isinstance(said, str):
            print(printable(said), flush=True)

    found = followed(partial(_lines, given), inf, each=tell)
    if found.loss is not None:
        return f"the rules were not applied: applying them {found.loss.how}"
    last = found.values[-1] if found.values else ""
    return last.text if isinstance(last, _Complaint) else ""


def _lines(given: argparse.Namespace) -> Iterator[str | _Complaint]:
    try:
        yield from _applied(given)
    except GslError as error:
        yield _Complaint(str(error))
    except MemoryError:
        yield _Complaint("out of memory; the model is too large for this machine")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m gsl", description="Rewrite models by graph substitutions.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    command = commands.add_parser(
        "apply",
        help="apply rules to a model until none matches",
        description="Apply rules to a model and fold its parameters until nothing changes. Prints "
        "what was rewritten where, and how many operators of each kind there were and are.",
    )
    add = command.add_argument
    add("rules", metavar="RULES", help=RULES)
    add("model", type=Path, metavar="MODEL", help=f"a model ({', '.join(READERS)})")
    add(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help=f"where to write the result ({', '.join(WRITERS)}); parameters of OUT.py are in "
        "OUT.npz beside it, those of OUT.onnx from 2 GiB on in OUT.onnx.data",
    )
    add("--opset", type=_positive, metavar="N", help=OPSET)
    add("--shape", action="append", default=[], type=_shape, metavar="INPUT=1,3,224,224")
    add("--max-rewrites", type=_positive, metavar="N", help="give up after so many rewrites")
    add(
        "--load-timeout",
        type=_seconds,
        default=60.0,
        metavar="SECONDS",
        help="time for reading a model that is executed (default: %(default)g)",
    )
    add(
        "--flags",
        type=_flags,
        metavar="LIST",
        help="use only rules that need no other flags than these, such as nsz,reassoc or none "
        f"(of {', '.join(FLAGS)}); by default all rules are used",
    )
    add("--no-fold", action="store_true", help="do not compute what needs no input")
    add(
        "--time",
        action="store_true",
        help="run the model before and after on random inputs, in onnxruntime or else on TVM",
    )
    return parser


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    name, separator, sizes = text.partition("=")
    try:
        return name, tuple(int(size) for size in sizes.split(",") if separator)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"`{text}` is not like x=1,3,224,224") from error


def _flags(text: str) -> frozenset[str]:
    names = [] if text.strip() in ("", "none") else [name.strip() for name in text.split(",")]
    try:
        return known_flags(names)
    except MisuseError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds") from error
    if not 0 < seconds < inf:
        raise argparse.ArgumentTypeError(f"`{text}` is not a positive number of seconds")
    return seconds


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"`{text}` is not a positive number")
    return int(text)


def _applied(given: argparse.Namespace) -> Iterator[str]:
    if given.output is not None:
        require_writable(given.output, given.opset)
    preset = None if Path(given.rules).exists() else PRESETS.get(given.rules)
    named = preset.rules if preset else written(load_rules(given.rules))
    if given.flags is not None:
        every = len(named)
        named = {rule: name for rule, name in named.items() if rule.flags <= given.flags}
        yield f"{len(named)} of {every} rules need no other flags than those granted"
    with warnings.catch_warnings():
        # The frontends warn about their own use of other packages.
        warnings.simplefilter("ignore")
        notes: Notes = []
        try_model(given.model, dict(given.shape), given.load_timeout)
        before = read_model(given.model, dict(given.shape), notes)
    record, left = Record(), FoldRecord()
    change = partial(preset.apply, flags=given.flags) if preset else partial(settle, named=named)
    after = change(
        before, fold=not given.no_fold, max_rewrites=given.max_rewrites, record=record, left=left
    )
    yield from _report(before, after, named, record)
    yield from _kinds(before, after)
    yield from _passed_through(before, notes)
    yield from _unfolded(left)
    if given.time:
        yield from _timing(before, after, changed=record.total > 0)
    if given.output is not None:
        write_model(after, given.output, given.opset)
        yield f"written to {given.output}"


def _report(
    before: Workload, after: Workload, named: dict[Subst, str], record: Record
) -> Iterator[str]:
    places = _places(before.outputs)
    rows = [
        (named[rule], str(count), _roots(record.roots[rule], places))
        for rule, count in sorted(record.counts.items(), key=lambda item: -item[1])
    ]
    if rows:
        yield from _table([("rule", "rewrites", "roots"), *rows])
    counts = f"{_operators(before)} operators before, {_operators(after)} after"
    yield f"{record.total} rewrites by {len(rows)} of {len(named)} rules; {counts}"
    yield from _left_alone(named, record, places)


def _kinds(before: Workload, after: Workload) -> Iterator[str]:
    """Yield how many operators of each kind there were and are, the most frequent first."""
    counts = [Counter(str(call.operator) for call in _calls(one)) for one in (before, after)]
    total = counts[0] + counts[1]
    kinds = sorted(total, key=lambda kind: (-total[kind], kind))
    if kinds:
        rows = [(kind, str(counts[0][kind]), str(counts[1][kind])) for kind in kinds]
        yield from _table([("operator", "before", "after"), *rows])


def _passed_through(before: Workload, notes: Notes) -> Iterator[str]:
    """Yield a line for every reason why operators were not understood."""
    for (name, why), count in Counter(notes).items():
        yield f"passed through, {name} ({count}): {why}"
    opaque = Counter(str(call.operator) for call in _calls(before) if _is_opaque(call))
    if opaque and not notes:
        listed = ", ".join(f"{name} ({count})" for name, count in sorted(opaque.items()))
        yield f"unknown operators, passed through: {listed}"


def _left_alone(named: dict[Subst, str], record: Record, places: dict[Expr, str]) -> Iterator[str]:
    """Yield a line for every rule and reason for which matches were left alone."""
    roots: dict[tuple[str, str], list[Expr]] = {}
    for refusal in record.refused:
        roots.setdefault((named[refusal.rule], str(refusal.error)), []).append(refusal.root)
    for (name, why), exprs in roots.items():
        yield f"left alone, {name} ({len(exprs)}) at {_roots(exprs, places)}: {why}"


def _unfolded(record: FoldRecord) -> Iterator[str]:
    """Yield a line for every reason why calls were left that need no input."""
    counted = Counter((str(call.operator), why) for call, why in record.left)
    for (name, why), count in counted.items():
        yield f"not folded, {name} ({count}): {why}"


def _places(outputs: Sequence[Expr]) -> dict[Expr, str]:
    """Return what the pictures of the model call its expressions."""
    vertices = drawing_of_graph(outputs).vertices
    texts = (f"{vertex.kind} {vertex.name}" for vertex in vertices)
    return dict(zip(reverse_post_order(outputs), texts, strict=True))


def _roots(exprs: Sequence[Expr], places: dict[Expr, str]) -> str:
    counted = Counter(places.get(expr) or f"{_kind(expr)} made by a rule" for expr in exprs)
    texts = [text if count == 1 else f"{count} {text}" for text, count in counted.items()]
    more = len(texts) - SHOWN_ROOTS
    return ", ".join(texts[:SHOWN_ROOTS]) + (f", {more} more" if more > 0 else "")


def _kind(expr: Expr) -> str:
    return str(expr.operator) if isinstance(expr, Call) else "value"


def _table(rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    name_width, count_width = (max(len(row[column]) for row in rows) for column in (0, 1))
    for name, count, roots in rows:
        yield f"{name:<{name_width}}  {count:>{count_width}}  {roots}"


def _calls(workload: Workload) -> list[Call]:
    return [expr for expr in reverse_post_order(workload.outputs) if isinstance(expr, Call)]


def _operators(workload: Workload) -> int:
    return len(_calls(workload))


def _is_opaque(call: Call) -> bool:
    return isinstance(call.operator, OpaqueOperator)


def _compared(before: Workload, after: Workload) -> tuple[str, Comparison]:
    # Loaded by name, so that help and mistakes do not wait for either.
    try:
        run = import_module("gsl.onnx").load("run", "running a model in onnxruntime")
        return "in onnxruntime", run.compare(before, after)
    except ModelError as error:
        try:
            return "on TVM", import_module("gsl.tvm.benchmark").compare(before, after)
        except ModuleNotFoundError:
            raise error from None


def _timing(before: Workload, after: Workload, *, changed: bool) -> Iterator[str]:
    where, found = _compared(before, after)
    yield f"time {where}: {found.before:.3f} ms before, {found.after:.3f} ms after"
    if changed:
        yield f"largest relative difference of the outputs: {found.difference:.1e}"
