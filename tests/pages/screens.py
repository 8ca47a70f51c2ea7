"""`make screens`: every page at three widths, in light and dark, into docs/screens.

Not a test: pytest only lends it a server, people and cards.
"""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from agents.models import AgentRegistry, Person
from agents.services import create_key, create_person
from audit.models import BrowserAudit
from confidence.precedents import remember
from confirmations import services as profiles
from core.actors import SYSTEM
from routing import services as router
from routing.models import RulesVersion
from routing.views import EXAMPLES
from runs.models import Run
from tests.pages.conftest import Desk, OpenDesk, Rows
from tests.pages.seed import (
    PASSWORD,
    SHOP,
    Crew,
    run_that_asks,
    run_with_a_broken_seal,
    run_with_steps,
    settled_cards,
)
from tests.pages.talks import run_with_talk
from tests.pages.test_insights import _with_a_past
from tests.support.history import add_acts, add_tiebreaks
from tests.support.proposals import candidate
from tests.support.stack import ROOT
from webhooks import endpoints, services
from webhooks.domain import Event

SCREENS = Path(ROOT) / "docs" / "screens"
WIDTHS = {1440: 900, 768: 1024, 360: 740}
THEMES = ("light", "dark")
QUALITY = 45
SCALE = 0.8  # small files; still to be read
Open = Callable[[Page], None]


@pytest.fixture
def ada(rows: Rows, crew: Crew) -> Person:
    return rows.do(admin_of, crew)


def admin_of(crew: Crew) -> Person:
    teams = list(crew.anna.teams.values_list("name", flat=True))
    ada, _ = create_person(f"ada-{uuid.uuid4().hex[:6]}", role="admin", teams=teams)
    ada.set_password(PASSWORD)
    ada.save()
    return ada


def at(path: str) -> Open:
    return lambda page: page.goto(path) and None


def test_screens(rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk) -> None:
    pages = {**card_pages(rows, crew), **rows.do(room_pages, crew, ada)}
    for old in SCREENS.glob("*.jpg"):
        old.unlink()
    for theme in THEMES:
        desk = open_desk(ada, color_scheme=theme, device_scale_factor=SCALE, quiet=False)
        for name, open_it in pages.items():
            _photograph(desk, name, theme, open_it)


def _photograph(desk: Desk, name: str, theme: str, open_it: Open) -> None:
    for width, height in WIDTHS.items():
        desk.page.set_viewport_size({"width": width, "height": height})
        open_it(desk.page)
        desk.page.wait_for_load_state("networkidle")
        desk.page.screenshot(
            path=SCREENS / f"{name}-{width}-{theme}.jpg", type="jpeg", quality=QUALITY
        )


# --- the desk ---------------------------------------------------------------------------
CARDS = {
    "card": "two",
    "card-ambiguous": "five",
    "card-irreversible": "irreversible",
    "card-question": "question",
    "card-form": "form",
    "card-drag": "drag",
    "card-hostile-words": "bidi",
    "card-outside": "outside",
}
SETTLED = {
    "card-decided": "changed",
    "card-done": "done",
    "card-unknown": "unknown",
    "card-answered": "said yes",
}


def card_pages(rows: Rows, crew: Crew) -> dict[str, Open]:
    asked = {name: rows.do(crew.ask, kind) for name, kind in CARDS.items()}
    ended = rows.do(settled_cards, crew)
    cards = asked | {name: ended[kind] for name, kind in SETTLED.items()}
    paths = {name: at(f"/proposals/{one.pk}") for name, one in cards.items()}
    return {
        "queue": at("/"),
        **paths,
        "candidates": _pressing(paths["card"], "1"),
        "reject": _pressing(paths["card"], "r"),
        "modify": _pressing(paths["card"], "m"),
        "help": _pressing(paths["card"], "?"),
        "queue-empty": at("/?agent=nobody-of-that-name"),
    }


def _pressing(open_it: Open, key: str) -> Open:
    def opened(page: Page) -> None:
        open_it(page)
        page.locator("[data-card]").wait_for()
        page.keyboard.press(key)

    return opened


