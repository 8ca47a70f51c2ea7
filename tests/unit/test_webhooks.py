"""Webhooks against a real receiver: signed, tried again, never where they must not go."""

import json
import logging
import socket
import time
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from standardwebhooks import Webhook, WebhookVerificationError

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_person
from audit.models import BrowserAudit
from confidence import flags
from core import clock
from core.actors import SYSTEM
from core.errors import Conflict, Invalid
from proposals import services as proposal_services
from proposals.domain import Event as Move
from proposals.models import Proposal
from proposals.signals import proposal_moved
from runs import services as run_services
from runs.models import Action, Run
from tests.pages.seed import Recipe, propose
from tests.support.hook import Hook, Reply
from webhooks import domain, endpoints, escalations, messages, services, tasks
from webhooks.domain import Event
from webhooks.models import Delivery, Endpoint, Escalation

pytestmark = pytest.mark.django_db
Status = Delivery.Status
RECIPE = Recipe(
    "bot",
    tool="browser_navigate",
    intent="agent-words",
    url="https://shop.example/pay?session=hidden-in-query",
    params={"url": "https://shop.example/next?token=hidden-in-params"},
    reasons=("tier",),
)


@pytest.fixture(autouse=True)
def _private_is_allowed(settings) -> None:
    settings.WEBHOOKS_ALLOW_PRIVATE = True
    settings.WEBHOOKS_TIMEOUT_S = 5


@pytest.fixture(scope="module")
def _hook():
    with Hook.started() as running:
        yield running


@pytest.fixture
def hook(_hook: Hook) -> Hook:
    _hook.received.clear()
    _hook.will(Reply())
    return _hook


@pytest.fixture
def admin() -> Person:
    return create_person("ada", role="admin")[0]


@pytest.fixture
def rey() -> Person:
    return create_person("rey", role="reviewer")[0]


@pytest.fixture
def bot() -> AgentRegistry:
    return create_agent("bot", tier="student", allowed_hosts=["shop.example"])


@pytest.fixture
def made(hook: Hook, admin: Person) -> tuple[Endpoint, str]:
    return endpoints.create(hook.url, events=list(Event), description="chat", person=admin)


@pytest.fixture
def endpoint(made: tuple[Endpoint, str]) -> Endpoint:
    return made[0]


@pytest.fixture
def secret(made: tuple[Endpoint, str]) -> str:
    return made[1]


