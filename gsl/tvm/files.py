"""Relax modules in files: scripts with an archive of arrays beside them, and JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from keyword import iskeyword
from pathlib import Path
from typing import Any, cast
from zipfile import ZipFile

import numpy as np
import tvm
from tvm import relax

from gsl.errors import ModelError
from gsl.expr import Const, Expr, Var
from gsl.graph import reverse_post_order
from gsl.rule_files.collect import import_file
from gsl.storage.form import write_array
from gsl.storage.replacing import replacing
from gsl.tvm.errors import reason
from gsl.tvm.export import to_relax
from gsl.tvm.importer import from_relax
from gsl.types import UNSIGNED
from gsl.workload import Workload

COMMENTED_IMPORT = "# from tvm.script"
"""How a script printed by TVM starts the lines that import what it uses."""


def read_script(path: Path) -> Workload:
    """Return the workload of the Relax module in a Python file, which is executed.

    Arrays of an archive of the same name, ``model.npz`` beside ``model.py``, are the parameters.
    Raises ModelError unless exactly one IRModule is among the global names of the file.
    """
    try:
        names = vars(import_file(path.resolve()))
    except SystemExit as error:
        raise ModelError(f"`{path}` cannot be executed: it ends the process") from error
    except Exception as error:
        raise ModelError(f"`{path}` cannot be executed: {reason(error)}") from error
    modules = {name: value for name, value in names.items() if isinstance(value, tvm.IRModule)}
    if len(modules) != 1:
        found = f"{len(modules)} of them: {', '.join(modules)}" if modules else "none"
        raise ModelError(f"`{path}` should define one Relax module under @I.ir_module, not {found}")
    (module,) = modules.values()
    archive = path.with_suffix(".npz")
    return from_relax(module, _arrays(archive) if archive.exists() else None)


def _arrays(archive: Path) -> list[Any]:
    try:
        with np.load(archive, allow_pickle=False) as arrays:
            return [arrays[name] for name in arrays.files]
    except Exception as error:
        raise ModelError(f"`{archive}` is no archive of arrays: {reason(error)}") from error


def write_script(workload: Workload, path: Path) -> None:
    """Write a workload as a Python file that `read_script` reads, parameters beside it.

    Constants become parameters where a script has no room for them, and variables get the names of
    `script_names`. Raises ModelError when TVM cannot parse what it prints, such as the type of an
    empty tuple, and OSError; then the files are as they were.
    """
    written = _fit_for_a_script(workload)
    script = to_relax(written, "functions").script()
    try:
        tvm.script.from_source(script)
    except Exception as error:
        message = f"this model has no script that TVM reads ({reason(error)})"
        raise ModelError(f"{message}; write it as .json instead") from error
    text = "\n".join([*_activated(script.splitlines()), ""])
    archive = path.with_suffix(".npz")
    with replacing(path) as stream:
        stream.write(text.encode())
        if written.parameters:
            _write_archive(archive, written.parameters)
    if not written.parameters:
        archive.unlink(missing_ok=True)


def _write_archive(path: Path, arrays: Mapping[str, Any]) -> None:
    # np.savez has arguments of its own, so it takes no arrays of their names.
    with replacing(path) as stream, ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            write_array(archive, f"{name}.npy", array)


def _activated(lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield line.removeprefix("# ") if line.startswith(COMMENTED_IMPORT) else line


def _fit_for_a_script(workload: Workload) -> Workload:
    """Return a workload whose variables have names of Python, and with constants as parameters."""
    order = reverse_post_order(workload.outputs)
    constants = [expr for expr in order if isinstance(expr, Const) and not _is_printed(expr)]
    given = [variable.name for variable in workload.variables]
    names = dict(zip(given, script_names(given), strict=True))
    taken = set(names.values())
    free = (name for name in map("constant_{}".format, count()) if name not in taken)
    lifted: dict[Expr, Var] = {expr: Var(next(free), expr.shape, expr.dtype) for expr in constants}
    built: dict[Expr, Expr] = {v: _renamed(v, names[v.name]) for v in workload.variables}
    built |= lifted
    for expr in order:
        if expr not in built:
            operands = tuple(built[operand] for operand in expr.operands)
            built[expr] = expr if operands == expr.operands else expr.with_operands(operands)
    parameters = {names[name]: value for name, value in workload.parameters.items()}
    parameters |= {lifted[constant].name: constant.value for constant in constants}
    variables = [built[variable] for variable in (*workload.variables, *lifted)]
    outputs = [built[output] for output in workload.outputs]
    return Workload(outputs, parameters, cast(list[Var], variables))


def _renamed(variable: Var, name: str) -> Var:
    return variable if variable.name == name else Var(name, variable.shape, variable.dtype)


def script_names(names: Sequence[str]) -> list[str]:
    """Return different names that variables of a script can have, the same where they can.

    Of others all but ASCII letters, digits and `_` become `_`; a number has a `_` before it, a
    keyword one behind it, and what is taken a number behind it.
    """
    taken = {name for name in names if name == _legal(name)}
    result = []
    for name in names:
        legal = _legal(name)
        if legal != name:
            numbered = map(f"{legal}_{{}}".format, count(1))
            legal = next(one for one in chain([legal], numbered) if one not in taken)
            taken.add(legal)
        result.append(legal)
    return result


def _legal(name: str) -> str:
    text = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not text.isidentifier():
        return f"_{text}"
    return f"{text}_" if iskeyword(text) else text


def _is_printed(constant: Const) -> bool:
    """Tell whether TVM prints the value of a constant so that it reads it again."""
    value = constant.value
    return bool(value.ndim == 0 and constant.dtype not in UNSIGNED and np.isfinite(value))


def read_json(path: Path) -> Workload:
    """Return the workload of a Relax module that TVM has written as JSON.

    Arrays in the attribute `params` of `main`, where TVM's own importers keep them, are the
    parameters. Raises ModelError when it is none.
    """
    try:
        module = tvm.ir.load_json(path.read_text(encoding="utf-8"))
        if isinstance(module, tvm.IRModule):
            bare, parameters = relax.frontend.detach_params(module)
    except Exception as error:
        raise ModelError(f"`{path}` is no JSON of TVM: {reason(error)}") from error
    if not isinstance(module, tvm.IRModule):
        raise ModelError(f"`{path}` has a {type(module).__name__}, not a Relax module")
    return from_relax(bare, parameters.get("main"))


def write_json(workload: Workload, path: Path) -> None:
    """Write a workload as the JSON of a Relax module, with its parameters as `read_json` says."""
    module = to_relax(workload, "functions")
    if workload.parameters:
        arrays = [tvm.runtime.tensor(value) for value in workload.parameters.values()]
        module["main"] = module["main"].with_attr("params", arrays)
    with replacing(path) as stream:
        stream.write(tvm.ir.save_json(module).encode())
