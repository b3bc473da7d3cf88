"""The attribute annotations that declarations use: a Python type with its domain."""

from __future__ import annotations

from typing import Annotated, Any

from gsl.operators import domain, domain_axes, domain_shape

Flag = Annotated[bool, domain.FLAG]
Count = Annotated[int, domain.Integer(low=0)]
Positive = Annotated[int, domain.Integer(low=1)]
AnyInt = Annotated[int, domain.Integer()]
PositiveSingle = Annotated[Any, domain.Integers(1, low=1)]
PositivePair = Annotated[Any, domain.Integers(2, low=1)]
PositiveTriple = Annotated[Any, domain.Integers(3, low=1)]
CountSingle = Annotated[Any, domain.Integers(1, low=0)]
CountPair = Annotated[Any, domain.Integers(2, low=0)]
CountTriple = Annotated[Any, domain.Integers(3, low=0)]
CountQuad = Annotated[Any, domain.Integers(4, low=0)]
CountSix = Annotated[Any, domain.Integers(6, low=0)]
Number = Annotated[float, domain.Real()]
Element = Annotated[float, domain.Element()]
Epsilon = Annotated[float, domain.Real(low=0.0)]
OneAxis = Annotated[int, domain_axes.Axis()]
NewAxis = Annotated[int, domain_axes.Axis(extra=1)]
ManyAxes = Annotated[Any, domain_axes.Axes()]
SomeAxes = Annotated[Any, domain_axes.Axes(may_be_empty=True)]
Order = Annotated[Any, domain_axes.Permutation()]
Shape = Annotated[tuple[Any, ...], domain.Sizes()]
PerAxis = Annotated[tuple[Any, ...], domain.Sizes(per_axis=1)]
PerSide = Annotated[tuple[Any, ...], domain.Sizes(per_axis=2)]
Steps = Annotated[Any, domain.Sizes(low=1, per_axis=1, default=1)]
Cuts = Annotated[Any, domain.Pieces()]
DtypeOf = Annotated[Any, domain.DtypeName()]
NewShape = Annotated[tuple[Any, ...], domain_shape.NewShape()]
UnitAxes = Annotated[Any, domain_shape.UnitAxes(may_be_empty=True)]
NewAxes = Annotated[Any, domain_axes.NewAxes()]
Positions = Annotated[tuple[Any, ...], domain_shape.Positions(per_axis=1)]
