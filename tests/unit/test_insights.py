"""What the insights page counts, by the database, in a fixed number of queries."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_person
from confidence import flags, precedents
from confidence.models import TiebreakCall
from core import clock
from core.actors import SYSTEM
from oversight.insights import LevelReports, insights_for
from oversight.insights_calls import agreement_for, offenders_for
from oversight.insights_wrong import wrong_selectors_for
from oversight.queries import first_day
from proposals import services
from proposals.models import Decision, Proposal
from runs.models import WrongTargetReport
from tests.support.clients import HOME
from tests.support.history import add_acts, add_tiebreaks, noon
from tests.support.proposals import PAGE, a_proposal, candidate

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flags are read each time, so that queries can be counted."""
    monkeypatch.setattr(flags, "FRESH_S", 0)


@pytest.fixture
def rey() -> Person:
    return create_person("rey", teams=["north"])[0]


@pytest.fixture
def sam() -> Person:
    return create_person("sam", teams=["north"])[0]


@pytest.fixture
def cy() -> Person:
    """A reviewer of another team."""
    return create_person("cy", teams=["south"])[0]


@pytest.fixture
def bot() -> AgentRegistry:
    return create_agent("bot", tier="supervised", teams=["north"])


def decided(bot, person, *, pick: int = 0, elapsed_ms: int = 1000, days_ago: int = 0, **said):
    """A proposal whose candidate `pick` that person took, so long ago."""
    asked = a_proposal(bot, **said)
    services.approve(asked.id, person=person, version=1, chosen_index=pick)
    at = noon(days_ago)
    Proposal.objects.filter(pk=asked.pk).update(created_at=at, status="executed")
    Decision.objects.filter(proposal=asked).update(created_at=at, elapsed_ms=elapsed_ms)
    return asked


def page_of(person: Person, path: str = "/insights"):
    client = Client(**HOME)
    client.force_login(person)
    return client.get(path)


# --- days -------------------------------------------------------------------------------
def test_every_day_is_there_and_counts_its_acts_by_level(rey, bot) -> None:
    add_acts(bot, days_ago=2, high=5, partial=3, ambiguous=2, added_ms=9.0)
    add_acts(bot, days_ago=7, high=50)
    found = insights_for(rey, days=7)
    assert [(day.clear, day.caution, day.danger) for day in found.acts] == [
        *[(0, 0, 0)] * 4,
        (5, 3, 2),
        *[(0, 0, 0)] * 2,
    ]
    assert found.acts[4].p50_ms == 14.5  # 10 to 19 ms
    assert found.acts[0].p50_ms is None
    assert found.acts[0].on == first_day(7)


def test_decisions_are_shared_out_and_timed(rey, bot) -> None:
    for elapsed_ms in (1000, 2000, 9000):
        decided(bot, rey, elapsed_ms=elapsed_ms, days_ago=1)
    refused = a_proposal(bot)
    services.reject(refused.id, person=rey, version=1, reason="no")
    Decision.objects.filter(proposal=refused).update(created_at=noon(1), elapsed_ms=4000)
    found = insights_for(rey, days=7)
    day = found.decisions[5]
    assert (day.approved, day.modified, day.rejected) == (3, 0, 1)
    assert (day.share_of("approved"), day.share_of("rejected")) == (0.75, 0.25)
    assert (day.p50_ms, day.p90_ms) == (3000, pytest.approx(7500))
    assert found.decisions[4].share_of("approved") is None
    assert (found.times.p50_ms, found.approved_share) == (3000, 0.75)


def test_tiebreaks_are_counted_with_their_price(rey, bot) -> None:
    add_tiebreaks(bot, picked=3, undecided=1, cost_usd="0.0004", days_ago=3)
    TiebreakCall.objects.filter(outcome="undecided").update(cache_hit=True)
    found = insights_for(rey, days=7)
    day = found.tiebreaks[3]
    assert (day.calls, day.picks, day.cached) == (4, 3, 1)
    assert day.cost_usd == Decimal("0.0016")
    assert found.pick_share == 0.75


def test_reports_are_counted_by_the_level_of_the_act(rey, bot) -> None:
    act = add_acts(bot, high=3, partial=1)[3]
    WrongTargetReport.objects.create(
        action=act, person=rey, level="partial", created_at=clock.now()
    )
    assert insights_for(rey, days=7).by_level == [
        LevelReports("clear", 3, 0),
        LevelReports("caution", 1, 1),
        LevelReports("danger", 0, 0),
    ]


def reported(bot, person, *, target: str, host: str, acts: int) -> None:
    """That many acts on it; the first one is reported as wrong."""
    made = add_acts(bot, high=acts, params={"target": target}, page_host=host, acting_at=noon(0))
    WrongTargetReport.objects.create(
        action=made[0], person=person, target=target, host=host, created_at=clock.now()
    )


