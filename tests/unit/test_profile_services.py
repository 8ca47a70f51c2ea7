"""Profiles are kept with every version, changed by one person at a time, and read live."""

import threading

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection

from agents.services import actor_of, create_person
from audit.models import BrowserAudit
from confirmations import profiles, services
from confirmations.models import Profile, ProfileVersion
from core.errors import Conflict, Invalid

pytestmark = pytest.mark.django_db

TEXT = "name: shop\nsites: ['http://shop.example/*']\n"
PAGE = "http://shop.example/cart"


@pytest.fixture(autouse=True)
def fresh_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "FRESH_S", 0)


def test_a_new_profile_is_not_in_force() -> None:
    made = services.create(TEXT)
    assert (made.name, made.sites, made.version, made.is_active) == (
        "shop",
        ["http://shop.example/*"],
        1,
        False,
    )
    assert profiles.attached(PAGE) is None


def test_an_active_profile_attaches_to_its_site_only() -> None:
    services.put_in_force(TEXT)
    assert profiles.attached(PAGE).name == "shop"
    assert profiles.attached("http://other.example/cart") is None


def test_a_change_of_an_active_profile_holds_at_once() -> None:
    profile = services.put_in_force(TEXT)
    services.save(profile, TEXT + "mode: ask\n", seen=profile.version)
    assert profiles.attached(PAGE).mode == "ask"
    assert Profile.objects.get().mode == "ask"


def test_the_most_specific_site_wins() -> None:
    for name, site in (
        ("any", "http://**/*"),
        ("example", "http://*.example/*"),
        ("shop", "http://shop.example/*"),
        ("cart", "http://shop.example/cart/*"),
    ):
        services.put_in_force(f"name: {name}\nsites: ['{site}']\n")
    attached = {
        url: profiles.attached(url).name
        for url in (
            "http://shop.example/cart/",
            "http://shop.example/",
            "http://a.example/",
            "http://b.org/",
        )
    }
    assert list(attached.values()) == ["cart", "shop", "example", "any"]


def test_a_bad_text_is_refused_and_the_former_stays() -> None:
    profile = services.put_in_force(TEXT)
    with pytest.raises(services.BadProfile, match="line 3, mode") as caught:
        services.save(profile, TEXT + "mode: never\n", seen=profile.version)
    assert caught.value.details == {"line": 3, "key": "mode"}
    assert Profile.objects.get().text == TEXT
    assert profiles.attached(PAGE).mode is None


def test_another_profiles_name_is_refused() -> None:
    profile = services.create(TEXT)
    with pytest.raises(Invalid, match="named shop"):
        services.save(profile, TEXT.replace("shop\n", "store\n", 1), seen=1)


def test_a_name_is_taken_once() -> None:
    services.create(TEXT)
    with pytest.raises(Conflict, match="shop already"):
        services.create(TEXT)


def test_the_second_of_two_changes_is_refused_and_says_who_was_first() -> None:
    profile = services.create(TEXT)
    services.save(
        profile,
        TEXT + "mode: ask\n",
        seen=1,
        actor=actor_of(create_person("ada", role="admin", teams=[])[0]),
    )
    with pytest.raises(services.Stale, match="ada changed this profile meanwhile") as caught:
        services.save(profile, TEXT + "mode: latch\n", seen=1)
    assert caught.value.details == {"version": 2}
    assert Profile.objects.get().mode == "ask"


def test_activating_what_somebody_changed_meanwhile_is_refused() -> None:
    profile = services.create(TEXT)
    services.save(profile, TEXT + "mode: ask\n", seen=1)
    with pytest.raises(services.Stale):
        services.activate(profile, seen=1)
    assert not Profile.objects.get().is_active


def test_two_active_profiles_never_share_a_site() -> None:
    services.put_in_force(TEXT)
    twin = services.create(TEXT.replace("shop\n", "store\n", 1))
    with pytest.raises(Conflict, match=r"http://shop.example/\* has an active profile: shop"):
        services.activate(twin, seen=1)
    elsewhere = services.put_in_force("name: b\nsites: ['http://b.example/*']\n")
    with pytest.raises(Conflict, match="shop"):
        services.save(
            elsewhere, elsewhere.text.replace("b.example", "shop.example"), seen=elsewhere.version
        )


def test_every_change_is_a_version_and_an_entry() -> None:
    ada = actor_of(create_person("ada", role="admin", teams=[])[0])
    profile = services.create(TEXT, actor=ada)
    profile = services.activate(profile, seen=1, actor=ada)
    profile = services.save(profile, TEXT + "mode: ask\n", seen=2, actor=ada)
    profile = services.deactivate(profile, seen=3, actor=ada)
    kept = ProfileVersion.objects.order_by("version")
    assert [(one.version, one.is_active, "ask" in one.text, one.by) for one in kept] == [
        (1, False, False, "ada"),
        (2, True, False, "ada"),
        (3, True, True, "ada"),
        (4, False, True, "ada"),
    ]
    verbs = BrowserAudit.objects.filter(verb__startswith="profile.").order_by("id")
    assert [(one.verb, one.payload["version"], one.actor_name) for one in verbs] == [
        ("profile.create", 1, "ada"),
        ("profile.activate", 2, "ada"),
        ("profile.save", 3, "ada"),
        ("profile.deactivate", 4, "ada"),
    ]
    assert profile.updated_by.username == "ada"
    assert profiles.attached(PAGE) is None


def test_a_form_with_other_line_ends_is_the_same_text() -> None:
    profile = services.create(TEXT.replace("\n", "\r\n"))
    assert profile.text == TEXT


def test_putting_the_same_file_in_force_again_changes_nothing() -> None:
    first = services.put_in_force(TEXT)
    again = services.put_in_force(TEXT)
    assert (again.pk, again.version) == (first.pk, first.version)
    changed = services.put_in_force(TEXT + "mode: ask\n")
    assert (changed.pk, changed.version) == (first.pk, first.version + 1)


def test_the_command_puts_a_file_in_force(tmp_path) -> None:
    file = tmp_path / "shop.yaml"
    file.write_text(TEXT)
    call_command("profile", file, "--save")
    assert profiles.attached(PAGE).name == "shop"


# --- fails closed -----------------------------------------------------------------------
def test_a_profile_in_force_that_cannot_be_read_raises_for_every_page() -> None:
    services.put_in_force(TEXT)
    Profile.objects.update(text=TEXT + "from_a_later_release: 1\n")
    for url in (PAGE, "http://other.example/"):
        with pytest.raises(profiles.UnreadableProfile, match="shop cannot be read: line 3"):
            profiles.attached(url)


def test_one_that_is_not_in_force_may_be_unreadable() -> None:
    services.create(TEXT)
    Profile.objects.update(text="?")
    assert profiles.attached(PAGE) is None


def test_without_a_database_nothing_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    services.put_in_force(TEXT)
    profiles.attached(PAGE)

    def gone(*args: object, **kwargs: object) -> None:
        raise OperationalError("gone")

    with connection.execute_wrapper(lambda *args: gone()), pytest.raises(OperationalError):
        profiles.attached(PAGE)


def test_another_process_reads_a_change_within_half_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(profiles, "FRESH_S", 0.4)
    profiles.forget()
    services.put_in_force(TEXT)
    assert profiles.attached(PAGE).mode is None
    Profile.objects.update(text=TEXT + "mode: ask\n")  # as another process would
    assert profiles.attached(PAGE).mode is None
    threading.Event().wait(0.45)
    assert profiles.attached(PAGE).mode == "ask"
