"""What a card's form says of changes, and what a card shows of them, over the real views."""

import pytest
from django.test import Client

from confidence import flags
from confidence.models import Precedent
from core import clock, sealing
from core.sealing import MASK
from proposals import services
from proposals.models import Preview, Proposal
from tests.support.proposals import a_person, a_proposal, an_agent, candidate

pytestmark = pytest.mark.django_db


def signed_in(person=None) -> Client:
    client = Client(headers={"X-Fragment": "1"})
    client.force_login(person or a_person())
    return client


def send(client: Client, proposal: Proposal, verb: str, **said):
    body = {"version": proposal.version, **said}
    return client.post(f"/proposals/{proposal.pk}/{verb}", body)


def fresh(proposal: Proposal) -> Proposal:
    return Proposal.objects.get(pk=proposal.pk)


def looked_up(proposal: Proposal, *, count: int = 1, **columns) -> Preview:
    found = [candidate(index, "Save all", "other").as_dict() for index in range(count)]
    held = {
        "selector": "#save",
        "status": Preview.Status.DONE,
        "match_confidence": {
            "match_count": count, "candidates": found, "level": "high", "score": 1.0
        },
        "anchors": [{"node_id": 90}],
        "answered_at": clock.now(),
        **columns,
    }  # fmt: skip
    return Preview.objects.create(
        proposal=proposal, person=a_person(), created_at=clock.now(), **held
    )


def a_form(**last) -> Proposal:
    """Three fields, and a fourth one if something is said of it."""
    params = {
        "fields": [
            {"target": "#a", "name": "Name", "type": "textbox", "value": "Robin"},
            {"target": "#b", "name": "PIN", "type": "textbox", "value": MASK},
            {"target": "#c", "name": "Gift", "type": "checkbox", "value": True},
        ]
    }
    if last:
        params["fields"].append({"target": "#d", "name": "Last", **last})
    held = {"candidates": [candidate(0).as_dict()], "chosen_index": 0, "match_count": 1}
    fields = [
        {"name": one["name"], "target": one["target"], "level": "high", "score": 1.0, **held}
        for one in params["fields"]
    ]
    return a_proposal(
        an_agent(), tool="browser_fill_form", params=params, fields=fields, chosen_index=0,
        anchors=[[{}]] * len(fields),
    )  # fmt: skip


# --- another element --------------------------------------------------------------------
def test_what_was_found_is_shown_as_one_more_candidate():
    proposal = a_proposal(an_agent())
    preview = looked_up(proposal)
    page = signed_in().get(f"/proposals/{proposal.pk}/found/{preview.pk}").content.decode()
    assert "It means exactly one element." in page
    assert 'id="candidate-2"' in page
    assert 'name="selector" value="#save"' in page
    assert "disabled" not in page


@pytest.mark.parametrize(("count", "words"), [(3, "three: not one"), (0, "matches nothing")])
def test_none_and_several_are_said_and_cannot_be_picked(count, words):
    proposal = a_proposal(an_agent())
    preview = looked_up(proposal, count=count)
    page = signed_in().get(f"/proposals/{proposal.pk}/found/{preview.pk}").content.decode()
    assert words in page
    assert "data-pick" not in page


def test_a_look_that_failed_says_why_in_words():
    proposal = a_proposal(an_agent())
    failed = {"status": "failed", "match_confidence": None, "error": {"message": "It is gone."}}
    preview = looked_up(proposal, **failed)
    page = signed_in().get(f"/proposals/{proposal.pk}/found/{preview.pk}").content.decode()
    assert "It is gone." in page
    assert "data-pick" not in page


def test_an_element_that_is_listed_already_is_named_as_that():
    proposal = a_proposal(an_agent())
    same = {"match_count": 1, "candidates": [candidate(1).as_dict()], "level": "high"}
    preview = looked_up(proposal, match_confidence=same)
    page = signed_in().get(f"/proposals/{proposal.pk}/found/{preview.pk}").content.decode()
    assert "the same element as #2" in page


def test_another_team_and_another_card_see_no_look():
    proposal, other = a_proposal(an_agent()), a_proposal(an_agent())
    preview = looked_up(proposal)
    client = signed_in()
    assert client.get(f"/proposals/{other.pk}/found/{preview.pk}").status_code == 404
    cy = a_person()
    cy.teams.clear()
    assert signed_in(cy).get(f"/proposals/{proposal.pk}/found/{preview.pk}").status_code == 404


def test_what_was_found_is_approved_as_a_change_and_shown_as_a_diff():
    proposal = a_proposal(an_agent())
    looked_up(proposal)
    answer = send(signed_in(), proposal, "modify", chosen_index="2", selector="#save")
    assert answer.status_code == 200
    assert fresh(proposal).approved_index == 2
    page = answer.content.decode()
    assert "<del>" in page
    assert "#save" in page