def test_a_selector_that_hit_the_wrong_element_is_told_beside_its_acts(rey, cy, bot) -> None:
    reported(bot, rey, target="#go", host="shop.example", acts=4)
    reported(bot, rey, target="#go", host="shop.example", acts=1)
    reported(bot, rey, target="#go", host="bank.example", acts=1)
    since = first_day(7)
    shop, bank = sorted(
        wrong_selectors_for(rey, since=since), key=lambda one: one.reports, reverse=True
    )
    assert (shop.host, shop.reports, shop.acts, shop.share) == ("shop.example", 2, 5, 0.4)
    assert (bank.host, bank.reports, bank.acts) == ("bank.example", 1, 1)
    assert wrong_selectors_for(cy, since=since) == []
    page = page_of(rey).content.decode()
    assert "Selectors that hit the wrong element" in page
    assert "40.0%" in page


def test_the_first_field_of_a_form_is_its_selector(rey, bot) -> None:
    form = {"fields": [{"target": "#name", "value": "x"}, {"target": "#mail", "value": "y"}]}
    made = add_acts(bot, high=1, params=form, page_host="shop.example", acting_at=noon(0))
    WrongTargetReport.objects.create(
        action=made[0], person=rey, target="#name", host="shop.example", created_at=clock.now()
    )
    assert [one.acts for one in wrong_selectors_for(rey, since=first_day(7))] == [1]


def test_another_team_counts_nothing(cy, rey, bot) -> None:
    add_acts(bot, high=3)
    add_tiebreaks(bot, picked=1)
    for _ in range(3):
        decided(bot, rey)
    assert insights_for(cy, days=7).is_empty
    assert offenders_for(cy, since=first_day(7)) == []
    assert agreement_for(cy, since=first_day(7)).calls == 0


# --- calls ------------------------------------------------------------------------------
def test_a_call_asked_three_times_keeps_coming_back(rey, bot) -> None:
    for _ in range(2):
        decided(bot, rey)
        decided(bot, rey, page_url="https://other.example/")
    assert offenders_for(rey, since=first_day(7)) == []
    waits = a_proposal(bot)
    decided(bot, rey)
    (found,) = offenders_for(rey, since=first_day(7))
    assert (found.target, found.host, found.asked) == ("text=Save", "shop.example", 4)
    assert (found.card_id, found.is_waiting, found.is_taught) == (waits.id, True, False)


def test_a_call_of_long_ago_does_not(rey, bot) -> None:
    for _ in range(3):
        decided(bot, rey, days_ago=8)
    assert offenders_for(rey, since=first_day(7)) == []


def test_a_call_that_was_taught_says_so(rey, bot) -> None:
    for _ in range(3):
        decided(bot, rey)
    precedents.remember(
        actor=SYSTEM,
        agent_id=None,
        target="text=Save",
        page_url=PAGE,
        candidate=candidate(0).as_dict(),
        proposal_id=a_proposal(bot).id,
    )
    (found,) = offenders_for(rey, since=first_day(7))
    assert found.is_taught


def test_the_shown_target_of_a_form_is_the_call(rey, bot) -> None:
    held = candidate(0).as_dict()
    row = {"name": "Email", "target": "#email", "chosen_index": 0, "candidates": [held]}
    for _ in range(3):
        a_proposal(bot, params={"fields": []}, fields=[{**row, "target": "#x"}, row], shown_field=1)
    (found,) = offenders_for(rey, since=first_day(7))
    assert found.target == "#email"


def test_reviewers_agree_when_all_picked_the_same_element(rey, sam, bot) -> None:
    decided(bot, rey, pick=1)
    decided(bot, sam, pick=1, page_url=PAGE.replace("17", "99"))
    decided(bot, rey, pick=0, params={"target": "#a"})
    decided(bot, sam, pick=1, params={"target": "#a"})
    decided(bot, rey, pick=0, params={"target": "#alone"})
    decided(bot, rey, pick=1, params={"target": "#alone"})
    found = agreement_for(rey, since=first_day(7))
    assert (found.calls, found.agreed, found.share) == (2, 1, 0.5)
    (unlike,) = found.differences
    assert (unlike.target, unlike.page) == ("#a", "shop.example/orders/*")
    assert (unlike.people, unlike.picks, unlike.decided) == (2, 2, 2)


# --- the page ---------------------------------------------------------------------------
def test_the_page_asks_the_database_as_often_whatever_there_is(rey, sam, bot) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            assert page_of(rey, "/insights?days=90").status_code == 200
        return len(seen)

    for _ in range(3):
        decided(bot, rey)
    few = queries()
    for number in range(4):
        other = create_agent(f"bot-{number}", tier="autonomous", teams=["north"])
        for ago in range(3):
            add_acts(other, days_ago=ago, high=2, partial=1)
            add_tiebreaks(other, picked=1, days_ago=ago)
            for person in (rey, sam):
                decided(other, person, days_ago=ago, params={"target": f"#t{number}"})
    assert queries() == few


def test_each_chart_has_its_table(rey, bot) -> None:
    add_acts(bot, high=1234)
    said = page_of(rey).content.decode()
    assert 'data-value="1234">1,234</td>' in said
    assert said.count("data-chart=") == 7
    assert "None in these 30 days." in said


def test_a_page_of_nothing_says_what_comes(cy) -> None:
    assert "Nothing to count in 7 days" in page_of(cy, "/insights?days=7").content.decode()


def test_a_window_nobody_offers_is_the_usual_one(rey, bot) -> None:
    add_acts(bot, high=1)
    assert "Acts in 30 days" in page_of(rey, "/insights?days=9999999").content.decode()
