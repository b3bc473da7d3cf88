from __future__ import annotations

import pytest

from gsl import pat


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Constant", "`pat` has no form `Constant`; did you mean `Const`?"),
        ("Wildcrad", "`pat` has no form `Wildcrad`; did you mean `Wildcard`?"),
        ("zzz", "`pat` has no form `zzz`"),
    ],
)
def test_a_form_that_does_not_exist_is_told_with_the_one_meant(name: str, message: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(pat, name)

    assert str(caught.value) == message
    assert not hasattr(pat, name)
