"""Teach once: when a pick is remembered, when it is used, and when never."""

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest

from agents.services import create_agent
from audit.models import BrowserAudit
from confidence import precedents
from confidence.domain import page_pattern
from confidence.domain.confidence import MatchConfidence, MatchLevel, SetOff, score
from confidence.models import Precedent
from core import clock
from core.actors import SYSTEM
from core.errors import Conflict, Invalid
from proposals import services
from proposals.models import Proposal
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
    assert recalled(unsure("b", "a"), agent, url="https://shop.example/orders/99?session=2") == 0


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


@pytest.mark.parametrize(
    "sets_off", [SetOff(("Place order",), is_known=True), SetOff(), SetOff(("Search",))]
)
def test_a_field_where_enter_orders_or_nobody_knows_is_neither_taught_nor_picked(sets_off):
    agent = an_agent()
    field = replace(candidate(1, "Card number", "b"), sets_off=sets_off)
    with pytest.raises(Invalid, match="decide"):
        precedents.remember(
            actor=SYSTEM,
            agent_id=agent.pk,
            target="text=Save",
            page_url=PAGE,
            candidate=field.as_dict(),
            proposal_id=uuid.uuid4(),
        )
    taught(agent)  # without Enter
    found = [replace(candidate(0, "Card number", "a"), sets_off=sets_off), field]
    assert recalled(score(2, is_text_only=False, candidates=found), agent) is None


@pytest.mark.parametrize("verb", ["approve", "modify"])
def test_nothing_is_taught_from_what_cannot_be_undone_whichever_element_is_picked(verb):
    proposal = a_proposal(an_agent(), "Save", "Delete account", risk=Proposal.Risk.IRREVERSIBLE)
    said = {"modifications": {"chosen_index": 0}} if verb == "modify" else {"chosen_index": 0}
    with pytest.raises(Invalid, match="cannot be undone"):
        getattr(services, verb)(proposal.pk, person=a_person(), version=1, remember="agent", **said)
    assert not Precedent.objects.exists()
    proposal.refresh_from_db()
    assert proposal.status == "pending"


def test_a_ref_cannot_be_taught():
    with pytest.raises(Invalid, match="ref"):
        taught(an_agent(), target="e12")


def test_teaching_again_replaces_what_was_taught():
    agent = an_agent()
    taught(agent, fingerprint="a")
    taught(agent, fingerprint="b")
    assert recalled(unsure("a", "b"), agent) == 1
    assert Precedent.objects.filter(revoked_at=None).count() == 1


def test_teaching_for_a_site_leaves_what_another_team_taught_and_records_what_it_replaces():
    north = create_agent("n-bot", tier="autonomous", teams=["north"])
    south = create_agent("s-bot", tier="autonomous", teams=["south"])
    theirs, former = (for_the_site(one, fingerprint="b") for one in (south, north))
    for_the_site(north, fingerprint="a")
    theirs.refresh_from_db()
    former.refresh_from_db()
    assert (theirs.revoked_at, former.revoked_at is None) == (None, False)
    entry = BrowserAudit.objects.get(verb="precedent.revoke")
    assert entry.payload["precedent"] == str(former.pk)


def for_the_site(agent, *, fingerprint: str) -> Precedent:
    return precedents.remember(
        actor=SYSTEM,
        agent_id=None,
        taught_by_id=agent.pk,
        target="text=Save",
        page_url=PAGE,
        candidate=candidate(1, "Save", fingerprint).as_dict(),
        proposal_id=uuid.uuid4(),
    )


def test_while_one_is_suspended_the_same_is_not_taught_for_the_agent_or_its_site():
    agent, mate = an_agent(), an_agent()
    suspended = taught(agent, suspended_at=clock.now())
    for teach in (lambda: taught(agent), lambda: for_the_site(mate, fingerprint="a")):
        with pytest.raises(Conflict, match="suspended"):
            teach()
    assert Precedent.objects.get() == suspended
    precedents.edit(suspended, actor=SYSTEM, resumes=True)
    assert taught(agent).pk != suspended.pk


def test_a_card_says_that_it_is_suspended_and_stays_undecided():
    agent = an_agent()
    taught(agent, suspended_at=clock.now())
    proposal = a_proposal(agent)
    with pytest.raises(Conflict, match="without remembering"):
        services.approve(
            proposal.pk, person=a_person(), version=1, chosen_index=0, remember="agent"
        )
    proposal.refresh_from_db()
    assert proposal.status == "pending"


def test_a_use_is_kept_once_an_action_and_a_wrong_one_suspends():
    agent, action_id = an_agent(), uuid.uuid4()
    precedent = taught(agent)
    for _ in range(2):
        precedents.note_use(precedent, action_id=action_id)
    precedent.refresh_from_db()
    assert (precedent.uses, precedent.last_used_at is None) == (0, False)
    assert precedents.suspend_used_by(uuid.uuid4(), actor=SYSTEM) == []
    assert precedents.suspend_used_by(action_id, actor=SYSTEM) == [precedent]
    assert recalled(unsure("a", "b"), agent) is None


def test_a_saved_review_is_counted_once_an_action():
    agent, action_id = an_agent(), uuid.uuid4()
    precedent = taught(agent)
    precedents.note_use(precedent, action_id=action_id)
    for _ in range(2):
        precedents.count_saved_review(action_id)
    precedent.refresh_from_db()
    assert precedent.uses == 1


