"""The webhooks' pages: admins set up an endpoint, see what became of messages, and send again."""

from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from playwright.sync_api import expect

from agents.models import Person
from core import clock
from tests.pages.conftest import Desk, OpenDesk, Rows
from tests.pages.seed import Crew
from tests.pages.test_access import _count_queries, get
from tests.pages.test_every_page import THEMES, assert_no_violation, assert_nothing_sticks_out
from tests.support.clients import client_of
from tests.support.hook import Hook, Reply
from webhooks import endpoints, services
from webhooks.domain import Event
from webhooks.models import Delivery, Digest, Endpoint

HOSTILE = b"<script>alert(1)</script>\xe2\x80\xaeevil"


@pytest.fixture
def hook():
    with Hook.started() as running:
        yield running


@pytest.fixture(autouse=True)
def _private_is_allowed(settings) -> None:
    settings.WEBHOOKS_ALLOW_PRIVATE = True


@pytest.fixture
def ada(rows: Rows, crew: Crew) -> Person:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="admin"))
    return rows.do(lambda: Person.objects.get(pk=crew.ben.pk))


@pytest.fixture(autouse=True)
def _no_endpoints(rows: Rows):
    """Endpoints are everybody's: none are there that another test left."""
    rows.do(lambda: Endpoint.objects.all().delete())
    yield
    rows.do(lambda: Endpoint.objects.all().delete())


@pytest.fixture
def endpoint(rows: Rows, ada: Person, hook: Hook) -> Endpoint:
    return rows.do(
        lambda: endpoints.create(hook.url, events=list(Event), description="Team chat", person=ada)[
            0
        ]
    )


def told(rows: Rows, endpoint: Endpoint) -> Delivery:
    rows.do(services.tell, Event.RUN_KILLED, {"run_id": "r1", "agent": "bot"})
    return rows.do(lambda: endpoint.deliveries.first())


def fresh(rows: Rows, delivery: Delivery) -> Delivery:
    return rows.do(lambda: Delivery.objects.get(pk=delivery.pk))


def press(desk: Desk, name: str) -> None:
    """By keyboard alone."""
    desk.page.get_by_role("button", name=name, exact=True).focus()
    desk.page.keyboard.press("Enter")


# --- by keyboard, in a browser ----------------------------------------------------------
def test_an_admin_adds_an_endpoint_and_sees_its_secret_once(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada)
    page = desk.page
    page.goto("/settings/webhooks")
    expect(page.get_by_role("heading", name="No endpoint yet")).to_be_visible()
    page.get_by_role("link", name="Add an endpoint").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Address").fill("https://hooks.example/in?key=1")
    page.get_by_label("Description").fill("Team chat")
    page.get_by_role("checkbox", name="proposal.created").focus()
    page.keyboard.press("Space")
    press(desk, "Add it")
    shown = page.locator("[data-copy-text]").inner_text()
    made = rows.do(lambda: Endpoint.objects.get())
    assert shown == rows.do(endpoints.secret_of, made)
    assert (made.description, made.events) == ("Team chat", ["proposal.created"])
    page.goto(f"/settings/webhooks/{made.pk}")
    assert shown not in page.content()


def test_what_is_wrong_is_said_beside_it_and_nothing_typed_is_lost(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    page = open_desk(ada, quiet=False).page
    page.goto("/settings/webhooks/new")
    page.get_by_label("Address").fill("http://169.254.169.254/latest")
    page.get_by_label("Description").fill("Sneaky")
    page.get_by_role("checkbox", name="run.killed").check()
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("alert")).to_contain_text("never allowed")
    expect(page.get_by_label("Description")).to_have_value("Sneaky")
    expect(page.get_by_role("checkbox", name="run.killed")).to_be_checked()
    assert_no_violation(page)
    assert not rows.do(lambda: Endpoint.objects.exists())


def test_a_failed_delivery_is_retried_and_a_delivered_one_replayed(
    rows: Rows, endpoint: Endpoint, hook: Hook, ada: Person, open_desk: OpenDesk
) -> None:
    hook.will(Reply(500, HOSTILE), Reply())
    delivery = told(rows, endpoint)
    rows.do(services.deliver, endpoint.pk)
    rows.do(lambda: Delivery.objects.update(status="failed"))
    desk = open_desk(ada)
    desk.page.goto("/settings/webhooks/deliveries?status=failed")
    desk.page.get_by_role("link", name="run.killed").focus()
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator("main")).to_contain_text("<script>alert(1)</script>")
    expect(desk.page.locator(".unseen").first).to_be_visible()
    press(desk, "Retry now")
    expect(desk.page.get_by_role("status").first).to_contain_text("tried again")
    rows.do(services.deliver, endpoint.pk)
    assert fresh(rows, delivery).status == "delivered"
    desk.page.reload()
    press(desk, "Replay")
    expect(desk.page.get_by_role("status").first).to_contain_text("once more")
    rows.do(services.deliver, endpoint.pk)
    assert len({one.id for one in hook.received}) == 1
    assert len(hook.received) == 3


