"""Rules and passes that other libraries ship, read from their own source.

One file for each library, which is loaded in a child process only, because importing a library
runs it: `python -m gslverify.adapters LIBRARY FILE OPTIONS TARGET...` writes down the rules that
`gslverify adapt` verifies, and what it found about passes.
"""

from __future__ import annotations

LIBRARIES = {
    "onnx": "gslverify.adapters.onnx",
    "onnxscript": "gslverify.adapters.onnxscript",
    "relax": "gslverify.adapters.relax",
    "torch": "gslverify.adapters.torch",
}
"""Where the rules and passes of a library are found, by its name.

A module has `rules(targets)`, which yields rules to be lifted, or `reports(targets, options)`,
which yields what was found about passes; it may have both. With `names(targets)` it says what they
are called before any of them is tried.
"""