def test_each_precedent_that_picked_for_a_call_is_suspended():
    agent, action_id = an_agent(), uuid.uuid4()
    for target in ("#first", "#second"):
        precedents.note_use(taught(agent, target=target), action_id=action_id)
    precedents.suspend_used_by(action_id, actor=SYSTEM)
    assert not Precedent.objects.filter(suspended_at=None).exists()
    assert BrowserAudit.objects.filter(verb="precedent.suspend").count() == 2


def test_a_decision_may_teach_and_only_one_that_is_final():
    agent, anna = an_agent(), a_person()
    proposal = a_proposal(agent, "Save", "Save draft")
    services.approve(
        proposal.id, person=anna, version=1, chosen_index=1, remember="agent", reason=""
    )
    held = Precedent.objects.get()
    assert (held.fingerprint, held.page_pattern) == ("print-1", "shop.example/orders/*?session=*")
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
        ("https://Shop.example:8443/a/7/b?x=1#y", "shop.example:8443/a/*/b?x=*"),
        ("https://shop.example/o/5f6c5c1e-6b7c-4a46-8a62-3d1a3a1d9d11", "shop.example/o/*"),
        ("https://shop.example/size/7-inch", "shop.example/size/7-inch"),
        ("https://shop.example/items/[a]/edit", "shop.example/items/[a]/edit"),
        ("https://shop.example/*", "shop.example/%2A"),
        ("https://shop.example/**", "shop.example/%2A%2A"),
        ("https://shop.example/i?page=admin&empty=&n=3", "shop.example/i?empty=&n=*&page=admin"),
        ("https://shop.example/#/orders/17?tab=items", "shop.example/#/orders/*?tab=items"),
        ("https://anna:secret@shop.example/a", "shop.example/a"),
    ],
)
def test_numbers_of_an_address_become_stars(url, pattern):
    assert page_pattern.pattern_of(url) == pattern
    assert page_pattern.matches(pattern, url)


def test_what_a_query_holds_that_may_be_secret_is_known_but_not_kept():
    url = "https://shop.example/in?token=eyJhbGciOi.J9-x%3D"
    pattern = page_pattern.pattern_of(url)
    assert "eyJ" not in pattern
    assert page_pattern.matches(pattern, url)
    assert not page_pattern.matches(pattern, f"{url}y")


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("shop.example/orders/*", "https://shop.example/orders/17/refund/all"),
        ("shop.example/orders/*", "https://shop.example/orders/"),
        ("shop.example/orders/*", "https://shop.example/orders/17?page=admin"),
        ("shop.example/orders/*", "https://shop.example/orders/17#/refund"),
        ("shop.example/i?page=admin", "https://shop.example/i"),
        ("shop.example/i?page=admin", "https://shop.example/i?page=user"),
        ("shop.example/i?page=*", "https://shop.example/i?page=admin"),
        ("shop.example/i?page=*", "https://shop.example/i?page=1&delete=1"),
        ("shop.example/%2A", "https://shop.example/account"),
        ("shop.example/[a-z]", "https://shop.example/b"),
        ("shop.example/a/**", "https://shop.example/a"),
        ("shop.example/**", "https://evil.example/a"),
    ],
)
def test_a_pattern_fits_no_page_beside_its_own(pattern, url):
    assert not page_pattern.matches(pattern, url)


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("shop.example/**", "https://shop.example/a/b/c"),
        ("shop.example/a/**/d", "https://shop.example/a/b/c/d"),
        ("shop.example/order-*", "https://shop.example/order-17"),
        ("shop.example/orders/*?**", "https://shop.example/orders/17?page=admin"),
        ("shop.example/orders/*?**", "https://shop.example/orders/17"),
        ("shop.example/i?page=*&s=a", "https://shop.example/i?s=a&page=12"),
    ],
)
def test_what_a_person_wrote_fits(pattern, url):
    assert page_pattern.matches(pattern, url)


@pytest.mark.parametrize(
    ("pattern", "wider", "is_within"),
    [
        ("shop.example/orders/17", "shop.example/orders/*", True),
        ("shop.example/orders/*", "shop.example/orders/*", True),
        ("shop.example/orders/*/x", "shop.example/orders/**", True),
        ("shop.example/orders/**", "shop.example/**", True),
        ("shop.example/orders/*?page=*", "shop.example/orders/*?**", True),
        ("shop.example/orders/*?page=2", "shop.example/orders/*?page=*", True),
        ("shop.example/order-*", "shop.example/*", True),
        ("shop.example/*", "shop.example/order-*", False),
        ("shop.example/orders/**", "shop.example/orders/*", False),
        ("shop.example/**", "shop.example/orders/**", False),
        ("shop.example/orders/*?**", "shop.example/orders/*", False),
        ("shop.example/orders/*?page=x", "shop.example/orders/*", False),
        ("bank.example/orders/*", "shop.example/orders/*", False),
    ],
)
def test_a_pattern_is_within_another_when_each_of_its_pages_is(pattern, wider, is_within):
    assert page_pattern.is_within(pattern, wider) is is_within


def test_a_pattern_has_several_steps_in_one_place_only():
    with pytest.raises(page_pattern.BadPattern, match="once"):
        page_pattern.checked_pattern("shop.example/**/a/**")


def test_an_address_too_long_to_be_kept_is_not_taught():
    with pytest.raises(Invalid, match="too long"):
        precedents.remember(
            actor=SYSTEM,
            agent_id=an_agent().pk,
            target="#a",
            page_url=f"https://shop.example/{'x' * 600}",
            candidate=candidate(1).as_dict(),
            proposal_id=uuid.uuid4(),
        )
