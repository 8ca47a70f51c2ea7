"""What a card shows: the boxes where the elements are, and hostile words as words."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import FloatRect, Locator, expect

from agents.models import Person
from proposals.models import Proposal
from tests.pages.conftest import Desk, OpenDesk, Rows
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


@pytest.mark.parametrize(("kind", "width"), [("form", 1440), ("bidi", 360), ("five", 768)])
def test_a_number_stands_beside_no_other_box(
    kind: str, width: int, rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    """It would seem to be that one's."""
    desk = open_desk(crew.anna, width=width)
    desk.open(rows.do(crew.ask, kind))
    desk.page.wait_for_function("document.querySelector('.box-label')?.style.length > 0")
    boxes = desk.page.locator("[data-box]").all()
    assert len(boxes) > 1
    for box in boxes:
        label = box.locator(".box-label").bounding_box()
        others = [other.bounding_box() for other in boxes if other is not box]
        assert not [other for other in others if _is_near(label, other)]


def _is_near(one: FloatRect, other: FloatRect, *, within_px: float = 7) -> bool:
    return all(
        one[start] < other[start] + other[size] + within_px
        and other[start] < one[start] + one[size] + within_px
        for start, size in (("x", "width"), ("y", "height"))
    )


@pytest.mark.parametrize("width", [360, 768, 1100])
def test_the_site_is_never_cut_in_the_address(
    width: int, rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna, width=width)
    desk.open(rows.do(crew.ask, "bidi"))
    site = desk.page.locator(".scene-address b")
    bar = desk.page.locator(".scene-bar").bounding_box()
    expect(site).to_have_text("downloads.xn--sprig-7qa.example:8080")
    shown = site.bounding_box()
    assert bar["x"] <= shown["x"]
    assert shown["x"] + shown["width"] <= bar["x"] + bar["width"]
    assert shown["y"] + shown["height"] <= bar["y"] + bar["height"]
    assert site.evaluate("b => b.scrollWidth <= b.clientWidth")


