"""A counterexample as a program of at most 40 lines that needs NumPy and TVM, and nothing else.

It ends with status 1 when what it compares differs, and only then; with 2 when it fails.
"""

from __future__ import annotations

import builtins
import keyword
import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gsl.errors import printable
from gsl.evaluate import evaluate
from gsl.expr import Const, Expr, Proj, Var
from gsl.graph import reverse_post_order
from gsl.tvm.script import module_text
from gsl.types import TupleType
from gslverify.case import Case
from gslverify.repro.form import Stored

OWN_NAMES = frozenset(
    [
        "np",
        "tvm",
        "relax",
        "ir",
        "I",
        "R",
        "T",
        "Module",
        "machine",
        "run",
        "name",
        "inputs",
        "array",
        "result",
        "one",
        "expected",
        "status",
        "number",
        "old",
        "new",
        "same",
        "words",
        "known",
        "found",
        "os",
        "sys",
        "traceback",
        "source",
        "target",
        "main",
    ]
)
"""Names that mean something in a program."""

MOST_LINES = 40
COLUMNS = 100
DTYPE = re.compile(r'dtype="(\w+)"')
TIRX = re.compile(r"\bT\.")
"""How TVM prints numbers with many digits, as expressions of another module."""

SHORT_DTYPE = r'"\1"'

HEAD = '''"""{title}

{about}
"""
import os, sys, traceback
sys.excepthook = lambda *error: (traceback.print_exception(*error), os._exit(2))
import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I, relax as R{more}

'''

RUN = """
machine = relax.VirtualMachine(tvm.compile(Module, "llvm"), tvm.cpu())

def run(name):
    result = machine[name](*[tvm.runtime.tensor(array) for array in inputs])
    return [result.numpy()] if hasattr(result, "numpy") else [one.numpy() for one in result]

"""

EXACT_DIGITS = "np.set_printoptions(floatmode='unique')\n"
"""Makes NumPy print as many digits as tell a float from its neighbours, instead of 8."""

COMPARE = f"""{EXACT_DIGITS}status = 0
for number, (old, new) in enumerate(zip(run("source"), run("target"))):
    same = old.dtype == new.dtype and np.array_equal(old, new, equal_nan=True)
    status |= not same
    print(f"output {{number}}: {{'equal' if same else 'different'}}", old, new, sep="\\n")
raise SystemExit(int(status))
"""

COMPARE_WITH_NUMPY = f"""{EXACT_DIGITS}status = 0
for number, (known, found) in enumerate(zip(expected, run("source"))):
    same = known.dtype == found.dtype and np.array_equal(known, found, equal_nan=True)
    status |= not same
    words = f"output {{number}}: {{'equal' if same else 'different'}}, first NumPy, then TVM"
    print(words, known, found, sep="\\n")
raise SystemExit(int(status))
"""

SOURCE_ONLY = """for number, old in enumerate(run("source")):
    print(f"output {number} of the source; the target cannot be built:", old, sep="\\n")
"""


@dataclass(frozen=True, slots=True)
class Program:
    """Both sides as functions of the same variables, whose values are known."""

    source: list[Expr]
    target: list[Expr]
    values: dict[Var, Any]

    @property
    def text(self) -> str:
        """The module as TVM prints it; raises BackendError where TVM refuses a call."""
        sides = {"source": self.source} | ({"target": self.target} if self.target else {})
        return module_text(sides, list(self.values))


def program_of(case: Case) -> Program:
    """Return both sides of a case; tensors that are constants become variables.

    An output that is a tuple becomes its fields. Inputs without values, where types alone refute
    the rule, are ones.
    """
    exprs = case.exprs()
    values: dict[Var, Any] = {}
    copies: dict[Expr, Expr] = {}
    for expr in reverse_post_order(exprs):
        operands = tuple(copies[operand] for operand in expr.operands)
        copies[expr] = expr.with_operands(operands) if operands else expr
        if isinstance(expr, Const) and expr.value.ndim:
            variable = Var(f"constant{len(values)}", expr.shape, expr.dtype)
            copies[expr], values[variable] = variable, expr.value
        elif isinstance(expr, Var):
            names = {one.name for one in values}
            name = _identifier(expr.name, len(values), names)
            variable = Var(name, expr.shape, expr.dtype)
            copies[expr], values[variable] = variable, case.inputs.get(expr.name)
    sides = (case.source, case.target)
    source, target = (_flat([copies[exprs[n]] for n in side]) for side in sides)
    return Program(source, target, values)


