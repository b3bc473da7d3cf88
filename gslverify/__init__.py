"""gslverify: rewrite rules of deep-learning compilers that can be trusted.

The stages, verdicts and levels of assurance are described in docs/explanation/verification.md.
"""

from __future__ import annotations

__version__ = "0.1.0"
