"""What a selector means: 298 cases from Playwright's own locator tests, each matched by ours.

The corpus (tests/data/locator-cases, Apache-2.0) counts every match; so `total_count` is compared.
"""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.errors import InvalidSelector
from tests.support.rig import Rig

CASES = json.loads((Path(__file__).parents[1] / "data/locator-cases/cases.json").read_text())
OPEN_QUOTES = ("text='wor >> span", 'text=" >> span')
REFUSED = [case for case in CASES if case["selector"] in OPEN_QUOTES]
TAKEN = [case for case in CASES if case not in REFUSED]
PAGES = [list(cases) for _, cases in itertools.groupby(TAKEN, key=lambda case: case["html"])]
READ = {
    "count": "1",
    "first_id": "element.id",
    "first_textContent": "element.textContent",
    "first_outerHTML": "element.outerHTML",
    "all_outerHTML": "element.outerHTML",
    "all_outerHTML_joined": "element.outerHTML",
}


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    with Rig.started("locator-cases", hosts=[]) as running:
        yield running


@pytest.mark.parametrize("cases", PAGES, ids=lambda cases: f"{cases[0]['file']}:{cases[0]['test']}")
def test_a_selector_finds_what_playwright_finds(rig: Rig, cases: list[dict[str, Any]]) -> None:
    rig.ask(lambda tab: tab.page.set_content(cases[0]["html"]))
    wrong = [_difference(rig, case) for case in cases]
    assert [one for one in wrong if one] == []


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["selector"])
def test_a_quote_that_swallows_the_chain_is_refused(rig: Rig, case: dict[str, Any]) -> None:
    """Playwright takes `text=" >> span` for one odd text that stands on no page: it finds nothing
    and says nothing. We say what is wrong; no element that it finds is lost."""
    assert case["expected"] == 0
    with pytest.raises(InvalidSelector, match="opens a quote"):
        rig.find(case["selector"], timeout_s=0)


def test_the_corpus_is_whole() -> None:
    assert len(CASES) == 298
    assert len(REFUSED) == len(OPEN_QUOTES)
    assert {case["kind"] for case in CASES} == set(READ)


def _difference(rig: Rig, case: dict[str, Any]) -> str:
    """What we found beside what is right; "" where they are the same."""
    resolution = rig.find(case["selector"], timeout_s=0)
    found = rig.read(resolution, READ[case["kind"]])
    assert len(found) == resolution.total_count
    answer = _as_the_corpus_says(case["kind"], found)
    same = answer == case["expected"] and _are_described_in_order(rig, case, resolution)
    return "" if same else f"{case['selector']}: {answer!r}, not {case['expected']!r}"


def _as_the_corpus_says(kind: str, found: list[Any]) -> Any:
    if kind == "count":
        return len(found)
    if kind.startswith("first_"):
        return found[0] if found else None
    return "\n".join(found) if kind.endswith("_joined") else found


def _are_described_in_order(rig: Rig, case: dict[str, Any], resolution: Any) -> bool:
    """Each described candidate is the visible match that stands at its place."""
    places = [found.position for found in resolution.found]
    tags = rig.read(resolution, "element.localName")
    told = [found.candidate.tag for found in resolution.found]
    return places == sorted(places) and told == [tags[place] for place in places]
