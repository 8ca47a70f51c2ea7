"""Who may see and change what on the admins' pages."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from agents.models import AgentRegistry, Person
from agents.services import create_key
from confidence.models import FlagOverride
from tests.pages.conftest import Rows
from tests.pages.seed import Crew
from tests.pages.test_access import _count_queries, get
from tests.support.clients import client_of
from tests.support.history import add_acts

CHANGES = ("tier", "gating", "hosts", "pause", "resume", "keys", "keys/1/revoke")
PAUSES = ("pause", "resume")  # its team's reviewers may: test_stopping.py
SWITCHES = (
    "/rollout/students-interns/on",
    "/rollout/students-interns/back",
    "/settings/flags/stop-gating",
    "/settings/flags/MATCH_CONFIDENCE_FORCE_PROPOSAL",
    "/settings/flags/MATCH_CONFIDENCE_FORCE_PROPOSAL/reset",
    "/agents/new",
)
SAID = {"value": "true", "tier": "autonomous", "gating": "never", "hosts": "", "name": "x"}


def post(rows: Rows, person: Person, path: str) -> HttpResponse:
    return rows.do(lambda: client_of(person).post(path, SAID))


def fresh(rows: Rows, agent: AgentRegistry) -> AgentRegistry:
    return rows.do(lambda: AgentRegistry.objects.get(pk=agent.pk))


def test_another_teams_agent_is_not_there(rows: Rows, crew: Crew, cy: Person) -> None:
    bot = crew.agents["first-week"]
    assert get(rows, crew.anna, f"/agents/{bot.pk}").status_code == 200
    assert get(rows, cy, f"/agents/{bot.pk}").status_code == 404
    for change in CHANGES:
        assert post(rows, cy, f"/agents/{bot.pk}/{change}").status_code == 404, change
    for path in ("/agents", "/rollout"):
        assert bot.name not in get(rows, cy, path).content.decode()


@pytest.mark.parametrize("role", ["reviewer", "auditor"])
def test_whoever_reads_changes_nothing(role: str, rows: Rows, crew: Crew) -> None:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role=role))
    bot = crew.agents["first-week"]
    rows.do(create_key, bot)
    changes = [one for one in CHANGES if role == "auditor" or one not in PAUSES]
    for path in (*(f"/agents/{bot.pk}/{change}" for change in changes), *SWITCHES):
        assert post(rows, crew.ben, path).status_code == 403, path
    after = fresh(rows, bot)
    assert (after.tier, after.match_confidence_gating_enabled) == ("student", None)
    assert after.status == "active"
    assert rows.do(lambda: list(after.keys.values_list("revoked_at", flat=True))) == [None]
    assert not rows.do(lambda: FlagOverride.objects.exists())


def test_another_agents_key_cannot_be_revoked_through_this_one(rows: Rows, crew: Crew) -> None:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="admin"))
    mine, other = crew.agents["first-week"], crew.agents["price-watch"]
    rows.do(create_key, other)
    key = rows.do(lambda: other.keys.get())
    assert post(rows, crew.ben, f"/agents/{mine.pk}/keys/{key.pk}/revoke").status_code == 404
    assert rows.do(lambda: other.keys.get().revoked_at) is None


def test_strangers_are_sent_to_sign_in(rows: Rows, crew: Crew) -> None:
    bot = crew.agents["first-week"]
    for path in ("/agents", f"/agents/{bot.pk}", "/rollout", "/settings/flags", "/settings"):
        answer = rows.do(lambda path=path: Client(HTTP_HOST="127.0.0.1").get(path))
        assert (answer.status_code, answer["Location"]) == (302, f"/sign-in?next={path}")


def test_locked_flags_can_only_be_read(rows: Rows, crew: Crew, settings) -> None:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="admin"))
    settings.LOCK_FLAGS = True
    for path in ("/settings/flags", "/rollout"):
        page = get(rows, crew.ben, path).content.decode()
        assert "POINTSMAN_LOCK_FLAGS" in page
        assert "Change" not in page
        assert "Switch on" not in page
    for path in SWITCHES[:1] + SWITCHES[2:5]:
        answer = post(rows, crew.ben, path)
        assert answer.status_code == 409, path
        assert "POINTSMAN_LOCK_FLAGS" in answer.content.decode()
    assert not rows.do(lambda: FlagOverride.objects.exists())


def test_unknown_flags_and_steps_are_not_there(rows: Rows, crew: Crew) -> None:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="admin"))
    for path in ("/settings/flags/NO_SUCH_FLAG", "/rollout/everybody/on"):
        assert post(rows, crew.ben, path).status_code == 404


@pytest.mark.parametrize("path", ["/agents", "/rollout", "/settings/flags"])
def test_more_agents_ask_no_more_questions(path: str, rows: Rows, crew: Crew) -> None:
    first, *others = crew.agents.values()
    rows.do(add_acts, first, high=1, partial=1)
    few = rows.do(_count_queries, crew.anna, path)
    for agent in others:
        rows.do(add_acts, agent, high=3, partial=2, in_force=True)
        rows.do(create_key, agent)
    assert rows.do(_count_queries, crew.anna, path) <= few


def test_a_key_is_never_kept_by_a_cache(rows: Rows, crew: Crew) -> None:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="admin"))
    answer = post(rows, crew.ben, f"/agents/{crew.agents['first-week'].pk}/keys")
    assert "pm_" in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]


def test_the_pages_have_no_inline_code(rows: Rows, crew: Crew) -> None:
    bot = crew.agents["first-week"]
    rows.do(add_acts, bot, high=1, partial=1)
    for path in ("/agents", f"/agents/{bot.pk}", "/rollout", "/settings/flags"):
        page = get(rows, crew.anna, path).content.decode()
        assert " style=" not in page
        for kind in re.findall(r"<script([^>]*)>", page):
            assert (
                'type="module"' in kind or 'type="application/json"' in kind
            )  # which runs nothing
