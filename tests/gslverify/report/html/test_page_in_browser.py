from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest

from gsl.drawing.show import statements
from gsl.drawing.vertices import drawings_of_rule
from gsl.rule_files.collect import rules_in
from gslverify.corpus.collect import collect
from gslverify.corpus.declaration import CollectedRule
from gslverify.report.html import model
from gslverify.report.html.page import drawing_page
from tests.gslverify.report.html.browser import Visit
from tests.gslverify.report.html.pages import HOSTILE, hostile, many_rules, page_of

Open = Callable[..., Visit]

ALL = ["two_conv_add", "crashed", "undecided", "wrong_on_purpose", "diamond"]
LONG = """
from gsl import Subst, op, pat, rule


@rule
def long() -> Subst:
    x = y = pat.Wildcard()
    for _ in range(40):
        y = op.Relu(y)
    return Subst(y, op.Relu(x))
"""
JENKINS = "sandbox; default-src 'none'; img-src 'self'; style-src 'self';"


def under_policy(text: str, policy: str) -> str:
    """Return the page under another policy, as a server would impose it."""
    imposed = f'http-equiv="Content-Security-Policy" content="{escape(policy)}"'
    changed, count = re.subn(r'http-equiv="Content-Security-Policy" content="[^"]*"', imposed, text)
    assert count == 1
    return changed


def test_nothing_is_requested_and_nothing_is_logged(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder))
    seen.page.locator("#page-open").click()

    assert seen.requests == []
    assert seen.complaints == []


def test_requests_and_errors_would_be_noted(visit: Open) -> None:
    seen = visit('<img src="missing.png"><script>nowhere()</script>')

    assert [one.rpartition("/")[2] for one in seen.requests] == ["missing.png"]
    assert any("nowhere is not defined" in one for one in seen.complaints)


def test_rules_are_grouped_from_worst_to_best(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder))

    assert seen.names == ALL
    assert seen.texts("h2") == [
        "Failed 1", "Error 1", "Inconclusive 1", "Failed as expected 1",
        "Passed, only tested 1",
    ]  # fmt: skip
    assert seen.open_rules == []


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("conv", ["two_conv_add", "diamond"]),
        ("DIAMOND", ["diamond"]),
        ("GSL490", ["undecided"]),
        ("conv gsl401", ["two_conv_add"]),
        ("nothing like it", []),
        ("", ALL),
    ],
)
def test_filter_hides_rules_and_counts(
    visit: Open, folder: Path, words: str, shown: list[str]
) -> None:
    seen = visit(page_of(folder))
    seen.page.get_by_label("Filter").fill("x")
    seen.page.get_by_label("Filter").fill(words)

    assert seen.names == shown
    assert seen.texts("#page-count") == [f"{len(shown)} of 5 shown"]
    assert len(seen.texts("h2")) == len(shown)


def test_verdicts_can_be_switched_off_and_on(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder))
    seen.page.get_by_role("checkbox", name="passed, only tested").uncheck()
    seen.page.get_by_role("checkbox", name="error", exact=True).uncheck()

    assert seen.names == ["two_conv_add", "undecided", "wrong_on_purpose"]
    assert seen.texts("#page-count") == ["3 of 5 shown"]

    seen.page.get_by_role("checkbox", name="passed, only tested").check()
    assert seen.names == ["two_conv_add", "undecided", "wrong_on_purpose", "diamond"]


def test_keyboard_reaches_and_opens_every_rule(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder))
    reached = []
    for _ in range(40):
        seen.page.keyboard.press("Tab")
        name = seen.value(
            "document.activeElement.matches('.rule > summary')"
            " ? document.activeElement.querySelector('b').textContent : ''"
        )
        if name:
            reached.append(name)
            if name == ALL[-1]:
                break

    assert reached == ALL
    seen.page.keyboard.press("Enter")
    assert seen.open_rules == ["diamond"]


def test_skip_link_comes_first(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder))
    seen.page.keyboard.press("Tab")

    assert seen.value("document.activeElement.textContent") == "Skip to the rules"


@pytest.mark.parametrize("scripts", [True, False])
def test_deep_link_opens_its_rule(visit: Open, folder: Path, scripts: bool) -> None:
    seen = visit(page_of(folder), "#conv.py::two_conv_add", java_script_enabled=scripts)

    assert seen.page.locator("details.rule[open]").count() == 1
    assert seen.page.locator("details.rule[open] .equation").is_visible()