# --- the other rooms --------------------------------------------------------------------
def room_pages(crew: Crew, ada: Person) -> dict[str, Open]:
    run = run_with_steps(crew)
    broken, asking = run_with_a_broken_seal(crew), run_that_asks(crew)
    bot = _with_a_past(crew)
    _a_past_in_force(bot)
    _taught(crew)
    create_key(crew.agents["first-week"])
    team = crew.anna.teams.get()
    paths = {
        "runs": "/runs",
        "run": f"/runs/{run.pk}",
        "conversation": f"/runs/{run_with_talk(crew).pk}/conversation",
        "run-seal-broken": f"/runs/{broken.pk}",
        "run-asks": f"/runs/{asking.pk}",
        "audit": "/audit",
        "audit-entry": f"/audit/{_latest_entry(run)}",
        "agents": "/agents",
        "agent": f"/agents/{crew.agents['first-week'].pk}",
        "agent-new": "/agents/new",
        "insights": "/insights",
        "precedents": "/precedents",
        "scoreboard": "/scoreboard",
        "rollout": "/rollout",
        "flags": "/settings/flags",
        **_profiles(),
        **_rules(),
        "people": "/settings/people",
        "person": f"/settings/people/{crew.anna.pk}",
        "teams": "/settings/teams",
        "team": f"/settings/teams/{team.pk}",
        "router": "/router",
        "router-decided": f"/router?{EXAMPLES[0].query}",
        "account": "/account",
        "mail": "/settings/mail",
        **_webhooks(ada),
        "not-found": "/nothing-here",
    }
    return {name: at(path) for name, path in paths.items()} | {"sign-in": _signed_out("/sign-in")}


def _latest_entry(run: Run) -> int:
    return BrowserAudit.objects.filter(run_id=run.pk).latest("id").pk


def _a_past_in_force(bot: AgentRegistry) -> None:
    add_acts(bot, days_ago=1, high=70, partial=25, ambiguous=5, in_force=True, added_ms=4.0)
    add_tiebreaks(bot, picked=3, undecided=1, cost_usd="0.0004", days_ago=1)


def _taught(crew: Crew) -> None:
    for target in ("text=Submit order", "role=button[name=Search]", "td button"):
        remember(
            actor=SYSTEM,
            agent_id=crew.agents["checkout-bot"].pk,
            target=target,
            page_url=f"{SHOP}/checkout",
            candidate=candidate(1, "Keep the draft of this order", "b").as_dict(),
            proposal_id=crew.ask("two").id,
        )


def _rules() -> dict[str, str]:
    latest = RulesVersion.objects.first()
    seen = latest.number if latest else 0
    saved = router.save_rules("local_below_tokens: 30\n", seen=seen, actor=SYSTEM)
    return {"rules": "/settings/rules", "rules-version": f"/settings/rules/versions/{saved.number}"}


def _profiles() -> dict[str, str]:
    shipped = (Path(ROOT) / "demo" / "shop" / "profile.yaml").read_text()
    text = shipped.replace("hob-and-heather", "hob-heather")  # a name without English words
    profile = profiles.put_in_force(text)
    profile = profiles.save(profile, f"{text}mode: ask\n", seen=profile.version)
    return {
        "profiles": "/settings/profiles",
        "profile": f"/settings/profiles/{profile.name}",
        "profile-version": f"/settings/profiles/{profile.name}/versions/{profile.version}",
        "profile-new": "/settings/new-profile",
    }


def _webhooks(ada: Person) -> dict[str, str]:
    endpoint, _ = endpoints.create(
        "https://hooks.sprigandstone.example/pointsman",
        events=list(Event),
        description="Team chat",
        person=ada,
    )
    services.tell(Event.PROPOSAL_CREATED, {"proposal_id": "p1", "agent": "checkout-bot"})
    delivery = endpoint.deliveries.get()
    return {
        "webhooks": "/settings/webhooks",
        "webhook": f"/settings/webhooks/{endpoint.pk}",
        "webhook-new": "/settings/webhooks/new",
        "deliveries": "/settings/webhooks/deliveries",
        "delivery": f"/settings/webhooks/deliveries/{delivery.pk}",
    }


def _signed_out(path: str) -> Open:
    """As a stranger sees it; the person is signed in again for the pages after it."""

    def opened(page: Page) -> None:
        cookies = page.context.cookies()
        page.context.clear_cookies()
        page.goto(path)
        page.context.add_cookies([{**one} for one in cookies])  # type: ignore[typeddict-item]

    return opened
