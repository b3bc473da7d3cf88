"""A page that is open in a browser, with notes of what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Visit:
    """An open page: `requests` are all but its own file, `complaints` go to the console."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of the visible elements that a selector finds."""
        # What has just come into view is laid out in a later frame; till then it has no innerText.
        texts: list[str] = self.page.locator(selector).evaluate_all(
            "all => all.filter(one => one.checkVisibility())"
            ".map(one => one.innerText || one.textContent.trim())"
        )
        return texts

    def value(self, script: str) -> Any:
        """Return the value of an expression of JavaScript."""
        return self.page.evaluate(script)

    @property
    def names(self) -> list[str]:
        """The rules that are shown."""
        return self.texts("details.rule > summary .name b")

    @property
    def open_rules(self) -> list[str]:
        """The rules that are open."""
        return self.texts("details.rule[open] > summary .name b")


def visited(context: Any, url: str) -> Visit:
    """Go to an address and note everything from the first byte on."""
    visit = Visit(context.new_page())
    own = url.partition("#")[0]
    visit.page.on("request", lambda one: visit.requests.append(one.url) if one.url != own else None)
    visit.page.on("console", lambda one: visit.complaints.append(one.text))
    visit.page.on("pageerror", lambda one: visit.complaints.append(str(one)))
    visit.page.goto(url)
    return visit
