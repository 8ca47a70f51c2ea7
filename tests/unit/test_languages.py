"""Languages: the catalogues are whole, each person reads their own, machines always read English."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from django.core import mail
from django.test import Client
from django.utils import translation

from agents.languages import PREFERENCE
from agents.mails import send_link
from agents.models import Person
from agents.services import create_agent, create_person, set_preference
from core.errors import Conflict
from core.speaking import number, script_words, spoken
from core.words import phrase
from oversight.domain import STEPS, RollOut
from proposals.domain import Event, NotAllowed, next_status
from proposals.services import reject
from tests.pages.seed import Recipe, propose
from tests.support.catalogues import catalogues, holes
from tests.support.stack import ROOT
from webhooks import mails

NAVIGATION = Recipe("bot", tool="browser_navigate", params={"url": "https://a.example"})
ITALIAN = {"headers": {"accept-language": "it"}}


@pytest.fixture(autouse=True)
def _english_afterwards() -> Iterator[None]:
    """A request leaves its language behind in the test's thread."""
    with translation.override("en"):
        yield


def signed_in(name: str = "rey", *, language: str = "", role: str = "reviewer") -> Client:
    person = create_person(name, role=role)[0]
    set_preference(person, PREFERENCE, language)
    client = Client(**ITALIAN)
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


def language_of(response: object) -> str:
    return re.search(r'<html lang="(\w+)">', response.content.decode())[1]


# --- the catalogues ---------------------------------------------------------------------
def test_there_are_catalogues() -> None:
    assert [path.name for path in catalogues()] == ["django.po", "djangojs.po"]


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.name)
def test_nothing_is_untranslated_or_only_guessed(path: Path) -> None:
    held = polib.pofile(path)
    assert len(held) > 40
    assert not [entry.msgid for entry in held if not entry.translated() or entry.fuzzy]
    assert not held.obsolete_entries()


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.name)
def test_what_is_filled_in_is_the_same_in_both_languages(path: Path) -> None:
    for entry in polib.pofile(path):
        if not entry.msgid_plural:
            assert holes(entry.msgstr) == holes(entry.msgid), entry.msgid
        for said in entry.msgstr_plural.values():
            assert set(holes(said)) <= set(holes(entry.msgid_plural)), entry.msgid


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.name)
def test_markup_is_the_same_in_both_languages(path: Path) -> None:
    for entry in polib.pofile(path):
        for said in (entry.msgstr, *entry.msgstr_plural.values()):
            tags = re.findall(r"<[^>]+>", said)
            assert sorted(tags) == sorted(re.findall(r"<[^>]+>", entry.msgid)), entry.msgid


@pytest.mark.parametrize("path", catalogues(), ids=lambda path: path.name)
def test_the_compiled_catalogue_says_the_same(path: Path, tmp_path: Path) -> None:
    polib.pofile(path).save_as_mofile(tmp_path / "afresh.mo")
    compiled = polib.mofile(path.with_suffix(".mo"))
    assert _told(compiled) == _told(polib.mofile(tmp_path / "afresh.mo"))


def _told(held: polib.MOFile) -> dict[object, object]:
    return {(one.msgctxt, one.msgid): (one.msgstr, one.msgstr_plural) for one in held}


@pytest.mark.skipif(not shutil.which("xgettext"), reason="collecting words needs gettext's tools")
@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_every_word_of_ours_is_in_the_catalogue(domain: str, tmp_path: Path) -> None:
    held = {path: path.read_bytes() for path in catalogues()}
    try:
        command = [sys.executable, "-W", "ignore", "manage.py", "makemessages", "-a", "-d", domain]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        changed = [path.name for path in held if path.read_bytes() != held[path]]
    finally:
        for path, text in held.items():
            path.write_bytes(text)
    assert not changed, "run `make words` and translate what is new"


# --- what is said -----------------------------------------------------------------------
def test_a_phrase_is_english_until_a_page_says_it() -> None:
    refused = phrase("A team named {name} exists already.", name="'north'")
    assert refused == "A team named 'north' exists already."
    with translation.override("it"):
        assert spoken(refused) == "Esiste già un team di nome 'north'."
        assert spoken("of no catalogue") == "of no catalogue"
        assert spoken("") == ""


def test_a_phrase_within_a_phrase_is_translated_too() -> None:
    with pytest.raises(Conflict) as refused:
        RollOut(force_proposal=False, gated_tiers=frozenset()).with_step(STEPS[1])
    with translation.override("it"):
        assert spoken(refused.value.message) == (
            "Agenti supervisionati: vengono dopo, attiva prima «Studenti e tirocinanti»."
        )


def test_rules_refuse_in_english_whatever_language_the_page_has() -> None:
    with translation.override("it"), pytest.raises(NotAllowed) as refused:
        next_status("executed", Event.APPROVE)
    assert refused.value.message == "A proposal that is executed cannot approve."


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert (number(12480.456, 1), number(0.7, 2)) == ("12,480.5", "0.70")
    with translation.override("it"):
        assert (number(12480.456, 1), number(0.7, 2)) == ("12.480,5", "0,70")


