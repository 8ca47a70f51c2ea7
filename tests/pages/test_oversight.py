"""The admins' pages in a real browser: every switch by keyboard, and who may throw it."""

import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_person
from audit.models import BrowserAudit
from confidence import flags
from confidence.flags import Flags
from confidence.models import FlagOverride
from runs.models import Action
from tests.pages.conftest import Desk, OpenDesk, Rows
from tests.pages.seed import PASSWORD, Crew
from tests.pages.test_every_page import assert_no_violation, assert_nothing_sticks_out
from tests.support.history import add_acts, add_tiebreaks
from tests.support.stack import wait_until

THEMES = ["light", "dark"]
HIGH = "MATCH_CONFIDENCE_HIGH_THRESHOLD"
FORCE = "MATCH_CONFIDENCE_FORCE_PROPOSAL"


@pytest.fixture(autouse=True)
def default_flags(rows: Rows) -> Iterator[None]:
    """The flags are everybody's: they are as they were when the test ends."""
    yield
    rows.do(lambda: FlagOverride.objects.all().delete())


@pytest.fixture
def ada(rows: Rows) -> Person:
    """An admin who belongs to no team that has an agent."""
    return rows.do(_admin, f"ada-{uuid.uuid4().hex[:6]}")


def _admin(name: str) -> Person:
    person, _ = create_person(name, role="admin", teams=[name])
    person.set_password(PASSWORD)
    person.save()
    return person


@pytest.fixture
def bot(rows: Rows, crew: Crew) -> AgentRegistry:
    """An agent of the crew's team with a past: sure, unsure, and then twice as unsure."""
    return rows.do(_with_a_past, crew.agents["price-watch"])


def _with_a_past(agent: AgentRegistry) -> AgentRegistry:
    add_acts(agent, days_ago=5, high=90, partial=8, ambiguous=2, added_ms=3.0)
    add_acts(agent, days_ago=1, high=70, partial=25, ambiguous=5, in_force=True, added_ms=4.0)
    add_tiebreaks(agent, picked=3, undecided=1, cost_usd="0.0004", days_ago=1)
    return agent


def current(rows: Rows) -> Flags:
    """What the processes read: the last reading is forgotten, as it is after half a second."""

    def read() -> Flags:
        flags._forget()
        return flags.current()

    return rows.do(read)


def press(page: Page, name: str) -> None:
    """Tab to the link or button of this name, press Enter, and see the page it leads to."""
    tab_to(page, name)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def tab_to(page: Page, name: str) -> None:
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.evaluate("document.activeElement.innerText.replace(/\\s+/g, ' ').trim()")
        if focused == name:
            return
    raise AssertionError(f"{name!r} cannot be reached by keyboard on {page.url}")


def row_of(desk: Desk, agent: AgentRegistry) -> object:
    return desk.page.get_by_role("row").filter(has_text=agent.name)


# --- every page -------------------------------------------------------------------------
def paths_of(agent: AgentRegistry) -> list[str]:
    return [
        "/rollout",
        "/rollout?days=30",
        "/rollout/students-interns/on",
        "/settings/flags",
        "/agents",
        f"/agents/{agent.pk}",
        "/agents/new",
    ]


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing(
    theme: str, bot: AgentRegistry, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada, color_scheme=theme)
    for path in paths_of(bot):
        desk.page.goto(path)
        assert_no_violation(desk.page)
    desk.page.goto(f"/agents/{bot.pk}")
    desk.page.get_by_role("button", name="Create a key").click()
    desk.page.locator(".revoke summary").first.click()
    assert_no_violation(desk.page)


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_in_errors_and_open_parts(
    theme: str, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada, color_scheme=theme, quiet=False)  # a 422 is in the console
    desk.page.goto("/settings/flags")
    for summary in desk.page.locator(".flag summary").all():
        summary.click()
    assert_no_violation(desk.page)
    change(desk.page, HIGH, "0.2")
    assert_no_violation(desk.page)


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_nothing_is_cut_at(
    width: int, bot: AgentRegistry, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada, width=width, height=800)
    for path in paths_of(bot):
        desk.page.goto(path)
        assert_nothing_sticks_out(desk.page)


@pytest.mark.parametrize("width", [360, 1440])
def test_every_room_is_in_reach(width: int, crew: Crew, open_desk: OpenDesk) -> None:
    desk = open_desk(crew.anna, width=width)
    for name in ("Agents", "Roll-out", "Settings"):
        if width == 360:
            desk.page.get_by_label(f"{crew.anna.username}: your account").click()
        desk.page.get_by_role("link", name=name, exact=True).click()
        heading = "Flags" if name == "Settings" else name
        expect(desk.page.get_by_role("heading", name=heading, level=1)).to_be_visible()


