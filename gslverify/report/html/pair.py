"""Source and target of a rule as one picture in a file of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gslverify.report.html.picture import Side, sides
from gslverify.report.html.sketch import Sketch

SIZE = re.compile(r'<svg [^>]*?width="(\d+)" height="(\d+)"')
GAP, HEADING = 40, 24
"""Pixels between both sides, and above them for their titles."""

PAPER = "#ffffff"
INK = "#1f2328"


def rule_svg(sketch: Sketch) -> str | None:
    """Return a rule as an SVG document; None without a layout engine, or without a drawing."""
    drawn = sides(sketch)
    if not drawn or any(side.svg is None for side in drawn):
        return None
    sizes = [_size(side.svg or "") for side in drawn]
    width = sum(width for width, _ in sizes) + GAP * (len(sizes) - 1)
    height = max(height for _, height in sizes) + HEADING
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">'
    )
    paper = f'<rect width="{width}" height="{height}" fill="{PAPER}"/>'
    return "\n".join([f"{opening}{paper}", *_placed(drawn, sizes), "</svg>", ""])


def _size(svg: str) -> tuple[int, int]:
    found = SIZE.match(svg)
    assert found is not None  # it was written by gslverify.report.html.svg
    return int(found[1]), int(found[2])


def _placed(drawn: Sequence[Side], sizes: Sequence[tuple[int, int]]) -> list[str]:
    """Return both sides with their titles, moved to where they belong."""
    parts, left = [], 0
    for side, (width, _) in zip(drawn, sizes, strict=True):
        title = f'<text x="{left}" y="16" font-size="14" font-weight="700" font-family="sans-serif"'
        parts.append(f'{title} fill="{INK}">{side.title}</text>')
        parts.append((side.svg or "").replace("<svg ", f'<svg x="{left}" y="{HEADING}" ', 1))
        left += width + GAP
    return parts
