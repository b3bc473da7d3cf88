"""Random kernels as texts: indices of every kind, reads outside, nonlinear functions."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from gsl.kernel.parser import parse
from gsl.kernel.statement import Kernel

INDICES = (
    "{v}", "{v}", "{v} + {w}", "{v} - {w} + {n}", "{m} * {v} + {n} * {w} - {o}", "{m} * {v} - {o}",
    "{v} // {m}", "{v} % {m}", "({m} * {v} + {w}) // {n}", "({m} * {v} + {w}) % {n}",
    "{v} + {w} + {u}", "{v} // {m} % {n}", "{o}", "{n} - {v}", "{v} * {w}",
    "{v} // {m} + {w} % {n}",
)  # fmt: skip

FUNCTIONS = (
    "tanh({x})", "sigmoid({x})", "erf({x})", "sin({x})", "cos({x})", "exp({x} * 0.3)", "abs({x})",
    "sqrt(2 + {x} * {x})", "log(1.5 + {x} * {x})", "max({x}, {y})", "min({x}, {y})", "floor({x})",
    "{x} / (1.75 + {y} * {y})", "select({x} < {y}, {x}, {y})", "select({v} < {w}, {x}, {y})",
    "select({v} % 2 == 0 || {w} >= 1 && !({v} == {w}), {x}, 0.5)", "pow(1.5 + tanh({x}), {y})",
    "sum<z:{m}>({x} * {z})", "max<z:{m}>({x} - {z})", "product<z:{m}>(0.5 + {z} * {x})",
    "sum<z:{m}>({z}) * min<z:{m}>({z} * {y})", "({x}) % 3.25", "sign({x}) * {y}", "{v} * {x}",
)  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """A kernel and the text that it was read from."""

    text: str
    kernel: Kernel


@st.composite
def kernels(draw: st.DrawFn) -> Drawn:
    """Draw a kernel of one or two statements with the inputs A and B, both of which it reads."""
    sizes = st.integers(1, 4)
    shapes = {name: draw(st.lists(sizes, min_size=1, max_size=3)) for name in "AB"}
    left = [(name, draw(sizes)) for name in "ijk"[: draw(st.integers(0, 3))]]
    summed = [(name, draw(st.integers(1, 3))) for name in "rs"[: draw(st.integers(0, 2))]]

    def read(name: str, variables: list[str]) -> str:
        dims = ",".join(map(str, shapes[name]))
        indices = ", ".join(draw(index(variables)) for _ in shapes[name])
        return f"{name}<{dims}>[{indices}]"

    def value(depth: int, variables: list[str]) -> str:
        if depth == 0:
            return read(draw(st.sampled_from(list(shapes))), variables)
        form = draw(st.sampled_from((*FUNCTIONS, "({x} + {y})", "{x} * {y}", "-{x} - {y}")))
        x, y = (value(depth - 1, variables) for _ in "xy")
        z = read("A", [*variables, "z"])
        v, w = (draw(st.sampled_from(variables)) for _ in "vw")
        return form.format(x=x, y=y, z=z, v=v, w=w, m=draw(st.integers(1, 3)))

    names = [name for name, _ in (*left, *summed)] or ["0"]
    body = value(draw(st.integers(0, 2)), names)
    dims = ",".join(str(size) for _, size in left)
    target = f"C<{dims}>[{', '.join(name for name, _ in left)}]"
    total = f"sum<{', '.join(f'{n}:{e}' for n, e in summed)}>({body})" if summed else body
    variables = [name for name, _ in left] or ["0"]
    text = f"{target} = {total} + {read('A', variables)} * {read('B', variables)};"
    outputs = ["C"]
    if draw(st.booleans()):
        text += f"\nE{target[1:]} = sin({target}) * {target} - {read('B', variables)};"
        outputs = draw(st.sampled_from((["E"], ["C", "E"])))
    return Drawn(text, parse(text, ["A", "B"], outputs, "drawn", "double"))


@st.composite
def index(draw: st.DrawFn, variables: list[str]) -> str:
    """Draw an index term in some of the variables."""
    form = draw(st.sampled_from(INDICES))
    u, v, w = (draw(st.sampled_from(variables)) for _ in "uvw")
    m, n, o = (draw(st.integers(low, 4)) for low in (1, 1, 0))
    return form.format(u=u, v=v, w=w, m=m, n=n, o=o)
