"""The router's rules: read from a mapping or a file, refused by key and line, replaced in force."""

import contextlib
import json
import os
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from routing import rules as rules_in_force
from routing.apps import RoutingConfig
from routing.domain.rules import BadRules, Rules, Target
from routing.rules_file import default_rules, extended_rules, parse

VECTORS = Path(__file__).parent.parent / "vectors"
DEFAULTS = default_rules()


def test_the_lists_of_the_vectors_are_the_defaults():
    given = json.loads((VECTORS / "router_rules_default.json").read_text())
    assert DEFAULTS.as_dict() == {**given, "confirmation_exclamations": []}
    assert Rules.read(given) == DEFAULTS


def test_a_list_is_replaced_and_the_rest_stays():
    changed = DEFAULTS.changed({"local_verbs": ["Zähle  auf"], "classifier_fallback": "escalate"})
    assert changed.local_verbs.entries == ("zähle auf",)
    assert changed.classifier_fallback is Target.ESCALATE
    assert changed.escalate_verbs == DEFAULTS.escalate_verbs


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"poetry": 1}, "poetry: there is no such rule"),
        ({"local_below_tokens": "30"}, "local_below_tokens: a whole number"),
        ({"local_below_tokens": True}, "local_below_tokens: a whole number"),
        ({"local_below_tokens": -1}, "local_below_tokens: a number of tokens is never below 0"),
        ({"escalate_threshold": 10**9}, "escalate_threshold: the number is too large"),
        ({"local_threshold": 6}, "local_threshold: local_threshold must be below"),
        ({"escalate_threshold": -4}, "escalate_threshold: local_threshold must be below"),
        ({"escalate_above_tokens": 20}, "escalate_above_tokens: local_below_tokens must not"),
        ({"classifier_fallback": "both"}, "classifier_fallback: either local or escalate"),
        ({"classifier_fallback": ["local"]}, "classifier_fallback: either local or escalate"),
        ({"local_verbs": "grep"}, "local_verbs: a list of words"),
        ({"local_verbs": None}, "local_verbs: a list of words"),
        ({"local_verbs": ["grep", 5]}, "local_verbs[1]: a word or phrase"),
        ({"local_verbs": ["grep", "👍"]}, "local_verbs[1]: it holds no letter"),
        ({"local_verbs": ["x" * 101]}, "local_verbs[0]: longer than 100"),
        ({"local_verbs": ["x"] * 1001}, "local_verbs: more than 1000"),
    ],
)
def test_a_bad_rule_is_refused_by_its_key(given, told):
    with pytest.raises(BadRules) as refused:
        DEFAULTS.changed(given)
    assert str(refused.value).startswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rules:\n  local_below_tokens: 5\n  poetry: 1", "line 3: poetry: there is no such"),
        ("local_verbs:\n  - grep\n  - '!'\n", "line 3: local_verbs[1]: it holds no letter"),
        ("local_verbs:\n  - grep\n  - [a]\n", "line 3: local_verbs[1]: a word or phrase"),
        ("local_verbs: grep", "line 1: local_verbs: a list"),
        ("a: 1\nlocal_below_tokens: 1:30", "line 1: a: there is no such rule"),
        ("\nlocal_below_tokens: 1:30", "line 2: local_below_tokens: a whole number"),
        ("local_below_tokens: 5\nlocal_below_tokens: 6", "line 2: local_below_tokens: This key is"),
        ("local_verbs: [grep\nfind: x", "line 2: This is no YAML"),
        ("- a\n- b", "line 1: a block of"),
        ("rules: 5", "line 1: a block of"),
        ("? [a]\n: 5", "line 1: A key is a short text"),
        ("a: 1\nb: \x00", "line 2: There is a letter"),
        ("[" * 100_000, "line 1: Nested too deeply"),
    ],
)
def test_a_bad_file_is_refused_by_line_and_key(text, told):
    with pytest.raises(BadRules) as refused:
        parse(text, base=DEFAULTS)
    assert str(refused.value).startswith(told)


def test_words_that_yaml_takes_for_values_stay_words():
    read = parse("confirmation_phrases: [yes, on, ok]\nlocal_below_tokens: 0", base=DEFAULTS)
    assert read.confirmation_phrases.entries == ("yes", "on", "ok")
    assert read.local_below_tokens == 0
    assert parse("local_verbs: [no, null, 7]", base=DEFAULTS).local_verbs.entries == (
        "no",
        "null",
        "7",
    )


def test_an_empty_file_changes_nothing_and_json_is_read_too():
    assert parse("", base=DEFAULTS) == parse("# nothing", base=DEFAULTS) == DEFAULTS
    whole = json.dumps({"rules": DEFAULTS.as_dict()})
    assert parse(whole, base=Rules()) == DEFAULTS


@given(st.text())
def test_any_file_is_read_or_refused(content):
    with contextlib.suppress(BadRules):
        assert parse(content, base=DEFAULTS)


@pytest.fixture
def rules_path(tmp_path, settings, monkeypatch, db):
    """A file in ROUTER_RULES that is looked at on every call."""
    monkeypatch.setattr(rules_in_force, "_in_force", None)
    monkeypatch.setattr(rules_in_force, "LOOK_EVERY_S", 0)
    path = tmp_path / "rules.yaml"
    settings.ROUTER_RULES = str(path)
    return path


def write(path: Path, text: str) -> None:
    """A file of its own each time, so that two writes in one tick are told apart."""
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    os.replace(draft, path)


@pytest.mark.django_db
def test_without_a_file_the_products_own_are_in_force(settings, monkeypatch):
    monkeypatch.setattr(rules_in_force, "_in_force", None)
    settings.ROUTER_RULES = ""
    assert rules_in_force.current() == extended_rules()


def test_a_changed_file_is_in_force_soon(rules_path):
    write(rules_path, "local_below_tokens: 5")
    assert rules_in_force.current().local_below_tokens == 5
    write(rules_path, "local_below_tokens: 6")
    assert rules_in_force.current().local_below_tokens == 6


def test_a_bad_file_leaves_the_rules_before_it_in_force(rules_path):
    write(rules_path, "local_below_tokens: 5")
    assert rules_in_force.current().local_below_tokens == 5
    write(rules_path, "local_below_tokens: 6\nlocal_verbs: grep")
    assert rules_in_force.current().local_below_tokens == 5
    assert rules_in_force.in_force().refusal.startswith("line 2: local_verbs: ")
    rules_path.unlink()
    assert rules_in_force.current().local_below_tokens == 5
    assert "cannot be read" in rules_in_force.in_force().refusal
    write(rules_path, "local_below_tokens: 7")
    assert rules_in_force.current().local_below_tokens == 7
    assert rules_in_force.in_force().refusal == ""


def test_a_file_that_is_no_text_is_refused(rules_path):
    rules_path.write_bytes(b"\xff\xfe")
    assert rules_in_force.current() == extended_rules()
    assert rules_in_force.in_force().refusal == "the file is not UTF-8 text"


def test_a_start_with_a_bad_file_is_refused(rules_path):
    write(rules_path, "\nlocal_verbs: grep")
    with pytest.raises(ImproperlyConfigured, match="ROUTER_RULES: line 2: local_verbs: a list"):
        RoutingConfig.create("routing").ready()
