"""Rules that are registered with PyTorch's Inductor: pairs of functions, run at several sizes."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

import torch
from torch._inductor import pattern_matcher

from gsl.lift import CannotLiftError, Instance
from gsl.workload import Workload
from gslverify.adapters.foreign import ForeignRule, Options, PassResult, Replayed, place_of
from gslverify.adapters.torch_handlers import handlers, is_handler, tried
from gslverify.adapters.torch_pairs import lines_of, pairs, replaced
from gslverify.adapters.torch_replay import (
    Bound,
    CannotReplayError,
    bound,
    compared,
    larger,
    tensor_text,
)
from gslverify.case import Case

SIZES = ((11, 13, 17, 19, 23, 29, 31, 37, 41, 43), (53, 47, 61, 59, 71, 67, 79, 73, 89, 83))
"""Sizes of two instances; all of them are different primes."""
SCALARS = ((4.0, 16.0, 25.0), (0.25, 0.0625, 2.25))
"""Numbers that a rule takes; their roots are exact, and so are the reciprocals of those."""
INFERENCE = "fwd_only"
"""How the rules for inference are traced; those for training also match the backward pass."""
NO_DROPOUT = ("dropout_p", "dropout")


@dataclass(frozen=True, slots=True)
class Registration:
    """What `register_replacement` was called with.

    A pair for `replace_pattern` has no `arguments`.
    """

    name: str
    search: Callable[..., Any]
    replace: Callable[..., Any]
    inputs: tuple[Any, ...]
    scalars: Mapping[str, Any]
    trace: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def written(self) -> Callable[..., Any]:
        """The function of the pattern, without what was put around it."""
        search = self.search
        while isinstance(search, functools.partial):
            search = search.func
        written: Callable[..., Any] = inspect.unwrap(search)
        return written

    @property
    def place(self) -> str:
        """The file and line of the pattern, below the folder in which packages are installed."""
        return place_of(self.written)


def rules(targets: Sequence[str]) -> Iterator[ForeignRule]:
    """Yield the rules for inference that modules register, each name once.

    A target is a module, whose functions named `...init` are called, or `module:function`; pairs of
    functions for `replace_pattern` are found in it, too (`torch_pairs.pairs`).
    Raises ImportError for a module that is not there, AttributeError for such a function.
    """
    seen: set[str] = set()
    for one in registrations(targets):
        if one.trace == INFERENCE and one.name not in seen:
            seen.add(one.name)
            yield _rule(one)
    for pair in [one for target in targets for one in pairs(target)]:
        name = pair.search.__name__
        made = Registration(name, pair.search, pair.replace, pair.inputs, {}, INFERENCE)
        yield _rule(made)


def _rule(one: Registration) -> ForeignRule:
    named = {f"tensors_{n}": name for n, name in enumerate(_Arguments(one).tensors)}
    make, replay = functools.partial(instances, one), functools.partial(replayed, one)
    return ForeignRule(one.name, one.place, make, named, replay)


def names(targets: Sequence[str]) -> list[str]:
    """Return the names of the handlers in Python and rules that targets define."""
    given = [one.name for one in rules(targets)]
    return [*(one.name for one in handlers(targets)), *given]


def reports(targets: Sequence[str], options: Options) -> Iterator[PassResult]:
    """Yield what is found when handlers in Python are tried on graphs of their patterns."""
    registrations(targets)
    yield from tried(handlers(targets), options)


def registrations(targets: Sequence[str]) -> list[Registration]:
    """Return what importing modules and calling their functions registers, in order.

    What a module registers when it is imported it does so once in a process.
    """
    return list(_registrations(tuple(targets)))


@functools.cache
def _registrations(targets: Sequence[str]) -> Sequence[Registration]:
    torch.set_num_threads(1)  # children are forked, and threads do not come with them
    found: list[Registration] = []
    with _recording(found) as patch:
        for target in targets:
            name, _, function = target.partition(":")
            module = import_module(name)
            patch(module)
            if function:
                value = getattr(module, function)
                if callable(value) and not is_handler(target):
                    _call(value)
            else:
                for one in _initialisers(module):
                    _call(one)
    return found


@contextmanager
def _recording(found: list[Registration]) -> Iterator[Callable[[ModuleType], None]]:
    """Take note of registrations instead of tracing them; also for modules that hold the name."""
    usual = pattern_matcher.register_replacement
    signature = inspect.signature(usual)
    patched: list[ModuleType] = [pattern_matcher]

    def record(*arguments: Any, **named: Any) -> bool:
        given = signature.bind(*arguments, **named).arguments
        search, examples = given["search_fn"], given["example_inputs"]
        found.append(
            Registration(
                str(given.get("pattern_name") or getattr(search, "__name__", "pattern")),
                search,
                given["replace_fn"],
                tuple(examples() if callable(examples) else examples),
                dict(given.get("scalar_workaround") or {}),
                getattr(given["trace_fn"], "__name__", ""),
                dict(given),
            )
        )
        return True

    def patch(module: ModuleType) -> None:
        if getattr(module, "register_replacement", None) is usual:
            module.register_replacement = record  # type: ignore[attr-defined]
            patched.append(module)

    pattern_matcher.register_replacement = record
    try:
        yield patch
    finally:
        for module in patched:
            module.register_replacement = usual  # type: ignore[attr-defined]


def _initialisers(module: ModuleType) -> list[Callable[..., Any]]:
    return [
        value
        for name, value in vars(module).items()
        if name.endswith("init")
        and callable(value)
        and getattr(value, "__module__", "") == module.__name__
    ]


def _call(function: Callable[..., Any]) -> None:
    """Call a function that registers rules, with None for what it asks; it may be a cached one."""
    plain = inspect.unwrap(function)
    plain(*(None for _ in inspect.signature(plain).parameters))


def instances(registration: Registration) -> list[Instance]:
    """Return what a rule does at two choices of sizes and numbers.

    Raises CannotLiftError where PyTorch cannot export a side or gsl cannot read it.
    """
    arguments = _Arguments(registration)
    classes = arguments.size_classes()
    return [
        Instance(
            arguments.workload("search", classes, number),
            arguments.workload("replace", classes, number),
        )
        for number in range(len(SIZES))
    ]


def replayed(registration: Registration, case: Case) -> Replayed:
    """Compile what the counterexample to a lifted rule has matched, with that rule alone.

    A counterexample about types has any numbers, also such as PyTorch does not match; so usual ones
    are tried, too.
    """
    arguments = _Arguments(registration)
    numbers = {name: arguments.given(name) for name in arguments.free}
    pair = instances(registration)
    try:
        given = bound(case, pair, list(arguments.tensors), numbers)
    except CannotReplayError as error:
        return Replayed(False, str(error))
    others = {n: one for n, one in arguments.scalars.items() if n not in given.numbers}
    variables = {int(v.name.rpartition("_")[2]): v.shape for v in pair[0].source.variables}
    shapes = {n: variables.get(place, ()) for place, n in enumerate(arguments.tensors)}
    usual = {name: arguments.given(name)[0] for name in given.numbers}
    answers = []
    for chosen in (given.numbers, usual) if usual != given.numbers else (usual,):
        for tensors in larger(given.tensors, shapes):
            whole = Bound(tensors, {**others, **chosen})
            script = functools.partial(_script, registration, whole)
            if registration.arguments:
                answers.append(compared(registration.arguments, whole, script))
            else:
                pair_of = registration.search, registration.replace
                answers.append(replaced(*pair_of, whole, script))
            if answers[-1].is_shown:
                return answers[-1]
    return answers[0]


def _script(registration: Registration, given: Bound) -> str:
    """Return a script that shows a finding by PyTorch alone."""
    search = registration.written
    lines = ["import torch", "", "tensors = {"]
    for name, array in given.tensors.items():
        lines.append(f"    {name!r}: {tensor_text(array)},")
    lines.append("}")
    if not registration.arguments:
        return "\n".join([*lines, *lines_of(registration.search, registration.replace)])
    lines.append(f"from {search.__module__} import {search.__name__} as pattern")
    lines += [f"numbers = {dict(given.numbers)!r}", "", ""]
    lines += ["def computed(tensors):", "    return pattern(**tensors, **numbers)", "", ""]
    lines += ["with torch.no_grad():", "    print(computed(tensors))"]
    return "\n".join([*lines, "    print(torch.compile(computed)(tensors))", ""])


Sizes = tuple[int | str, ...]
"""Sizes of an input; those with the same name are equal."""


class _Arguments:
    """The arguments of the two functions of a rule: tensors, and numbers that are not traced."""

    def __init__(self, registration: Registration) -> None:
        self.registration = registration
        parameters = list(inspect.signature(registration.search).parameters)
        self.scalars = dict(registration.scalars)
        for name in NO_DROPOUT:
            if name in self.scalars:
                self.scalars[name] = 0.0
        names = [name for name in parameters if name not in self.scalars]
        given = dict(zip(names, registration.inputs, strict=False))
        self.tensors = {n: t for n, t in given.items() if isinstance(t, torch.Tensor) and t.ndim}
        numbers = [name for name in names if name not in self.tensors]
        is_free = [n for n in registration.scalars if isinstance(registration.scalars[n], float)]
        self.free = [*(name for name in is_free if name not in NO_DROPOUT), *numbers]

    def given(self, name: str) -> list[float]:
        """Return the numbers that an argument is in the instances."""
        return [values[self.free.index(name) % len(values)] for values in SCALARS]

    def _numbers(self, instance: int) -> dict[str, Any]:
        return {**self.scalars, **{name: self.given(name)[instance] for name in self.free}}

    def size_classes(self) -> list[Sizes]:
        """Return the sizes of the tensors, with names for those that may be any, by torch.export.

        Sizes of 1 are those of broadcast axes and stay.
        """
        dynamic, static = torch.export.Dim.AUTO, torch.export.Dim.STATIC
        shapes = [tuple(tensor.shape) for tensor in self.tensors.values()]
        wanted = [{a: dynamic if n > 1 else static for a, n in enumerate(s)} for s in shapes]
        program = self._exported("search", shapes, 0, (tuple(wanted),))
        inputs = [node for node in program.graph.nodes if node.op == "placeholder"]
        found = []
        for node in inputs:
            sizes = tuple(node.meta["val"].shape)
            found.append(tuple(n if isinstance(n, int) else str(n) for n in sizes))
        return found

    def workload(self, side: str, classes: Sequence[Sizes], instance: int) -> Workload:
        """Return one side of the rule at one choice of sizes."""
        symbols = list(dict.fromkeys(n for sizes in classes for n in sizes if isinstance(n, str)))
        if len(symbols) > len(SIZES[0]):
            raise CannotLiftError(f"{len(symbols)} different sizes are too many")
        chosen = dict(zip(symbols, SIZES[instance], strict=False))
        shapes = [tuple(chosen[n] if isinstance(n, str) else n for n in sizes) for sizes in classes]
        return Workload.from_torch(self._exported(side, shapes, instance, None))

    def _exported(
        self, side: str, shapes: Sequence[tuple[int, ...]], instance: int, dynamic: Any
    ) -> Any:
        function = getattr(self.registration, side)
        names, numbers = list(self.tensors), self._numbers(instance)
        takes = inspect.signature(function).parameters

        class Side(torch.nn.Module):
            def forward(self, *tensors: Any) -> Any:
                given = {**dict(zip(names, tensors, strict=True)), **numbers}
                return function(**{name: given[name] for name in takes if name in given})

        examples = tuple(
            torch.ones(shape, dtype=tensor.dtype)
            for shape, tensor in zip(shapes, self.tensors.values(), strict=True)
        )
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return torch.export.export(
                    Side().eval(), examples, strict=False, dynamic_shapes=dynamic
                )
        except Exception as error:  # torch.export raises whatever the functions raise
            first = (str(error).splitlines() or [""])[0][:160]
            message = f"{side}: torch.export: {type(error).__name__}: {first}"
            raise CannotLiftError(message) from error
