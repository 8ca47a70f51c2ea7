"""Profiles of sites: admins write one by keyboard, see what is wrong with it, and put it in force."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.http import HttpResponse
from playwright.sync_api import Page, expect

from agents.models import Person
from confirmations import services, trials
from confirmations.models import Profile, ProfileTrial
from oversight.views import profile_trial
from runs.models import Run
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import Crew, run_with_steps
from tests.pages.test_access import _count_queries, get
from tests.pages.test_every_page import THEMES, assert_no_violation, assert_nothing_sticks_out
from tests.support.clients import client_of
from tests.support.stack import wait_until

TEXT = """\
name: shop
sites: ["http://shop.example/*", "https://shop.example/*"]
mode: block

screens:
  - {id: CART, url: /cart/}

elements:
  - {id: "cart.item[N].remove", selector: button.remove, row: tr.cart-line}

irreversible: ["cart.item[N].remove"]
"""
HOME = "/settings/profiles"
PAGES = (HOME, "/settings/new-profile", f"{HOME}/shop", f"{HOME}/shop/versions/1")
CHANGES = (
    "/settings/new-profile",
    "/settings/try-profile",
    f"{HOME}/shop",
    f"{HOME}/shop/on",
    f"{HOME}/shop/off",
)


@pytest.fixture(autouse=True)
def _no_profiles(rows: Rows) -> Iterator[None]:
    """Profiles are everybody's: none are there that another test left."""
    rows.do(lambda: Profile.objects.all().delete())
    yield
    rows.do(lambda: Profile.objects.all().delete())


@pytest.fixture
def ada(rows: Rows, crew: Crew) -> Person:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="admin"))
    return rows.do(lambda: Person.objects.get(pk=crew.ben.pk))


@pytest.fixture
def profile(rows: Rows) -> Profile:
    return rows.do(services.create, TEXT)


def fresh(rows: Rows) -> Profile:
    return rows.do(lambda: Profile.objects.get())


def field(page: Page):
    return page.get_by_label("Profile, in YAML")


def write(page: Page, text: str) -> None:
    """By keyboard alone; pasted, since a text of many lines is."""
    field(page).focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


def post(rows: Rows, person: Person, path: str, **said: object) -> HttpResponse:
    return rows.do(lambda: client_of(person).post(path, {"text": TEXT, "seen": 1, **said}))


