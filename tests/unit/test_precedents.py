"""Teach once: when a pick is remembered, when it is used, and when never."""

import uuid
from datetime import timedelta

import pytest

from agents.services import create_agent
from confidence import precedents
from confidence.domain import page_pattern
from confidence.domain.confidence import MatchConfidence, MatchLevel, score
from confidence.models import Precedent
from core import clock
from core.actors import SYSTEM
from core.errors import Invalid
from proposals import services
from tests.support.proposals import PAGE, a_person, a_proposal, an_agent, candidate

pytestmark = pytest.mark.django_db
ELSEWHERE = "https://other.example/orders/17"


def unsure(*prints: str, name: str = "Save") -> MatchConfidence:
    found = [candidate(index, name, one) for index, one in enumerate(prints)]
    return score(len(found), is_text_only=False, candidates=found)


def taught(agent, *, fingerprint: str = "b", target: str = "text=Save", **changes) -> Precedent:
    precedent = precedents.remember(
        actor=SYSTEM,
        agent_id=agent.pk if agent else None,
        taught_by_id=(agent or an_agent()).pk,
        target=target,
        page_url=PAGE,
        candidate=candidate(1, "Save", fingerprint).as_dict(),
        proposal_id=uuid.uuid4(),
    )
    Precedent.objects.filter(pk=precedent.pk).update(**changes)
    return precedent


def recalled(confidence: MatchConfidence, agent, *, target: str = "text=Save", url: str = PAGE):
    found = precedents.recall(confidence, agent_id=agent.pk, target=target, url=url)
    return found and found[1].chosen_index


def test_the_same_selector_on_the_same_kind_of_page_picks_the_same_element():
    agent = an_agent()
    taught(agent)
    assert recalled(unsure("a", "b"), agent) == 1
    assert recalled(unsure("b", "a"), agent, url="https://shop.example/orders/99") == 0


def test_a_pick_makes_a_partial_call_high_and_says_who_taught_it():
    agent = an_agent()
    taught(agent)
    confidence = unsure("a", "b")
    assert confidence.level is MatchLevel.PARTIAL
    found = precedents.recall(confidence, agent_id=agent.pk, target="text=Save", url=PAGE)
    sure = confidence.rescued_by(found[1])
    assert (sure.level, sure.chosen_index, sure.score) == (MatchLevel.HIGH, 1, 0.7)
    assert sure.tiebreak.source == "precedent"
    assert "picked this element" in sure.tiebreak.rationale


def test_another_selector_page_agent_or_element_is_not_what_was_taught():
    agent = an_agent()
    taught(agent)
    assert recalled(unsure("a", "b"), agent, target="text=save") is None
    assert recalled(unsure("a", "b"), agent, url=ELSEWHERE) is None
    assert recalled(unsure("a", "b"), an_agent()) is None
    assert recalled(unsure("a", "c"), agent) is None


def test_two_elements_of_that_fingerprint_are_no_pick():
    agent = an_agent()
    taught(agent)
    assert recalled(unsure("b", "b"), agent) is None


def test_what_nobody_described_might_be_its_twin():
    agent = an_agent()
    taught(agent)
    found = [candidate(0, "Save", "a"), candidate(1, "Save", "b")]
    assert recalled(score(3, is_text_only=False, candidates=found), agent) is None


def test_one_for_the_site_serves_every_agent_and_an_agents_own_comes_first():
    agent = an_agent()
    taught(None, fingerprint="a")
    assert recalled(unsure("a", "b"), agent) == 0
    taught(agent, fingerprint="b")
    assert recalled(unsure("a", "b"), agent) == 1


def test_one_for_the_site_reaches_no_agent_of_another_team():
    taught(None, fingerprint="a")
    stranger = create_agent("stranger", tier="autonomous", teams=["far away"])
    assert recalled(unsure("a", "b"), stranger) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"expires_at": clock.now() - timedelta(days=1)},
        {"revoked_at": clock.now()},
        {"suspended_at": clock.now()},
    ],
)
def test_an_expired_revoked_or_suspended_one_picks_no_more(changes):
    agent = an_agent()
    taught(agent, **changes)
    assert recalled(unsure("a", "b"), agent) is None


