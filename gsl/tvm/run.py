"""Compile Relax modules and run them on NumPy arrays."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import tvm
from tvm import relax

from gsl.errors import GraphError, InputError, did_you_mean
from gsl.tvm import quick
from gsl.tvm.aligned import aligned
from gsl.tvm.errors import BackendError, TypeMismatchError, reason
from gsl.tvm.export import to_relax
from gsl.tvm.relax_types import from_relax_type
from gsl.tvm.tensors import passed, received
from gsl.types import TensorType, TupleType, Type
from gsl.workload import Workload


@dataclass(frozen=True, slots=True)
class Signature:
    """What a compiled function takes and returns."""

    parameters: tuple[tuple[str, Type], ...]
    outputs: tuple[Type, ...]
    is_packed: bool
    """Whether the outputs come back as one tuple."""


class Executable:
    """The compiled functions of a module; use it from one thread only."""

    def __init__(self, machine: Any, signatures: Mapping[str, Signature]) -> None:
        self._machine = machine
        self.signatures = signatures

    def run(self, name: str, arrays: Sequence[Any]) -> list[Any]:
        """Return the outputs of function `name`; tuples are Python tuples, arrays read-only.

        Arrays that are aligned to 64 bytes, contiguous and writeable are passed without a copy.
        Raises BackendError for arrays that do not fit the parameters and TypeMismatchError when
        what comes back is not of the inferred type (TVM itself does not check that).
        """
        given = self._prepared(name, arrays)
        signature = self.signatures[name]
        result = self._call(name, given)
        results = result if signature.is_packed else [result]
        addresses = {array.ctypes.data for array in given}
        return [
            to_numpy(value, declared, f"output {index} of `{name}`", addresses)
            for index, (value, declared) in enumerate(zip(results, signature.outputs, strict=True))
        ]

    def measure(self, name: str, arrays: Sequence[Any], repeats: int = 5) -> list[float]:
        """Return the seconds that each of `repeats` calls takes after a first one.

        What a call costs besides, a few microseconds, is part of it.
        """
        given = self._prepared(name, arrays)
        self._call(name, given)
        seconds = []
        for _ in range(repeats):
            start = time.perf_counter()
            self._call(name, given)
            seconds.append(time.perf_counter() - start)
        return seconds

    def _prepared(self, name: str, arrays: Sequence[Any]) -> list[Any]:
        if name not in self.signatures:
            raise BackendError(f"the module has no function `{name}`")
        return _checked(name, self.signatures[name], arrays)

    def _call(self, name: str, given: Sequence[Any]) -> Any:
        try:
            return self._machine[name](*map(passed, given))
        except Exception as error:
            raise BackendError(f"TVM cannot run `{name}`: {reason(error)}") from error


def compile_functions(module: Any, level: int = 0) -> Executable:
    """Compile all Relax functions of a module at an optimisation level of LLVM.

    Level 0 compiles thrice as fast, level 3 gives kernels that are many times faster. The
    assertions inside the kernels are left out: they cost half of the compile time, and the virtual
    machine checks its arguments anyway. Raises BackendError when TVM cannot compile.
    """
    signatures = {
        variable.name_hint: _signature(function)
        for variable, function in module.functions.items()
        if isinstance(function, relax.Function) and "global_symbol" in (function.attrs or ())
    }
    try:
        return Executable(machine_of(module, level), signatures)
    except BackendError as error:
        raise BackendError(f"TVM cannot compile {', '.join(signatures)}: {error}") from error


def machine_of(module: Any, level: int = 0, pipeline: str = "default") -> Any:
    """Compile a module as `compile_functions` does; return TVM's virtual machine for it.

    `pipeline` are the passes for what Relax operators become, see `gsl.tvm.quick`.
    """
    options = {} if level else {"cl-opt": list(quick.CODE)}
    target = tvm.target.Target({"kind": "llvm", "opt-level": level, **options})
    try:
        with tvm.transform.PassContext(config={"tirx.disable_assert": True}):
            executable = tvm.compile(module, target, tir_pipeline=pipeline)
            return relax.VirtualMachine(executable, tvm.cpu())
    except Exception as error:
        raise BackendError(reason(error)) from error


class _Compiled(threading.local):
    """What this thread has compiled, since an executable must stay in one thread."""

    def __init__(self) -> None:
        self.executables: WeakKeyDictionary[Workload, Executable] = WeakKeyDictionary()


_COMPILED = _Compiled()


def compile_workload(workload: Workload) -> Executable:
    """Return the executable of a workload, compiled at level 3 when it is first asked for."""
    executable = _COMPILED.executables.get(workload)
    if executable is None:
        executable = compile_functions(to_relax(workload), level=3)
        _COMPILED.executables[workload] = executable
    return executable


def run(workload: Workload, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a workload on TVM for arrays by input name; see `Executable.run`.

    The in-process counterpart of `gsl.evaluate.run`: an input outside the domain of an operator
    may end the process, see `gsl.tvm.worker`. Raises InputError, see `check_inputs`.
    """
    check_inputs(workload, inputs)
    return compile_workload(workload).run("main", arguments(workload, inputs))


