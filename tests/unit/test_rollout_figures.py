"""What the roll-out page counts, by the database, in a fixed number of queries."""

from decimal import Decimal

import pytest

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_person
from audit.models import BrowserAudit
from confidence import flags
from confidence.domain.gate import ALL_TIERS
from confidence.models import FlagOverride
from core.errors import Conflict, Invalid
from oversight import queries, services
from oversight.domain import STEPS, Tally, Tiebreaks
from tests.support.history import add_acts, add_tiebreaks

pytestmark = pytest.mark.django_db
FIRST, SUPERVISED, AUTONOMOUS = STEPS


@pytest.fixture(autouse=True)
def fresh_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in flags.DEFINITIONS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(flags, "FRESH_S", 0)


@pytest.fixture
def admin() -> Person:
    return create_person("ada", role="admin")[0]


@pytest.fixture
def reviewer() -> Person:
    return create_person("rey", teams=["north"])[0]


@pytest.fixture
def bot() -> AgentRegistry:
    return create_agent("bot", tier="supervised", teams=["north"])


# --- counts -----------------------------------------------------------------------------
def test_acts_are_counted_by_level_and_by_what_became_of_them(admin, bot) -> None:
    add_acts(bot, days_ago=2, high=5, partial=3, ambiguous=2)
    add_acts(bot, days_ago=1, high=1, partial=1, in_force=True)
    found = queries.figures_for(admin, days=7)
    wanted = Tally(acts=12, clear=6, caution=4, danger=2, would_gate=5, sent=1)
    assert found.total == wanted
    assert [(row.agent, row.tally) for row in found.agents] == [(bot, wanted)]
    assert [row.tally.acts for row in found.tiers] == [0, 0, 12, 0]


def test_reads_dry_runs_unscored_calls_and_older_acts_are_left_out(admin, bot) -> None:
    add_acts(bot, high=1)
    add_acts(bot, partial=1, gate_reasons=["read_only"], would_gate=False)
    add_acts(bot, partial=1, dry_run=True)
    add_acts(bot, high=1, match_confidence=None)
    add_acts(bot, high=1, days_ago=7)
    assert queries.figures_for(admin, days=7).total.acts == 1
    assert queries.figures_for(admin, days=14).total.acts == 2


def test_a_call_stopped_by_its_tier_counts_as_would_gate(admin) -> None:
    student = create_agent("s", tier="student")
    add_acts(student, partial=2, gate_reasons=["tier"])
    add_acts(student, partial=1, gate_reasons=["tier", "match_confidence"], would_gate=False)
    found = queries.figures_for(admin, days=7).tiers[0]
    assert (found.tally.would_gate, found.tally.sent) == (2, 1)


def test_latency_is_read_where_it_was_measured(admin, bot) -> None:
    add_acts(bot, high=99, added_ms=0.0)  # 1.0 to 99.0 ms
    add_acts(bot, high=5)
    found = queries.figures_for(admin, days=7)
    for latency in (found.latency, found.tiers[2].latency, found.agents[0].latency):
        assert latency.p50_ms == pytest.approx(50)
        assert latency.p99_ms == pytest.approx(98.02)
    assert found.tiers[0].latency == queries.Latency(None, None)


def test_tiebreaks_are_counted_with_their_cost(admin, bot) -> None:
    add_tiebreaks(bot, picked=2, undecided=1, cost_usd="0.0004")
    add_tiebreaks(bot, picked=1, cost_usd="9", days_ago=8)
    found = queries.figures_for(admin, days=7)
    assert found.tiebreaks == Tiebreaks(calls=3, picks=2, cost_usd=Decimal("0.0012"))
    assert found.tiers[2].tiebreaks == found.agents[0].tiebreaks == found.tiebreaks


def test_volume_warns_above_twice_the_shadow_baseline(admin, bot) -> None:
    add_acts(bot, days_ago=5, high=90, partial=10)
    add_acts(bot, days_ago=1, high=70, partial=30, in_force=True)
    volume = queries.figures_for(admin, days=7).tiers[2].volume
    assert (volume.baseline, volume.present) == (0.1, 0.3)
    assert volume.is_above


def test_the_records_health_counts_entries(admin, bot) -> None:
    found = queries.record_health(days=7)
    assert found.entries == BrowserAudit.objects.count() > 0
    assert found.error_rate in (0.0, None)


def test_a_reviewer_sees_the_agents_of_their_teams(reviewer, bot, admin) -> None:
    other = create_agent("other", tier="supervised", teams=["south"])
    add_acts(bot, high=1)
    add_acts(other, high=2)
    assert queries.figures_for(reviewer, days=7).total.acts == 1
    assert queries.figures_for(admin, days=7).total.acts == 3
    assert [row.agent for row in queries.page_of_agents(reviewer, days=7)] == [bot]