def test_ambiguous_is_rescued_only_where_an_admin_allowed_it():
    agent = an_agent()
    precedent = taught(agent)
    ambiguous = unsure("a", "b", "c")
    assert ambiguous.level is MatchLevel.AMBIGUOUS
    assert recalled(ambiguous, agent) is None
    precedents.edit(precedent, actor=SYSTEM, rescues_ambiguous=True)
    assert recalled(ambiguous, agent) == 1


def test_what_cannot_be_taken_back_is_neither_taught_nor_picked():
    agent = an_agent()
    with pytest.raises(Invalid, match="cannot be taken back"):
        precedents.remember(
            actor=SYSTEM,
            agent_id=agent.pk,
            taught_by_id=agent.pk,
            target="text=Delete",
            page_url=PAGE,
            candidate=candidate(0, "Delete account").as_dict(),
            proposal_id=uuid.uuid4(),
        )
    taught(agent, target="button")
    assert recalled(unsure("a", "b", name="Pay now"), agent, target="button") is None


def test_a_ref_cannot_be_taught():
    with pytest.raises(Invalid, match="ref"):
        taught(an_agent(), target="e12")


def test_teaching_again_replaces_what_was_taught():
    agent = an_agent()
    taught(agent, fingerprint="a")
    taught(agent, fingerprint="b")
    assert recalled(unsure("a", "b"), agent) == 1
    assert Precedent.objects.filter(revoked_at=None).count() == 1


def test_a_use_is_counted_once_an_action_and_a_wrong_one_suspends():
    agent, action_id = an_agent(), uuid.uuid4()
    precedent = taught(agent)
    for _ in range(2):
        precedents.count_use(precedent, action_id=action_id)
    precedent.refresh_from_db()
    assert precedent.uses == 1
    assert precedents.suspend_used_by(uuid.uuid4(), actor=SYSTEM) is None
    assert precedents.suspend_used_by(action_id, actor=SYSTEM) == precedent
    assert recalled(unsure("a", "b"), agent) is None


def test_a_decision_may_teach_and_only_one_that_is_final():
    agent, anna = an_agent(), a_person()
    proposal = a_proposal(agent, "Save", "Save draft")
    services.approve(
        proposal.id, person=anna, version=1, chosen_index=1, remember="agent", reason=""
    )
    held = Precedent.objects.get()
    assert (held.fingerprint, held.page_pattern) == ("print-1", "shop.example/orders/*")
    assert (held.agent_id, held.made_by) == (agent.pk, anna.username)


def test_a_pattern_keeps_its_host():
    precedent = taught(an_agent())
    edited = precedents.edit(precedent, actor=SYSTEM, page_pattern="Shop.example/orders/*/items")
    assert edited.page_pattern == "shop.example/orders/*/items"
    for bad in ("*/orders", "shop.example", "", "*.example/x"):
        with pytest.raises(Invalid):
            precedents.edit(precedent, actor=SYSTEM, page_pattern=bad)
    for days in (0, 366):
        with pytest.raises(Invalid):
            precedents.edit(precedent, actor=SYSTEM, expires_in_days=days)


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://shop.example/", "shop.example/"),
        ("https://shop.example", "shop.example/"),
        ("https://Shop.example:8443/a/7/b?x=1#y", "shop.example:8443/a/*/b"),
        ("https://shop.example/o/5f6c5c1e-6b7c-4a46-8a62-3d1a3a1d9d11", "shop.example/o/*"),
        ("https://shop.example/size/7-inch", "shop.example/size/7-inch"),
    ],
)
def test_numbers_of_an_address_become_stars(url, pattern):
    assert page_pattern.pattern_of(url) == pattern
    assert page_pattern.matches(pattern, url)