@pytest.fixture
def committed(django_capture_on_commit_callbacks):
    """What is told once the change is committed."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def sent_types(hook: Hook) -> list[str]:
    return [one.type for one in hook.received]


def only(endpoint: Endpoint) -> Delivery:
    return endpoint.deliveries.get()


def is_due_again(delivery: Delivery) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(next_try_at=clock.now())


# --- what is sent -----------------------------------------------------------------------
def test_a_message_verifies_with_the_receivers_own_library(hook, endpoint, secret) -> None:
    services.tell(Event.RUN_KILLED, {"run_id": "r1", "agent": "zoë"})
    assert services.deliver(endpoint.pk) == 1
    said = hook.latest.verified(secret)
    assert (said["type"], said["data"]) == ("run.killed", {"run_id": "r1", "agent": "zoë"})
    assert datetime.fromisoformat(said["timestamp"]).tzinfo is not None
    delivery = only(endpoint)
    assert (delivery.status, delivery.tries, delivery.answer_status) == (Status.DELIVERED, 1, 200)
    assert (delivery.answer, delivery.message_id) == ("thank you", hook.latest.id)


def test_another_secret_or_a_changed_body_does_not_verify(hook, endpoint, secret) -> None:
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    sent = hook.latest
    with pytest.raises(WebhookVerificationError):
        sent.verified("whsec_" + "A" * 44)
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(sent.body.replace(b"killed", b"healed"), sent.headers)


def test_only_those_who_asked_for_an_event_hear_of_it(hook, admin) -> None:
    some = endpoints.create(hook.url, events=[Event.RUN_KILLED], person=admin)[0]
    off = endpoints.create(hook.url, events=[Event.RUN_KILLED], person=admin)[0]
    endpoints.disable(off, why="not now", person=admin)
    assert services.tell(Event.FLAGS_CHANGED, {}) == 0
    assert services.tell(Event.RUN_KILLED, {}) == 1
    assert only(some).event == "run.killed"


# --- where the events come from ---------------------------------------------------------
def test_a_proposals_life_is_told_in_order(hook, endpoint, secret, bot, rey, committed) -> None:
    with committed():
        asked = propose(bot, RECIPE, {})
    with committed():
        proposal_services.approve(asked.pk, person=rey, version=1)
    services.deliver(endpoint.pk)
    assert sent_types(hook) == ["proposal.created", "proposal.decided"]
    created, decided = (one.verified(secret)["data"] for one in hook.received)
    assert created["proposal_id"] == decided["proposal_id"] == str(asked.pk)
    assert (created["status"], decided["status"]) == ("pending", "approved")
    assert decided["decision"] == {"verb": "approve", "by": "rey"}
    assert created["url"].endswith(f"/proposals/{asked.pk}")


def test_a_decision_is_told_as_it_was_even_if_a_worker_was_faster(endpoint, bot, rey) -> None:
    asked = propose(bot, RECIPE, {})
    proposal_services.approve(asked.pk, person=rey, version=1)
    proposal_services.claim(asked.pk, lease_s=30)
    proposal_moved.send(sender=Proposal, proposal_id=asked.pk, event=Move.APPROVE)
    assert only(endpoint).data["status"] == "approved"


def test_an_expired_proposal_is_told(endpoint, bot, committed) -> None:
    asked = propose(bot, RECIPE, {})
    past = clock.now() - timedelta(minutes=20)
    Proposal.objects.filter(pk=asked.pk).update(
        created_at=past, expires_at=past + timedelta(minutes=15)
    )
    with committed():
        assert proposal_services.expire_due() == 1
    told = endpoint.deliveries.filter(event="proposal.expired").get()
    assert told.data["status"] == "expired"


def test_a_finished_action_is_told_with_its_code(endpoint, bot, committed) -> None:
    asked = propose(bot, RECIPE, {})
    action = Action.objects.select_related("run__agent").get(pk=asked.action_id)
    error = {"code": "timeout", "message": "words of the page", "retryable": True}
    with committed():
        run_services.acting.settle(action, Action.Status.FAILED, error=error)
    told = endpoint.deliveries.filter(event="action.finished").get()
    assert (told.data["status"], told.data["error"]) == ("failed", "timeout")
    assert "words of the page" not in told.body


def test_a_killed_run_is_told_and_a_finished_one_is_not(endpoint, bot, committed) -> None:
    killed, finished = (propose(bot, RECIPE, {}) for _ in range(2))
    for asked, status in ((killed, Run.Status.KILLED), (finished, Run.Status.FINISHED)):
        with committed():
            run_services.end_run(Run.objects.get(pk=asked.run_id), status, actor=SYSTEM)
    told = endpoint.deliveries.filter(event="run.killed").get()
    assert told.data["run_id"] == str(killed.run_id)


def test_a_changed_flag_is_told(endpoint, committed) -> None:
    for change in (
        lambda: flags.set_flag("MATCH_CONFIDENCE_HIGH_THRESHOLD", 0.9),
        lambda: flags.reset_flag("MATCH_CONFIDENCE_HIGH_THRESHOLD"),
    ):
        with committed():
            change()
    told = [one.data["value"] for one in endpoint.deliveries.order_by("id")]
    assert told == [0.9, 0.85]


def test_nothing_of_page_call_or_query_is_sent(endpoint, bot, rey, committed) -> None:
    with committed():
        asked = propose(bot, RECIPE, {})
    with committed():
        proposal_services.reject(asked.pk, person=rey, version=1, reason="hidden-reason")
    sent = "".join(one.body for one in endpoint.deliveries.all())
    assert len(endpoint.deliveries.all()) >= 2
    for word in ("hidden", "shop.example", "agent-words", "?"):
        assert word not in sent


def test_without_listeners_no_row_is_written(bot, committed) -> None:
    with committed():
        propose(bot, RECIPE, {})
    assert not Delivery.objects.exists()


# --- tried again ------------------------------------------------------------------------
def test_a_failed_try_is_made_again_later_under_the_same_id(hook, endpoint, secret) -> None:
    hook.will(Reply(503, b"busy"), Reply())
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    waiting = only(endpoint)
    assert (waiting.status, waiting.answer_status, waiting.answer) == ("pending", 503, "busy")
    assert waiting.next_try_at > clock.now() + timedelta(seconds=5)
    assert services.deliver(endpoint.pk) == 0  # not yet
    is_due_again(waiting)
    services.deliver(endpoint.pk)
    first, second = hook.received
    assert first.id == second.id
    assert first.body == second.body
    assert second.verified(secret)
    assert (only(endpoint).status, only(endpoint).tries) == ("delivered", 2)


def test_after_eight_tries_it_is_given_up(hook, endpoint) -> None:
    hook.will(Reply(500))
    services.tell(Event.RUN_KILLED, {})
    for _ in range(10):
        services.deliver(endpoint.pk)
        is_due_again(only(endpoint))
    assert len(hook.received) == 8
    assert (only(endpoint).status, only(endpoint).error) == ("failed", "It answered 500.")


def test_the_waits_grow_to_about_a_day() -> None:
    waits = [domain.wait_after(tries, luck=0.5) for tries in range(1, domain.MAX_TRIES)]
    assert waits == sorted(waits)
    assert waits[0] == timedelta(seconds=10)
    assert timedelta(hours=20) < sum(waits, timedelta()) < timedelta(hours=28)
    assert domain.wait_after(domain.MAX_TRIES) is None
    spread = {domain.wait_after(3) for _ in range(20)}
    assert len(spread) > 1
    assert min(spread) >= waits[2] * 0.8
    assert max(spread) <= waits[2] * 1.2


def test_410_disables_the_endpoint_and_ends_what_waits_for_it(hook, endpoint) -> None:
    hook.will(Reply(410))
    services.tell(Event.RUN_KILLED, {"n": 1})
    services.tell(Event.RUN_KILLED, {"n": 2})
    services.deliver(endpoint.pk)
    endpoint.refresh_from_db()
    assert not endpoint.enabled
    assert "410" in endpoint.disabled_why
    assert len(hook.received) == 1
    assert set(endpoint.deliveries.values_list("status", flat=True)) == {"failed"}
    assert services.tell(Event.RUN_KILLED, {}) == 0
    assert BrowserAudit.objects.filter(verb="webhook.disable").exists()


def test_a_redirect_is_not_followed(hook, endpoint) -> None:
    hook.will(Reply(302, headers={"Location": f"http://127.0.0.1:{hook.port}/elsewhere"}))
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    assert [(one.method, one.path) for one in hook.received] == [("POST", "/hook")]
    assert only(endpoint).status == "pending"
    assert "redirects are not followed" in only(endpoint).error


@pytest.mark.parametrize(
    "reply", [Reply(wait_s=3), Reply(body=b"x" * 200, drip_s=0.1)], ids=["silent", "dripping"]
)
def test_a_receiver_has_a_total_time(reply, hook, endpoint, settings) -> None:
    settings.WEBHOOKS_TIMEOUT_S = 0.4
    hook.will(reply)
    services.tell(Event.RUN_KILLED, {})
    began = time.monotonic()
    services.deliver(endpoint.pk)
    assert time.monotonic() - began < 2
    assert "did not answer within 0.4 s" in only(endpoint).error


def test_a_long_answer_is_cut_and_what_no_table_holds_is_replaced(hook, endpoint) -> None:
    hook.will(Reply(500, b"\x00\xff" + b"a" * 200_000))
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    answer = only(endpoint).answer
    assert answer.startswith("\ufffd\ufffda")
    assert len(answer) == domain.KEPT_ANSWER


def test_a_closed_port_is_said_so(endpoint) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    Endpoint.objects.update(url=f"http://127.0.0.1:{port}/")
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    assert "could not be connected to" in only(endpoint).error


# --- where nothing is sent --------------------------------------------------------------
def test_a_private_address_is_refused_unless_allowed(hook, endpoint, settings) -> None:
    settings.WEBHOOKS_ALLOW_PRIVATE = False
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    assert "WEBHOOKS_ALLOW_PRIVATE=true" in only(endpoint).error
    assert not hook.received


def test_a_name_is_judged_by_the_address_it_leads_to_at_that_moment(
    hook, endpoint, settings, monkeypatch
) -> None:
    Endpoint.objects.update(url=f"http://hook.example:{hook.port}/hook")
    asked: list[str] = []
    known = socket.getaddrinfo

    def lead_home(host, port, *args, **kwargs):
        if host in ("hook.example", b"hook.example"):
            asked.append("hook.example")
            return known("127.0.0.1", port, *args, **kwargs)
        return known(host, port, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", lead_home)
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    assert hook.latest.headers["host"] == f"hook.example:{hook.port}"
    assert len(asked) == 1  # what was checked is what was connected to
    settings.WEBHOOKS_ALLOW_PRIVATE = False
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    assert len(hook.received) == 1


@pytest.mark.parametrize("host", ["169.254.169.254", "[fd00:ec2::254]", "0.0.0.0"])
def test_metadata_addresses_are_never_allowed(host, admin) -> None:
    with pytest.raises(Invalid, match="never allowed"):
        endpoints.create(f"http://{host}/", events=[Event.RUN_KILLED], person=admin)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.example/",
        "a.example",
        "https://",
        "https://me:pw@a.example/",
        "https://a.example:port/",
        "https://a.example/#x",
        "http://[::1/",
        "https://a.example/\x01",
    ],
)
def test_what_is_no_address_is_refused(url, admin) -> None:
    with pytest.raises(Invalid):
        endpoints.create(url, events=[Event.RUN_KILLED], person=admin)
    assert not Endpoint.objects.exists()


def test_events_must_be_known_and_some(hook, admin) -> None:
    for events in ([], ["no.such"], [domain.TEST]):
        with pytest.raises(Invalid):
            endpoints.create(hook.url, events=events, person=admin)


# --- the secret -------------------------------------------------------------------------
def test_the_secret_is_in_no_row_no_record_and_no_log(
    hook, endpoint, secret, admin, caplog
) -> None:
    caplog.set_level(logging.DEBUG)
    bare = secret.removeprefix("whsec_")
    hook.will(Reply(500), Reply())
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    replaced = endpoints.replace_secret(endpoint, person=admin).removeprefix("whsec_")
    is_due_again(only(endpoint))
    services.deliver(endpoint.pk)
    rows = _everything("webhooks_endpoint", "webhooks_delivery", "audit_browseraudit")
    for word in (bare, replaced):
        assert word not in rows
        assert word not in caplog.text
    assert hook.latest.verified(f"whsec_{replaced}")


def _everything(*tables: str) -> str:
    return "".join(_rows_of(table) for table in tables)


def _rows_of(table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        assert cursor.rowcount, table
        return str(cursor.fetchall())


def test_the_record_names_the_host_only(admin) -> None:
    url = "https://hooks.example/services/T0/very-secret?key=also-secret"
    endpoints.create(url, events=[Event.RUN_KILLED], person=admin)
    entry = BrowserAudit.objects.get(verb="webhook.create")
    assert entry.actor_name == "ada"
    assert entry.payload["host"] == "hooks.example"
    assert "secret" not in json.dumps(entry.payload)


def test_a_lost_seal_key_is_said_and_nothing_is_sent(hook, endpoint) -> None:
    Endpoint.objects.update(sealed_secret="gAAAAABsomething-else")
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    assert "SEAL_KEY" in only(endpoint).error
    assert not hook.received


# --- by hand ----------------------------------------------------------------------------
def test_a_failed_one_is_retried_now_with_all_its_tries_anew(hook, endpoint) -> None:
    hook.will(Reply(410), Reply())
    services.tell(Event.RUN_KILLED, {})
    services.deliver(endpoint.pk)
    with pytest.raises(Conflict, match="disabled"):
        services.retry_now(only(endpoint))
    Endpoint.objects.update(enabled=True)
    services.retry_now(only(endpoint))
    services.deliver(endpoint.pk)
    assert (only(endpoint).status, only(endpoint).tries) == ("delivered", 1)
    with pytest.raises(Conflict, match="delivered"):
        services.retry_now(only(endpoint))


def test_a_replay_is_a_delivery_of_its_own_under_the_same_id(hook, endpoint, secret) -> None:
    services.tell(Event.RUN_KILLED, {"run_id": "r1"})
    services.deliver(endpoint.pk)
    services.replay(only(endpoint))
    services.deliver(endpoint.pk)
    first, second = hook.received
    assert (first.id, first.body) == (second.id, second.body)
    assert second.verified(secret)
    assert list(endpoint.deliveries.values_list("status", flat=True)) == ["delivered"] * 2


# --- what gets lost ---------------------------------------------------------------------
def test_a_lost_message_is_sent_again_by_the_sweep(hook, endpoint, monkeypatch) -> None:
    services.tell(Event.RUN_KILLED, {})  # its message is sent on commit, which never comes here
    sent: list[object] = []
    monkeypatch.setattr(messages, "send_deliver", sent.append)
    assert services.send_for_due() == 1
    assert sent == [endpoint.pk]
    services.deliver(endpoint.pk)
    assert services.send_for_due() == 0
    assert len(hook.received) == 1


def test_the_broker_may_be_gone(endpoint, monkeypatch, committed) -> None:
    def gone(*args, **kwargs):
        raise OSError("nobody there")

    monkeypatch.setattr("webhooks.messages.current_app.send_task", gone)
    with committed():
        services.tell(Event.RUN_KILLED, {})
    assert only(endpoint).status == "pending"


def test_a_sender_that_died_is_followed_by_another(hook, endpoint) -> None:
    services.tell(Event.RUN_KILLED, {})
    lost = services.claim(endpoint.pk)
    assert services.claim(endpoint.pk) is None
    assert services.send_for_due() == 0
    Delivery.objects.update(lease_until=clock.now() - timedelta(seconds=1))
    assert services.send_for_due() == 1
    services.deliver(endpoint.pk)
    assert only(endpoint).status == "delivered"
    services.settle(lost, services.Answer(error="too late"))
    assert only(endpoint).status == "delivered"


def test_a_hanging_receiver_keeps_two_senders_busy_and_no_more(endpoint) -> None:
    for _ in range(3):
        services.tell(Event.RUN_KILLED, {})
    assert services.claim(endpoint.pk)
    assert services.claim(endpoint.pk)
    assert services.claim(endpoint.pk) is None


def test_a_task_does_not_wait_for_the_receiver(monkeypatch) -> None:
    done: list[object] = []

    def slow(endpoint_id) -> None:
        time.sleep(0.5)
        done.append(endpoint_id)

    monkeypatch.setattr(services, "deliver", slow)
    endpoint_id, began = uuid4(), time.monotonic()
    tasks.deliver(str(endpoint_id))
    assert time.monotonic() - began < 0.3
    tasks.senders.executor.submit(lambda: None).result(2)
    deadline = time.monotonic() + 3
    while not done and time.monotonic() < deadline:
        time.sleep(0.05)
    assert done == [endpoint_id]


def test_old_deliveries_are_forgotten_and_waiting_ones_kept(endpoint) -> None:
    for _ in range(3):
        services.tell(Event.RUN_KILLED, {})
    old, waiting, _ = endpoint.deliveries.order_by("id")
    past = clock.now() - timedelta(days=31)
    Delivery.objects.filter(pk__in=[old.pk, waiting.pk]).update(created_at=past)
    Delivery.objects.filter(pk=old.pk).update(status="delivered")
    assert services.forget_old() == 1
    assert endpoint.deliveries.count() == 2


# --- escalation -------------------------------------------------------------------------
def test_a_proposal_escalates_once_at_two_thirds_of_its_time(endpoint, bot) -> None:
    asked = propose(bot, RECIPE, {})
    assert escalations.escalate_due() == []
    _age(asked, minutes=11)
    assert escalations.escalate_due() == [asked.pk]
    assert escalations.escalate_due() == []
    told = endpoint.deliveries.filter(event="proposal.escalated").get()
    assert (told.data["proposal_id"], told.data["status"]) == (str(asked.pk), "pending")
    assert Escalation.objects.count() == 1


def test_what_was_decided_does_not_escalate(endpoint, bot, rey) -> None:
    asked = propose(bot, RECIPE, {})
    proposal_services.approve(asked.pk, person=rey, version=1)
    _age(asked, minutes=11)
    assert escalations.escalate_due() == []


def _age(proposal: Proposal, *, minutes: int) -> None:
    """Of the fifteen minutes it has."""
    made = clock.now() - timedelta(minutes=minutes)
    Proposal.objects.filter(pk=proposal.pk).update(
        created_at=made, expires_at=made + timedelta(minutes=15)
    )


def test_two_thirds_of_the_time() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    at = domain.escalates_at(created_at=noon, expires_at=noon + timedelta(minutes=15))
    assert at == noon + timedelta(minutes=10)
