"""Fold the parameters of a workload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gsl.errors import MisuseError
from gsl.evaluate import value_of
from gsl.expr import Call, Const, Expr, Proj, Tuple, Var
from gsl.fold.value import Value, computed, first_stem, tuple_of
from gsl.graph import reverse_post_order
from gsl.operators.declaration import tensors
from gsl.types import ANY_INTEGER, Type

if TYPE_CHECKING:
    from gsl.workload import Workload


@dataclass(slots=True)
class FoldRecord:
    """What a folding did: the names of the new parameters, and calls left in place with reasons."""

    added: list[str] = field(default_factory=list)
    left: list[tuple[Call, str]] = field(default_factory=list)


def fold(workload: Workload, *, record: FoldRecord | None = None) -> Workload:
    """Return `workload` with everything computed that depends on parameters and constants only.

    Values come from the NumPy references and keep shape and dtype. The largest such expressions
    become parameters, named after a parameter and the operator that they replace, or constants if
    they depend on constants alone; an output may become one, too. Of a tuple only the fields that
    are used are kept. Parameters that nothing uses any more are dropped.

    A call stays, and is noted in `record`, when its operator has no reference or when that fails:
    raises an error, runs out of memory, divides integers by zero, converts what an integer type
    cannot hold, or returns another type than declared. What is left alone stays the very same
    object, and when that is everything, so is the workload. Every intermediate value is freed
    after its last use.

    A folded tensor may be larger than what it was computed from, such as one that is broadcast.
    Raises MisuseError for a record that is none.
    """
    notes = FoldRecord() if record is None else record
    if not isinstance(notes, FoldRecord):
        raise MisuseError(f"the record is no FoldRecord: {record!r}")
    folding = _Folding(workload, notes)
    outputs = folding.run(workload)
    same = _are_same(outputs, workload.outputs)
    order = workload.order if same else reverse_post_order(outputs)
    used = {expr.name for expr in order if isinstance(expr, Var)}
    parameters = {name: value for name, value in folding.parameters.items() if name in used}
    notes.added = [name for name in parameters if name not in workload.parameters]
    if same and len(parameters) == len(workload.parameters):
        return workload
    added = {name: parameters[name] for name in notes.added}
    return workload.with_outputs(outputs, order=order, added=added)


class _Folding:
    """One folding: `known` has the values that expressions still to be visited may use.

    `due` are calls, fields and tuples that may have a value because of parameters and constants;
    `rebuilt` has what stands for those expressions that are not as they were.
    """

    def __init__(self, workload: Workload, record: FoldRecord) -> None:
        self.parameters: dict[str, Any] = dict(workload.parameters)
        self.record = record
        self.known: dict[Expr, Value] = {}
        self.rebuilt: dict[Expr, Expr] = {}
        self.due: set[Expr] = set()
        self._names = _Names(variable.name for variable in workload.variables)

    def run(self, workload: Workload) -> list[Expr]:
        """Return the folded outputs."""
        order = workload.order
        if not self._is_work(order):
            return list(workload.outputs)
        due, rebuilt, changed = self.due, self.rebuilt, self.rebuilt.keys()
        users = {expr for expr in order if not due.isdisjoint(expr.operands)}
        uses = Counter(operand for expr in users for operand in expr.operands)
        uses.update(workload.outputs)
        for expr in order:
            if expr not in users and expr not in due:  # most expressions
                if not changed.isdisjoint(expr.operands):
                    operands = tuple([rebuilt.get(one, one) for one in expr.operands])
                    rebuilt[expr] = expr.with_operands(operands)
                continue
            if expr in due:
                value = self._value_of(expr)
                if value is not None:
                    self.known[expr] = value
                if value is None or not value.is_complete:
                    self._rebuild(expr)
            else:
                self._rebuild(expr)
            if expr in users:
                self._release(expr.operands, uses)
        return [self._folded(output) for output in workload.outputs]

    def _is_work(self, order: Sequence[Expr]) -> bool:
        """Fill `due`; tell whether there is more in it than tuples."""
        is_work = False
        whole: set[Expr] = set()
        partly: set[Expr] = set()
        for expr in order:
            below = expr.operands
            if not below and isinstance(expr, Var | Const):
                if self._is_known(expr):
                    whole.add(expr)
            elif whole.issuperset(below):
                whole.add(expr)
                is_work = is_work or not isinstance(expr, Tuple)
            elif type(expr) is Call:
                continue
            elif isinstance(expr, Tuple):
                if not (whole.isdisjoint(below) and partly.isdisjoint(below)):
                    partly.add(expr)
            elif isinstance(expr, Proj) and not partly.isdisjoint(below):
                whole.add(expr)  # perhaps it is a field that is known
                is_work = True
        self.due = {expr for expr in whole if not isinstance(expr, Var | Const)} | partly
        return is_work

    def _is_known(self, leaf: Var | Const) -> bool:
        if isinstance(leaf, Var):
            return leaf.name in self.parameters
        return isinstance(leaf.value, np.ndarray)

    def _leaf(self, expr: Expr) -> Value | None:
        if not isinstance(expr, Var | Const) or not self._is_known(expr):
            return None
        if isinstance(expr, Var):
            return Value(expr.name, array=self.parameters[expr.name], expr=expr)
        return Value(None, array=expr.value, expr=expr)

    def _release(self, operands: Iterable[Expr], uses: Counter[Expr]) -> None:
        for operand in operands:
            uses[operand] -= 1
            if not uses[operand]:
                self.known.pop(operand, None)

    def _value_of(self, expr: Expr) -> Value | None:
        operands = [self.known.get(operand) or self._leaf(operand) for operand in expr.operands]
        match expr:
            case Tuple():
                return tuple_of(operands, expr)
            case Proj(index=index):
                return None if operands[0] is None else operands[0].operands[index]
            case Call():
                known = [value for value in operands if value is not None and value.is_complete]
                return self._compute(expr, known) if len(known) == len(operands) else None
            case _:
                return None

    def _compute(self, call: Call, operands: list[Value]) -> Value | None:
        arrays = [value.for_reference() for value in operands]
        try:
            with _error_state(call.type):
                result = value_of(call, arrays, {})
            return computed(result, call.type, first_stem(operands), call.operator.name.lower())
        except Exception as error:  # whatever a reference raises, also one that a user wrote
            self.record.left.append((call, _why(error)))
            return None

    def _rebuild(self, expr: Expr) -> None:
        operands = tuple(map(self._folded, expr.operands))
        if operands != expr.operands:
            self.rebuilt[expr] = expr.with_operands(operands)

    def _folded(self, expr: Expr) -> Expr:
        """Return what stands for `expr` in the folded network."""
        value = self.known.get(expr)
        if value is None or not value.is_complete:
            return self.rebuilt.get(expr, expr)
        pending = [value]
        while pending:
            unbuilt = pending[-1].unbuilt
            if unbuilt:
                pending.extend(unbuilt)
                continue
            current = pending.pop()
            if current.expr is None:
                current.expr = self._build(current)
        assert value.expr is not None
        return value.expr

    def _build(self, value: Value) -> Expr:
        if value.array is None:
            fields = tuple(field.expr for field in value.operands if field and field.expr)
            origin = value.origin
            return origin if origin and _are_same(fields, origin.operands) else Tuple(fields)
        if value.stem is None:
            return Const(value.array)
        name = self._names.new(f"{value.stem}_{value.operator}")
        self.parameters[name] = _own(value.array)
        return Var(name, value.array.shape, value.array.dtype.name)


def _why(error: Exception) -> str:
    text = str(error)
    if isinstance(error, MemoryError):
        return f"out of memory: {text}" if text else "out of memory"
    return text or type(error).__name__


def _error_state(result: Type) -> np.errstate:
    # Infinity and NaN are values of the floating types; integers have nothing of the kind.
    if any(tensor.dtype in ANY_INTEGER for tensor in tensors((result,))):
        return np.errstate(all="ignore", divide="raise", invalid="raise")
    return np.errstate(all="ignore")


def _are_same(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    return all(one is other for one, other in zip(left, right, strict=True))


def _own(array: Any) -> Any:
    """Return `array` without the larger one that it may be a view of."""
    return array if array.base is None and array.flags.c_contiguous else array.copy(order="C")


class _Names:
    """Gives names that no variable has."""

    def __init__(self, used: Iterable[str]) -> None:
        self._used = set(used)
        self._counts: Counter[str] = Counter()

    def new(self, wanted: str) -> str:
        name = wanted
        while name in self._used:
            self._counts[wanted] += 1
            name = f"{wanted}_{self._counts[wanted]}"
        self._used.add(name)
        return name