def test_more_agents_ask_no_more_questions(admin, bot, django_assert_num_queries) -> None:
    add_acts(bot, high=1, partial=1, added_ms=1.0)
    for number in range(4):
        agent = create_agent(f"more-{number}", tier=ALL_TIERS[number])
        add_acts(agent, days_ago=number, partial=2, in_force=True)
        add_tiebreaks(agent, picked=1)
    with django_assert_num_queries(7):
        assert len(queries.figures_for(admin, days=30).agents) == 5
    with django_assert_num_queries(5):
        assert len(queries.page_of_agents(admin, days=30)) == 5
    with django_assert_num_queries(2):
        queries.forecast(ALL_TIERS, days=30)


# --- what a switch would have cost ------------------------------------------------------
def test_the_forecast_counts_unsure_acts_of_agents_that_follow(bot) -> None:
    never = create_agent("never", tier="supervised", gating=False)
    add_acts(bot, days_ago=1, high=6, partial=3, ambiguous=1)
    add_acts(never, days_ago=1, partial=10)
    found = queries.forecast(["supervised"], days=7)
    assert (found.acts, found.unsure, found.would_be_sent) == (20, 14, 4)
    assert found.share == 0.2
    assert [row.agent.name for row in found.agents] == ["bot", "never"]


def test_the_forecast_counts_what_went_on_because_the_tier_was_not_rolled_out(bot) -> None:
    add_acts(bot, partial=2, gate_reasons=["tier_not_rolled_out"], would_gate=False)
    assert queries.forecast(["supervised"], days=7).would_be_sent == 2
    assert queries.forecast(["autonomous"], days=7).acts == 0


# --- the switches -----------------------------------------------------------------------
def test_the_first_switch_puts_gating_in_force_for_its_tiers_alone(admin) -> None:
    services.switch_on(FIRST, person=admin)
    assert flags.current().force_proposal
    assert flags.current().gated_tiers == {"student", "intern"}
    written = BrowserAudit.objects.filter(verb="flags.set").order_by("id")
    assert [entry.payload["flag"] for entry in written] == [services.TIERS, services.FORCE]
    switched = BrowserAudit.objects.get(verb="rollout.switch_on")
    assert (switched.actor_name, switched.payload["step"]) == ("ada", "students-interns")


def test_later_switches_add_tiers_and_each_is_taken_back(admin) -> None:
    for step in STEPS:
        services.switch_on(step, person=admin)
    assert flags.current().gated_tiers == set(ALL_TIERS)
    services.take_back(AUTONOMOUS, person=admin)
    assert flags.current().gated_tiers == {"student", "intern", "supervised"}
    services.take_back(FIRST, person=admin)
    assert flags.current().gated_tiers == {"supervised"}
    services.take_back(SUPERVISED, person=admin)
    assert flags.current().mode == "SHADOW"
    assert flags.current().gated_tiers == set(ALL_TIERS)  # shadow mode watches every tier


def test_a_refused_switch_changes_nothing(admin, settings) -> None:
    with pytest.raises(Conflict, match="first"):
        services.switch_on(SUPERVISED, person=admin)
    settings.LOCK_FLAGS = True
    with pytest.raises(Conflict, match="POINTSMAN_LOCK_FLAGS"):
        services.switch_on(FIRST, person=admin)
    assert not FlagOverride.objects.exists()
    assert not BrowserAudit.objects.filter(verb__startswith="rollout").exists()


def test_both_flags_change_or_neither(admin, monkeypatch: pytest.MonkeyPatch) -> None:
    really = flags.set_flag

    def fail_on_force(name, value, **given):
        if name == services.FORCE:
            raise Invalid("The database is full.")
        return really(name, value, **given)

    monkeypatch.setattr(flags, "set_flag", fail_on_force)
    with pytest.raises(Invalid):
        services.switch_on(FIRST, person=admin)
    assert not FlagOverride.objects.exists()


def test_the_kill_switch_keeps_the_tiers(admin) -> None:
    services.switch_on(FIRST, person=admin)
    services.stop_gating(person=admin)
    assert flags.current().mode == "SHADOW"
    assert flags.current().gated_tiers == {"student", "intern"}


def test_a_flag_is_reset_to_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "MATCH_CONFIDENCE_HIGH_THRESHOLD"
    monkeypatch.setenv(name, "0.8")
    flags.set_flag(name, "0.95")
    assert flags.reset_flag(name) == 0.8
    assert flags.current().thresholds.high == 0.8
    last = BrowserAudit.objects.get(verb="flags.reset")
    assert last.payload == {"flag": name, "from": 0.95, "to": 0.8}


def test_a_reset_that_contradicts_the_other_threshold_is_refused_by_name() -> None:
    flags.set_flag("MATCH_CONFIDENCE_HIGH_THRESHOLD", "0.95")
    flags.set_flag("MATCH_CONFIDENCE_PARTIAL_THRESHOLD", "0.9")
    with pytest.raises(Invalid, match="MATCH_CONFIDENCE_PARTIAL_THRESHOLD"):
        flags.reset_flag("MATCH_CONFIDENCE_HIGH_THRESHOLD")
    assert flags.current().thresholds.high == 0.95