def test_a_test_message_arrives(
    rows: Rows, endpoint: Endpoint, hook: Hook, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada)
    desk.page.goto(f"/settings/webhooks/{endpoint.pk}")
    press(desk, "Send a test")
    desk.page.get_by_role("heading", name="webhook.test").wait_for()
    rows.do(services.deliver, endpoint.pk)
    assert hook.latest.verified(rows.do(endpoints.secret_of, endpoint))["type"] == "webhook.test"


def test_a_person_asks_for_mails_and_stops_them(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    address = f"{crew.anna.username}@x.example"
    rows.do(Person.objects.filter(pk=crew.anna.pk).update, email=address)
    desk = open_desk(crew.anna)
    page = desk.page
    page.goto("/settings/mail")
    expect(page.locator("main")).to_contain_text("EMAIL_HOST")
    expect(page.get_by_label("Write to")).to_have_value(address)
    page.get_by_label("Minutes a proposal may wait").fill("5")
    press(desk, "Send me mails")
    expect(page.get_by_role("status").first).to_contain_text("as you said")
    wish = rows.do(lambda: Digest.objects.get(person=crew.anna))
    assert (wish.address, wish.waiting_minutes, wish.every_minutes) == (address, 5, 60)
    press(desk, "Stop the mails")
    expect(page.get_by_role("status").first).to_contain_text("No more")
    assert not rows.do(lambda: Digest.objects.filter(person=crew.anna).exists())


# --- looks ------------------------------------------------------------------------------
@pytest.mark.parametrize("theme", THEMES)
def test_every_page_in_both_themes(
    theme: str, rows: Rows, endpoint: Endpoint, hook: Hook, ada: Person, open_desk: OpenDesk
) -> None:
    page = open_desk(ada, color_scheme=theme).page
    for path in every_page(rows, endpoint, hook):
        page.goto(path)
        assert_no_violation(page)
    rows.do(lambda: endpoints.disable(endpoint, why="It answered 410 Gone."))
    for path in ("/settings/webhooks", f"/settings/webhooks/{endpoint.pk}"):
        page.goto(path)
        assert_no_violation(page)
    rows.do(lambda: Endpoint.objects.all().delete())
    for path in ("/settings/webhooks", "/settings/webhooks/deliveries"):
        page.goto(path)
        assert_no_violation(page)


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_nothing_is_cut_at(
    width: int, rows: Rows, endpoint: Endpoint, hook: Hook, ada: Person, open_desk: OpenDesk
) -> None:
    page = open_desk(ada, width=width, height=800).page
    for path in every_page(rows, endpoint, hook):
        page.goto(path)
        assert_nothing_sticks_out(page)


def every_page(rows: Rows, endpoint: Endpoint, hook: Hook) -> list[str]:
    """With a delivery of every state."""
    hook.will(Reply(500, HOSTILE + b"w" * 500), Reply(410, b""), Reply())
    made = [told(rows, endpoint) for _ in range(3)]
    rows.do(services.deliver, endpoint.pk)
    rows.do(lambda: Endpoint.objects.update(enabled=True, disabled_why=""))
    rows.do(services.replay, made[0])
    rows.do(services.deliver, endpoint.pk)
    rows.do(services.replay, made[0])
    rows.do(lambda: Delivery.objects.filter(pk=made[0].pk).update(status="pending"))
    ids = rows.do(lambda: list(Delivery.objects.values_list("pk", flat=True)))
    return [
        "/settings/webhooks",
        "/settings/webhooks/new",
        f"/settings/webhooks/{endpoint.pk}",
        "/settings/webhooks/deliveries",
        *(f"/settings/webhooks/deliveries/{one}" for one in ids),
        "/settings/mail",
    ]


# --- who may ----------------------------------------------------------------------------
def paths_of(endpoint: Endpoint, delivery: Delivery) -> list[str]:
    return [
        "/settings/webhooks",
        "/settings/webhooks/new",
        f"/settings/webhooks/{endpoint.pk}",
        "/settings/webhooks/deliveries",
        f"/settings/webhooks/deliveries/{delivery.pk}",
    ]


CHANGES = ("", "/test", "/secret", "/enable", "/disable", "/delete")


@pytest.mark.parametrize("role", ["reviewer", "auditor"])
def test_only_admins_see_and_change_webhooks(
    role: str, rows: Rows, crew: Crew, endpoint: Endpoint
) -> None:
    rows.do(lambda: Person.objects.filter(pk=crew.anna.pk).update(role=role))
    delivery = told(rows, endpoint)
    for path in paths_of(endpoint, delivery):
        assert get(rows, crew.anna, path).status_code == 403, path
    sent = {"url": "https://evil.example/", "events": ["run.killed"]}
    paths = [f"/settings/webhooks/{endpoint.pk}{change}" for change in CHANGES]
    paths += [f"/settings/webhooks/deliveries/{delivery.pk}/{verb}" for verb in ("retry", "replay")]
    for path in ("/settings/webhooks/new", *paths):
        assert post(rows, crew.anna, path, sent).status_code == 403, path
    after = rows.do(lambda: Endpoint.objects.get())
    assert (after.url, after.enabled, after.sealed_secret) == (
        endpoint.url,
        True,
        endpoint.sealed_secret,
    )
    assert rows.do(lambda: Delivery.objects.count()) == 1
    assert "Webhooks" not in get(rows, crew.anna, "/settings/mail").content.decode()


def post(rows: Rows, person: Person, path: str, sent: object = None) -> HttpResponse:
    return rows.do(lambda: client_of(person).post(path, sent or {}))


def test_strangers_are_sent_to_sign_in(rows: Rows, endpoint: Endpoint) -> None:
    for path in (*paths_of(endpoint, told(rows, endpoint)), "/settings/mail"):
        answer = rows.do(lambda path=path: Client(HTTP_HOST="127.0.0.1").get(path))
        assert (answer.status_code, answer["Location"]) == (302, f"/sign-in?next={path}")


def test_what_is_not_there_is_not_found(rows: Rows, ada: Person, endpoint: Endpoint) -> None:
    rows.do(lambda: Endpoint.objects.all().delete())
    paths = (f"/settings/webhooks/{endpoint.pk}", "/settings/webhooks/deliveries/99999999")
    for path in paths:
        assert get(rows, ada, path).status_code == 404, path
    odd = "/settings/webhooks/deliveries?status=x&endpoint=y&before=%C2%B2"
    assert get(rows, ada, odd).status_code == 200


def test_changes_are_said_and_refusals_too(rows: Rows, ada: Person, endpoint: Endpoint) -> None:
    home = f"/settings/webhooks/{endpoint.pk}"
    sent = {"url": "https://b.example/", "description": "B", "events": ["run.killed"]}
    assert post(rows, ada, home, sent).status_code == 302
    assert post(rows, ada, home, {**sent, "events": []}).status_code == 422
    changed = rows.do(lambda: Endpoint.objects.get())
    assert (changed.url, changed.events) == ("https://b.example/", ["run.killed"])
    delivery = told(rows, changed)
    assert post(rows, ada, f"{home}/disable").status_code == 302
    assert post(rows, ada, f"{home}/test").status_code == 409
    for verb in ("retry", "replay"):
        path = f"/settings/webhooks/deliveries/{delivery.pk}/{verb}"
        answer = post(rows, ada, path)
        assert answer.status_code == 409, verb
        assert "enable it first" in answer.content.decode()
    assert post(rows, ada, f"{home}/delete").status_code == 302
    assert not rows.do(lambda: Endpoint.objects.exists())


@pytest.mark.parametrize("path", ["/settings/webhooks", "/settings/webhooks/deliveries"])
def test_more_rows_ask_no_more_questions(
    path: str, rows: Rows, ada: Person, endpoint: Endpoint, hook: Hook
) -> None:
    told(rows, endpoint)
    few = rows.do(_count_queries, ada, path)
    for _ in range(3):
        rows.do(lambda: endpoints.create(hook.url, events=[Event.RUN_KILLED], person=ada))
        told(rows, endpoint)
    assert rows.do(_count_queries, ada, path) <= few


def test_deliveries_come_in_pages(rows: Rows, ada: Person, endpoint: Endpoint) -> None:
    def make() -> None:
        for _ in range(53):
            services.tell(Event.RUN_KILLED, {})
        Delivery.objects.update(created_at=clock.now() - timedelta(minutes=1))

    rows.do(make)
    path = "/settings/webhooks/deliveries"
    first = get(rows, ada, path).context
    assert len(first["rows"]) == 50
    second = get(rows, ada, f"{path}?before={first['next_before']}").context
    assert len(second["rows"]) == 3
    assert second["next_before"] is None


def test_a_secret_is_never_kept_by_a_cache(rows: Rows, ada: Person, endpoint: Endpoint) -> None:
    answer = post(rows, ada, f"/settings/webhooks/{endpoint.pk}/secret")
    assert "whsec_" in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
