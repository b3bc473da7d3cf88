"""Text of `gslverify explain`: the pages of codes, without loading the language."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc
from textwrap import indent

from gsl.errors import GslError, did_you_mean
from gslverify.codes import CODES
from gslverify.finding import Code


class UnknownCodeError(GslError):
    """There is no finding with that code; see `gslverify explain --list`."""


def code_page(code_id: str) -> Iterator[str]:
    """Yield the page of a code; raises UnknownCodeError with a suggestion."""
    code = CODES.get(code_id.upper()) or _by_name(code_id)
    if code is None:
        known = [*CODES, *(known.name for known in CODES.values())]
        hint = did_you_mean(code_id, known) or "see `gslverify explain --list`"
        raise UnknownCodeError(f"there is no code `{code_id}`; {hint}")
    yield f"{code} {code.name}: {code.title}"
    yield "warning" if code.is_warning else f"verdict {code.verdict}"
    yield ""
    yield cleandoc(code.meaning)
    for title, example in (("A rule file with it", code.bad), ("The same without it", code.good)):
        if example:
            yield ""
            yield f"{title}:"
            yield ""
            yield indent(example.rstrip(), "    ")


def _by_name(name: str) -> Code | None:
    return next((code for code in CODES.values() if code.name == name), None)


def code_list() -> Iterator[str]:
    """Yield every code with its verdict and title."""
    for code in sorted(CODES.values(), key=lambda code: code.id):
        verdict = "warning" if code.is_warning else code.verdict.value
        yield f"{code}  {verdict:<12}  {code.name:<24}  {code.title}"