# --- the roll-out -----------------------------------------------------------------------
def test_the_figures_are_on_the_page(
    rows: Rows, bot: AgentRegistry, ada: Person, open_desk: OpenDesk
) -> None:
    """What other tests left of this tier is taken out of the count."""
    others = Action.objects.exclude(run__agent=bot).filter(match_confidence__isnull=False)
    rows.do(lambda: others.update(dry_run=True))
    desk = open_desk(ada)
    desk.page.goto("/rollout")
    cells = row_of(desk, bot).get_by_role("cell")
    expect(cells).to_have_text(
        [
            "200",
            "160 clear 33 caution 7 danger",
            "10 5.0%",
            "30 15.0%",
            "54.0 ms / 103.0 ms",
            "4 / 3",
            "$0.0016",
        ]
    )
    volume = desk.page.locator("section", has=desk.page.locator("#volume"))
    expect(volume.get_by_role("row").filter(has_text="autonomous")).to_contain_text("above 2×")
    expect(desk.page.locator("[data-too-much]")).to_contain_text("autonomous")


def test_the_switches_go_on_one_after_another_and_back_by_keyboard(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada)
    desk.page.goto("/rollout?days=14")
    for steps, tiers in enumerate(
        [
            {"student", "intern"},
            {"student", "intern", "supervised"},
            {"student", "intern", "supervised", "autonomous"},
        ]
    ):
        name = ("students and interns", "supervised agents", "autonomous agents")[steps]
        press(desk.page, f"Switch on… for {name}")
        expect(desk.page.get_by_role("heading", level=1)).to_contain_text(name)
        assert current(rows).gated_tiers != tiers or not current(rows).force_proposal
        press(desk.page, "Switch on")
        expect(desk.page.get_by_role("status").first).to_contain_text("Gating is in force")
        assert current(rows).force_proposal
        assert current(rows).gated_tiers == tiers
        assert desk.page.url.endswith("?days=14")
    expect(desk.page.locator(".gating")).to_have_text("GATING")
    for name in ("supervised agents", "students and interns", "autonomous agents"):
        press(desk.page, f"Take back… for {name}")
        press(desk.page, "Take back")
        expect(desk.page.get_by_role("heading", name="Roll-out")).to_be_visible()
    assert current(rows).mode == "SHADOW"
    assert len(current(rows).gated_tiers) == 4


