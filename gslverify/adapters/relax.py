"""Passes of TVM Relax, and rules written with its pattern language, as black boxes."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
import tvm
import tvm_ffi
from tvm import relax

from gsl.errors import GslError
from gsl.text.listing import listing
from gsl.tvm import quick
from gsl.tvm.run import machine_of
from gsl.workload import Workload
from gslverify.adapters import relax_sources
from gslverify.adapters.foreign import Options, PassResult
from gslverify.adapters.passes import reports as checked
from gslverify.passes.isolation import raised
from gslverify.passes.rewriters import Executable, FaultError, Rewritten
from gslverify.passes.sources import MadeSource, PatternSource
from gslverify.passes.verdicts import Ending

TRANSFORMS = "tvm.relax.transform"

PASSES: Mapping[str, tuple[str, ...]] = {
    "AdjustMatmulOrder": ("matmul",),
    "CanonicalizeBindings": ("any",),
    "CombineParallelMatmul": ("parallel",),
    "DeadCodeElimination": ("any",),
    "DecomposeOpsForInference": ("normalisation", "any"),
    "DecomposeOpsForTraining": ("normalisation",),
    "EliminateCommonSubexpr": ("repeated", "any"),
    "ExpandMatmulOfSum": ("sum",),
    "FastMathTransform": ("elementwise",),
    "FoldBatchnormToConv2D": ("convolution",),
    "FoldConstant": ("constants",),
    "FuseTransposeMatmul": ("transposed",),
    "Normalize": ("any",),
    "OptimizeLayoutTransform": ("layout",),
    "RemoveRedundantReshape": ("reshape",),
    "ReorderPermuteDimsAfterConcat": ("concatenated",),
    "ReorderTakeAfterMatmul": ("take",),
    "RewriteDataflowReshape": ("reshape",),
}
"""The passes that rewrite dataflow and keep what it computes, with the kinds of their sources."""

Transformation = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class RelaxRewriter:
    """A pass of Relax, which `target` names.

    `call` is how a script writes it, `steps` are the passes of a pipeline. A graph is given to it
    as a builder emits it, or in canonical form, because passes meet both; the graph decides.
    """

    name: str
    place: str
    transform: Transformation
    call: str = ""
    steps: Sequence[RelaxRewriter] = field(default=())
    target: str = ""

    def rewrite(self, workload: Workload) -> Rewritten:
        """Apply the pass."""
        module = given(workload)
        new = self.transform(module)
        if not tvm_ffi.structural_equal(module, given(workload)):
            raise FaultError(Ending.MUTATES, "the module that it was given is another one")
        if not isinstance(new, tvm.IRModule):
            kind = type(new).__name__
            raise FaultError(Ending.ILL_FORMED, f"it returned {kind}, which is no module")
        if tvm_ffi.structural_equal(module, new):
            return None
        text = tuple(new.script().splitlines())
        try:
            relax.analysis.well_formed(new)
        except Exception as error:
            message = f"Relax refuses it: {raised(error)}"
            raise FaultError(Ending.ILL_FORMED, message, text) from None
        try:
            return Workload.from_relax(new)
        except GslError:
            return Executable(lambda inputs: run(new, inputs), text=text)

    def run(self, workload: Workload, inputs: Mapping[str, Any]) -> list[Any]:
        """Return what a graph computes on TVM, for graphs with operators that gsl lacks."""
        return run(given(workload), inputs)

    def script(self, workload: Workload, inputs: Mapping[str, Any]) -> str:
        """Return a script for TVM alone."""
        return script_of(self.call, given(workload), workload, inputs)


def given(workload: Workload) -> Any:
    """Return the module that a pass is given: every second one in canonical form."""
    module = workload.to_relax()
    chosen = zlib.crc32("\n".join(listing(workload.outputs)).encode())
    if chosen % 2:
        module = relax.transform.CanonicalizeBindings()(module)
    if chosen % 4 < 2:
        module["main"] = _terse(module["main"])
    return module


def _terse(function: Any) -> Any:
    """Leave out axes that are reversed, which is the default, as programs written by hand do."""

    def without_axes(call: Any, found: Any) -> Any:
        if not isinstance(call, relax.Call):
            return call  # a variable that is bound to one; the call itself is met, too
        axes = call.attrs.axes
        if axes is None or [int(axis) for axis in axes] != list(reversed(range(len(axes)))):
            return call
        return relax.op.permute_dims(call.args[0])

    pattern = relax.dpl.is_op("relax.permute_dims")(relax.dpl.wildcard())
    return relax.dpl.rewrite_call(pattern, without_axes, function)


def run(module: Any, inputs: Mapping[str, Any]) -> list[Any]:
    """Return what `main` of a module computes for arrays by name."""
    machine = _machine(module)
    names = [str(one.name) for one in module["main"].params]
    arrays = [tvm.runtime.tensor(np.ascontiguousarray(inputs[name])) for name in names]
    result = machine["main"](*arrays)
    results = [result] if hasattr(result, "numpy") else list(result)
    return [one.numpy() for one in results]


_MACHINES: list[tuple[Any, Any]] = []
"""The modules that were compiled last: each is run on several inputs, before and after a pass."""


def _machine(module: Any) -> Any:
    """Compile a module, unless that was done just now."""
    for known, machine in _MACHINES:
        if tvm_ffi.structural_equal(known, module):
            return machine
    made = machine_of(module, pipeline=quick.PIPELINE)
    _MACHINES[:] = [*_MACHINES[-1:], (module, made)]
    return made


def script_of(call: str, module: Any, workload: Workload, inputs: Mapping[str, Any]) -> str:
    """Return a script that applies a pass to a module and shows what both compute."""
    text = module.script(show_meta=True)
    lines = [line for line in text.splitlines() if line and not line.startswith("# from")]
    names = [str(one.name) for one in module["main"].params]
    arrays = [f"    {_array_text(inputs[name])}," for name in names if name in inputs]
    return "\n".join(
        [
            "import numpy as np",
            "import tvm",
            "from tvm import relax",
            "from tvm.script import ir as I, relax as R, tirx as T",
            *lines,
            "inputs = [",
            *arrays,
            "]",
            f"new = {call or 'THE_PASS'}(Module)",
            "new.show()",
            "for module in (Module, new):",
            '    machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())',
            '    print(machine["main"](*[tvm.runtime.tensor(one) for one in inputs]))',
            "",
        ]
    )


def _array_text(array: Any) -> str:
    flat = " ".join(repr(array.tolist()).split())
    if array.size > 40:
        return f"np.ones({array.shape}, {array.dtype.name!r})"
    return f"np.array({flat}, {array.dtype.name!r}).reshape({array.shape})"


def rewriters(targets: Sequence[str]) -> Iterator[RelaxRewriter]:
    """Yield the passes that targets name: a module, or `module:name` of one of them.

    Raises ImportError for a module that is not there, AttributeError for such a name, and
    TypeError for what is no pass.
    """
    for target in targets:
        module, _, name = target.partition(":")
        loaded = import_module(module)
        if name:
            yield rewriter_of(name, getattr(loaded, name), target)
        elif module == TRANSFORMS:
            for known in PASSES:
                yield rewriter_of(known, getattr(loaded, known), f"{module}:{known}")
        else:
            for found, value in vars(loaded).items():
                if isinstance(value, tvm.transform.Pass):
                    yield rewriter_of(found, value, f"{module}:{found}")


def rewriter_of(name: str, found: Any, target: str) -> RelaxRewriter:
    """Return what was found under a name as a rewriter; see `rewriters`."""
    module, _, attribute = target.partition(":")
    if (inspect.isfunction(found) and not _takes_module(found)) or inspect.isclass(found):
        made, call = found(), f"__import__({module!r}, fromlist=['x']).{attribute}()"
    else:
        made, call = found, f"__import__({module!r}, fromlist=['x']).{attribute}"
    if module == TRANSFORMS:
        call = f"relax.transform.{attribute}()"
    transform = transformation(made, name)
    steps = _steps(made, name, target)
    return RelaxRewriter(name, _place(found, target), transform, call, steps, target)


def transformation(made: Any, name: str) -> Transformation:
    """Return a pass, a pattern with its rewriter, or a function, as a function of modules.

    Raises TypeError for anything else.
    """
    if isinstance(made, relax.dpl.PatternMatchingRewriter):
        return lambda module: _each_function(module, lambda function: made(function))
    if isinstance(made, tuple) and len(made) == 2 and callable(made[1]):
        pattern, callback = made
        rewrite = relax.dpl.rewrite_call
        return lambda module: _each_function(
            module, lambda function: rewrite(pattern, callback, function)
        )
    if callable(made):
        function: Transformation = made
        return function
    raise TypeError(f"`{name}` is no pass: {type(made).__name__}")


def _each_function(module: Any, rewrite: Callable[[Any], Any]) -> Any:
    new = tvm.IRModule(dict(module.functions_items()))
    for variable, function in module.functions_items():
        if isinstance(function, relax.Function):
            new[variable] = rewrite(function)
    return new


def _takes_module(function: Any) -> bool:
    """Tell whether a function needs an argument, so that it is a pass and makes none."""
    parameters = inspect.signature(function).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(one.default is one.empty and one.kind in kinds for one in parameters)


def _steps(made: Any, name: str, target: str) -> tuple[RelaxRewriter, ...]:
    """Return the beginnings of a pipeline, each named after its last pass."""
    if not isinstance(made, tvm.transform.Sequential):
        return ()
    passes = list(made.passes)
    found = []
    for number, last in enumerate(passes, 1):
        start = tvm.transform.Sequential(passes[:number])
        label = f"pass {number} of {name}, {last.info.name}"
        found.append(RelaxRewriter(label, target, start))
    return tuple(found)


def _place(found: Any, target: str) -> str:
    """Return where a Python pass is written, else the name of the target."""
    code = getattr(found, "__code__", None)
    if code is None or target.startswith(TRANSFORMS):
        return target
    return f"{target.partition(':')[0].replace('.', '/')}.py:{code.co_firstlineno}"


def sources(name: str) -> list[PatternSource | MadeSource]:
    """Return the sources that exercise a pass; for one that is not known, all of them."""
    kinds = PASSES.get(name, tuple(relax_sources.KINDS))
    return [one for kind in kinds for one in relax_sources.KINDS[kind]()]


def names(targets: Sequence[str]) -> list[str]:
    """Return the names of the passes that targets name."""
    return [one.name for one in rewriters(targets)]


def reports(targets: Sequence[str], options: Options) -> Iterator[PassResult]:
    """Yield what is found about each pass that targets name; see `rewriters`."""
    yield from checked(rewriters(targets), sources, options)