# --- by keyboard, in a browser ----------------------------------------------------------
def test_a_profile_is_written_and_put_in_force(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    page = open_desk(ada).page
    page.goto("/settings")
    page.get_by_role("link", name="Profiles", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No profile yet")).to_be_visible()
    page.get_by_role("link", name="New profile").focus()
    page.keyboard.press("Enter")
    write(page, TEXT)
    press(page, "Save")
    expect(page.locator(".notice-clear")).to_contain_text("shop is saved. It is not in force yet.")
    assert (fresh(rows).text, fresh(rows).is_active) == (TEXT, False)
    press(page, "Save and put in force")
    expect(page.locator(".notice-clear")).to_contain_text("shop is in force")
    assert (fresh(rows).is_active, fresh(rows).version) == (True, 2)
    assert fresh(rows).updated_by_id == ada.pk
    page.goto(HOME)
    row = page.get_by_role("row").filter(has_text="shop")
    for words in ("in force", "http://shop.example/*", "block", "2", ada.username):
        expect(row).to_contain_text(words)


def test_the_first_text_of_a_new_profile_can_be_saved(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    page = open_desk(ada).page
    page.goto("/settings/new-profile")
    press(page, "Save")
    assert fresh(rows).name == "my-shop"


def test_what_is_wrong_is_named_and_the_line_is_gone_to(
    rows: Rows, ada: Person, profile: Profile, open_desk: OpenDesk
) -> None:
    page = open_desk(ada, quiet=False).page  # a 422 is in the console
    page.goto(f"{HOME}/shop")
    spoilt = TEXT.replace("row: tr.cart-line", "row: 'tr['")
    write(page, spoilt)
    press(page, "Save")
    expect(page.get_by_role("alert")).to_contain_text("line 9, elements[0].row: This is no CSS")
    expect(field(page)).to_have_value(spoilt)
    expect(field(page)).to_be_focused()
    expect(page.locator(".line-wrong")).to_have_text("9")
    start = field(page).evaluate("field => field.selectionStart")
    assert spoilt[:start].count("\n") == 8
    assert_no_violation(page)
    assert fresh(rows).text == TEXT
    write(page, TEXT.replace("mode: block", "mode: ask"))
    press(page, "Save")
    expect(page.locator(".notice-clear")).to_contain_text("Version 2 is saved")
    assert fresh(rows).mode == "ask"


def test_who_was_overtaken_sees_what_saving_again_would_change_and_loses_nothing(
    rows: Rows, ada: Person, profile: Profile, open_desk: OpenDesk
) -> None:
    page = open_desk(ada, quiet=False).page
    page.goto(f"{HOME}/shop")
    rows.do(services.save, profile, TEXT.replace("CART,", "BASKET,"), seen=1)
    mine = TEXT.replace("mode: block", "mode: latch")
    write(page, mine)
    press(page, "Save")
    expect(page.get_by_role("alert")).to_contain_text(
        "pointsman changed this profile meanwhile: it has version 2 now."
    )
    expect(field(page)).to_have_value(mine)
    diff = page.get_by_role("region", name="What changed, line by line")
    expect(diff.locator("del")).to_have_text(
        [re.compile("mode: block"), re.compile("BASKET")], use_inner_text=True
    )
    assert_no_violation(page)
    assert fresh(rows).version == 2
    press(page, "Save")
    assert (fresh(rows).text, fresh(rows).version) == (mine, 3)


def test_a_former_text_is_looked_at_and_saved_again(
    rows: Rows, ada: Person, profile: Profile, open_desk: OpenDesk
) -> None:
    rows.do(services.save, profile, TEXT.replace("mode: block", "mode: ask"), seen=1)
    page = open_desk(ada).page
    page.goto(f"{HOME}/shop")
    page.get_by_role("link", name="Version 2").click()
    expect(page.locator("ins")).to_contain_text("mode: ask")
    expect(page.locator("del")).to_contain_text("mode: block")
    page.goto(f"{HOME}/shop/versions/1")
    page.get_by_role("link", name="Put this text into the editor").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("This is the text of version 1. It is not saved yet.")).to_be_visible()
    expect(field(page)).to_have_value(TEXT)
    assert fresh(rows).mode == "ask"
    press(page, "Save")
    assert (fresh(rows).mode, fresh(rows).version) == ("block", 3)


def test_taking_it_out_of_force_keeps_what_was_written(
    rows: Rows, ada: Person, profile: Profile, open_desk: OpenDesk
) -> None:
    rows.do(services.activate, profile, seen=1)
    page = open_desk(ada).page
    page.goto(f"{HOME}/shop")
    half = TEXT + "# more to come\n"
    write(page, half)
    press(page, "Take out of force")
    expect(page.locator(".notice-clear")).to_contain_text("no longer in force")
    expect(field(page)).to_have_value(half)
    assert (fresh(rows).is_active, fresh(rows).text) == (False, TEXT)
    press(page, "Save")
    assert (fresh(rows).text, fresh(rows).is_active) == (half, False)


def test_what_is_put_in_force_is_what_is_written(
    rows: Rows, ada: Person, profile: Profile, open_desk: OpenDesk
) -> None:
    page = open_desk(ada, quiet=False).page
    page.goto(f"{HOME}/shop")
    write(page, "name: shop\n")
    press(page, "Save and put in force")
    expect(page.get_by_role("alert")).to_contain_text("line 1, sites: This key is missing.")
    assert (fresh(rows).is_active, fresh(rows).version) == (False, 1)
    write(page, TEXT.replace("mode: block", "mode: ask"))
    press(page, "Save and put in force")
    assert (fresh(rows).is_active, fresh(rows).mode) == (True, "ask")


def test_the_lines_are_numbered_as_they_are_written(
    ada: Person, profile: Profile, open_desk: OpenDesk
) -> None:
    page = open_desk(ada).page
    page.goto(f"{HOME}/shop")
    numbers = page.locator(".line-numbers li")
    expect(numbers).to_have_count(TEXT.count("\n") + 1)
    write(page, "a\n" * 199)
    expect(numbers).to_have_count(200)
    page.keyboard.press("Control+End")
    page.wait_for_function(
        """() => {
          const [field, numbers] = document.querySelectorAll(".lined textarea, .line-numbers");
          return field.scrollTop > 3000 && field.scrollTop === numbers.scrollTop;
        }"""
    )


# --- tried on a page --------------------------------------------------------------------
FOUND = {
    "url": "http://shop.example/cart/",
    "attaches": True,
    "screen_id": "CART",
    "is_named": True,
    "elements": [
        {
            "id": "cart.item[N].remove",
            "is_irreversible": True,
            "count": 2,
            "first": [
                {"id": "cart.item[0].remove", "name": "<b>Remove</b> apron"},
                {"id": "cart.item[1].remove", "name": "Remove pan"},
            ],
        },
        {"id": "order_cancel.confirm", "is_irreversible": False, "count": 0, "first": []},
    ],
}


@pytest.fixture
def run(rows: Rows, crew: Crew) -> Run:
    return rows.do(_open_run, crew)


def _open_run(crew: Crew) -> Run:
    run = run_with_steps(crew)
    Run.objects.filter(pk=run.pk).update(status="open", current_url="http://shop.example/cart/")
    return run


@contextmanager
def a_worker_says(rows: Rows, say: Callable[..., None], told: object) -> Iterator[None]:
    """Stands for the worker: answers the next trial."""

    def waiting() -> ProfileTrial | None:
        return ProfileTrial.objects.filter(status="waiting").first()

    def answer() -> None:
        wait_until(lambda: rows.do(waiting), 20)
        rows.do(say, rows.do(waiting), told)

    thread = threading.Thread(target=answer)
    thread.start()
    yield
    thread.join()


def test_what_is_typed_is_tried_and_kept_in_the_editor(
    rows: Rows, ada: Person, run: Run, profile: Profile, open_desk: OpenDesk
) -> None:
    page = open_desk(ada).page
    page.goto(f"{HOME}/shop")
    half = TEXT + "# half done\n"
    write(page, half)
    with a_worker_says(rows, trials.answer, FOUND):
        press(page, "Try it")
    found = page.locator("#trial")
    expect(found).to_be_in_viewport()
    for words in ("CART", "cart.item[0].remove", "<b>Remove</b> apron", "none on this page"):
        expect(found).to_contain_text(words)
    expect(field(page)).to_have_value(half)
    assert_no_violation(page)
    assert fresh(rows).text == TEXT
    tried = rows.do(lambda: ProfileTrial.objects.get(person=ada))
    assert (tried.text, tried.run_id) == (half, run.pk)
    press(page, "Save")
    assert fresh(rows).text == half


def test_why_a_page_could_not_be_looked_at_is_told(
    rows: Rows, ada: Person, run: Run, open_desk: OpenDesk
) -> None:
    page = open_desk(ada).page
    page.goto("/settings/new-profile")
    with a_worker_says(rows, trials.fail, {"code": "gone", "message": "This run is over."}):
        press(page, "Try it")
    expect(page.locator("#trial [role=alert]")).to_have_text("This run is over.")
    expect(page.get_by_role("heading", name="New profile")).to_be_visible()


def test_a_bad_text_is_not_tried(
    rows: Rows, ada: Person, run: Run, profile: Profile, open_desk: OpenDesk
) -> None:
    page = open_desk(ada, quiet=False).page
    page.goto(f"{HOME}/shop")
    write(page, "name: shop\n")
    press(page, "Try it")
    expect(page.get_by_role("alert")).to_contain_text("line 1, sites: This key is missing.")
    expect(field(page)).to_have_value("name: shop\n")
    assert not rows.do(lambda: ProfileTrial.objects.filter(person=ada).exists())


def test_a_worker_that_does_not_answer_is_not_waited_for_without_end(
    rows: Rows, ada: Person, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_trial, "WAIT_S", 0.2)
    answer = post(rows, ada, "/settings/try-profile", run=str(run.pk))
    assert "did not answer in time" in answer.content.decode()


def test_a_run_of_another_team_is_not_offered_nor_tried(
    rows: Rows, ada: Person, cy: Person, run: Run
) -> None:
    rows.do(lambda: Person.objects.filter(pk=cy.pk).update(role="admin"))
    assert str(run.pk) in get(rows, ada, "/settings/new-profile").content.decode()
    assert str(run.pk) not in get(rows, cy, "/settings/new-profile").content.decode()
    for chosen in (str(run.pk), "", "x\x00"):
        answer = post(rows, cy, "/settings/try-profile", run=chosen)
        assert answer.status_code == 422
        assert "Choose an open run" in answer.content.decode()
    assert not rows.do(lambda: ProfileTrial.objects.filter(run_id=run.pk).exists())


# --- every page -------------------------------------------------------------------------
@pytest.mark.parametrize("theme", THEMES)
def test_no_page_of_profiles_has_a_violation(
    theme: str, rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada, color_scheme=theme)
    desk.page.goto(HOME)
    assert_no_violation(desk.page)
    rows.do(services.put_in_force, TEXT)
    for path in (*PAGES, f"{HOME}/shop/versions/2", f"{HOME}/shop?version=1"):
        desk.page.goto(path)
        assert_no_violation(desk.page)


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_nothing_of_profiles_is_cut_at(
    width: int, rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    long = "http://" + "a-very-long-label." * 12 + "example/*"
    rows.do(services.put_in_force, TEXT.replace("http://shop.example/*", long) + "#" * 300)
    desk = open_desk(ada, width=width, height=800)
    for path in PAGES:
        desk.page.goto(path)
        assert_nothing_sticks_out(desk.page)


# --- who may ----------------------------------------------------------------------------
@pytest.mark.parametrize("role", ["reviewer", "auditor"])
def test_only_admins_see_and_change_profiles(
    role: str, rows: Rows, crew: Crew, profile: Profile
) -> None:
    rows.do(lambda: Person.objects.filter(pk=crew.anna.pk).update(role=role))
    for path in PAGES:
        assert get(rows, crew.anna, path).status_code == 403, path
    for path in CHANGES:
        assert post(rows, crew.anna, path).status_code == 403, path
    assert fresh(rows).version == 1
    assert "Profiles" not in get(rows, crew.anna, "/settings/flags").content.decode()


def test_what_is_not_there_is_not_found(rows: Rows, ada: Person, profile: Profile) -> None:
    for path in (f"{HOME}/other", f"{HOME}/shop/versions/2", f"{HOME}/shop/versions/{10**12}"):
        assert get(rows, ada, path).status_code == 404, path
    for verb in ("", "/on", "/off"):
        assert post(rows, ada, f"{HOME}/other{verb}").status_code == 404


@pytest.mark.parametrize("seen", ["", "-1", "x", "9" * 20, "0", "2"])
def test_a_form_that_saw_no_such_version_is_refused(
    seen: str, rows: Rows, ada: Person, profile: Profile
) -> None:
    for verb in ("", "/on", "/off"):
        assert post(rows, ada, f"{HOME}/shop{verb}", seen=seen).status_code == 409
    assert fresh(rows).version == 1


def test_hostile_text_is_shown_as_text(rows: Rows, ada: Person, profile: Profile) -> None:
    text = "</textarea><script>alert(1)</script>\x00"
    answer = post(rows, ada, f"{HOME}/shop", text=text)
    assert answer.status_code == 422
    assert "<script>alert" not in answer.content.decode()


def test_more_profiles_ask_no_more_questions(rows: Rows, ada: Person, profile: Profile) -> None:
    few = rows.do(_count_queries, ada, HOME)
    for number in range(5):
        rows.do(services.create, f"name: p{number}\nsites: ['http://p{number}/*']\n")
    assert rows.do(_count_queries, ada, HOME) <= few
