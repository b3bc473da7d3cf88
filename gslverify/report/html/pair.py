"""Source and target of a rule as one picture in a file of its own."""

from __future__ import annotations

from collections.abc import Sequence

from gslverify.report.html.picture import Side, sides
from gslverify.report.html.sketch import Sketch

GAP, HEADING = 40, 24
"""Pixels between both sides, and above them for their titles."""

PAPER = "#ffffff"
INK = "#1f2328"


def rule_svg(sketch: Sketch) -> str | None:
    """Return a rule as an SVG document; None for one that could not be written down."""
    drawn = sides(sketch)
    if not drawn:
        return None
    width = sum(side.picture.width for side in drawn) + GAP * (len(drawn) - 1)
    height = max(side.picture.height for side in drawn) + HEADING
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">'
    )
    paper = f'<rect width="{width}" height="{height}" fill="{PAPER}"/>'
    return "\n".join([f"{opening}{paper}", *_placed(drawn), "</svg>", ""])


def _placed(drawn: Sequence[Side]) -> list[str]:
    """Return both sides with their titles, moved to where they belong."""
    parts, left = [], 0
    for side in drawn:
        title = f'<text x="{left}" y="16" font-size="14" font-weight="700" font-family="sans-serif"'
        parts.append(f'{title} fill="{INK}">{side.title}</text>')
        parts.append(side.picture.text.replace("<svg ", f'<svg x="{left}" y="{HEADING}" ', 1))
        left += side.picture.width + GAP
    return parts