def test_the_confirmation_says_what_it_would_have_sent(
    rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    bot = crew.agents["first-week"]
    rows.do(lambda: add_acts(bot, days_ago=2, high=6, partial=3, ambiguous=1))
    desk = open_desk(ada)
    desk.page.goto("/rollout/students-interns/on?days=7")
    expect(row_of(desk, bot).get_by_role("cell").last).to_have_text("4")
    expect(desk.page.locator(".consequences")).to_contain_text(FORCE)
    desk.page.get_by_role("link", name="Leave it as it is").click()
    assert current(rows).mode == "SHADOW"


def test_a_switch_out_of_order_is_refused_in_words(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada, quiet=False)  # a 409 is in the console
    desk.page.goto("/rollout/autonomous/on")
    expect(desk.page.get_by_role("alert")).to_contain_text("switch on “Students and interns” first")
    assert current(rows).mode == "SHADOW"


# --- flags ------------------------------------------------------------------------------
def change(page: Page, name: str, value: str) -> None:
    flag = page.locator(f"#{name}")
    if not flag.get_by_label("Value").is_visible():
        flag.locator("summary").click()
    flag.get_by_label("Value").fill(value)
    flag.get_by_role("button", name="Save").click()


def test_a_flag_is_changed_and_reset_and_every_process_reads_it(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada)
    desk.page.goto("/settings/flags")
    change(desk.page, HIGH, "0.9")
    flag = desk.page.locator(f"#{HIGH}")
    expect(flag.locator(".flag-value")).to_have_text("0.9")
    expect(flag.locator(".flag-source")).to_contain_text(f"Set by {ada.username}")
    expect(flag.locator(".flag-source")).to_contain_text("version 1")
    assert current(rows).thresholds.high == 0.9
    flag.locator("summary").click()
    flag.get_by_role("button", name="Reset to 0.85").click()
    expect(flag.locator(".flag-source")).to_contain_text("Not overridden")
    assert current(rows).thresholds.high == 0.85
    entries = rows.do(lambda: list(BrowserAudit.objects.filter(actor_name=ada.username)))
    assert [entry.verb for entry in entries] == ["person.sign_in", "flags.set", "flags.reset"]


def test_a_bad_threshold_is_refused_by_name_beside_its_field(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada, quiet=False)
    desk.page.goto("/settings/flags")
    change(desk.page, HIGH, "0.2")
    flag = desk.page.locator(f"#{HIGH}")
    expect(flag.get_by_role("alert")).to_contain_text("MATCH_CONFIDENCE_PARTIAL_THRESHOLD")
    expect(flag.get_by_label("Value")).to_be_focused()
    expect(flag.get_by_label("Value")).to_have_value("0.2")
    assert current(rows).thresholds.high == 0.85


def test_tiers_are_ticked(rows: Rows, ada: Person, open_desk: OpenDesk) -> None:
    desk = open_desk(ada)
    desk.page.goto("/settings/flags")
    flag = desk.page.locator("#MATCH_CONFIDENCE_GATED_TIERS")
    flag.locator("summary").click()
    flag.get_by_label("autonomous").uncheck()
    flag.get_by_label("student").uncheck()
    flag.get_by_role("button", name="Save").click()
    expect(flag.locator(".flag-value")).to_have_text("intern, supervised")
    assert current(rows).gated_tiers == {"intern", "supervised"}


def test_the_kill_switch_stops_gating_by_keyboard_while_another_page_shows_it(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    rows.do(flags.set_flag, FORCE, True)
    desk = open_desk(ada)

    def shows_gating() -> bool:
        desk.page.goto("/settings/flags")
        return desk.page.locator(".gating").inner_text() == "GATING"

    wait_until(shows_gating, 5)
    expect(desk.page.get_by_role("heading", name="Gating in force")).to_be_visible()
    press(desk.page, "Stop gating now")
    expect(desk.page.get_by_role("heading", name="Shadow mode")).to_be_visible()
    expect(desk.page.locator(".gating")).to_contain_text("SHADOW")
    expect(desk.page.get_by_role("button", name="Stop gating now")).to_have_count(0)
    assert current(rows).mode == "SHADOW"


# --- agents -----------------------------------------------------------------------------
def test_an_agent_is_registered_given_a_key_and_a_key_is_revoked(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    name = f"newcomer-{uuid.uuid4().hex[:6]}"
    desk = open_desk(ada)
    desk.page.goto("/agents")
    press(desk.page, "Register an agent")
    desk.page.get_by_label("Name").fill(name)
    desk.page.get_by_role("radio", name="supervised", exact=True).check()
    desk.page.get_by_label("Hosts it may reach").fill("shop.example\n*.pay.example:8443")
    desk.page.get_by_role("button", name="Register").click()
    expect(desk.page.get_by_role("heading", name=name)).to_be_visible()
    expect(desk.page.get_by_text("No key yet")).to_be_visible()
    press(desk.page, "Create a key")
    key = desk.page.locator("[data-copy-text]").inner_text()
    assert key.startswith("pm_")
    desk.page.goto(desk.page.url.removesuffix("/keys"))
    assert key not in desk.page.content()  # shown once
    tab_to(desk.page, f"Revoke {key[:10]}")
    desk.page.keyboard.press("Enter")
    press(desk.page, f"Revoke {key[:10]}…")
    expect(desk.page.locator(".is-revoked")).to_contain_text(key[:10])
    agent = rows.do(lambda: AgentRegistry.objects.get(name=name))
    assert (agent.tier, agent.allowed_hosts) == (
        "supervised",
        ["shop.example", "*.pay.example:8443"],
    )
    assert not rows.do(lambda: agent.keys.filter(revoked_at=None).exists())


def test_tier_gating_hosts_and_pause_are_changed_by_keyboard(
    rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    bot = crew.agents["first-week"]
    desk = open_desk(ada)
    desk.page.goto(f"/agents/{bot.pk}")

    def fresh() -> AgentRegistry:
        return rows.do(lambda: AgentRegistry.objects.get(pk=bot.pk))

    desk.page.get_by_role("radio", name="student", exact=True).focus()
    desk.page.keyboard.press("ArrowDown")
    press(desk.page, "Save tier")
    expect(desk.page.get_by_role("status").first).to_contain_text("tier is changed")
    assert fresh().tier == "intern"
    for word, flag in (("always", True), ("never", False), ("follow", None)):
        desk.page.get_by_role("radio", name=word, exact=True).check()
        press(desk.page, "Save gating")
        expect(desk.page.get_by_role("status").first).to_contain_text("gating is changed")
        assert fresh().match_confidence_gating_enabled is flag
    desk.page.get_by_label("Hosts its browsers may reach").fill("B.example, c.example:81")
    press(desk.page, "Save hosts")
    expect(desk.page.get_by_label("Hosts its browsers may reach")).to_have_value(
        "b.example\nc.example:81"
    )
    press(desk.page, "Pause")
    expect(desk.page.locator(".run-head .state")).to_have_text("paused")
    press(desk.page, "Resume")
    expect(desk.page.locator(".run-head .state")).to_have_text("active")
    changes = desk.page.locator(".changes")
    expect(changes).to_contain_text(f"{ada.username} moved it from student to intern")
    expect(changes).to_contain_text(f"{ada.username} set gating from follow to always")


def test_a_bad_host_is_refused_and_what_was_typed_stays(
    crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada, quiet=False)
    desk.page.goto(f"/agents/{crew.agents['first-week'].pk}")
    hosts = desk.page.get_by_label("Hosts its browsers may reach")
    hosts.fill("good.example\nhttp://bad")
    desk.page.get_by_role("button", name="Save hosts").click()
    expect(desk.page.get_by_role("alert")).to_contain_text("'http://bad' is not a host")
    expect(hosts).to_have_value("good.example\nhttp://bad")


def test_a_key_is_copied(crew: Crew, ada: Person, open_desk: OpenDesk) -> None:
    desk = open_desk(ada, permissions=["clipboard-read", "clipboard-write"])
    desk.page.goto(f"/agents/{crew.agents['first-week'].pk}")
    desk.page.get_by_role("button", name="Create a key").click()
    desk.page.get_by_role("button", name="Copy").click()
    expect(desk.page.get_by_role("button", name="Copied")).to_be_visible()
    shown = desk.page.locator("[data-copy-text]").inner_text()
    assert desk.page.evaluate("navigator.clipboard.readText()") == shown


def test_a_team_without_agents_is_told_what_comes_next(rows: Rows, open_desk: OpenDesk) -> None:
    lonely = rows.do(_lonely, f"lee-{uuid.uuid4().hex[:6]}")
    desk = open_desk(lonely)
    desk.page.goto("/agents")
    expect(desk.page.get_by_role("heading", name="No agents yet")).to_be_visible()
    assert_no_violation(desk.page)
    desk.page.goto("/rollout")
    expect(desk.page.get_by_role("heading", name="No acts in 7 days")).to_be_visible()
    assert_no_violation(desk.page)


def _lonely(name: str) -> Person:
    person, _ = create_person(name, teams=[name])
    person.set_password(PASSWORD)
    person.save()
    return person


# --- who may ----------------------------------------------------------------------------
@pytest.mark.parametrize("role", ["reviewer", "auditor"])
def test_others_read_and_are_told_so(
    role: str, rows: Rows, crew: Crew, bot: AgentRegistry, open_desk: OpenDesk
) -> None:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role=role))
    desk = open_desk(crew.ben)
    for path in ("/settings/flags", "/agents", f"/agents/{bot.pk}", "/rollout"):
        desk.page.goto(path)
        may_pause = role == "reviewer" and path.endswith(str(bot.pk))  # and nothing else
        expect(desk.page.locator("main form")).to_have_count(int(may_pause))
        acts = desk.page.locator("main .button:not(.pager *, [href='/scoreboard'])")
        expect(acts).to_have_count(int(may_pause))
        assert_no_violation(desk.page)
    desk.page.goto(f"/agents/{bot.pk}")
    expect(desk.page.get_by_text(f"Your role is {role}")).to_be_visible()


def test_a_new_agent_needs_a_name_of_its_own(rows: Rows, ada: Person, open_desk: OpenDesk) -> None:
    taken = rows.do(lambda: create_agent(f"taken-{uuid.uuid4().hex[:6]}", tier="intern"))
    desk = open_desk(ada, quiet=False)
    desk.page.goto("/agents/new")
    desk.page.get_by_label("Name").fill(taken.name)
    desk.page.get_by_role("button", name="Register").click()
    expect(desk.page.get_by_role("alert")).to_contain_text("exists already")
    expect(desk.page.get_by_label("Name")).to_have_value(taken.name)