def test_scripts_get_words_for_other_languages_only() -> None:
    assert script_words() == {}
    with translation.override("it"):
        assert script_words()["Pick a candidate first"] == "Prima scegli un candidato"


# --- whose language ---------------------------------------------------------------------
def test_a_stranger_reads_what_the_browser_asks_for(client: Client) -> None:
    assert language_of(client.get("/sign-in")) == "en"
    italian = client.get("/sign-in", **ITALIAN)
    assert language_of(italian) == "it"
    assert "Nome utente" in italian.content.decode()
    assert language_of(client.get("/sign-in", headers={"accept-language": "xx"})) == "en"


@pytest.mark.django_db
def test_a_person_reads_the_language_they_chose() -> None:
    assert language_of(signed_in("eve", language="en").get("/account")) == "en"
    assert language_of(signed_in("ida", language="it").get("/account")) == "it"
    assert language_of(signed_in("ben").get("/account")) == "it"  # as the browser says


@pytest.mark.django_db
def test_the_choice_is_kept_and_answered_in_the_new_language() -> None:
    client = signed_in("ada")
    page = client.post("/account/language", {"language": "en"}, follow=True)
    assert language_of(page) == "en"
    assert "Your language is changed." in page.content.decode()
    assert Person.objects.get(username="ada").preferences[PREFERENCE] == "en"
    page = client.post("/account/language", {"language": "it"}, follow=True)
    assert "La lingua è cambiata." in page.content.decode()
    client.post("/account/language", {"language": ""})
    assert Person.objects.get(username="ada").preferences[PREFERENCE] == ""


@pytest.mark.django_db
def test_no_other_language_can_be_chosen() -> None:
    client = signed_in("ada", language="it")
    client.post("/account/language", {"language": "../../etc"})
    assert Person.objects.get(username="ada").preferences[PREFERENCE] == "it"


@pytest.mark.django_db
def test_a_stranger_chooses_no_language(client: Client) -> None:
    assert client.post("/account/language", {"language": "it"}).status_code == 302
    assert signed_in("ada").get("/account/language").status_code == 405


@pytest.mark.django_db
def test_pages_that_fail_speak_the_language_too() -> None:
    client = signed_in("ida", language="it")
    missing = client.get("/nothing-here")
    assert (missing.status_code, language_of(missing)) == (404, "it")
    refused = client.get("/settings/people")
    assert (refused.status_code, language_of(refused)) == (403, "it")


@pytest.mark.django_db
def test_a_refusal_of_a_rule_is_said_in_italian_on_the_page() -> None:
    client = signed_in("ida", language="it", role="admin")
    create_agent("bot", tier="student")
    page = client.post("/agents/new", {"name": "bot", "tier": "student", "hosts": ""})
    assert page.status_code == 422
    assert "Esiste già un agente di nome &#x27;bot&#x27;." in page.content.decode()


@pytest.mark.django_db
def test_who_was_faster_is_said_in_italian() -> None:
    bot = create_agent("bot", tier="student")
    asked = propose(bot, NAVIGATION, {})
    reject(asked.pk, person=create_person("eve")[0], version=asked.version, reason="no")
    client = signed_in("ida", language="it")
    page = client.post(f"/proposals/{asked.pk}/approve", {"version": asked.version})
    assert page.status_code == 409
    assert "eve ha rifiutato prima di te." in page.content.decode()


@pytest.mark.django_db
def test_the_api_is_english_for_everybody() -> None:
    client = signed_in("ida", language="it", role="admin")
    refused = Client(**ITALIAN).get("/api/v1/agents")
    assert refused.json()["detail"] == "Authentication credentials were not provided."
    missing = client.get("/api/v1/agents/00000000-0000-0000-0000-000000000000")
    assert missing.json()["detail"] == "There is no such agent, or it belongs to another team."
    wrong = client.patch(
        f"/api/v1/agents/{create_agent('bot', tier='student').pk}",
        {"tier": "no-tier"},
        content_type="application/json",
    )
    assert "is not a valid choice" in wrong.json()["errors"][0]["message"]


@pytest.mark.django_db
def test_a_mail_is_in_the_receivers_language(settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    ida = create_person("ida", teams=["north"])[0]
    set_preference(ida, PREFERENCE, "it")
    ida.email = "ida@x.example"
    mails.set_digest(ida, address="ida@x.example", every_minutes=30, waiting_minutes=1)
    mails.set_digest(
        create_person("eve", teams=["north"])[0],
        address="eve@x.example",
        every_minutes=30,
        waiting_minutes=1,
    )
    bot = create_agent("bot", tier="student", teams=["north"])
    asked = propose(bot, NAVIGATION, {})
    assert mails.send_escalation(asked.pk) == 2
    assert send_link(ida, "token")
    subjects = {(sent.to[0], sent.subject) for sent in mail.outbox}
    assert subjects == {
        ("ida@x.example", "Una proposta scade presto"),
        ("eve@x.example", "A proposal expires soon"),
        ("ida@x.example", "Il tuo accesso a Pointsman"),
    }
    told = {sent.subject: sent.body for sent in mail.outbox}
    assert "Tutta la coda:" in told["Una proposta scade presto"]
    assert "Ciao ida," in told["Il tuo accesso a Pointsman"]
