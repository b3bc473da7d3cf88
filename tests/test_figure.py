"""The example program of the thesis (figure "merging parallel convolutions") runs as printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gsl import Call, Expr, Subst, Var, Workload
from gsl.check import check
from gsl.engine.fixpoint import apply as apply_rules
from gsl.engine.record import Record
from gsl.evaluate import run
from gsl.graph import reverse_post_order
from gsl.operators import REGISTRY

LISTING = Path(__file__).with_name("figure.txt").read_text(encoding="utf-8")
"""The listing of the thesis, chapter 3, word for word."""

OMITTED = "wl = ...  # 具体代码已省略\n"

X = Var("x", (1, 4, 8, 8))


def conv(outputs: int, size: int = 3, **attributes: Any) -> Expr:
    weight = Var(f"w{outputs}{size}{len(attributes)}", (outputs, 4, size, size))
    return Call(REGISTRY["Conv2D"], [X, weight], attributes)


def relu(data: Expr) -> Expr:
    return Call(REGISTRY["Relu"], [data])


def program(workload: Workload) -> dict[str, Any]:
    """Execute the listing, with the workload that it leaves out."""
    assert LISTING.count(OMITTED) == 1
    names: dict[str, Any] = {"wl": workload}
    exec(compile(LISTING.replace(OMITTED, ""), "figure.py", "exec"), names)
    return names


def operator_name(expr: Expr) -> str:
    return str(expr.operator) if isinstance(expr, Call) else ""


def operators(workload: Workload) -> list[str]:
    return list(filter(None, map(operator_name, reverse_post_order(workload.outputs))))


def same_values(first: Workload, second: Workload) -> bool:
    generator = np.random.default_rng(0)
    values = {v.name: generator.integers(-3, 4, v.shape).astype("float32") for v in first.inputs}
    pairs = zip(run(first, values), run(second, values), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def test_parallel_convolutions_become_one() -> None:
    workload = Workload([relu(conv(2)), relu(conv(3)), relu(conv(5))])

    merged = program(workload)["new_wl"]

    assert operators(workload).count("Conv2D") == 3
    assert operators(merged) == ["Concatenate", "Conv2D", "Split", "Relu", "Relu", "Relu"]
    assert same_values(workload, merged)


def test_cuts_are_the_sums_of_the_output_channels() -> None:
    merged = program(Workload([conv(2), conv(3), conv(5)]))["new_wl"]

    (split,) = (e for e in reverse_post_order(merged.outputs) if operator_name(e) == "Split")

    assert split.attributes["indices_or_sections"] == (2, 5)
    assert [output.shape for output in merged.outputs] == [(1, n, 6, 6) for n in (2, 3, 5)]


OTHERS: dict[str, list[Expr]] = {
    "another stride": [conv(2), conv(3, strides=2)],
    "another padding": [conv(2), conv(3, padding=1)],
    "another dilation": [conv(2), conv(3, dilation=2)],
    "another kernel": [conv(2), conv(3, size=1)],
    "groups": [
        Call(REGISTRY["Conv2D"], [X, Var(f"g{o}", (o, 2, 3, 3))], {"groups": 2}) for o in (2, 4)
    ],
    "a single one": [conv(2), relu(X)],
    "a weight that is computed": [conv(2), Call(
        REGISTRY["Conv2D"], [X, relu(Var("v", (3, 4, 3, 3)))])],
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_convolutions_that_differ_are_left_alone(name: str) -> None:
    workload = Workload(OTHERS[name])

    assert program(workload)["new_wl"] is workload


def test_only_those_that_fit_are_merged() -> None:
    workload = Workload([conv(2), conv(7, strides=2), conv(3), relu(conv(6, size=1))])

    merged = program(workload)["new_wl"]

    assert operators(merged).count("Conv2D") == 3
    assert same_values(workload, merged)


def test_two_groups_are_merged_each_by_itself() -> None:
    workload = Workload([conv(2), conv(5, strides=2), conv(3), conv(7, strides=2)])
    record = Record()

    merged = apply_rules(workload, [program(Workload(X))["subst"]], record=record)

    assert record.total == 2
    assert operators(merged).count("Split") == 2
    assert same_values(workload, merged)


def test_listing_leaves_layouts_open_and_the_check_says_so() -> None:
    findings = check(program(Workload(X))["subst"])

    assert {finding.code for finding in findings} == {"GSL140"}
    assert all(finding.warning for finding in findings)
    assert "`data_layout`" in findings[0].message


def test_rule_of_the_listing_is_a_subst_without_state() -> None:
    names = program(Workload([conv(2), conv(3)]))
    rule = names["subst"]

    again = rule(Workload([conv(5), conv(6), conv(7)]))

    assert isinstance(rule, Subst)
    assert operators(again).count("Conv2D") == 1
    assert [output.shape[1] for output in again.outputs] == [5, 6, 7]
