"""What a reviewer may change of a call, and what is kept of it."""

import pytest

from core import clock, sealing
from core.errors import Invalid
from core.sealing import MASK
from proposals import services
from proposals.models import Preview, Proposal
from tests.support.proposals import a_person, a_proposal, an_agent, candidate

pytestmark = pytest.mark.django_db


def modify(proposal: Proposal, **modifications) -> Proposal:
    return services.modify(
        proposal.id, person=a_person(), version=proposal.version, modifications=modifications
    )


def looked_up(proposal: Proposal, selector: str = "#save", *, count: int = 1, **columns) -> Preview:
    found = [candidate(index, "Save all").as_dict() for index in range(count)]
    held = {
        "status": Preview.Status.DONE,
        "match_confidence": {"match_count": count, "candidates": found},
        "anchors": [{"node_id": 90 + index} for index in range(count)],
        "answered_at": clock.now(),
        **columns,
    }
    return Preview.objects.create(
        proposal=proposal, person=a_person(), selector=selector, created_at=clock.now(), **held
    )


def test_another_selector_that_means_one_element_becomes_a_candidate_of_its_own():
    proposal = a_proposal(an_agent())
    looked_up(proposal)
    decided = modify(proposal, selector="#save")
    assert (decided.status, decided.approved_picks) == ("approved", [2])
    assert [one["name"] for one in decided.candidates] == ["Save", "Save", "Save all"]
    assert decided.anchors[0][2] == {"node_id": 90}
    assert decided.decisions.get().modifications == {"selector": "#save"}


@pytest.mark.parametrize(
    "given",
    [
        {"selector": "#other"},
        {"preview": "no-id"},
        {"preview": "5f6c5c1e-6b7c-4a46-8a62-3d1a3a1d9d11"},
    ],
)
def test_what_was_not_looked_up_cannot_be_approved(given):
    proposal = a_proposal(an_agent())
    looked_up(proposal)
    with pytest.raises(Invalid):
        modify(proposal, **given)
    assert Proposal.objects.get(pk=proposal.pk).status == "pending"


@pytest.mark.parametrize("count", [0, 2])
def test_a_selector_that_means_none_or_several_is_refused(count):
    proposal = a_proposal(an_agent())
    looked_up(proposal, count=count)
    with pytest.raises(Invalid, match="exactly one"):
        modify(proposal, selector="#save")


def test_a_look_of_long_ago_and_of_another_card_is_none():
    proposal, other = a_proposal(an_agent()), a_proposal(an_agent())
    looked_up(proposal, answered_at=clock.now() - services.modifying.FRESH * 2)
    looked_up(other)
    with pytest.raises(Invalid, match="Look it up"):
        modify(proposal, selector="#save")


def test_an_ordinary_card_does_not_become_one_that_cannot_be_undone():
    found = {"match_count": 1, "candidates": [candidate(0, "Delete account").as_dict()]}
    ordinary = a_proposal(an_agent())
    looked_up(ordinary, match_confidence=found)
    with pytest.raises(Invalid, match="cannot be undone"):
        modify(ordinary, selector="#save")
    loud = a_proposal(an_agent(), risk=Proposal.Risk.IRREVERSIBLE)
    looked_up(loud, match_confidence=found)
    assert modify(loud, selector="#save").approved_picks == [2]


def test_a_call_without_elements_gets_none_by_a_selector():
    going = a_proposal(an_agent(), tool="browser_navigate", match_confidence=None, anchors=[])
    looked_up(going)
    with pytest.raises(Invalid, match="names no element"):
        modify(going, selector="#save")


def test_a_preview_of_a_point_is_named_by_its_id():
    proposal = a_proposal(an_agent())
    preview = looked_up(proposal, selector="", point={"x": 10, "y": 20})
    assert modify(proposal, preview=str(preview.id)).approved_picks == [2]


def test_another_text_is_sealed_and_kept_with_the_decision():
    params = {"target": "#mail", "text": "a@b.example"}
    proposal = a_proposal(an_agent(), "Mail", tool="browser_type", params=params, chosen_index=0)
    decided = modify(proposal, text="c@d.example")
    assert sealing.unseal(decided.sealed_changes) == {"text": "c@d.example"}
    assert decided.approved_picks == [0]
    assert decided.decisions.get().modifications == {"text": "c@d.example"}


def test_a_secret_that_was_changed_is_kept_nowhere_in_the_clear():
    params = {"target": "#pw", "text": MASK}
    proposal = a_proposal(an_agent(), "PIN", tool="browser_type", params=params, chosen_index=0)
    decided = modify(proposal, text="1234")
    assert decided.decisions.get().modifications == {"text": MASK}
    assert "1234" not in decided.sealed_changes
    assert sealing.unseal(decided.sealed_changes) == {"text": "1234"}


def test_values_of_a_form_are_changed_by_field():
    params = {"fields": [{"target": "#a", "value": "x"}, {"target": "#b", "value": MASK}]}
    held = {"candidates": [candidate(0).as_dict()], "chosen_index": 0}
    fields = [{"name": "A", "target": "#a", **held}, {"name": "B", "target": "#b", **held}]
    proposal = a_proposal(
        an_agent(), tool="browser_fill_form", params=params, fields=fields, chosen_index=0
    )
    change = [{"index": 0, "value": "y"}, {"index": 1, "value": "z"}]
    decided = modify(proposal, fields=change)
    assert sealing.unseal(decided.sealed_changes) == {"values": {"0": "y", "1": "z"}}
    assert decided.approved_picks == [0, 0]
    kept = decided.decisions.get().modifications["fields"]
    assert kept == [{"index": 0, "value": "y"}, {"index": 1, "value": MASK}]
    fresh = a_proposal(
        an_agent(), tool="browser_fill_form", params=params, fields=fields, chosen_index=0
    )
    with pytest.raises(Invalid, match="no field 2"):
        modify(fresh, fields=[{"index": 2, "value": "y"}])


@pytest.mark.parametrize(
    ("field", "value", "is_taken"),
    [
        ({"value": "x"}, "y", True),
        ({"value": "x"}, ["a", "b"], False),
        ({"value": "x"}, True, False),
        ({"value": MASK}, ["a"], False),
        ({"value": True}, False, True),
        ({"value": True}, "yes", False),
        ({"value": ["a"]}, ["b", "c"], True),
        ({"value": ["a"]}, "b", False),
        ({"value": "a", "type": "combobox"}, ["b"], True),
        ({"value": "a", "type": "combobox"}, True, False),
    ],
)
def test_a_field_takes_a_value_of_its_own_kind_only(field, value, is_taken):
    held = {"candidates": [candidate(0).as_dict()], "chosen_index": 0}
    proposal = a_proposal(
        an_agent(),
        tool="browser_fill_form",
        params={"fields": [{"target": "#a", **field}]},
        fields=[{"name": "A", "target": "#a", **held}],
        chosen_index=0,
    )
    change = [{"index": 0, "value": value}]
    if is_taken:
        assert modify(proposal, fields=change).status == "approved"
    else:
        with pytest.raises(Invalid, match="kind"):
            modify(proposal, fields=change)


def test_a_click_types_no_text_and_a_point_has_no_other_selector():
    with pytest.raises(Invalid, match="types no text"):
        modify(a_proposal(an_agent(), chosen_index=0), text="x")
    point = a_proposal(an_agent(), tool="browser_mouse_click_xy", params={"x": 1, "y": 2})
    looked_up(point)
    with pytest.raises(Invalid, match="names no element"):
        modify(point, selector="#save")