def test_a_point_is_sent_by_its_look():
    proposal = a_proposal(an_agent())
    preview = looked_up(proposal, selector="", point={"x": 1, "y": 2})
    answer = send(signed_in(), proposal, "modify", chosen_index="2", preview=str(preview.pk))
    assert answer.status_code == 200
    assert fresh(proposal).decisions.get().modifications == {"preview": str(preview.pk)}


def test_what_was_looked_up_counts_only_while_it_is_picked():
    proposal = a_proposal(an_agent(), chosen_index=0)
    looked_up(proposal)
    send(signed_in(), proposal, "modify", chosen_index="1", selector="#save")
    assert fresh(proposal).decisions.get().modifications == {"chosen_index": 1}


def test_an_approval_with_changes_in_it_is_refused():
    proposal = a_proposal(an_agent())
    looked_up(proposal)
    answer = send(signed_in(), proposal, "approve", chosen_index="2", selector="#save")
    assert answer.status_code == 422
    assert "You changed something" in answer.content.decode()
    assert fresh(proposal).status == "pending"


def test_a_modification_without_a_change_is_refused():
    answer = send(signed_in(), a_proposal(an_agent(), chosen_index=0), "modify", chosen_index="0")
    assert answer.status_code == 422


# --- another value ----------------------------------------------------------------------
def typing(text: str) -> Proposal:
    params = {"target": "#mail", "text": text}
    return a_proposal(an_agent(), "Mail", tool="browser_type", params=params, chosen_index=0)


def test_another_text_is_sent_and_both_are_shown():
    proposal = typing("first\nsecond")
    answer = send(signed_in(), proposal, "modify", chosen_index="0", text=" first\r\nthird")
    decided = fresh(proposal)
    assert sealing.unseal(decided.sealed_changes) == {"text": " first\nthird"}
    page = answer.content.decode()
    assert page.count("<del>") == 1
    assert "third" in page


def test_the_text_as_it_was_is_no_change():
    proposal = typing("first\nsecond")
    answer = send(signed_in(), proposal, "approve", chosen_index="0", text="first\r\nsecond")
    assert answer.status_code == 200
    assert fresh(proposal).decisions.get().verb == "approve"


def test_a_secret_is_replaced_only_when_something_is_typed():
    proposal = typing(MASK)
    page = signed_in().get(f"/proposals/{proposal.pk}/card").content.decode()
    assert 'type="password"' in page
    assert send(signed_in(), proposal, "modify", chosen_index="0", text="").status_code == 422
    answer = send(signed_in(), proposal, "modify", chosen_index="0", text="1234")
    assert sealing.unseal(fresh(proposal).sealed_changes) == {"text": "1234"}
    assert "1234" not in answer.content.decode()
    assert "a secret was replaced" in answer.content.decode()


def test_values_of_a_form_are_changed_by_their_field():
    proposal = a_form()
    said = {"value-0": "Ada", "value-1": "", "value-2": "no"}
    answer = send(signed_in(), proposal, "modify", **said)
    assert answer.status_code == 200
    kept = fresh(proposal).decisions.get().modifications
    assert kept == {"fields": [{"index": 0, "value": "Ada"}, {"index": 2, "value": False}]}
    assert answer.content.decode().count("<del>") == 2


def test_an_approval_that_would_lose_a_value_is_refused():
    proposal = a_form()
    assert send(signed_in(), proposal, "approve", **{"value-0": "Ada"}).status_code == 422
    assert send(signed_in(), proposal, "approve", **{"value-0": "Robin"}).status_code == 200


def choosing(*options: str) -> Proposal:
    params = {"target": "#country", "values": list(options)}
    return a_proposal(
        an_agent(), "Country", tool="browser_select_option", params=params, chosen_index=0
    )


def test_options_are_changed_one_a_line():
    proposal = choosing("France", "Italy")
    page = signed_in().get(f"/proposals/{proposal.pk}/card").content.decode()
    assert "France\nItaly</textarea>" in page
    answer = send(signed_in(), proposal, "modify", chosen_index="0", values="Italy\r\n\r\n Spain ")
    decided = fresh(proposal)
    assert decided.decisions.get().modifications == {"values": ["Italy", "Spain"]}
    assert sealing.unseal(decided.sealed_changes) == {"options": ["Italy", "Spain"]}
    assert "Italy, Spain" in answer.content.decode()


def test_the_options_as_they_were_are_no_change():
    proposal = choosing("France", "Italy")
    answer = send(signed_in(), proposal, "approve", chosen_index="0", values="France\r\nItaly\r\n")
    assert (answer.status_code, fresh(proposal).status) == (200, "approved")


def test_an_emptied_list_of_options_is_refused_in_words():
    proposal = choosing("France")
    answer = send(signed_in(), proposal, "modify", chosen_index="0", values=" \n ")
    assert answer.status_code == 422
    assert "Name at least one option for: options." in answer.content.decode()
    assert fresh(proposal).status == "pending"


