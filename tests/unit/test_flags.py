"""Flags are read live, versioned, audited, and refused by name when they are bad."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from audit.models import BrowserAudit
from confidence import flags
from confidence.apps import ConfidenceConfig
from confidence.models import FlagOverride
from core.errors import Conflict, Invalid

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in flags.DEFINITIONS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(flags, "FRESH_S", 0)


def test_shadow_mode_is_the_default() -> None:
    assert flags.current().mode == "SHADOW"
    assert flags.current().force_proposal is False


def test_the_admins_override_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCH_CONFIDENCE_FORCE_PROPOSAL", "true")
    assert flags.current().mode == "GATING"
    flags.set_flag("MATCH_CONFIDENCE_FORCE_PROPOSAL", "false")
    assert flags.current().mode == "SHADOW"


def test_every_change_is_versioned_and_audited() -> None:
    flags.set_flag("MATCH_CONFIDENCE_HIGH_THRESHOLD", "0.9")
    flags.set_flag("MATCH_CONFIDENCE_HIGH_THRESHOLD", "0.8")
    assert FlagOverride.objects.get().version == 2
    last = BrowserAudit.objects.filter(verb="flags.set").latest("id")
    assert (last.payload["from"], last.payload["to"]) == (0.9, 0.8)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MATCH_CONFIDENCE_FORCE_PROPOSAL", "maybe"),
        ("MATCH_CONFIDENCE_HIGH_THRESHOLD", "0.4"),
        ("MATCH_CONFIDENCE_HIGH_THRESHOLD", "1.1"),
        ("MATCH_CONFIDENCE_PARTIAL_THRESHOLD", "0"),
        ("MATCH_CONFIDENCE_PARTIAL_THRESHOLD", "nan"),
        ("MATCH_CONFIDENCE_GATED_TIERS", "student,boss"),
        ("SELECTOR_CONFIDENCE_LLM_TIEBREAKER_ENABLED", "maybe"),
        ("SELECTOR_CONFIDENCE_LLM_TIMEOUT_SECONDS", "0"),
        ("SELECTOR_CONFIDENCE_LLM_TIMEOUT_SECONDS", "10.1"),
        ("SELECTOR_CONFIDENCE_LLM_TIMEOUT_SECONDS", "nan"),
        ("SELECTOR_CONFIDENCE_LLM_TIMEOUT_SECONDS", "soon"),
    ],
)
def test_a_bad_value_is_refused_by_name_and_nothing_changes(name: str, value: str) -> None:
    with pytest.raises(Invalid, match=name if "TIERS" not in name else "boss"):
        flags.set_flag(name, value)
    assert not FlagOverride.objects.exists()


def test_the_tiebreakers_flags_are_read_live() -> None:
    before = flags.current()
    assert (before.tiebreaker_enabled, before.tiebreaker_timeout_s, before.tiebreaker_cache) == (
        True,
        2.0,
        True,
    )
    flags.set_flag("SELECTOR_CONFIDENCE_LLM_TIEBREAKER_ENABLED", "false")
    flags.set_flag("SELECTOR_CONFIDENCE_LLM_TIMEOUT_SECONDS", "10")
    flags.set_flag("SELECTOR_CONFIDENCE_LLM_CACHE_ENABLED", "off")
    after = flags.current()
    assert (after.tiebreaker_enabled, after.tiebreaker_timeout_s, after.tiebreaker_cache) == (
        False,
        10.0,
        False,
    )


def test_an_unknown_flag_is_refused() -> None:
    with pytest.raises(Invalid, match="no flag"):
        flags.set_flag("MATCH_CONFIDENCE", "true")


def test_locked_flags_cannot_be_changed(settings) -> None:
    settings.LOCK_FLAGS = True
    with pytest.raises(Conflict, match="POINTSMAN_LOCK_FLAGS"):
        flags.set_flag("MATCH_CONFIDENCE_FORCE_PROPOSAL", "true")


def test_a_bad_threshold_in_the_environment_stops_the_start_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MATCH_CONFIDENCE_PARTIAL_THRESHOLD", "0.9")
    with pytest.raises(ImproperlyConfigured, match="MATCH_CONFIDENCE_PARTIAL_THRESHOLD"):
        ConfidenceConfig.create("confidence").ready()
