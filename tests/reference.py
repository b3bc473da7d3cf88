"""The modules that make pages, which lie beside the documents."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from types import ModuleType

from tests.documents import ROOT


def reference() -> ModuleType:
    """Return the hook of MkDocs as a module."""
    return beside_documents("reference_pages")


@lru_cache
def beside_documents(name: str) -> ModuleType:
    """Return a module that lies among the documents."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