def test_deep_link_shows_what_was_filtered_away(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder))
    seen.page.get_by_label("Filter").fill("undecided")
    seen.value("location.hash = 'conv.py::diamond'")
    seen.page.locator("#page-count", has_text="5 of 5").wait_for()

    assert seen.open_rules == ["diamond"]
    assert seen.names == ALL


@pytest.mark.parametrize("fragment", ["#nowhere", "#%E0%A4%A", "#page-count", "#"])
def test_a_link_to_nowhere_does_no_harm(visit: Open, folder: Path, fragment: str) -> None:
    seen = visit(page_of(folder), fragment)

    assert seen.open_rules == []
    assert seen.complaints == []


def test_copy_button_copies_the_command(visit: Open, folder: Path) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    seen = visit(page_of(folder), "#conv.py::two_conv_add", permissions=allowed)
    seen.page.get_by_role("button", name="Copy: gslverify explain GSL401").first.click()

    assert seen.value("navigator.clipboard.readText()") == "gslverify explain GSL401"
    assert "copied" in seen.texts("button.copy")


def test_copy_button_selects_where_the_clipboard_is_closed(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder), "#conv.py::two_conv_add")
    seen.value("navigator.clipboard.writeText = () => Promise.reject(new Error('closed')), 1")
    seen.page.get_by_role("button", name="Copy: gslverify explain GSL401").first.click()

    assert seen.value("getSelection().toString()") == "gslverify explain GSL401"
    assert seen.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_both_schemes(visit: Open, folder: Path, scheme: str) -> None:
    seen = visit(page_of(folder), color_scheme=scheme)
    seen.page.locator("#page-open").click()

    for selector in (
        "body",
        ".verdict",
        ".file",
        "code",
        ".level",
        ".strength",
        ".seconds",
        "a.here",
    ):
        assert contrast(seen, selector) >= 4.5, selector


