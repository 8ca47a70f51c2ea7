"""Rules that an admin saved: in force soon, checked by line and key, one person at a time."""

import pytest
from django.db import DatabaseError

from agents.services import actor_of, create_person
from audit.models import BrowserAudit
from core.actors import SYSTEM
from routing import rules, services
from routing.models import RulesVersion
from routing.rules_file import extended_rules
from tests.support.clients import client_of

pytestmark = pytest.mark.django_db
HOME = "/settings/rules"


@pytest.fixture(autouse=True)
def fresh_reading(monkeypatch, settings):
    monkeypatch.setattr(rules, "LOOK_EVERY_S", 0)
    settings.ROUTER_RULES = ""
    rules.forget()
    yield
    rules.forget()


def save(text, *, seen=0):
    return services.save_rules(text, seen=seen, actor=SYSTEM)


def test_what_is_saved_is_in_force_over_the_products_own():
    save("local_below_tokens: 5\n")
    assert rules.current().local_below_tokens == 5
    assert rules.current().local_verbs == extended_rules().local_verbs
    assert rules.in_force().version == 1


def test_it_comes_before_the_file(settings, tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text("local_below_tokens: 7\nescalate_threshold: 8\n")
    settings.ROUTER_RULES = str(path)
    save("local_below_tokens: 5\n")
    assert rules.current().local_below_tokens == 5
    assert rules.current().escalate_threshold == 8


def test_an_empty_text_gives_way_again():
    save("local_below_tokens: 5\n")
    save("", seen=1)
    assert rules.current() == extended_rules()
    assert rules.in_force().version == 0


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\nlocal_verbs: grep", 2, "local_verbs"),
        ("nonsense: [a]", 1, "nonsense"),
        ("escalate_threshold: -9", 1, "escalate_threshold"),
        ("a: [", 2, "no YAML"),
    ],
)
def test_a_bad_text_is_refused_by_line_and_the_rules_before_stay(text, line, words):
    save("local_below_tokens: 5\n")
    with pytest.raises(services.UnreadableRules, match=words) as refused:
        save(text, seen=1)
    assert refused.value.details["line"] == line
    assert rules.current().local_below_tokens == 5
    assert RulesVersion.objects.count() == 1


def test_whoever_was_overtaken_is_told_by_whom():
    save("local_below_tokens: 5\n")
    with pytest.raises(services.Overtaken, match="version 1"):
        save("local_below_tokens: 6\n", seen=0)
    assert rules.current().local_below_tokens == 5


def test_a_saved_text_that_cannot_be_read_any_more_is_said_and_not_in_force():
    save("local_below_tokens: 5\n")
    RulesVersion.objects.update(text="gone: 1\n")
    rules.forget()
    assert rules.current() == extended_rules()
    assert "gone" in rules.in_force().refusal


def test_without_a_database_what_was_known_holds(monkeypatch):
    save("local_below_tokens: 5\n")
    assert rules.current().local_below_tokens == 5

    def lost(*_):
        raise DatabaseError("gone")

    monkeypatch.setattr(RulesVersion.objects, "values_list", lost)
    assert rules.current().local_below_tokens == 5


def test_every_change_is_on_record():
    save("local_below_tokens: 5\n")
    entry = BrowserAudit.objects.get(verb="router.rules.save")
    assert entry.payload["version"] == 1


# --- who may ----------------------------------------------------------------------------
def person(role):
    made, _ = create_person(f"{role}-{RulesVersion.objects.count()}-rules", role=role)
    return made


@pytest.mark.parametrize("role", ["reviewer", "auditor"])
def test_only_admins_see_and_write_them(role):
    client = client_of(person(role))
    save("local_below_tokens: 5\n")
    for path in (HOME, f"{HOME}/versions/1"):
        assert client.get(path).status_code == 403
    for path in (HOME, f"{HOME}/try"):
        assert client.post(path, {"text": "", "seen": "1"}).status_code == 403
    assert RulesVersion.objects.count() == 1


def test_an_admin_saves_tries_and_rolls_back():
    admin = person("admin")
    client = client_of(admin)
    assert client.post(HOME, {"text": "local_below_tokens: 5", "seen": "0"}).status_code == 302
    tried = client.post(
        f"{HOME}/try", {"text": "escalate_keywords: [kettle]", "seen": "1", "prompt": "a kettle"}
    ).content.decode()
    assert "escalate" in tried
    assert "kettle" in tried
    assert rules.current().local_below_tokens == 5
    assert client.post(HOME, {"text": "local_below_tokens: 6", "seen": "1"}).status_code == 302
    first = client.get(f"{HOME}/versions/1").content.decode()
    assert "Roll back to this" in first
    assert client.post(HOME, {"text": "local_below_tokens: 5\n", "seen": "2"}).status_code == 302
    assert rules.current().local_below_tokens == 5
    latest = RulesVersion.objects.first()
    assert (latest.number, latest.by) == (3, actor_of(admin).name)


def test_what_was_written_is_not_lost_when_somebody_was_first():
    client = client_of(person("admin"))
    save("local_below_tokens: 5\n")
    answer = client.post(HOME, {"text": "local_below_tokens: 9", "seen": "0"})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "local_below_tokens: 9" in page
    assert 'name="seen" value="1"' in page


def test_a_version_that_is_none_is_not_found():
    client = client_of(person("admin"))
    assert client.get(f"{HOME}/versions/4").status_code == 404


def test_a_yes_is_tried_with_what_was_said_before_it():
    client = client_of(person("admin"))
    said = {"prompt": "yes, go ahead", "history": "user: brew the kettle\nagent: It can be done."}
    page = client.post(f"{HOME}/try", {"text": "escalate_keywords: [kettle]", "seen": "0", **said})
    assert "brew the kettle" in page.content.decode()
    assert "<code data-target>escalate</code>" in page.content.decode()
    bad = client.post(f"{HOME}/try", {"text": "", "seen": "0", **said, "history": "nobody: hi"})
    assert "wrong-history" in bad.content.decode()
