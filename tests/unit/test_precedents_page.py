"""Precedents before people: who sees them, who changes what, and what the record says of it."""

import uuid
from datetime import timedelta

import pytest

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_person
from audit.models import BrowserAudit
from confidence import precedents
from confidence.models import Precedent, PrecedentUse
from core import clock
from core.actors import SYSTEM
from proposals import services as proposals
from tests.support.clients import client_of
from tests.support.proposals import PAGE, a_proposal, candidate

pytestmark = pytest.mark.django_db


@pytest.fixture
def rey() -> Person:
    return create_person("rey", teams=["north"])[0]


@pytest.fixture
def ada() -> Person:
    return create_person("ada", role="admin", teams=["elsewhere"])[0]


@pytest.fixture
def cy() -> Person:
    return create_person("cy", teams=["south"])[0]


@pytest.fixture
def bot() -> AgentRegistry:
    return create_agent("bot", tier="supervised", teams=["north"])


def taught(bot: AgentRegistry, *, target: str = "text=Save", site: bool = False, **changes):
    precedent = precedents.remember(
        actor=SYSTEM,
        agent_id=None if site else bot.pk,
        target=target,
        page_url=PAGE,
        candidate=candidate(1, "Keep the draft", "b").as_dict(),
        proposal_id=a_proposal(bot).id,
    )
    Precedent.objects.filter(pk=precedent.pk).update(**changes)
    precedent.refresh_from_db()
    return precedent


def page(person: Person, query: str = "") -> str:
    return client_of(person).get(f"/precedents{query}").content.decode()


def post(person: Person, precedent: Precedent, verb: str, **said: str):
    return client_of(person).post(f"/precedents/{precedent.pk}/{verb}", said)


def edit(person: Person, precedent: Precedent, **said: str):
    return post(person, precedent, "edit", **{"page_pattern": precedent.page_pattern, **said})


# --- seeing -----------------------------------------------------------------------------
def test_a_precedent_is_shown_whole(rey, bot) -> None:
    precedent = taught(bot, uses=1200)
    PrecedentUse.objects.create(
        precedent=precedent, action_id=uuid.uuid4(), at=clock.now(), was_wrong=True
    )
    said = page(rey)
    for part in ("text=Save", "shop.example/orders/*", "Keep the draft", "bot", "pointsman"):
        assert part in said
    assert "1,200" in said
    assert '<b class="failed">1</b>' in said


def test_what_a_reviewer_taught_on_a_card_is_there(rey, bot) -> None:
    asked = a_proposal(bot, "Save", "Save a copy")
    proposals.approve(asked.id, person=rey, version=1, chosen_index=1, remember="site")
    said = page(rey, "?state=live")
    for part in ("text=Save", "Save a copy", "every agent on this site", "rey"):
        assert part in said


def test_the_states_are_told_apart(rey, bot) -> None:
    now = clock.now()
    taught(bot, target="#live")
    taught(bot, target="#suspended", suspended_at=now)
    taught(bot, target="#expired", expires_at=now - timedelta(days=1))
    taught(bot, target="#revoked", revoked_at=now, suspended_at=now)
    for state in ("live", "suspended", "expired", "revoked"):
        said = page(rey, f"?state={state}")
        shown = [
            each for each in ("live", "suspended", "expired", "revoked") if f"#{each}<" in said
        ]
        assert shown == [state]


def test_a_precedent_of_another_team_is_not_there(cy, ada, bot) -> None:
    for site in (False, True):
        precedent = taught(bot, target="#secret", site=site)
        assert "#secret" not in page(cy)
        assert "#secret" in page(ada)
        for verb in ("edit", "revoke", "resume"):
            assert post(cy, precedent, verb, page_pattern="a.example/").status_code == 404


def test_an_empty_page_says_how_one_is_taught(cy) -> None:
    said = page(cy)
    assert "Nothing was taught yet" in said
    assert "remember" in said


def test_long_lists_come_in_pages(rey, bot) -> None:
    for number in range(52):
        taught(bot, target=f"#t{number}")
    first = page(rey)
    assert first.count('id="precedent-') == 50
    last = Precedent.objects.get(target="#t2").pk
    assert page(rey, f"?before={last}").count('id="precedent-') == 2
    assert client_of(rey).get("/precedents?before=99999999999999999999").status_code == 200