def test_time_left_in_the_list_is_no_time_of_day(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    long, short = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    rows.do(_expire_in, long, minutes=14, seconds=30)
    rows.do(_expire_in, short, minutes=1, seconds=50)
    for scripts in (True, False):
        desk = open_desk(crew.anna, java_script_enabled=scripts)
        desk.page.goto("/")
        expect(desk.row(long).locator(".row-time")).to_have_text(re.compile(r"^1[34] min$"))
        expect(desk.row(short).locator(".row-time")).to_have_text(re.compile(r"^1:\d\d$"))


def _expire_in(proposal: Proposal, **left: int) -> None:
    Proposal.objects.filter(pk=proposal.pk).update(expires_at=timezone.now() + timedelta(**left))


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


# --- calls with several targets ---------------------------------------------------------
def target_row(desk: Desk, name: str) -> Locator:
    return desk.page.locator(f"li[data-target][data-name='{name}']")


def test_a_form_shows_for_each_field_what_is_written_and_how_sure_it_is(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna)
    desk.open(rows.do(crew.ask, "form"))
    expect(desk.page.locator("#card-title")).to_have_text(
        "Fill in 5 fields and press text=Save", use_inner_text=True
    )
    expect(desk.card).to_contain_text("Two of its six targets are not clear: Email, submit.")
    name, email, pin = (target_row(desk, one) for one in ("Full name", "Email", "PIN"))
    expect(name).to_contain_text("gets Robin Fell")
    expect(name).to_contain_text("clear 1.00")
    expect(name).to_contain_text("the only match")
    expect(email).to_contain_text("caution 0.55")
    expect(email).to_contain_text("pick one of 2")
    expect(email).to_contain_text("numbered on the picture")
    expect(pin).to_contain_text("a secret, not shown")
    expect(target_row(desk, "Gift")).to_contain_text("gets ticked")
    expect(target_row(desk, "submit")).to_contain_text("#1 button Save for later")
    expect(email.locator("[data-candidate='0']")).to_be_visible()
    expect(name.locator("[data-candidate]")).to_be_hidden()


def test_what_lacks_a_star_is_asked_for_and_reached_by_keyboard_alone(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "form")
    desk = open_desk(crew.anna)
    desk.open(asked)
    expect(desk.approve).to_have_text("Pick for Email first a")
    expect(desk.approve).to_be_disabled()

    desk.page.keyboard.press("a")
    expect(desk.page.get_by_role("status")).to_contain_text("Pick for Email first")
    expect(desk.page.get_by_role("radio", name="textbox Email").first).to_be_focused()
    assert rows.fresh(asked).status == "pending"
    desk.page.keyboard.press("1")
    expect(desk.approve).to_have_text("Approve all 6 a")
    expect(target_row(desk, "Email")).to_contain_text("your pick")
    desk.page.keyboard.press("a")

    expect(desk.card).to_have_attribute("data-status", "approved")
    expect(desk.card).to_contain_text("You approved: Email #1")
    assert rows.fresh(asked).approved_fields == [0, 0, 0, 0, 0, 0]
    assert rows.decisions(asked) == [(crew.anna.username, "approve", "", {})]


def test_another_pick_in_any_row_makes_it_a_change(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "form")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.page.keyboard.press("2")  # of the row that is numbered on the picture
    submit = target_row(desk, "submit")
    submit.locator("summary").first.focus()
    desk.page.keyboard.press("Enter")
    expect(submit.locator("[data-candidate='F2']")).to_be_visible()
    desk.page.keyboard.press("2")  # of the row where the focus is
    expect(submit.locator("[data-meant]")).to_contain_text("#2 button Save address")
    expect(desk.approve).to_have_text("Approve with 1 change a")
    expect(desk.page.locator("[data-change]")).to_contain_text("Email #2; submit #2 instead of #1")

    desk.page.keyboard.press("u")
    expect(submit.locator("[data-meant]")).to_contain_text("Save for later")
    expect(desk.approve).to_have_text("Pick for Email first a")
    desk.page.locator("[data-box='1']").click()
    submit.locator("summary").first.hover()  # shows where else it could be
    submit.get_by_label("Save address").check(force=True)
    desk.page.keyboard.press("m")

    expect(desk.card).to_contain_text("You modified: Email #2; submit #2 instead of #1")
    picks = [{"index": 1, "chosen_index": 1}, {"index": 5, "chosen_index": 1}]
    assert rows.decisions(asked) == [(crew.anna.username, "modify", "", {"fields": picks})]
    assert rows.fresh(asked).approved_fields == [0, 1, 0, 0, 0, 1]


def test_every_rows_choice_has_a_box_and_they_light_each_other(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna)
    desk.open(rows.do(crew.ask, "form"))
    labels = desk.page.locator(".box:not([data-quiet]) .box-label")
    expect(labels).to_have_text(["1", "2", "A", "C", "D", "E", "F1"])
    country = desk.page.locator("[data-box='C1']")
    target_row(desk, "Country").locator("summary").first.hover()
    expect(country).to_have_attribute("data-lit", "")
    desk.page.mouse.move(5, 5)
    expect(country).not_to_have_attribute("data-lit", "")
    country.focus()
    expect(target_row(desk, "Country")).to_have_attribute("data-lit", "")
    target_row(desk, "Email").locator("summary").first.focus()  # nothing is picked: both
    expect(desk.page.locator(".box[data-lit='some'] .box-label")).to_have_text(["1", "2"])


def test_a_drag_shows_both_ends(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = rows.do(crew.ask, "drag")
    desk = open_desk(crew.anna)
    desk.open(asked)
    expect(desk.row(asked)).to_contain_text("Drag text=Water the ferns to #done")
    expect(target_row(desk, "start")).to_contain_text("is dragged")
    expect(target_row(desk, "end")).to_contain_text("region Done")
    expect(desk.page.locator("[data-box='B1']")).to_be_visible()
    desk.page.keyboard.press("a")
    expect(desk.card).to_have_attribute("data-status", "approved")
    assert rows.fresh(asked).approved_fields == [0, 0]


def test_without_scripts_the_server_says_what_still_needs_a_pick(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "form")
    desk = open_desk(crew.anna, java_script_enabled=False, quiet=False)
    desk.open(asked)
    desk.page.get_by_role("button", name="Approve with these picks").click()
    expect(desk.page.get_by_role("alert")).to_have_text("Pick a candidate first for: Email.")
    desk.page.locator("[data-candidate='0'] label").click()
    target_row(desk, "submit").locator("summary").first.click()
    desk.page.locator("[data-candidate='F2'] label").click()
    desk.page.get_by_role("button", name="Approve my picks instead").click()
    expect(desk.card).to_contain_text("You modified: Email #1; submit #2 instead of #1")
    assert rows.fresh(asked).approved_fields == [0, 0, 0, 0, 0, 1]


def test_half_made_picks_outlive_a_card_shown_anew(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "form")
    desk = open_desk(crew.anna, quiet=False)
    desk.open(asked)
    desk.page.locator("[data-candidate='1'] label").click()
    desk.page.keyboard.press("r")
    desk.page.get_by_role("button", name="Reject with this reason").click()  # refused: no reason
    expect(desk.page.get_by_role("alert")).to_contain_text("Say why")
    expect(target_row(desk, "Email").get_by_role("radio").nth(1)).to_be_checked()


def test_rows_can_be_read_by_machines(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = rows.do(crew.ask, "form")
    desk = open_desk(crew.anna)
    desk.open(asked)
    said = desk.page.evaluate(
        """async (id) => {
          const { getMatchConfidence, decisionPayloadOf } = await import('/static/js/match-confidence.js');
          const targets = [{picked: 0, starred: 0, count: 1}, {picked: -1, starred: -1, count: 2}];
          const payload = (picked) => decisionPayloadOf({version: 2, targets: [targets[0], {...targets[1], ...picked}]});
          return {
            fields: getMatchConfidence(id).fields,
            lacking: payload({}),
            approve: payload({picked: 1}),
            modify: payload({picked: 1, starred: 0}),
          };
        }""",
        str(asked.action_id),
    )
    both = [{"index": 0, "chosen_index": 0}, {"index": 1, "chosen_index": 1}]
    assert said["fields"] == asked.fields
    assert said["lacking"] == {"verb": None, "missing": [1]}
    assert said["approve"]["verb"] == "approve"
    assert said["approve"]["fields"] == {"version": 2, "fields": both}
    assert said["modify"]["verb"] == "modify"
    assert said["modify"]["fields"] == {"version": 2, "fields": both[1:]}


# --- a second opinion -------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "headline", "words", "is_quoted"),
    [
        ("two", "The tiebreaker picked #2", "2 sits in the order form", True),
        ("undecided", "The tiebreaker could not decide", "⟦U+202E⟧yltnatsni", True),
        ("unavailable", "The tiebreaker timed out", "no answer within 2.0 s", False),
        ("precedent", "A precedent picked #2", "on 3 March", False),
    ],
)
def test_a_second_opinion_is_shown_as_what_it_is(
    name: str,
    headline: str,
    words: str,
    is_quoted: bool,
    rows: Rows,
    crew: Crew,
    open_desk: OpenDesk,
) -> None:
    desk = open_desk(crew.anna)
    desk.open(rows.do(crew.ask, name))
    tiebreak = desk.page.locator("[data-tiebreak]")
    expect(tiebreak).to_contain_text(headline)
    expect(tiebreak).to_contain_text(words)
    expect(tiebreak.get_by_text("a model's words, unverified")).to_have_count(int(is_quoted))


def test_an_order_is_placed_by_keyboard_with_a_typed_word(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "order")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.page.keyboard.press("1")
    desk.page.keyboard.press("a")
    expect(desk.page.get_by_label("This cannot be undone")).to_be_focused()
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("2")
    expect(desk.approve).to_contain_text("Approve #2")
    desk.page.keyboard.press("a")
    desk.page.keyboard.press("Enter")
    assert rows.fresh(asked).status == "pending"
    desk.page.keyboard.type("approve")
    desk.page.keyboard.press("Enter")
    expect(desk.card).to_contain_text("You approved #2")
