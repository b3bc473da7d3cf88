"""Graphs that a command line names: a model file, or a function that returns one.

Either may run foreign code, and a broken file may end TVM: they are read in a process of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from gsl.errors import GraphError, GslError, ModelError, described
from gsl.model_files import read_model
from gsl.rule_files.collect import import_file
from gsl.rule_files.guard import Loss, outcome_of
from gsl.workload import Workload
from gslverify.corpus.containment import contained
from gslverify.why import FORMS
from gslverify.workloads import workload_of


def read_graph(text: str, shapes: Mapping[str, Sequence[int]]) -> Workload:
    """Return the graph that `text` names: ``module:function``, ``file.py:function`` or a file.

    Args:
        text: what was written on the command line.
        shapes: open sizes of the inputs of an ONNX model.

    Raises ModelError saying what is wrong with it.
    """

    try:
        with redirect_stdout(sys.stderr), contained():
            return _read(text, shapes)
    except GslError as error:
        raise ModelError(" ".join(str(error).split())) from error
    except (Exception, SystemExit) as error:
        why = " ".join(described(error).split())
        raise ModelError(f"`{text}` cannot be read: {why}") from error


def graph_problem(text: str, shapes: Mapping[str, Sequence[int]], seconds: float) -> str:
    """Return why a graph cannot be read within so many seconds, or the empty string.

    A process of its own finds out, so it does no harm if reading ends it.
    """

    def problem() -> str:
        try:
            read_graph(text, shapes)
        except ModelError as error:
            return str(error)
        return ""

    found = outcome_of(problem, seconds)
    if isinstance(found, Loss):
        cure = "; give it more time by --load-timeout" if found.timed_out else ""
        return f"`{text}` cannot be read: it {found.how}{cure}"
    return found


def _read(text: str, shapes: Mapping[str, Sequence[int]]) -> Workload:
    module, separator, function = text.rpartition(":")
    if not separator or Path(text).exists():
        return read_model(Path(text), shapes)
    if not module or not function.isidentifier():
        raise ModelError(f"`{text}` names no graph; write {FORMS}")
    return _workload_of(_called(module, function), text)


def _called(module: str, function: str) -> Any:
    names = vars(_imported(module))
    if function not in names:
        raise ModelError(f"there is no function `{function}` in `{module}`")
    if not callable(names[function]):
        raise ModelError(f"`{function}` in `{module}` is not a function")
    return names[function]()


def _imported(module: str) -> Any:
    if module.endswith(".py"):
        if not Path(module).is_file():
            raise ModelError(f"there is no file `{module}`")
        return import_file(Path(module).resolve())
    if "" not in sys.path:
        sys.path.insert(0, "")
    return import_module(module)


def _workload_of(value: Any, text: str) -> Workload:
    if type(value).__module__.partition(".")[0] == "tvm":
        return Workload.from_relax(value)
    try:
        return workload_of(value)
    except GraphError as error:
        raise ModelError(
            f"`{text}` returns {type(value).__name__} {value!r:.60}; it should return a Workload, "
            "an expression of gsl, several of these, or a Relax module"
        ) from error
