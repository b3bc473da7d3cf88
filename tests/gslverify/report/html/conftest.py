"""A browser, where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gslverify.report.html.browser import Visit, visited

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium of the system, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("there is no Chromium: install Debian's package `chromium`")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=arguments)
        yield running
        running.close()


@pytest.fixture
def visit(browser: Any, folder: Path) -> Iterator[Callable[..., Visit]]:
    """Open a page of this text in a new context; what it requests and logs is noted."""
    contexts = []

    def open_page(text: str, fragment: str = "", **options: Any) -> Visit:
        file = folder / "report.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        return visited(context, file.as_uri() + fragment)

    yield open_page
    for context in contexts:
        context.close()
