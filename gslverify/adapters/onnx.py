"""Optimisers of ONNX models as black boxes: libraries by name, and any command."""

from __future__ import annotations

import functools
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx

from gsl.onnx import load
from gslverify.adapters.foreign import Options, PassResult
from gslverify.adapters.onnx_graphs.catalogue import OF_PASSES, SKETCHES
from gslverify.adapters.onnx_models import (
    SECONDS,
    Case,
    Model,
    ModelExperiment,
    agreed,
    run,
    text_of,
)
from gslverify.adapters.passes import result_of
from gslverify.passes.checking import reported
from gslverify.passes.exploring import Experiment, explored
from gslverify.passes.isolation import raised, survived
from gslverify.passes.verdicts import Ending, Verdict

LEVELS = ("basic", "extended", "all")
SECONDS_OF_COMMAND = 60.0
ROUNDS = 10
"""How often graphs are drawn again until enough of them are rewritten."""


class FailedCommandError(Exception):
    """A command did not write a model."""


class RuntimeExperiment(ModelExperiment):
    """onnxruntime, which runs what it has rewritten; `call` is the level."""

    def examine(self, case: Case) -> Verdict:
        """Run the model without rewriting it, and with the rewrites of a level."""
        model, inputs = onnx.load_model_from_string(case[0]), case[1]
        before, untold = text_of(model), ""
        for arrays in inputs:
            try:
                expected = run(model, arrays)
            except Exception as error:
                untold = f"the model cannot be run: {raised(error)}"
                continue
            try:
                door = load("run", "running ONNX models")
                actual = door.run_model(model, arrays, self.call)
            except Exception as error:
                return self._refused(model, arrays, before, raised(error))
            ending, message = agreed(model, model, expected, actual)
            if ending is Ending.UNDECIDED:
                untold = message
            elif ending is not Ending.AGREES:
                plain = agreed(model, model, door.run_model(model, arrays), actual)
                if plain[0] is ending:
                    script = self.script(model, arrays)
                    return Verdict(ending, plain[1], before, script=script)
                untold = "the reference of ONNX and onnxruntime disagree"
        return Verdict(Ending.UNDECIDED if untold else Ending.AGREES, untold, before)

    def alone(self, model: Model, inputs: Sequence[Mapping[str, Any]]) -> None:
        """Rewrite and run the model, unless it cannot be run without rewrites."""
        door = load("run", "running ONNX models")
        if all(survived(functools.partial(door.run_model, model, one), SECONDS) for one in inputs):
            for arrays in inputs:
                door.run_model(model, arrays, self.call)

    def _refused(self, model: Model, arrays: Any, before: Any, said: Any) -> Verdict:
        """Return the verdict about a model that cannot be run with rewrites."""
        try:
            load("run", "running ONNX models").run_model(model, arrays)
        except Exception as error:
            message = f"onnxruntime cannot run the model: {raised(error).kind}"
            return Verdict(Ending.UNDECIDED, message, before)
        script = self.script(model, arrays)
        return Verdict(Ending.RAISES, str(said), before, script=script, kind=said.kind)

    def script(self, model: Model, inputs: Mapping[str, Any]) -> str:
        """Return a script that needs onnxruntime only."""
        whole = super().script(model, inputs).splitlines()
        lines = whole[: next(n for n, line in enumerate(whole) if line.startswith("new = "))]
        lines.append("import onnxruntime as ort")
        lines.append("level = ort.GraphOptimizationLevel")
        lines.append(f"for one in (level.ORT_DISABLE_ALL, level.ORT_ENABLE_{self.call.upper()}):")
        lines.append("    options = ort.SessionOptions()")
        lines.append("    options.graph_optimization_level = one")
        start = "    session = ort.InferenceSession(model.SerializeToString(), options, "
        lines.append(f'{start}["CPUExecutionProvider"])')
        lines += ["    print(session.run(None, inputs))", ""]
        return "\n".join(lines)


Optimise = Callable[[Model], Model | None]


def reports(targets: Sequence[str], options: Options) -> Iterator[PassResult]:
    """Yield what is found about each optimiser that targets name, after each kind of graphs.

    A target is `onnxruntime`, `onnxoptimizer`, `onnxoptimizer:PASS`, `onnxslim`, `onnxsim`, or a
    command with `{in}` and `{out}`. Raises ValueError for another one, and for another level.
    """
    for target in targets:
        for name, experiments in _experiments(target, options.level or "all"):
            if name in options.known_passes:
                continue
            # An optimiser as a whole is as many passes as there are kinds of graphs.
            kinds = 1 if name in OF_PASSES else len(experiments)
            given = options.graphs * kinds, options.seed, options.seconds
            alone = f"{target}:{name}" if target == "onnxoptimizer" else target
            for found in explored(experiments, *given, rounds=ROUNDS):
                yield result_of(reported(name, target, found), alone)


