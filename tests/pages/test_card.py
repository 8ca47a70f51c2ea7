"""What a card shows: the boxes where the elements are, and hostile words as words."""

import pytest
from playwright.sync_api import expect

from agents.models import Person
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import Crew


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_every_box_lies_on_its_element(
    width: int, rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "frame")
    desk = open_desk(crew.anna, width=width)
    desk.open(asked)
    picture = desk.page.locator("[data-picture] img").bounding_box()
    scale = picture["width"] / asked.viewport["width"]
    for index, candidate in enumerate(asked.candidates):
        shown = desk.page.locator(f"[data-box='{index}']").bounding_box()
        for side, start in (("x", "scroll_x"), ("y", "scroll_y")):
            expected = picture[side] + (candidate["box"][side] - asked.viewport[start]) * scale
            assert shown[side] == pytest.approx(expected, abs=1.5)
        assert shown["width"] == pytest.approx(candidate["box"]["width"] * scale, abs=1.5)


def test_list_and_picture_light_up_together(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    desk = open_desk(crew.anna)
    desk.open(rows.do(crew.ask, "two"))
    box = desk.page.locator("[data-box='0']")
    candidate = desk.page.locator("[data-candidate='0']")
    candidate.hover()
    expect(box).to_have_attribute("data-lit", "")
    desk.page.mouse.move(5, 5)
    expect(box).not_to_have_attribute("data-lit", "")
    box.focus()
    expect(candidate).to_have_attribute("data-lit", "")


def test_a_candidate_outside_the_picture_is_named_and_can_be_picked(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna)
    desk.open(rows.do(crew.ask, "outside"))
    expect(desk.page.locator("[data-candidate='1']")).to_contain_text("outside the picture, below")
    desk.page.keyboard.press("1")
    desk.page.get_by_role("button", name="Candidate 2, below the picture").click()
    expect(desk.approve).to_contain_text("Approve #2")


def test_hostile_words_stay_words(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = rows.do(crew.ask, "bidi")
    desk = open_desk(crew.anna)
    dialogs: list[str] = []
    desk.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    desk.open(asked)
    expect(desk.page.locator(".agent-words")).to_contain_text("<script>alert(1)</script>")
    expect(desk.page.locator(".agent-words")).to_contain_text("⟦U+202E⟧eugolatac")
    expect(desk.page.locator("[data-candidate='1']")).to_contain_text("⟦U+200B⟧")
    expect(desk.page.locator("[data-candidate='1']")).to_contain_text("<b>free</b>")
    assert "\u202e" not in desk.page.locator("body").inner_text()
    label = desk.page.locator("[data-box='1']").get_attribute("aria-label")
    assert "\u202e" not in label
    assert dialogs == []


def test_the_score_is_a_sum_and_every_number_explains_itself(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna)
    desk.open(rows.do(crew.ask, "two"))
    sum_shown = " ".join(desk.page.locator(".equation").inner_text().split())
    assert "1.00" in sum_shown
    assert "0.30 two matches" in sum_shown
    assert "0.15 text only" in sum_shown
    assert "0.55" in sum_shown
    desk.page.get_by_role("button", name="0.15 text only").focus()
    expect(desk.page.get_by_role("tooltip").filter(has_text="by text alone")).to_be_visible()


def test_a_card_can_be_read_by_machines(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = rows.do(crew.ask, "bidi")
    desk = open_desk(crew.anna)
    desk.open(asked)
    said = desk.page.evaluate(
        """async (id) => {
          const module = await import('/static/js/match-confidence.js');
          const data = module.getMatchConfidence(id);
          return {
            data,
            none: module.getMatchConfidence('another'),
            badge: module.badge(data.level).word,
            unknown: module.badge('odd').word,
            order: module.ordered([
              {index: 0, visible: false}, {index: 1}, {index: 2, enabled: false}, {index: 3},
            ], 3).map((candidate) => candidate.index),
            nothing: module.decisionPayload({version: 1, count: 2}),
            star: module.decisionPayload({version: 1, count: 2, picked: 1, starred: 1}),
            other: module.decisionPayload({version: 3, count: 2, picked: 0, starred: 1}),
          };
        }""",
        str(asked.action_id),
    )
    assert said["data"] == asked.match_confidence
    assert said["none"] is None
    assert (said["badge"], said["unknown"]) == ("caution", "no target")
    assert said["order"] == [3, 1, 2, 0]
    assert said["nothing"] is None
    assert said["star"] == {"verb": "approve", "fields": {"version": 1, "chosen_index": 1}}
    assert said["other"] == {"verb": "modify", "fields": {"version": 3, "chosen_index": 0}}


def test_on_a_phone_one_pane_at_a_time_with_the_bar_at_the_foot(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna, width=360, height=740)
    expect(desk.card).to_be_hidden()
    desk.row(asked).click()
    expect(desk.card).to_be_visible()
    expect(desk.row(asked)).to_be_hidden()
    expect(desk.page.locator("[data-bar]")).to_be_in_viewport(ratio=1)
    bar = desk.page.locator("[data-bar]").bounding_box()
    assert bar["y"] + bar["height"] == pytest.approx(740, abs=1)
    desk.page.get_by_role("link", name="Back to the queue").click()
    expect(desk.row(asked)).to_be_visible()
    expect(desk.card).to_be_hidden()
    desk.page.go_back()
    expect(desk.card).to_be_visible()


def test_an_auditor_reads_and_has_no_buttons(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = rows.do(crew.ask, "two")
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="auditor"))
    desk = open_desk(crew.ben)
    desk.open(asked)
    expect(desk.card).to_contain_text("You can read this, not decide it.")
    expect(desk.approve).to_have_count(0)
