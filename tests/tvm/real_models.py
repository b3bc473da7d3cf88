"""Models as people have them: PyTorch modules."""

from __future__ import annotations

from typing import Any

import pytest


def exported(module: Any, *inputs: Any) -> Any:
    torch = pytest.importorskip("torch")
    with torch.no_grad():
        return torch.export.export(module.eval(), inputs)


def transformer_encoder() -> Any:
    """Two encoder layers, as PyTorch has them, without dropout."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    return exported(encoder, torch.randn(2, 6, 16))


def torch_block() -> Any:
    """Two convolutions with batch norm and a shortcut, as PyTorch has them."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8))
            self.second = nn.Sequential(nn.Conv2d(8, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8))
            self.shortcut = nn.Sequential(nn.Conv2d(3, 8, 1, 2, bias=False), nn.BatchNorm2d(8))

        def forward(self, data: Any) -> Any:
            return (self.second(self.first(data).relu()) + self.shortcut(data)).relu()

    block = Block()
    for part in block.modules():
        if isinstance(part, nn.BatchNorm2d):
            for statistic in (
                part.running_mean,
                part.running_var,
                part.weight.data,
                part.bias.data,
            ):
                statistic.uniform_(0.5, 1.5)
    return exported(block, torch.randn(1, 3, 9, 9))


def lstm_step() -> Any:
    """One step of an LSTM cell from given states."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    states = torch.randn(3, 5), torch.randn(3, 5)
    return exported(torch.nn.LSTMCell(6, 5), torch.randn(3, 6), states)