# --- changing ---------------------------------------------------------------------------
def test_a_reviewer_edits_pages_and_end(rey, bot) -> None:
    precedent = taught(bot)
    sent = edit(
        rey, precedent, page_pattern="shop.example/orders/17?session=*", expires_in_days="90"
    )
    assert sent.status_code == 302
    precedent.refresh_from_db()
    assert precedent.page_pattern == "shop.example/orders/17?session=*"
    assert (precedent.expires_at - clock.now()).days == 89
    entry = BrowserAudit.objects.filter(verb="precedent.edit").get()
    assert entry.actor_name == "rey"
    assert entry.payload["page_pattern"] == "shop.example/orders/17?session=*"


@pytest.mark.parametrize(
    "pattern", ["shop.example/*", "shop.example/**", "bank.example/*", "shop.example/orders/*?**"]
)
def test_only_an_admin_names_more_pages_or_others(pattern, rey, ada, bot) -> None:
    precedent = taught(bot)
    answer = edit(rey, precedent, page_pattern=pattern)
    assert answer.status_code == 403
    assert "ask an admin" in answer.content.decode()
    precedent.refresh_from_db()
    assert precedent.page_pattern == "shop.example/orders/*?session=*"
    assert edit(ada, precedent, page_pattern=pattern).status_code == 302
    precedent.refresh_from_db()
    assert precedent.page_pattern == pattern


def test_a_suspended_one_is_an_admins_to_change_or_revoke(rey, ada, bot) -> None:
    precedent = taught(bot, suspended_at=clock.now())
    assert "An admin can resume" in page(rey)
    assert edit(rey, precedent, expires_in_days="9").status_code == 403
    assert post(rey, precedent, "revoke").status_code == 403
    assert post(ada, precedent, "revoke").status_code == 302


def test_an_edit_that_changes_nothing_leaves_no_entry(rey, bot) -> None:
    assert edit(rey, taught(bot)).status_code == 302
    assert not BrowserAudit.objects.filter(verb="precedent.edit").exists()


@pytest.mark.parametrize(
    "said",
    [
        {"page_pattern": "*/orders"},
        {"page_pattern": ""},
        {"expires_in_days": "366"},
        {"expires_in_days": "0"},
        {"expires_in_days": "soon"},
    ],
)
def test_a_bad_edit_is_refused_with_words(said, rey, bot) -> None:
    precedent = taught(bot)
    answer = edit(rey, precedent, **said)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    before = (precedent.page_pattern, precedent.expires_at)
    precedent.refresh_from_db()
    assert (precedent.page_pattern, precedent.expires_at) == before


def test_only_an_admin_lets_it_settle_ambiguous_calls(rey, ada, bot) -> None:
    precedent = taught(bot)
    assert edit(rey, precedent, rescues_ambiguous="true").status_code == 403
    precedent.refresh_from_db()
    assert not precedent.rescues_ambiguous
    assert edit(ada, precedent, rescues_ambiguous="true").status_code == 302
    precedent.refresh_from_db()
    assert precedent.rescues_ambiguous
    edit(rey, precedent, expires_in_days="9")  # a reviewer's form has no box for it
    precedent.refresh_from_db()
    assert precedent.rescues_ambiguous


def test_only_an_admin_resumes_a_suspended_one(rey, ada, bot) -> None:
    precedent = taught(bot, suspended_at=clock.now())
    assert post(rey, precedent, "resume").status_code == 403
    assert post(ada, precedent, "resume").status_code == 302
    precedent.refresh_from_db()
    assert precedent.suspended_at is None
    assert post(ada, precedent, "resume").status_code == 409


def test_a_reviewer_revokes_once(rey, bot) -> None:
    precedent = taught(bot)
    assert post(rey, precedent, "revoke").status_code == 302
    precedent.refresh_from_db()
    assert precedent.revoked_at
    assert post(rey, precedent, "revoke").status_code == 409
    assert edit(rey, precedent, expires_in_days="9").status_code == 409
    assert BrowserAudit.objects.filter(verb="precedent.revoke").count() == 1


def test_an_auditor_reads_and_changes_nothing(rey, bot) -> None:
    precedent = taught(bot)
    Person.objects.filter(pk=rey.pk).update(role="auditor")
    rey.refresh_from_db()
    assert "text=Save" in page(rey)
    assert "/revoke" not in page(rey)
    for verb in ("edit", "revoke", "resume"):
        assert post(rey, precedent, verb, page_pattern="a.example/").status_code == 403
