"""Every page of the battery: the level, the count and the element must be the right ones."""

import pytest

from browser.resolver import Resolution
from confidence.domain import confidence as scoring
from confidence.domain.confidence import MatchConfidence
from tests.battery.conftest import other_host
from tests.battery.puzzles import PUZZLES, Puzzle
from tests.support.rig import Rig
from tests.support.site import Site


@pytest.mark.parametrize(
    "puzzle",
    [
        pytest.param(
            puzzle,
            id=puzzle.slug,
            marks=pytest.mark.flaky(reruns=3) if puzzle.races_the_clock else (),
        )
        for puzzle in PUZZLES
    ],
)
def test_the_right_element_is_resolved(server: Site, rig: Rig, puzzle: Puzzle) -> None:
    rig.open(_serve(server, puzzle))
    if puzzle.before:
        rig.script(f"() => {{ {puzzle.before} }}")
    resolution = rig.find(puzzle.target, timeout_s=3 if puzzle.match_count else 0.3)
    assert _wrong(rig, puzzle, resolution) == {}


def test_the_battery_is_large_and_every_difficulty_its_own() -> None:
    assert len({puzzle.slug for puzzle in PUZZLES}) == len(PUZZLES) >= 60


def _serve(server: Site, puzzle: Puzzle) -> str:
    folder = f"/{puzzle.slug}/"
    hosts = {"{here}": server.host + folder, "{there}": other_host(server) + folder}

    def page(name: str, html: str) -> str:
        for mark, host in hosts.items():
            html = html.replace(mark, host)
        return server.page(f"<!doctype html><meta charset=utf-8>{html}", folder + name)

    for name, html in puzzle.files.items():
        page(name, html)
    return page("", puzzle.html)


def _score(resolution: Resolution) -> MatchConfidence:
    return scoring.score(
        resolution.match_count,
        is_text_only=resolution.is_text_only,
        appeared_after_ms=resolution.appeared_after_ms,
        total_count=resolution.total_count,
        candidates=resolution.candidates,
    )


def _wrong(rig: Rig, puzzle: Puzzle, resolution: Resolution) -> dict[str, object]:
    """What our layer says differently from the table, with what is right behind it."""
    said = _said(rig, resolution)
    right = {
        "level": puzzle.level,
        "match_count": puzzle.match_count,
        "total_count": puzzle.match_count if puzzle.total_count is None else puzzle.total_count,
        "starred": puzzle.starred,
        "text_only": puzzle.text_only,
    }
    if puzzle.match_count:
        right |= {
            "is_right": True,
            "enabled": puzzle.enabled,
            "in_viewport": puzzle.in_viewport,
            "covered_by": puzzle.covered_by,
            "name": puzzle.name,
        }
    asked = {key: value for key, value in right.items() if value is not None}
    return {
        key: (said.get(key), value)
        for key, value in asked.items()
        if said.get(key) != value and not (value == "*" and said.get(key))
    }


def _said(rig: Rig, resolution: Resolution) -> dict[str, object]:
    """In the words of the table. `*` stands for any cover there."""
    confidence = _score(resolution)
    said: dict[str, object] = {
        "level": str(confidence.level),
        "match_count": confidence.match_count,
        "total_count": confidence.total_count,
        "starred": confidence.chosen_index != -1,
        "text_only": resolution.is_text_only,
    }
    acted_on = confidence.index_to_act_on()
    if acted_on == -1:
        return said
    one = resolution.found[acted_on]
    cover = one.candidate.covered_by
    return {
        **said,
        "is_right": rig.read_one(one, "element.hasAttribute('data-right')"),
        "enabled": one.candidate.enabled,
        "in_viewport": one.candidate.in_viewport,
        "covered_by": cover.tag if cover else "",
        "name": one.candidate.name,
    }