def contrast(seen: Visit, selector: str) -> float:
    """Return the contrast of WCAG between the text of an element and what is behind it."""
    text, behind = seen.value(
        f"""(() => {{
            let element = document.querySelector({selector!r});
            const text = getComputedStyle(element).color;
            const clear = (one) => getComputedStyle(one).backgroundColor === "rgba(0, 0, 0, 0)";
            while (clear(element)) element = element.parentElement;
            return [text, getComputedStyle(element).backgroundColor];
        }})()"""
    )
    lighter, darker = sorted(map(luminance, (text, behind)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(("wish", "moves"), [("reduce", False), ("no-preference", True)])
def test_motion_is_reduced_when_wished(visit: Open, folder: Path, wish: str, moves: bool) -> None:
    seen = visit(page_of(folder), reduced_motion=wish)
    smooth = seen.value("getComputedStyle(document.documentElement).scrollBehavior") == "smooth"
    lasting = seen.value("getComputedStyle(document.querySelector('button')).transitionDuration")

    assert smooth is moves
    assert (lasting != "0s") is moves


@pytest.mark.parametrize("width", [320, 768, 1280, 1600])
def test_page_never_scrolls_sideways(visit: Open, folder: Path, width: int) -> None:
    page = page_of(folder, hostile(), everything=True)
    seen = visit(page, viewport={"width": width, "height": 800})
    seen.page.locator("#page-open").click()

    assert seen.value("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_drawings_fit_their_box(visit: Open, folder: Path, width: int) -> None:
    size = {"width": width, "height": 800}
    seen = visit(page_of(folder, everything=True), "#conv.py::two_conv_add", viewport=size)
    boxes = "[...document.querySelectorAll('.rule[open] figure .scroll')]"

    assert seen.value(f"{boxes}.length") == 2
    assert seen.value(f"{boxes}.every(box => box.scrollWidth <= box.clientWidth)")
    assert seen.value(f"{boxes}[0].tabIndex") == 0
    tops = seen.value(f"{boxes}.map(box => Math.round(box.getBoundingClientRect().top))")
    assert (tops[0] == tops[1]) is (width == 1280)  # one below the other on narrow screens


def test_large_drawings_are_overviews_that_can_be_enlarged(visit: Open, folder: Path) -> None:
    (folder / "conv.py").write_text(LONG, encoding="utf-8")
    (item,) = collect(["conv.py"])
    assert isinstance(item, CollectedRule)
    seen = visit(drawing_page(item), viewport={"width": 390, "height": 800})
    height = "document.querySelector('.drawing').getBoundingClientRect().height"
    assert seen.value(height) <= 0.7 * 800 + 1

    seen.page.get_by_label("full size, 41 boxes").check()

    assert seen.value(height) > 2000


@pytest.mark.parametrize("scripts", [True, False])
def test_print_view_shows_everything(visit: Open, folder: Path, scripts: bool) -> None:
    seen = visit(page_of(folder), java_script_enabled=scripts)
    inside = seen.page.locator("details.rule .stages").first
    assert not inside.is_visible()

    seen.page.emulate_media(media="print")

    assert inside.is_visible()
    assert not seen.page.locator("#page-controls").is_visible()


def test_printing_opens_all(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder))
    seen.value("dispatchEvent(new Event('beforeprint'))")

    assert seen.open_rules == ALL


def test_page_is_readable_without_scripts(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder), java_script_enabled=False)

    assert seen.names == ALL
    assert not seen.page.locator("#page-controls").is_visible()
    seen.page.locator("details.rule > summary").first.click()
    assert seen.page.locator("svg.drawing").first.is_visible()
    assert not seen.page.get_by_role("button", name="Copy").first.is_visible()


def test_drawings_and_text_survive_the_policy_of_jenkins(visit: Open, folder: Path) -> None:
    seen = visit(under_policy(page_of(folder), JENKINS))
    seen.page.locator("details.rule > summary").first.click()

    drawing = seen.page.locator("svg.drawing").first
    assert drawing.is_visible()
    assert seen.value("getComputedStyle(document.body).maxWidth") == "none"
    box = "document.querySelector('svg.drawing .marked rect')"
    assert seen.value(f"getComputedStyle({box}).stroke") == "rgb(154, 103, 0)"
    assert "conv1 = Conv2D(x, w1)" in drawing.text_content()


def test_drawings_are_titled_with_their_statements(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder), "#conv.py::two_conv_add")
    subst = rules_in(folder / "conv.py")[0]()

    titles = seen.value("[...document.querySelectorAll('svg.drawing title')].map(t => t.innerHTML)")

    expected = ["\n".join(statements(drawing)) for drawing in drawings_of_rule(subst)]
    assert titles == [escape(text, quote=False) for text in expected]
    assert seen.page.locator("svg.drawing[role=img]").count() == 2


def test_verdicts_are_words(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder))

    assert seen.texts("summary .verdict") == ["FAIL", "ERROR", "INCONCLUSIVE", "XFAIL", "PASS"]
    assert seen.texts(".summary")[0].startswith("5 rules: 1 failed, 1 error, 1 inconclusive")
    title = "document.querySelector('svg.bar title').textContent"
    assert seen.value(title).startswith("1 failed, 1 error")


def test_a_hostile_name_is_inert(visit: Open, folder: Path) -> None:
    seen = visit(page_of(folder, hostile()))
    seen.page.locator("#page-open").click()

    assert seen.value("typeof window.hacked") == "undefined"
    assert seen.page.locator("img").count() == 0
    assert HOSTILE.partition("::")[0] in seen.texts("summary .file")
    assert seen.requests == []


def test_the_policy_stops_scripts_that_are_not_ours(visit: Open, folder: Path) -> None:
    text = page_of(folder).replace("</main>", "</main><script>window.hacked = 1</script>")
    seen = visit(text)

    assert seen.value("typeof window.hacked") == "undefined"
    assert seen.names == ALL


def test_five_hundred_rules_can_be_filtered(visit: Open, folder: Path) -> None:
    seen = visit(many_rules(500, everything=False))
    seen.page.get_by_label("Filter").fill("add_490")

    assert seen.names == ["two_conv_add_490"]
    assert seen.texts("#page-count") == ["1 of 500 shown"]


def test_rules_of_one_line_are_filtered_by_what_they_show(
    visit: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "MANY", 50)
    seen = visit(many_rules(60, everything=False))
    assert len(seen.texts(".line:visible")) == 54
    seen.page.get_by_label("Filter").fill("DIAMOND_4")
    lines = seen.texts(".line:visible")

    assert len(lines) == 10
    assert all("diamond_4" in line for line in lines)
