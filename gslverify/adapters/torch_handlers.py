"""Handlers of PyTorch's pattern matcher: functions that rewrite a graph of FX by themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import torch
from torch._inductor import config, pattern_matcher
from torch._inductor.compile_fx import compile_fx_inner
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.virtualized import V
from torch._subclasses import FakeTensorMode
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

from gslverify.adapters.foreign import Names, Options, PassResult, place_of
from gslverify.adapters.passes import result_of
from gslverify.adapters.torch_graphs import drawn
from gslverify.adapters.torch_leaves import values
from gslverify.adapters.torch_replay import NOT_FINITE, array_of, difference, tensor_text
from gslverify.networks.choices import Choices, NothingDrawnError
from gslverify.passes.checking import reported
from gslverify.passes.exploring import explore
from gslverify.passes.isolation import raised, survived
from gslverify.passes.verdicts import Ending, Verdict, not_of_the_pass

ROUNDS = 10
"""How often graphs are drawn again until enough of them are rewritten."""

COMPILED = 10
"""Where each graph has to be compiled, one in so many is tried, in so many times as long."""
SECONDS = 20.0
"""Time for a handler alone, after a process has ended or hung with it."""
OPTIONS = ("pre_grad_fusion_options", "post_grad_fusion_options")
"""Settings of Inductor by which passes are in use, with what each of them is given."""

Case = tuple[GraphModule, Sequence[Sequence[Any]]]
"""A graph, and several choices of its inputs."""


@dataclass(slots=True)
class Handler:
    """A function that rewrites what patterns match: the pass it is of, and what it is there."""

    name: str
    function: Any
    path: str
    entries: list[Any] = field(default_factory=list)

    @property
    def place(self) -> str:
        """The file and line of the function."""
        return place_of(self.function)


def handlers(targets: Sequence[str]) -> list[Handler]:
    """Return the handlers that modules define, those of `module:pass`, or `module:handler` alone.

    They are found in the passes that a module has, by themselves or in lists and dictionaries.
    Raises ImportError for a module that is not there, AttributeError for such a name.
    """
    found: dict[Any, Handler] = {}
    names = Names()
    for target in targets:
        name, _, attribute = target.partition(":")
        module = import_module(name)
        wanted = attribute if is_handler(target) else ""
        within = [attribute] if attribute and not wanted else list(vars(module))
        entries = (one for key in within for one in _entries(key, getattr(module, key)))
        for path, entry in entries:
            function: Any = getattr(entry, "handler", None)
            is_own = getattr(function, "__module__", "") == name
            if is_own and wanted in ("", function.__name__):
                if function not in found:
                    found[function] = Handler(names.unique(function.__name__), function, path)
                known = found[function].entries
                if all(repr(entry.pattern) != repr(one.pattern) for one in known):
                    known.append(entry)
    return list(found.values())


def is_handler(target: str) -> bool:
    """Tell whether `module:name` is a handler, rather than a pass or a function to be called."""
    name, _, attribute = target.partition(":")
    defined = vars(import_module(name))
    entries = (one for key, value in defined.items() for _, one in _entries(key, value))
    given = defined.get(attribute)
    return given is not None and any(getattr(one, "handler", None) is given for one in entries)


def _entries(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what is registered with passes, in order, each with the text that finds its pass."""
    if isinstance(value, pattern_matcher.PatternMatcherPass):
        for registered in value.patterns.values():
            yield from ((path, one) for one in registered)
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            yield from _entries(f"{path}[{number}]", one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _entries(f"{path}[{key!r}]", one)


def tried(found: Sequence[Handler], options: Options) -> Iterator[PassResult]:
    """Yield what is found when each handler is tried on graphs made of its patterns."""
    for one in found:
        if one.name not in options.known_passes:
            experiments = [HandlerExperiment(one, n) for n in range(len(one.entries))]
            lowers = all(isinstance(e, pattern_matcher.LoweringPatternEntry) for e in one.entries)
            graphs = -(-options.graphs // COMPILED) if lowers else options.graphs
            seconds = options.seconds * (COMPILED if lowers else 1)
            result = explore(experiments, graphs, options.seed, seconds, ROUNDS)
            module = one.function.__module__
            target = f"{module}:{one.function.__name__}"
            yield result_of(reported(one.name, one.place, result), target)


@dataclass(frozen=True, slots=True)
class HandlerExperiment:
    """A handler on graphs of one of its patterns."""

    handler: Handler
    number: int

    @property
    def name(self) -> str:
        """The name of the pattern."""
        return f"pattern_{self.number}"

    def draw(self, choices: Choices) -> Case:
        """Draw a graph and inputs."""
        pattern = self.handler.entries[self.number].pattern
        module, inputs = drawn(pattern, choices)
        module = as_traced(module, inputs, pattern.fns)
        others = [values(one.shape, one.dtype, place) for place, one in enumerate(inputs, 1)]
        return module, [inputs, others]

    def examine(self, case: Case) -> Verdict:
        """Have the pattern matcher rewrite the graph by this pattern, and compare."""
        module, inputs = case
        before = text_of(module)
        entry, new = self.handler.entries[self.number], deepcopy(module)
        try:
            mode = with_types(new, inputs[0])
        except Exception as error:  # what runs need not be what can be traced
            message = f"the graph cannot be traced: {raised(error).kind}"
            return Verdict(Ending.UNDECIDED, message, before)
        script = script_of(self.handler, module, inputs[0])
        try:
            rewrite(new, entry, mode)
        except BaseException as error:  # handlers raise anything, SystemExit included
            said = raised(error)
            message, kind = f"{said} ({said.where})", f"{said.kind} in {said.where}"
            return Verdict(Ending.RAISES, message, before, script=script, kind=kind)
        after = text_of(new)
        if after == before:
            return Verdict(Ending.UNCHANGED, before=before)
        ending, message = compared(module, running(module, new, entry), inputs)
        return Verdict(ending, message, before, after, script)

    def describe(self, case: Case, verdict: Verdict) -> Verdict:
        """Add the graph to a verdict about a child that ended, if the handler has ended it."""
        if survived(lambda: self.alone(case), SECONDS):
            return not_of_the_pass(verdict)
        script = script_of(self.handler, case[0], case[1][0])
        return replace(verdict, before=text_of(case[0]), script=script)

    def alone(self, case: Case) -> None:
        """Do nothing but what the handler does."""
        module = deepcopy(case[0])
        rewrite(module, self.handler.entries[self.number], with_types(module, case[1][0]))


def as_traced(module: GraphModule, inputs: Sequence[Any], functions: Sequence[Any]) -> GraphModule:
    """Return a graph as Inductor traces it, which takes operators apart and leaves out some forms.

    Where nothing is left of the `functions` that a pattern looks for, it is for other graphs, and
    the graph stays. Raises NothingDrawnError for one that cannot be traced.
    """
    try:
        with torch.no_grad():
            traced = make_fx(module, decomposition_table=select_decomp_table())(*inputs)
    except Exception as error:  # what runs need not be what can be traced
        raise NothingDrawnError(f"it cannot be traced: {raised(error).kind}") from error
    targets = {node.target for node in traced.graph.nodes}
    return traced if targets & set(functions) else module


def with_types(module: GraphModule, inputs: Sequence[Any]) -> FakeTensorMode:
    """Write the types of all nodes where handlers read them, before and behind autograd."""
    mode = FakeTensorMode()
    FakeTensorProp(module, mode).propagate(*inputs)
    for node in module.graph.nodes:
        node.meta["example_value"] = node.meta.get("val")
    return mode


def rewrite(module: GraphModule, entry: Any, mode: FakeTensorMode) -> None:
    """Apply a pass that has nothing but one pattern."""
    options: Any = defaultdict(dict)
    with V.set_fake_mode(mode), config.patch(dict.fromkeys(OPTIONS, options)):
        _alone(entry).apply(module)
    module.graph.eliminate_dead_code()
    module.graph.lint()
    module.recompile()


def _alone(entry: Any) -> pattern_matcher.PatternMatcherPass:
    only = pattern_matcher.PatternMatcherPass()
    entry.register(only)
    return only


def running(before: GraphModule, after: GraphModule, entry: Any) -> Callable[..., Sequence[Any]]:
    """Return what runs the new graph: a lowering has to be compiled, by Inductor without others."""
    if not isinstance(entry, pattern_matcher.LoweringPatternEntry):
        return after

    def run(*inputs: Any) -> Sequence[Any]:
        with FakeTensorMode() as mode:
            fake = [mode.from_tensor(one) for one in inputs]
        settings: dict[str, Any] = {
            "pattern_matcher": False,
            "fx_graph_cache": False,
            "post_grad_custom_post_pass": lambda graph: _alone(entry).apply(graph),
        }
        with config.patch(settings):
            compiled: Any = compile_fx_inner(deepcopy(before), fake)
        return tuple(compiled(list(inputs)))

    return run


def text_of(module: GraphModule) -> tuple[str, ...]:
    """Return the calls of a graph, one a line, after its inputs."""
    return tuple(line.strip() for line in module.code.splitlines() if line.strip())


def script_of(handler: Handler, module: GraphModule, inputs: Sequence[Any]) -> str:
    """Return a script that shows what a handler does to a graph by PyTorch alone."""
    written = module.code.strip().replace("(self, ", "(", 1).replace("(self)", "()", 1)
    tensors = ", ".join(tensor_text(array_of(one)) for one in inputs)
    return SCRIPT.format(
        module=handler.function.__module__,
        name=handler.function.__name__,
        path=handler.path,
        forward=written,
        tensors=tensors,
    )


SCRIPT = """\
import torch
from torch import device, inf, nan
from torch._inductor.pattern_matcher import PatternMatcherPass
from torch._inductor.virtualized import V
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

import {module} as library


{forward}


tensors = [{tensors}]
module, mode, only = torch.fx.symbolic_trace(forward), FakeTensorMode(), PatternMatcherPass()
FakeTensorProp(module, mode).propagate(*tensors)
for node in module.graph.nodes:
    node.meta["example_value"] = node.meta.get("val")
registered = [one for some in library.{path}.patterns.values() for one in some]
for one in {{id(one): one for one in registered}}.values():
    if getattr(one, "handler", None) and one.handler.__name__ == "{name}":
        one.register(only)
with V.set_fake_mode(mode):
    only.apply(module)
module.recompile()
print(module.code)
print(forward(*tensors))
print(module(*tensors))
"""


def compared(
    before: GraphModule, after: Callable[..., Sequence[Any]], inputs: Sequence[Sequence[Any]]
) -> tuple[Ending, str]:
    """Compare what two graphs compute on several inputs."""
    for arrays in inputs:
        with torch.no_grad():
            expected = before(*arrays)
            try:
                actual = after(*arrays)
            except Exception as error:
                return Ending.ILL_FORMED, f"the new graph cannot be run: {raised(error)}"
        if _types(expected) != _types(actual):
            return Ending.OTHER_TYPES, f"outputs of {_types(expected)} became {_types(actual)}"
        if not all(bool(torch.isfinite(one).all()) for one in expected):
            return Ending.UNDECIDED, NOT_FINITE
        message = difference(expected, actual)
        if message:
            return Ending.DIFFERS, message
    return Ending.AGREES, ""


def _types(tensors: Sequence[Any]) -> str:
    kinds = [str(one.dtype).removeprefix("torch.") for one in tensors]
    return ", ".join(f"{k}{list(t.shape)}" for k, t in zip(kinds, tensors, strict=True))