def arguments(workload: Workload, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the arrays for function `main` of `to_relax`: inputs, then parameters."""
    given = [inputs[variable.name] for variable in workload.inputs]
    return [*given, *workload.parameters.values()]


def check_inputs(workload: Workload, inputs: Mapping[str, Any]) -> None:
    """Raise InputError unless there is an array for each input, of its shape and dtype."""
    if not isinstance(inputs, Mapping):
        raise InputError(f"inputs are given as arrays by name, not as {type(inputs).__name__}")
    declared = {variable.name: variable for variable in workload.inputs}
    listed = ", ".join(declared) or "none"
    for name in inputs:
        if name not in declared:
            hint = did_you_mean(name, declared) or f"the inputs are {listed}"
            raise InputError(f"there is no input `{name}`; {hint}")
    for name, variable in declared.items():
        if name not in inputs:
            raise InputError(f"input `{name}` is missing; the inputs are {listed}")
        try:
            array = np.asarray(inputs[name])
        except ValueError as error:
            raise InputError(f"input `{name}` is no array: {error}") from error
        actual = TensorType(array.shape, array.dtype.name)
        if actual != variable.type:
            cure = "reshape it" if array.shape != variable.shape else "convert it with astype"
            raise InputError(f"input `{name}` is {variable.type}, given {actual}; {cure}")


def arrays_by_name(names: Sequence[str], values: Mapping[str, Any]) -> list[Any]:
    """Return the arrays called `names`; raise GraphError when one is missing."""
    missing = [name for name in names if name not in values]
    if missing:
        raise GraphError(f"variable `{missing[0]}` has no value")
    return [values[name] for name in names]


def _signature(function: Any) -> Signature:
    result = from_relax_type(function.ret_ty)
    parameters = tuple((p.name, from_relax_type(p.ty)) for p in function.params)
    if isinstance(result, TupleType) and function.attrs.get("num_output") != 1:
        return Signature(parameters, result.fields, is_packed=True)
    return Signature(parameters, (result,), is_packed=False)


def _checked(name: str, signature: Signature, arrays: Sequence[Any]) -> list[Any]:
    if len(arrays) != len(signature.parameters):
        expected = len(signature.parameters)
        raise BackendError(f"`{name}` takes {expected} arrays, not {len(arrays)}")
    given = [np.asarray(array) for array in arrays]
    for (parameter, declared), array in zip(signature.parameters, given, strict=True):
        actual = TensorType(array.shape, array.dtype.name)
        if actual != declared:
            raise BackendError(f"parameter `{parameter}` of `{name}` is {declared}, given {actual}")
    try:
        return [aligned(array) for array in given]
    except MemoryError as error:
        raise BackendError(f"TVM cannot run `{name}`: {reason(error)}") from error


def to_numpy(value: Any, declared: Type, place: str, inputs: set[int]) -> Any:
    """Return what TVM returned as arrays; copy what lies at the address of one of the `inputs`.

    Raises TypeMismatchError unless it is of the declared type.
    """
    if isinstance(declared, TupleType):
        fields = zip(value, declared.fields, strict=True)
        return tuple(to_numpy(item, field, place, inputs) for item, field in fields)
    array = received(value)
    actual = TensorType(array.shape, array.dtype.name)
    if actual != declared:
        raise TypeMismatchError(f"{place} has type {declared}, TVM returned {actual}")
    # A graph may return an input, whose memory belongs to the caller.
    result = array.copy() if array.ctypes.data in inputs else array
    result.setflags(write=False)
    return result
