"""Models in files: the suffix of a path decides how a workload is read or written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from gsl.errors import ModelError
from gsl.workload import Workload

Shapes = Mapping[str, Sequence[int]]


def _read_onnx(path: Path, shapes: Shapes) -> Workload:
    return Workload.from_onnx(path, shapes)


def _read_with(name: str) -> Callable[[Path, Shapes], Workload]:
    # TVM is loaded by name, when a file of this kind is read: it takes a second.
    def read(path: Path, shapes: Shapes) -> Workload:
        if shapes:
            raise ModelError(f"the sizes of `{path}` are known; only ONNX models leave some open")
        workload: Workload = getattr(import_module("gsl.tvm.files"), name)(path)
        return workload

    return read


def _load(path: Path, shapes: Shapes) -> Workload:
    if shapes:
        raise ModelError(f"the sizes of `{path}` are known; only ONNX models leave some open")
    return Workload.load(path)


def _write_with(name: str) -> Callable[[Workload, Path], None]:
    def write(workload: Workload, path: Path) -> None:
        getattr(import_module("gsl.tvm.files"), name)(workload, path)

    return write


def _draw(format: str) -> Callable[[Workload, Path], None]:
    def write(workload: Workload, path: Path) -> None:
        path.write_text(workload.visualize(format), encoding="utf-8")

    return write


READERS: Mapping[str, Callable[[Path, Shapes], Workload]] = {
    ".onnx": _read_onnx,
    ".py": _read_with("read_script"),
    ".json": _read_with("read_json"),
    ".gsl": _load,
}
"""ONNX, Relax script (archive of parameters beside it), Relax module as JSON, saved workload."""

WRITERS: Mapping[str, Callable[[Workload, Path], None]] = {
    ".py": _write_with("write_script"),
    ".json": _write_with("write_json"),
    ".gsl": Workload.save,
    ".mmd": _draw("mermaid"),
    ".dot": _draw("dot"),
    ".svg": _draw("svg"),
    ".txt": _draw("text"),
}
"""The first three can be read again, the others are pictures."""


def read_model(path: Path, shapes: Shapes) -> Workload:
    """Return the workload in a file; `shapes` gives open sizes of inputs by name.

    Raises ModelError for a missing file, an unknown suffix and a file that cannot be read.
    """
    if not os.path.isfile(path):
        raise ModelError(f"there is no model `{path}`")
    if path.suffix not in READERS:
        raise ModelError(f"`{path}` is no model; its suffix should be {_listed(READERS)}")
    with _needing_tvm(f"reading `{path}`"):
        return READERS[path.suffix](path, shapes)


def require_writable(path: Path) -> None:
    """Raise ModelError unless `write_model` knows the suffix and the folder exists."""
    if path.suffix not in WRITERS:
        raise ModelError(f"cannot write `{path}`; its suffix should be {_listed(WRITERS)}")
    if not path.absolute().parent.is_dir():
        raise ModelError(f"cannot write `{path}`; there is no folder `{path.parent}`")
    if os.path.isdir(path):
        raise ModelError(f"cannot write `{path}`; it is a folder")


def write_model(workload: Workload, path: Path) -> None:
    """Write a workload to a file in the format of its suffix; raises ModelError."""
    require_writable(path)
    try:
        with _needing_tvm(f"writing `{path}`"):
            WRITERS[path.suffix](workload, path)
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