def test_options_that_cannot_stand_on_a_line_are_left_to_the_agent():
    for options in (["a\nb"], [""], [" a"]):
        page = signed_in().get(f"/proposals/{choosing(*options).pk}/card").content.decode()
        assert "Choose instead" not in page


def test_several_options_of_a_forms_field_are_changed_too():
    proposal = a_form(value=["red", "blue"])
    answer = send(signed_in(), proposal, "modify", **{"value-3": "green\r\nred"})
    assert answer.status_code == 200
    kept = fresh(proposal).decisions.get().modifications
    assert kept == {"fields": [{"index": 3, "value": ["green", "red"]}]}


def test_files_are_said_to_be_the_agents():
    upload = a_proposal(an_agent(), tool="browser_file_upload", params={"paths": ["cv.pdf"]})
    for proposal in (upload, a_form(type="file", value=["cv.pdf"])):
        page = signed_in().get(f"/proposals/{proposal.pk}/card").content.decode()
        assert "Files are the agent" in page
        assert 'name="value-3"' not in page


# --- two people -------------------------------------------------------------------------
@pytest.fixture
def _two_people():
    flags.set_flag("IRREVERSIBLE_NEEDS_TWO_PEOPLE", "true")
    flags._forget()
    yield
    flags._forget()


@pytest.mark.usefixtures("_two_people")
def test_a_card_says_who_was_first_and_why_and_that_another_one_has_to():
    proposal = a_proposal(an_agent(), risk=Proposal.Risk.IRREVERSIBLE)
    anna, ben = a_person(), a_person()
    said = {"chosen_index": "1", "word": "approve", "reason": "the order form"}
    mine = send(signed_in(anna), proposal, "approve", **said).content.decode()
    assert "You approved #2" in mine
    assert "waits for another person" in mine
    assert "data-waits-for-another" in mine
    theirs = signed_in(ben).get(f"/proposals/{proposal.pk}/card").content.decode()
    assert f"{anna.username} approved #2" in theirs
    assert "the order form" in theirs
    assert f"another person than {anna.username}" in theirs
    assert "data-waits-for-another" not in theirs


@pytest.mark.usefixtures("_two_people")
def test_the_first_person_is_told_in_place_that_another_one_has_to():
    proposal = a_proposal(an_agent(), risk=Proposal.Risk.IRREVERSIBLE)
    anna = signed_in()
    send(anna, proposal, "approve", chosen_index="1", word="approve")
    again = send(anna, fresh(proposal), "approve", chosen_index="1", word="approve")
    assert again.status_code == 409
    assert "another person has to as well" in again.content.decode()


@pytest.mark.usefixtures("_two_people")
def test_the_decided_card_names_both_people():
    proposal = a_proposal(an_agent(), risk=Proposal.Risk.IRREVERSIBLE)
    anna, ben = a_person(), a_person()
    send(signed_in(anna), proposal, "approve", chosen_index="1", word="approve")
    page = send(signed_in(ben), fresh(proposal), "approve", chosen_index="1", word="approve")
    words = page.content.decode()
    assert "You approved #2" in words
    assert f"{anna.username} approved it first" in words


# --- teach once -------------------------------------------------------------------------
def test_a_decision_can_be_remembered_and_says_so():
    proposal = a_proposal(an_agent())
    page = send(signed_in(), proposal, "approve", chosen_index="1", remember="site")
    assert Precedent.objects.get().proposal_id == proposal.pk
    assert 'href="/precedents"' in page.content.decode()


def test_nothing_is_remembered_unasked():
    proposal = a_proposal(an_agent())
    page = send(signed_in(), proposal, "approve", chosen_index="1", remember="")
    assert not Precedent.objects.exists()
    assert 'href="/precedents"' not in page.content.decode()


@pytest.mark.parametrize(
    "held",
    [
        {"params": {"target": "e12"}},
        {"risk": Proposal.Risk.IRREVERSIBLE},
        {"params": {"url": "https://a.example"}, "match_confidence": None},
    ],
)
def test_what_may_not_be_taught_is_not_offered(held):
    offered = 'name="remember"'
    client = signed_in()
    usual = client.get(f"/proposals/{a_proposal(an_agent()).pk}/card").content.decode()
    unusual = client.get(f"/proposals/{a_proposal(an_agent(), **held).pk}/card").content.decode()
    assert offered in usual
    assert offered not in unusual


def test_another_element_can_be_named_only_where_a_selector_named_one():
    client = signed_in()
    point = a_proposal(an_agent(), tool="browser_mouse_click_xy", params={"x": 1, "y": 2})
    assert "data-lookup" not in client.get(f"/proposals/{point.pk}/card").content.decode()
    usual = a_proposal(an_agent())
    assert "data-lookup" in client.get(f"/proposals/{usual.pk}/card").content.decode()
    services.reject(usual.pk, person=a_person(), version=1, reason="no")
    assert "data-lookup" not in client.get(f"/proposals/{usual.pk}/card").content.decode()
