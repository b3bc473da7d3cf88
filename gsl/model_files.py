"""Models in files: the suffix of a path decides how a workload is read or written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gsl.errors import ModelError
from gsl.rule_files.guard import Loss, outcome_of

if TYPE_CHECKING:
    from gsl.workload import Workload

Shapes = Mapping[str, Sequence[int]]

Notes = list[tuple[str, str]]
"""Operators that were read without being understood, each with the reason."""


def _read_onnx(path: Path, shapes: Shapes, notes: Notes) -> Workload:
    record: list[Any] = []
    workload: Workload = import_module("gsl.onnx").from_onnx(path, shapes, record)
    notes += [(one.operator, one.reason) for one in record]
    return workload


def _read_with(name: str) -> Callable[[Path, Shapes, Notes], Workload]:
    # TVM is loaded by name, when a file of this kind is read: it takes a second.
    def read(path: Path, shapes: Shapes, notes: Notes) -> Workload:
        if shapes:
            raise ModelError(f"the sizes of `{path}` are known; only ONNX models leave some open")
        workload: Workload = getattr(import_module("gsl.tvm.files"), name)(path)
        return workload

    return read


def _load(path: Path, shapes: Shapes, notes: Notes) -> Workload:
    if shapes:
        raise ModelError(f"the sizes of `{path}` are known; only ONNX models leave some open")
    workload: Workload = import_module("gsl.workload").Workload.load(path)
    return workload


def _write_onnx(workload: Workload, path: Path, opset: int | None) -> None:
    workload.to_onnx(path, opset)


def _save(workload: Workload, path: Path, opset: int | None) -> None:
    workload.save(path)


def _write_with(name: str) -> Callable[[Workload, Path, int | None], None]:
    def write(workload: Workload, path: Path, opset: int | None) -> None:
        getattr(import_module("gsl.tvm.files"), name)(workload, path)

    return write


def _draw(format: str) -> Callable[[Workload, Path, int | None], None]:
    def write(workload: Workload, path: Path, opset: int | None) -> None:
        path.write_text(workload.visualize(format), encoding="utf-8")

    return write


READERS: Mapping[str, Callable[[Path, Shapes, Notes], Workload]] = {
    ".onnx": _read_onnx,
    ".py": _read_with("read_script"),
    ".json": _read_with("read_json"),
    ".gsl": _load,
}
"""ONNX, Relax script (archive of parameters beside it), Relax module as JSON, saved workload."""

WRITERS: Mapping[str, Callable[[Workload, Path, int | None], None]] = {
    ".onnx": _write_onnx,
    ".py": _write_with("write_script"),
    ".json": _write_with("write_json"),
    ".gsl": _save,
    ".mmd": _draw("mermaid"),
    ".dot": _draw("dot"),
    ".svg": _draw("svg"),
    ".txt": _draw("text"),
}
"""The first four can be read again, the others are pictures."""


FOREIGN = (".py", ".json")
"""Files that are executed, or whose reader a broken one can end, and this process with it."""


def try_model(path: Path, shapes: Shapes, seconds: float) -> None:
    """Read a file in a child process first, if it might do harm to this one.

    Raises ModelError when it ends the process or takes longer than so many seconds.
    """
    if path.suffix not in FOREIGN or not os.path.isfile(path):
        return

    def read() -> None:
        read_model(path, shapes)

    loss = outcome_of(read, seconds)
    if isinstance(loss, Loss) and not loss.raised:  # what is raised, reading it here raises, too
        cure = "; give it more time by --load-timeout" if loss.timed_out else ""
        raise ModelError(f"`{path}` cannot be read: it {loss.how}{cure}")


def read_model(path: Path, shapes: Shapes, notes: Notes | None = None) -> Workload:
    """Return the workload in a file; `shapes` gives open sizes of inputs by name.

    `notes` are told which operators of an ONNX model were not understood, and why. Raises
    ModelError for a missing file, an unknown suffix and a file that cannot be read.
    """
    if not os.path.isfile(path):
        raise ModelError(f"there is no model `{path}`")
    if path.suffix not in READERS:
        raise ModelError(f"`{path}` is no model; its suffix should be {_listed(READERS)}")
    with _needing_tvm(f"reading `{path}`"):
        return READERS[path.suffix](path, shapes, [] if notes is None else notes)


def require_writable(path: Path, opset: int | None = None) -> None:
    """Raise ModelError unless `write_model` knows suffix and opset, and the folder exists."""
    if path.suffix not in WRITERS:
        raise ModelError(f"cannot write `{path}`; its suffix should be {_listed(WRITERS)}")
    if not path.absolute().parent.is_dir():
        raise ModelError(f"cannot write `{path}`; there is no folder `{path.parent}`")
    if os.path.isdir(path):
        raise ModelError(f"cannot write `{path}`; it is a folder")
    if opset is not None and path.suffix != ".onnx":
        raise ModelError(f"cannot write `{path}` in opset {opset}; only ONNX models have one")
    if opset is not None:
        import_module("gsl.onnx").require_opset(opset)


def write_model(workload: Workload, path: Path, opset: int | None = None) -> None:
    """Write a workload to a file in the format of its suffix; raises ModelError.

    `opset` is the version of the operators of an ONNX model; see `gsl.onnx.writer.to_onnx`.
    """
    require_writable(path, opset)
    try:
        with _needing_tvm(f"writing `{path}`"):
            WRITERS[path.suffix](workload, path, opset)
    except OSError as error:
        raise ModelError(f"cannot write `{path}`: {error.strerror}") from error


@contextmanager
def _needing_tvm(what: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("tvm", "tvm_ffi"):
            raise
        raise ModelError(f"{what} needs TVM: pip install 'gslverify[tvm]'") from error


def _listed(known: Mapping[str, object]) -> str:
    *most, last = known
    return f"{', '.join(most)} or {last}"
