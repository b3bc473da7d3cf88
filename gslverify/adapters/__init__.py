"""Rules that other libraries ship, read from their own source and written as rules of gsl.

One file for each library, which is loaded in a child process only, because importing a library runs
it: `python -m gslverify.adapters LIBRARY TARGET...` writes down what `gslverify adapt` verifies.
"""

from __future__ import annotations

LIBRARIES = {"torch": "gslverify.adapters.torch"}
"""Where the rules of a library are found, by its name."""
