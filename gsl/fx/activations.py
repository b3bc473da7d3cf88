"""Functions between the layers of networks."""

from __future__ import annotations

from typing import Any

from gsl.fx.table import ROWS, Row, Site, writes

PLAIN = {
    "Silu": "silu",
    "Gelu": "gelu",
    "HardSwish": "hardswish",
    "Mish": "mish",
    "Softsign": "softsign",
}
"""Functions of PyTorch without anything to choose."""

CHOSEN = {
    "Elu": ("elu", {"alpha": "alpha"}),
    "Celu": ("celu", {"alpha": "alpha"}),
    "LeakyRelu": ("leaky_relu", {"alpha": "negative_slope"}),
    "Softplus": ("softplus", {"beta": "beta", "threshold": "threshold"}),
}
"""Those with attributes, and what PyTorch calls these."""


def _chosen(function: str, names: dict[str, str]) -> Row:
    def row(site: Site, data: Any) -> Any:
        how = {name: site[attribute] for attribute, name in names.items()}
        return getattr(site.functional, function)(data, **how)

    return row


ROWS.update({name: _chosen(function, {}) for name, function in PLAIN.items()})
ROWS.update({name: _chosen(*chosen) for name, chosen in CHOSEN.items()})


@writes("GeluTanh")
def _gelu_tanh(site: Site, data: Any) -> Any:
    return site.functional.gelu(data, approximate="tanh")


@writes("BiasGelu")
def _bias_gelu(site: Site, data: Any, bias: Any) -> Any:
    return site.functional.gelu(data + bias)


@writes("Selu")
def _selu(site: Site, data: Any) -> Any:
    return site["gamma"] * site.functional.elu(data, site["alpha"])


@writes("HardSigmoid")
def _hard_sigmoid(site: Site, data: Any) -> Any:
    return site.torch.clamp(site["alpha"] * data + site["beta"], 0, 1)


@writes("PRelu")
def _parametric(site: Site, data: Any, slope: Any) -> Any:
    return site.torch.where(data > 0, data, slope * data)
