"""One declaration per operator.

The signature of the declaring function gives operands, attributes, their domains and defaults;
its body is the shape rule and runs unchanged on ints and on terms. What else is known about the
operator is attached beside it: `numpy`, `kernel`, `relax`, `values`.

    @operator(dtypes=NUMERIC)
    def Dense(need, data: Tensor, weight: Tensor) -> TensorType: ...

    @Dense.numpy
    def _(data, weight): return data @ weight.T
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from gsl.attr.evaluate import conjunction, contains, equal, is_symbolic
from gsl.attr.term import Term
from gsl.errors import MisuseError, OperatorError, ShapeError, UndecidedError, counted, did_you_mean
from gsl.kernel.expression import Expression, as_expression
from gsl.kernel.meaning import Index
from gsl.operators.defined import Attributes, Elsewhere, ValueRule
from gsl.operators.domain import Domain
from gsl.types import ALL_DTYPES, NUMERIC, Bool, TensorType, TupleType, Type, type_from_plain

Tensor = TensorType
"""Annotation of an operand that is one tensor."""

Tensors = TupleType
"""Annotation of an operand that is a tuple of tensors."""

MaybeTensor = TensorType | TupleType
"""Annotation of an operand that is one tensor or absent; see ABSENT."""

ABSENT = TupleType(())
"""The type of an absent operand, for shape rules; references and kernels get (), lowerings None."""

REQUIRED = inspect.Parameter.empty

AXIS_UNKNOWN = "an axis depends on an unknown size; write a rule for each axis, with a condition"
"""Why neither shapes nor elements can be told of a call with such an attribute."""


class Need:
    """Collects the preconditions of a shape rule: decided ones at once, others as terms."""

    def __init__(self) -> None:
        self.claims: list[tuple[Term, str]] = []

    def __call__(self, condition: Bool, reason: str) -> None:
        """Demand `condition`; raise ShapeError with `reason` when it is known to be false."""
        if isinstance(condition, Term):
            self.claims.append((condition, reason))
        elif not condition:
            raise ShapeError(reason)


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand: a tensor, or a tuple of tensors; an optional one is a tensor or ABSENT."""

    name: str
    is_tuple: bool
    is_optional: bool = False

    def __str__(self) -> str:
        return {
            (True, False): "a tuple of tensors",
            (False, True): "one tensor, or an empty tuple where it is absent",
        }.get((self.is_tuple, self.is_optional), "one tensor")

    def takes(self, given: Type) -> bool:
        """Tell whether what is given is a tensor or a tuple as declared."""
        if self.is_optional and given == ABSENT:
            return True
        return self.is_tuple == isinstance(given, TupleType)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: its domain and, unless it is required, its default."""

    name: str
    domain: Domain
    default: Any


@dataclass(eq=False, repr=False)
class Operator:
    """A declared operator; see `operator` for how to declare one."""

    name: str
    operands: tuple[Operand, ...]
    attributes: Mapping[str, Attribute]
    rule: Callable[..., Any]
    dtypes: tuple[str, ...] | None
    traits: frozenset[str]
    documentation: str
    reference: Callable[..., Any] | None = None
    relax_name: str = ""
    lowering: Callable[..., Any] | None = None
    values: Mapping[str, ValueRule] = field(default_factory=dict)
    undefined: Callable[..., Any] | None = None
    meaning: Callable[..., Any] | None = None
    elsewhere: Mapping[str, Elsewhere] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self.name

    def values_in(self, system: str) -> Mapping[str, ValueRule]:
        """Return for operands the values on which a system defines the operator; "" is GSL."""
        wider = self.elsewhere[system].values if system in self.elsewhere else None
        return self.values if wider is None else wider

    def numpy(self, reference: Callable[..., Any]) -> Callable[..., Any]:
        """Attach the NumPy reference: arrays (tuples of arrays) and attributes to an array."""
        self.reference = reference
        return reference

    @property
    def is_built_in(self) -> bool:
        """Whether it is one of this package, whose code is known not to do just anything."""
        return self.rule.__module__.partition(".")[0] == "gsl"

    @property
    def has_lowering(self) -> bool:
        """Whether Relax can be told what the operator computes."""
        return self.lowering is not None or bool(self.relax_name)

    def relax(self, lowering: Callable[..., Any]) -> Callable[..., Any]:
        """Attach the lowering: the namespace ``tvm.relax.op``, operands, attributes to a call."""
        self.lowering = lowering
        return lowering

    def undefined_where(self, condition: Callable[..., Any]) -> Callable[..., Any]:
        """Attach where operands leave the operator undefined only together: arrays to a mask."""
        self.undefined = condition
        return condition

    def kernel(self, meaning: Callable[..., Any]) -> Callable[..., Any]:
        """Attach the kernel: the index of an element, operands and attributes to its value.

        Operands are `gsl.kernel.meaning.Elements`, or tuples of them. Where the result is a tuple,
        the number of the field comes before the index.
        """
        self.meaning = meaning
        return meaning

    def element(
        self, index: Index, operands: Sequence[Any], attributes: Attributes, field: int | None
    ) -> Expression:
        """Return the value of the element at `index`, in `field` of the result if it is a tuple.

        Raises OperatorError when the operator has no kernel, UndecidedError when an axis is a term.
        """
        if self.meaning is None:
            raise OperatorError(f"{self} has no kernel that says what its elements are")
        for name, attribute in self.attributes.items():
            if attribute.domain.names_axes and is_symbolic(attributes[name]):
                raise UndecidedError(AXIS_UNKNOWN)
        place = (index,) if field is None else (field, index)
        return as_expression(self.meaning(*place, *operands, **attributes))

    def normalise(self, attributes: Attributes, operands: tuple[Type, ...]) -> dict[str, Any]:
        """Return all attributes in canonical form, defaults filled in.

        Raises OperatorError for an unknown, missing or malformed attribute.
        """
        for name in attributes:
            self.attribute(name)
        return {
            name: self._normal(attribute, attributes.get(name, attribute.default), operands)
            for name, attribute in self.attributes.items()
        }

    def _normal(self, attribute: Attribute, value: Any, operands: tuple[Type, ...]) -> Any:
        if value is REQUIRED:
            raise OperatorError(f"{self} needs attribute `{attribute.name}`")
        try:
            return attribute.domain.normalise(value, operands)
        except ValueError as error:
            raise OperatorError(f"attribute `{attribute.name}` of {self}: {error}") from error

    def attribute(self, name: str) -> Attribute:
        """Return the attribute called `name`; raise OperatorError with a suggestion."""
        if name in self.attributes:
            return self.attributes[name]
        hint = did_you_mean(name, self.attributes) or f"it has {', '.join(self.attributes) or '-'}"
        raise OperatorError(f"`{name}` is not an attribute of {self}; {hint}")

    def infer(
        self, operands: tuple[Type, ...], attributes: Attributes, need: Need | None = None
    ) -> Type:
        """Return the type of the result for canonical attributes.

        With a `need` of the caller's, undecided preconditions are collected there. Raises
        ShapeError when a precondition is known to be violated.
        """
        demand = Need() if need is None else need
        self._check_operands(operands, demand)
        for attribute in self.attributes.values():
            legal = attribute.domain.claim(attributes[attribute.name], operands)
            demand(legal, f"attribute `{attribute.name}` of {self} must be legal")
        result = self.rule(demand, *operands, **attributes)
        if isinstance(result, list):
            return TupleType(tuple(result))
        if isinstance(result, TensorType | TupleType):
            return result
        return TensorType(tuple(result), tensors(operands)[0].dtype)

    def _check_operands(self, operands: tuple[Type, ...], need: Need) -> None:
        if len(operands) != len(self.operands):
            wanted = counted(len(self.operands), "operand")
            raise ShapeError(f"{self} takes {wanted}, not {len(operands)}")
        for declared, given in zip(self.operands, operands, strict=True):
            if not declared.takes(given):
                raise ShapeError(f"operand `{declared.name}` of {self} must be {declared}")
        if self.dtypes is None:
            return
        given_dtypes = list(dict.fromkeys([tensor.dtype for tensor in tensors(operands)]))
        same = conjunction(*(equal(given_dtypes[0], dtype) for dtype in given_dtypes[1:]))
        need(same, f"the operands of {self} must have one dtype")
        if given_dtypes:
            allowed = contains(given_dtypes[0], self.dtypes)
            need(allowed, f"{self} is not defined for this dtype")


def tensors(types: tuple[Type, ...]) -> list[TensorType]:
    """Return the tensor types in `types`, those inside tuples included, in order."""
    found: list[TensorType] = []
    for item in types:
        if isinstance(item, TensorType):
            found.append(item)
        else:
            found += tensors(item.fields)
    return found


REGISTRY: dict[str, Operator] = {}


def operator(
    *,
    dtypes: Iterable[str] | None = NUMERIC,
    relax: str = "",
    traits: frozenset[str] | set[str] = frozenset(),
    values: Mapping[str, ValueRule] = MappingProxyType({}),
    elsewhere: Mapping[str, Elsewhere] = MappingProxyType({}),
) -> Callable[[Callable[..., Any]], Operator]:
    """Declare an operator from its shape rule and register it under the name of the function.

    Args:
        dtypes: element types for which it is defined, one for all tensor operands; None when the
            shape rule speaks about dtypes itself.
        relax: name below ``relax.op`` of the operator that takes the same operands and
            attributes, such as "nn.relu"; empty when a lowering is attached instead.
        traits: properties that rules may match instead of a name, such as "elementwise".
        values: for operands not defined on all values, those on which they are.
        elsewhere: what systems make of other values, by the name of the system.

    Raises MisuseError where `dtypes` has what is no element type.
    """
    allowed = None if dtypes is None else _known_dtypes(dtypes)

    def declare(rule: Callable[..., Any]) -> Operator:
        declared = Operator(
            name=rule.__name__,
            operands=tuple(_operands(rule)),
            attributes=MappingProxyType({a.name: a for a in _attributes(rule)}),
            rule=rule,
            dtypes=allowed,
            traits=frozenset(traits),
            documentation=inspect.getdoc(rule) or "",
            relax_name=relax,
            values=values,
            elsewhere=elsewhere,
        )
        REGISTRY[declared.name] = declared
        return declared

    return declare


def _known_dtypes(names: Iterable[str]) -> tuple[str, ...]:
    listed = tuple(names)
    for unknown in sorted({*listed} - {*ALL_DTYPES}):
        hint = did_you_mean(str(unknown), ALL_DTYPES) or "write names, as in ('float32', 'int8')"
        raise MisuseError(f"dtypes={names!r} is no list of element types; {hint}")
    return tuple(name for name in ALL_DTYPES if name in listed)


def _operands(rule: Callable[..., Any]) -> list[Operand]:
    hints = get_type_hints(rule)
    names = [p.name for p in _parameters(rule) if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    return [
        Operand(name, hints[name] is TupleType, hints[name] == MaybeTensor) for name in names[1:]
    ]


def _attributes(rule: Callable[..., Any]) -> list[Attribute]:
    hints = get_type_hints(rule, include_extras=True)
    return [
        Attribute(p.name, _domain(hints[p.name]), p.default)
        for p in _parameters(rule)
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    ]


def _parameters(rule: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(rule).parameters.values())


def _domain(hint: Any) -> Domain:
    if get_origin(hint) is Annotated:
        domain: Domain = get_args(hint)[1]
        return domain
    raise TypeError(f"an attribute is annotated with its domain, not {hint!r}")


class Payload(str):
    """A text that is not for reading, as its `repr` admits."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} characters>"


