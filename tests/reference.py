"""The module that makes reference pages, which lies beside the documents."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from types import ModuleType

from tests.documents import ROOT


@lru_cache
def reference() -> ModuleType:
    """Return the hook of MkDocs as a module."""
    spec = importlib.util.spec_from_file_location(
        "reference_pages", ROOT / "docs" / "reference_pages.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