def names(targets: Sequence[str]) -> list[str]:
    """Return what the optimisers that targets name are called; see `reports`."""
    found = []
    for target in targets:
        next(_experiments(target, LEVELS[-1]))
        name, _, one = target.partition(":")
        found += list(OF_PASSES) if name == "onnxoptimizer" and not one else [one or name]
    return found


def _experiments(target: str, level: str) -> Iterator[tuple[str, Sequence[Experiment]]]:
    name, _, one = target.partition(":")
    if "{in}" in target and "{out}" in target:
        if shutil.which(shlex.split(target)[0]) is None:
            raise ValueError(f"there is no command `{shlex.split(target)[0]}`")
        optimise = functools.partial(by_command, target)
        yield target, [ModelExperiment(sketch, optimise) for sketch in SKETCHES.values()]
    elif name == "onnxruntime":
        if level not in LEVELS:
            raise ValueError(f"onnxruntime has no level `{level}`; it has {', '.join(LEVELS)}")
        load("run", "running ONNX models")  # once, before processes are forked
        made = [RuntimeExperiment(one, _nothing, call=level) for one in SKETCHES.values()]
        yield f"onnxruntime, level {level}", made
    elif name == "onnxoptimizer":
        for known in [one] if one else OF_PASSES:
            yield known, _of_pass(known)
    elif name in SIMPLIFIERS:
        import_module(name)  # once, before processes are forked
        load("run", "running ONNX models")
        function, imports, call = SIMPLIFIERS[name]
        yield (
            name,
            [ModelExperiment(one, function, imports, call) for one in SKETCHES.values()],
        )
    else:
        known = ", ".join(("onnxruntime", "onnxoptimizer", *SIMPLIFIERS))
        cure = f"there are {known}, or 'command {{in}} {{out}}'"
        raise ValueError(f"`{target}` is no optimiser; {cure}")


def _of_pass(name: str) -> list[ModelExperiment]:
    library = import_module("onnxoptimizer")
    load("run", "running ONNX models")
    if name not in library.get_available_passes():
        raise ValueError(f"onnxoptimizer has no pass `{name}`")
    sketches = [SKETCHES[one] for one in OF_PASSES.get(name, tuple(SKETCHES))]
    optimise = functools.partial(_optimised, name)
    call = f"onnxoptimizer.optimize(model, [{name!r}])"
    return [ModelExperiment(one, optimise, ("import onnxoptimizer",), call) for one in sketches]


def _optimised(name: str, model: Model) -> Model | None:
    """Apply a pass; None where it makes what reading and writing the model makes, too."""
    library = import_module("onnxoptimizer")
    copied, made = library.optimize(model, []), library.optimize(model, [name])
    return None if copied == made else made


def _slim(model: Model) -> Model:
    made: Model = import_module("onnxslim").slim(model)
    return made


def _simplified(model: Model) -> Model:
    made: Model = import_module("onnxsim").simplify(model)[0]
    return made


def _nothing(model: Model) -> Model:
    return model


SIMPLIFIERS: Mapping[str, tuple[Optimise, tuple[str, ...], str]] = {
    "onnxslim": (_slim, ("import onnxslim",), "onnxslim.slim(model)"),
    "onnxsim": (_simplified, ("import onnxsim",), "onnxsim.simplify(model)[0]"),
}


def by_command(command: str, model: Model) -> Model:
    """Return the model that a command writes to `{out}` when it is given `{in}`.

    Raises FailedCommandError when it fails or writes none.
    """
    with TemporaryDirectory() as folder:
        paths = {"in": Path(folder, "in.onnx"), "out": Path(folder, "out.onnx")}
        onnx.save(model, str(paths["in"]))
        words = [
            word.replace("{in}", str(paths["in"])).replace("{out}", str(paths["out"]))
            for word in shlex.split(command)
        ]
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=SECONDS_OF_COMMAND, check=False
        )
        if done.returncode or not paths["out"].exists():
            last = (done.stderr.strip().splitlines() or ["it wrote no model"])[-1]
            raise FailedCommandError(f"the command ended with {done.returncode}: {last}")
        return onnx.load(str(paths["out"]))
