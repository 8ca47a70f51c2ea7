"""Who may see and do what on the pages: another team's reviewer gets 404, everywhere."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Person
from proposals import services
from proposals.models import Proposal
from runs.models import Action
from tests.pages.conftest import Rows
from tests.pages.scenes import Scene
from tests.pages.seed import Crew, picture_of, run_with_steps
from tests.support.clients import HOME, client_of


def get(rows: Rows, person: Person, path: str) -> HttpResponse:
    return rows.do(lambda: client_of(person).get(path))


def test_another_teams_reviewer_finds_nothing(rows: Rows, crew: Crew, cy: Person) -> None:
    asked = rows.do(crew.ask, "two")
    run = rows.do(run_with_steps, crew)
    paths = [
        f"/proposals/{asked.pk}",
        f"/proposals/{asked.pk}/card",
        f"/runs/{run.pk}",
    ]
    for path in paths:
        assert get(rows, crew.anna, path).status_code == 200, path
        assert get(rows, cy, path).status_code == 404, path
    for verb in ("approve", "modify", "reject", "mark-done", "retry", "view"):
        path = f"/proposals/{asked.pk}/{verb}"
        answer = rows.do(lambda path=path: client_of(cy).post(path, {"version": 1}))
        assert answer.status_code == 404, path
    assert str(asked.pk) not in get(rows, cy, "/").content.decode()
    for path in ("/queue/list", f"/queue/rows?id={asked.pk}"):
        assert str(asked.pk) not in get(rows, cy, path).content.decode()
        assert str(asked.pk) in get(rows, crew.anna, path).content.decode()
    assert str(run.pk) not in get(rows, cy, "/runs").content.decode()


def test_a_picture_is_shown_to_its_team_alone_and_never_kept(
    rows: Rows, crew: Crew, cy: Person, scenes: dict[str, Scene]
) -> None:
    scene = scenes["checkout"]
    own = Scene(scene.title, scene.picture + uuid.uuid4().bytes, scene.viewport, [], "")
    asked = rows.do(crew.ask, "two")

    def keep() -> str:
        digest = picture_of(own)
        Proposal.objects.filter(pk=asked.pk).update(picture=digest)
        return digest

    path = f"/pictures/{rows.do(keep)}"
    answer = get(rows, crew.ben, path)
    assert answer.status_code == 200
    assert answer.content == own.picture
    assert answer["Content-Type"] == "image/jpeg"
    assert "no-store" in answer["Cache-Control"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert get(rows, cy, path).status_code == 404
    assert rows.do(lambda: Client(**HOME).get(path)).status_code == 302

    def move_to_action() -> None:
        digest = path.rsplit("/", 1)[1]
        Proposal.objects.filter(pk=asked.pk).update(picture="")
        Action.objects.filter(pk=asked.action_id).update(picture=digest)

    rows.do(move_to_action)
    assert get(rows, crew.ben, path).status_code == 200
    assert get(rows, cy, path).status_code == 404


def test_strangers_are_sent_to_sign_in(rows: Rows, crew: Crew) -> None:
    asked = rows.do(crew.ask, "two")
    for path in ("/", "/queue/list", "/runs", f"/proposals/{asked.pk}/card"):
        answer = rows.do(lambda path=path: Client(**HOME).get(path))
        assert (answer.status_code, answer["Location"]) == (302, f"/sign-in?next={path}")


def test_an_auditor_may_not_decide(rows: Rows, crew: Crew) -> None:
    asked = rows.do(crew.ask, "two")
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="auditor"))
    answer = rows.do(
        lambda: client_of(crew.ben).post(f"/proposals/{asked.pk}/approve", {"version": 1})
    )
    assert answer.status_code == 403
    assert rows.fresh(asked).status == "pending"


@pytest.mark.parametrize(
    ("status", "settle"),
    [
        (409, lambda asked, ben: services.reject(asked.pk, person=ben, version=1, reason="No")),
        (410, lambda asked, ben: Proposal.objects.filter(pk=asked.pk).update(status="expired")),
        (409, lambda asked, ben: Proposal.objects.filter(pk=asked.pk).update(version=2)),
    ],
    ids=["decided", "expired", "changed"],
)
def test_a_late_decision_is_answered_with_the_card_as_it_is_now(
    status: int, settle: Callable[[Proposal, Person], Any], rows: Rows, crew: Crew
) -> None:
    asked = rows.do(crew.ask, "two")
    rows.do(settle, asked, crew.ben)
    answer = rows.do(
        lambda: client_of(crew.anna).post(
            f"/proposals/{asked.pk}/approve", {"version": 1}, headers={"X-Fragment": "1"}
        )
    )
    assert answer.status_code == status
    page = answer.content.decode()
    assert page.lstrip().startswith("<article")
    assert "data-notice" in page


def test_a_forged_post_is_refused(rows: Rows, crew: Crew) -> None:
    asked = rows.do(crew.ask, "two")

    def forge() -> HttpResponse:
        client = Client(enforce_csrf_checks=True, **HOME)
        client.force_login(crew.anna)
        return client.post(f"/proposals/{asked.pk}/approve", {"version": 1})

    answer = rows.do(forge)
    assert answer.status_code == 403
    assert "This was not sent" in answer.content.decode()
    assert rows.fresh(asked).status == "pending"


@pytest.mark.parametrize("path", ["/", "/queue/list", "/runs"])
def test_more_rows_ask_no_more_questions(path: str, rows: Rows, crew: Crew) -> None:
    rows.do(crew.ask, "two")
    few = rows.do(_count_queries, crew.anna, path)
    for name in ("five", "student", "bidi", "navigation"):
        rows.do(crew.ask, name)
    rejected = rows.do(crew.ask, "two")
    rows.do(services.reject, rejected.pk, person=crew.ben, version=1, reason="No")
    assert rows.do(_count_queries, crew.anna, path) <= few + 1  # the deciders, all at once


def test_more_steps_ask_no_more_questions(rows: Rows, crew: Crew) -> None:
    run = rows.do(run_with_steps, crew)
    few = rows.do(_count_queries, crew.anna, f"/runs/{run.pk}")
    second = rows.do(run_with_steps, crew)

    def join() -> None:
        Action.objects.filter(run=second).update(run=run)
        Proposal.objects.filter(run_id=second.pk).exclude(status="pending").update(run_id=run.pk)

    rows.do(join)
    assert rows.do(_count_queries, crew.anna, f"/runs/{run.pk}") <= few


def _count_queries(person: Person, path: str) -> int:
    client = client_of(person)
    with CaptureQueriesContext(connection) as asked:
        assert client.get(path).status_code == 200
    # The flags are read anew every now and then, whoever asks.
    return sum("confidence_flagoverride" not in query["sql"] for query in asked)


def test_pages_carry_a_strict_policy_and_no_inline_code(rows: Rows, crew: Crew) -> None:
    rows.do(crew.ask, "bidi")
    answer = get(rows, crew.anna, "/")
    policy = answer["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    page = answer.content.decode()
    assert " style=" not in page
    assert " onclick=" not in page
    assert page.count("<script") == page.count('type="application/json"') + page.count(
        'type="module"'
    )
