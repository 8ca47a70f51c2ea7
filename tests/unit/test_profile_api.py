"""Profiles over REST: admins alone, one change at a time, errors by line and key."""

import pytest
from django.http import HttpResponse

from agents.models import Person
from agents.services import create_agent, create_key, create_person
from confirmations.models import Profile
from tests.support.clients import client_of

pytestmark = pytest.mark.django_db

TEXT = "name: shop\nsites: ['http://shop.example/*']\n"
HOME = "/api/v1/profiles"


@pytest.fixture
def ada() -> Person:
    return create_person("ada", role="admin", teams=["north"])[0]


def put(person: Person, name: str = "shop", **body: object) -> HttpResponse:
    said = {"text": TEXT, "version": 0, **body}
    return client_of(person).put(f"{HOME}/{name}", said, content_type="application/json")


def test_a_profile_is_made_put_in_force_and_changed(ada: Person) -> None:
    made = put(ada, is_active=True)
    assert made.status_code == 200
    assert (made.json()["version"], made.json()["is_active"]) == (2, True)
    changed = put(ada, text=f"{TEXT}mode: ask\n", version=2).json()
    assert (changed["mode"], changed["is_active"], changed["updated_by"]) == ("ask", True, "ada")
    assert put(ada, version=3, is_active=False).json()["is_active"] is False
    client = client_of(ada)
    assert [one["name"] for one in client.get(HOME).json()["results"]] == ["shop"]
    assert client.get(f"{HOME}/shop").json()["text"] == TEXT


def test_errors_are_named(ada: Person) -> None:
    bad = put(ada, text=f"{TEXT}mode: never\n")
    assert (bad.status_code, bad.json()["code"]) == (422, "bad_profile")
    assert (bad.json()["line"], bad.json()["key"]) == (3, "mode")
    assert put(ada, name="other").status_code == 422
    put(ada)
    assert put(ada).status_code == 409
    stale = put(ada, version=7)
    assert (stale.status_code, stale.json()["code"]) == (409, "stale")
    assert put(ada, name="other", version=1).status_code == 404
    for body in ({"version": "x"}, {"text": ""}, {"text": "\0"}, {"more": 1}, {"version": -1}):
        assert put(ada, **{"version": 1, **body}).status_code == 422, body
    assert Profile.objects.get().version == 1


def test_nobody_else_reads_or_writes(ada: Person) -> None:
    put(ada)
    for role in ("reviewer", "auditor"):
        person = create_person(role, role=role, teams=["north"])[0]
        assert client_of(person).get(HOME).status_code == 403
        assert client_of(person).get(f"{HOME}/shop").status_code == 403
        assert put(person, version=1).status_code == 403


def test_an_agents_key_is_refused(ada: Person, client) -> None:
    put(ada)
    key = create_key(create_agent("bot", tier="autonomous"))
    headers = {"Authorization": f"Bearer {key}"}
    assert client.get(HOME, headers=headers).status_code == 403
    said = {"text": TEXT, "version": 1}
    answer = client.put(f"{HOME}/shop", said, content_type="application/json", headers=headers)
    assert answer.status_code == 403
    assert Profile.objects.get().version == 1