def _identifier(name: str, number: int, others: Collection[str]) -> str:
    """Return what a program can call an input: its name, unless that means something there."""
    taken = keyword.iskeyword(name) or hasattr(builtins, name) or name in OWN_NAMES
    usable = name.isidentifier() and name.isascii() and not name.startswith("_")
    return name if usable and not taken and name not in others else f"input{number}"


def _flat(outputs: Sequence[Expr]) -> list[Expr]:
    flat: list[Expr] = []
    stack = list(reversed(outputs))
    while stack:
        expr = stack.pop()
        if isinstance(expr.type, TupleType):
            stack.extend(Proj(expr, n) for n in reversed(range(len(expr.type.fields))))
        else:
            flat.append(expr)
    return flat


def relax_text(case: Case) -> str:
    """Return both sides as a Relax module; raises BackendError where TVM refuses a call."""
    text = program_of(case).text
    return "\n".join(line for line in text.splitlines() if "Metadata omitted" not in line) + "\n"


def python_text(stored: Stored) -> str:
    """Return the program; raises BackendError where TVM refuses a call."""
    program = program_of(stored.case)
    expected: list[str] = []
    if program.source == program.target:  # a finding about TVM, not about a rule
        program = replace(program, target=[])
        expected = list(_expected(program))
    head = HEAD.format(
        title=_quoted(f"{stored.code_id}: {stored.message}")[: COLUMNS - 3],
        about=_quoted(f"Rule {stored.rule_id}, {_versions(stored)}."),
        more=", tirx as T" if TIRX.search(program.text) else "",
    )
    without_target = COMPARE_WITH_NUMPY if expected else SOURCE_ONLY
    run = RUN + (COMPARE if program.target else without_target)
    for most_columns in (0, COLUMNS, 10 * COLUMNS, 10**9):
        body = [*_module_lines(program.text, most_columns), *_arrays(program.values), *expected]
        text = f"{head}{chr(10).join(body)}\n{run}"
        if text.count("\n") <= MOST_LINES:
            break
    return text


def _quoted(text: str) -> str:
    return " ".join(printable(text).replace("\\", "/").replace('"', "'").split())


def _versions(stored: Stored) -> str:
    return ", ".join(f"{tool} {stored.tool.get(tool, '?')}" for tool in ("gslverify", "tvm"))


def _module_lines(text: str, most_columns: int) -> Iterator[str]:
    """Yield the module without types that TVM infers, bindings side by side where they must."""
    yield "@I.ir_module"
    yield "class Module:"
    bindings: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("@R.function"):
            yield f"    {stripped}"
        elif stripped.startswith("def "):
            head = stripped.partition(" -> ")[0]
            yield f"    {DTYPE.sub(SHORT_DTYPE, head)}:"
        elif stripped.startswith("return "):
            yield from _packed(bindings, most_columns)
            bindings = []
            yield f"        {stripped}"
        elif " = " in stripped:
            name, _, value = stripped.partition(" = ")
            bindings.append(f"{name.partition(':')[0]} = {value}")


def _packed(statements: Sequence[str], most_columns: int) -> Iterator[str]:
    line = ""
    for statement in statements:
        longer = f"{line}; {statement}" if line else f"        {statement}"
        if line and len(longer) > most_columns:
            yield line
            longer = f"        {statement}"
        line = longer
    if line:
        yield line


def _arrays(values: dict[Var, Any]) -> Iterator[str]:
    yield ""
    arrays = [_array_text(variable, array) for variable, array in values.items()]
    if len(arrays) <= 6:
        for variable, text in zip(values, arrays, strict=True):
            yield f"{variable.name} = {text}"
        yield f"inputs = [{', '.join(variable.name for variable in values)}]"
    else:
        yield f"inputs = [{', '.join(arrays)}]"


def _expected(program: Program) -> Iterator[str]:
    """Yield what the references compute, where the finding is that TVM computes something else."""
    inputs = {variable.name: value for variable, value in program.values.items()}
    results = [np.asarray(result) for result in evaluate(program.source, inputs)]
    texts = [_array_text(Var("", one.shape, one.dtype.name), one) for one in results]
    yield f"expected = [{', '.join(texts)}]"


def _array_text(variable: Var, array: Any) -> str:
    shape = ", ".join(map(str, variable.shape))
    if array is None:
        return f'np.ones(({shape}{"," if len(variable.shape) == 1 else ""}), "{variable.dtype}")'
    elements = array.ravel().tolist()
    texts = ", ".join(map(_number, elements))
    return f'np.array([{texts}], "{variable.dtype}").reshape({shape or "()"})'


def _number(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "np.nan" if value != value else ("np.inf" if value > 0 else "-np.inf")
    return repr(value)
