"""People's pages in a browser, and what ending a session does to a line that is open."""

import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import ClientConnection

from agents import services
from agents.models import Person
from agents.services import actor_of
from core.actors import SYSTEM
from tests.pages.conftest import Desk, OpenDesk, Rows
from tests.pages.seed import PASSWORD, Crew
from tests.pages.test_every_page import assert_no_violation, assert_nothing_sticks_out
from tests.pages.test_socket import Listen, heard, listen  # noqa: F401  (a fixture)

OTHER = "quite-another-password"


@pytest.fixture
def ada(rows: Rows, crew: Crew) -> Person:
    """An admin, and another so that nobody is the last."""

    def made() -> Person:
        ada, _ = services.create_person(f"ada-{uuid.uuid4().hex[:6]}", role="admin")
        ada.set_password(PASSWORD)
        ada.save()
        return ada

    return rows.do(made)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first.click()


# --- open lines -------------------------------------------------------------------------
def _switch_off(crew: Crew) -> None:
    services.deactivate(crew.anna, actor=SYSTEM)


def _end_sessions(crew: Crew) -> None:
    services.end_sessions(crew.anna, actor=actor_of(crew.anna))


def _reset_the_password(crew: Crew) -> None:
    services.change_password(crew.anna, OTHER)


@pytest.mark.parametrize("end", [_switch_off, _end_sessions, _reset_the_password])
def test_an_open_line_is_cut_at_once(
    end: Callable[[Crew], None],
    rows: Rows,
    crew: Crew,
    listen: Listen,  # noqa: F811
) -> None:
    line = listen(crew.anna)
    assert heard(line) == {"kind": "welcome"}
    rows.do(end, crew)
    assert code_of(line) == 4401


def code_of(line: ClientConnection) -> int | None:
    """What it ends with, without anything having been asked or hinted."""
    with pytest.raises(ConnectionClosedError):
        line.recv(timeout=10)
    return line.close_code


def test_the_line_of_somebody_else_stays(
    rows: Rows,
    crew: Crew,
    listen: Listen,  # noqa: F811
) -> None:
    line = listen(crew.ben)
    heard(line)
    rows.do(_switch_off, crew)
    line.send('{"kind": "ping"}')
    assert heard(line) == {"kind": "pong"}


def test_who_joins_a_team_hears_of_it_on_the_line_that_is_open(
    rows: Rows,
    crew: Crew,
    listen: Listen,  # noqa: F811
) -> None:
    teams = rows.do(lambda: list(crew.anna.teams.all()))
    rows.do(lambda: services.set_teams(crew.anna, [], actor=SYSTEM))
    line = listen(crew.anna)
    heard(line)
    rows.do(lambda: services.set_teams(crew.anna, teams, actor=SYSTEM))
    assert heard(line) == {"kind": "teams"}
    asked = rows.do(crew.ask, "two")
    assert heard(line)["id"] == str(asked.pk)


# --- in a browser -----------------------------------------------------------------------
def test_an_open_card_can_be_decided_as_long_as_the_role_allows_it(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    card = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(card)
    desk.is_live()
    rows.do(lambda: services.set_role(crew.anna, "auditor", actor=SYSTEM))
    expect(desk.approve).to_have_count(0)
    rows.do(lambda: services.set_role(crew.anna, "reviewer", actor=SYSTEM))
    expect(desk.approve).to_be_enabled()


def test_somebody_is_invited_comes_in_and_is_switched_off(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    name = f"ivy-{uuid.uuid4().hex[:6]}"
    desk = open_desk(ada)
    desk.page.goto("/settings/people")
    press(desk.page, "Invite somebody")
    desk.page.get_by_label("Username").fill(name)
    press(desk.page, "Invite")
    link = desk.page.locator("[data-copy-text]").inner_text()
    path = "/sign-in/password/" + link.rsplit("/", 1)[1]

    guest = desk.page.context.browser.new_page(base_url=desk.page.url.split("/settings")[0])
    guest.goto(path)
    guest.get_by_label("New password").fill(OTHER)
    guest.get_by_label("The same again").fill(OTHER)
    press(guest, "Set the password and sign in")
    expect(guest.get_by_label(f"{name}: your account")).to_be_visible()

    desk.page.goto("/settings/people")
    press(desk.page, name)
    desk.page.locator("summary", has_text="Switch the account off").click()
    press(desk.page, "Switch it off")
    expect(desk.page.get_by_text("every session and open page of theirs is ended")).to_be_visible()
    guest.goto("/runs")
    expect(guest.get_by_role("heading", name="Sign in")).to_be_visible()
    guest.close()


def paths_of(rows: Rows, crew: Crew) -> list[str]:
    team = rows.do(lambda: crew.anna.teams.get().pk)
    people = ["/settings/people", "/settings/people/new", f"/settings/people/{crew.anna.pk}"]
    return [*people, "/settings/teams", f"/settings/teams/{team}", "/account"]


def _set_up_a_second_factor(page: Page) -> None:
    page.goto("/account/second-factor")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Go on")
    expect(page.locator(".qr")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_of_people_has_a_violation(
    theme: str, rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    key = rows.do(lambda: services.create_key(crew.agents["first-week"]))
    assert key
    desk = open_desk(ada, color_scheme=theme)
    for path in (*paths_of(rows, crew), f"/agents/{crew.agents['first-week'].pk}"):
        desk.page.goto(path)
        _unfold(desk)
        assert_no_violation(desk.page)
    desk.page.goto("/account/second-factor")
    assert_no_violation(desk.page)
    _set_up_a_second_factor(desk.page)
    assert_no_violation(desk.page)


def _unfold(desk: Desk) -> None:
    for fold in desk.page.locator("main details.fold").all():
        fold.locator("summary").click()


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_nothing_of_people_is_cut_at(
    width: int, rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada, width=width, height=800)
    for path in paths_of(rows, crew):
        desk.page.goto(path)
        _unfold(desk)
        assert_nothing_sticks_out(desk.page)
    _set_up_a_second_factor(desk.page)
    assert_nothing_sticks_out(desk.page)


def test_a_key_is_rotated_and_the_old_one_says_when_it_ends(
    rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    agent = crew.agents["first-week"]
    old = rows.do(lambda: services.create_key(agent))
    desk = open_desk(ada)
    desk.page.goto(f"/agents/{agent.pk}")
    desk.page.locator("summary", has_text=f"Rotate {old[:10]}").click()
    desk.page.get_by_label("The old one works").select_option("for an hour")
    press(desk.page, f"Rotate {old[:10]}…")
    new = desk.page.locator("[data-copy-text]").inner_text()
    assert new.startswith("pm_")
    expect(desk.page.locator(".keys-list li", has_text=old[:10])).to_contain_text("expires")
    row = rows.do(lambda: agent.keys.get(prefix=old[:10]))
    assert timedelta(minutes=50) < row.expires_at - row.created_at < timedelta(hours=2)