def _onnx_reference(*operands: Any, **attributes: Any) -> Any:
    return import_module("gsl.onnx.opaque").compute(*operands, **attributes)


REFERENCES: Mapping[str, Callable[..., Any]] = {"onnx": _onnx_reference}
"""What computes the calls of opaque operators, by what their names begin with."""


class OpaqueOperator(Operator):
    """An operator of another system that graphs carry without understanding it; see `lookup`.

    It has no traits and no declared attributes, so only a pattern that matches anything matches its
    calls, and a reference only where the other system has references, as ONNX has. A call has two
    attributes of its own: `result`, its type as `gsl.types.type_to_plain` writes it, and `payload`,
    from which the door to the other system restores the call. Both are plain values, to be sent and
    saved like those of other operators.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            name=name,
            operands=(),
            attributes=MappingProxyType({}),
            rule=type_from_plain,
            dtypes=None,
            traits=frozenset(),
            documentation="An operator that GSL does not know.",
            reference=REFERENCES.get(name.partition(".")[0]),
        )

    def normalise(self, attributes: Attributes, operands: tuple[Type, ...]) -> dict[str, Any]:
        """Return `payload` and `result`; raise OperatorError unless these are the attributes."""
        if attributes.keys() != {"payload", "result"}:
            raise OperatorError(f"{self} is unknown; its attributes are `payload` and `result`")
        return {"payload": Payload(attributes["payload"]), "result": attributes["result"]}

    def infer(
        self, operands: tuple[Type, ...], attributes: Attributes, need: Need | None = None
    ) -> Type:
        """Return the type that the call says it has; raise OperatorError when that is none."""
        try:
            return type_from_plain(attributes["result"])
        except (TypeError, ValueError) as error:
            raise OperatorError(
                f"`result` of {self} is no type: {attributes['result']!r}"
            ) from error


_OPAQUE: dict[str, OpaqueOperator] = {}


def lookup(name: str) -> Operator:
    """Return the operator called `name`.

    A name with a dot, such as "relax.nn.lstm", is that of an operator of another system; there is
    one OpaqueOperator of that name. Raises OperatorError with a suggestion for any other, and
    MisuseError for what is no name.
    """
    if not isinstance(name, str):
        raise MisuseError(f"an operator is looked up by its name, not by {name!r}")
    if name in REGISTRY:
        return REGISTRY[name]
    if "." in name:
        return _OPAQUE.get(name) or _OPAQUE.setdefault(name, OpaqueOperator(name))
    hint = did_you_mean(name, REGISTRY)
    raise OperatorError(f"there is no operator `{name}`" + (f"; {hint}" if hint else ""))
