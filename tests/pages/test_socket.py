"""The live line, spoken to without a browser: who may listen, and for how long."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from agents.models import Person
from tests.pages.conftest import Rows, Web
from tests.pages.seed import Crew

Listen = Callable[[Person | None], ClientConnection]


def cookie_of(person: Person) -> str:
    client = Client()
    client.force_login(person)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


@pytest.fixture
def listen(web: Web, rows: Rows) -> Iterator[Listen]:
    with ExitStack() as opened:

        def as_person(person: Person | None) -> ClientConnection:
            headers = {"Cookie": rows.do(cookie_of, person)} if person else {}
            return opened.enter_context(_line(web, headers, origin=web.url))

        yield as_person


def _line(web: Web, headers: dict[str, str], *, origin: str) -> Any:
    address = web.url.replace("http", "ws") + "/ws/desk"
    return connect(address, additional_headers=headers, origin=Origin(origin), proxy=None)


def heard(line: ClientConnection) -> Any:
    return json.loads(line.recv(timeout=5))


def closed_with(line: ClientConnection) -> int | None:
    """The code it ends with; what it says before that does not matter."""
    with suppress(ConnectionClosedError):
        while True:
            line.recv(timeout=10)
    return line.close_code


def test_hints_carry_ids_and_nothing_of_the_card(rows: Rows, crew: Crew, listen: Listen) -> None:
    line = listen(crew.anna)
    assert heard(line) == {"kind": "welcome"}
    asked = rows.do(crew.ask, "two")
    assert heard(line) == {
        "kind": "proposal",
        "id": str(asked.pk),
        "status": "pending",
        "version": 1,
    }


def test_the_line_answers_when_asked_whether_it_is_alive(crew: Crew, listen: Listen) -> None:
    line = listen(crew.anna)
    heard(line)
    line.send('{"kind": "ping"}')
    assert heard(line) == {"kind": "pong"}


def test_a_stranger_is_turned_away(listen: Listen) -> None:
    assert closed_with(listen(None)) == 4401


def test_another_site_cannot_open_the_line(web: Web, rows: Rows, crew: Crew) -> None:
    cookie = {"Cookie": rows.do(cookie_of, crew.anna)}
    with pytest.raises(InvalidStatus) as refusal, _line(web, cookie, origin="https://evil.example"):
        pass
    assert refusal.value.response.status_code == 403


def _leave_the_team(person: Person) -> None:
    person.teams.clear()


def _be_switched_off(person: Person) -> None:
    Person.objects.filter(pk=person.pk).update(is_active=False)


def _sign_out(person: Person) -> None:
    for session in Session.objects.all():
        if session.get_decoded().get("_auth_user_id") == str(person.pk):
            session.delete()


@pytest.mark.parametrize("lose", [_leave_the_team, _be_switched_off, _sign_out])
def test_who_no_longer_belongs_hears_nothing_more(
    lose: Callable[[Person], None], rows: Rows, crew: Crew, listen: Listen
) -> None:
    line = listen(crew.anna)
    heard(line)
    rows.do(lose, crew.anna)
    rows.do(crew.ask, "two")
    assert closed_with(line) == 4401
