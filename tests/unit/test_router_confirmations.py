"""What opens a prompt as a confirmation, what is its scope, and what takes it back."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from routing.domain.confirmation import detect
from routing.domain.rules import Rules
from routing.rules_file import default_rules

RULES = default_rules()


@pytest.mark.parametrize(
    ("prompt", "phrases", "scope"),
    [
        ("yes", ["yes"], ""),
        ("yes, please go ahead and do it", ["yes", "go ahead", "do it"], ""),
        ("yes, please do it", ["yes", "please do it"], ""),
        ("(Yes!)  Go  AHEAD…", ["yes", "go ahead"], ""),
        ("*yes* 👍🏽", ["yes"], ""),
        ("_yes_", ["yes"], ""),
        ("Si', procedi", ["si", "procedi"], ""),
        ("ok, no problem, go ahead", ["ok", "go ahead"], ""),
        ("yes, do the big refactor", ["yes"], "do the big refactor"),
        ("proceed with the Refactor.", ["proceed"], "Refactor"),
        ("okay, then rename it", ["okay"], "rename it"),
        ("do it with the new design", ["do it"], "new design"),
        ("yes, cancel the order", ["yes"], "cancel the order"),
        ("yes, non-stop flights only", ["yes"], "non-stop flights only"),
        ("yes, the", ["yes"], ""),
        ("yes: नमस्ते!", ["yes"], "नमस्ते"),
        ("yes İstanbul Please", ["yes"], "İstanbul Please"),
    ],
)
def test_a_confirmation_has_phrases_and_a_scope(prompt, phrases, scope):
    found = detect(prompt, RULES)
    assert (found.is_confirmation, found.retracted) == (True, False)
    assert (list(found.phrases), found.scope) == (phrases, scope)
    assert found.is_pure == (scope == "")


NO_CONFIRMATIONS = """
yesterday
yes's
yes-man
yes_man
re-ok
sìi
proceeding with the fix
option b
please, yes
I said yes
no
don't
👍
"""


@pytest.mark.parametrize("prompt", ["", " ", "yes\u0323x", *NO_CONFIRMATIONS.split("\n")])
def test_another_opening_is_no_confirmation(prompt):
    found = detect(prompt, RULES)
    assert (found.is_confirmation, found.retracted, found.phrases) == (False, False, ())


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("yes, but don’t refactor anything", "don't"),
        ("ok... actually don't", "don't"),
        ("yes, but please don‘t", "don't"),
        ("ok do not run that", "do not"),
        ("ok, never mind", "never mind"),
        ("yes but not yet", "not yet"),
        ("certo che no", "che no"),
        ("va bene, ma non farlo adesso", "non farlo"),
        ("ok, STOP", "stop"),
        ("yes, no", "no"),
        ("ok no, wait please", "no"),
        ("sì, anzi annulla", "annulla"),
    ],
)
def test_a_confirmation_that_is_taken_back_confirms_nothing(prompt, words):
    found = detect(prompt, RULES)
    assert (found.is_confirmation, found.retracted, found.retraction) == (False, True, words)
    assert (found.scope, found.is_pure) == ("", False)


def test_the_lists_are_the_rules_own():
    rules = Rules.read(
        {"confirmation_phrases": ["oui", "vas-y"], "confirmation_connectors": ["et"]}
    )
    assert detect("Oui et VAS‑Y", rules).phrases == ("oui",)
    assert detect("Oui et vas-y maintenant", rules).scope == "maintenant"
    assert not detect("yes", rules).is_confirmation


def test_empty_lists_find_nothing():
    assert not detect("yes", Rules()).is_confirmation


WORDS = "yes|ok|go ahead|please|and|but|don't|no|the|refactor|l'arco|Sì|però|perché|نعم|e\u0300"
SIGNS = [",", "…", "\n", "\t ", "👍🏽", "\x00", "\u202e", "-", "'"]
parts = st.sampled_from([*WORDS.split("|"), *SIGNS])
prompts = st.one_of(
    st.text(), st.lists(parts, max_size=12).map(" ".join), st.lists(parts).map("".join)
)


@given(prompts)
@example("\ud800 yes")
@example("yes " * 5000)
@example("yes" + "." * 200_000)
@example("İ" * 300 + "ß")
def test_no_text_makes_it_fail(prompt):
    found = detect(prompt, RULES)
    assert not (found.is_confirmation and found.retracted)
    assert found.phrases or not found.scope


@given(st.lists(parts, max_size=12))
def test_the_form_of_the_text_does_not_matter(words):
    prompt = " ".join(words)
    found = detect(prompt, RULES)
    for other in (
        unicodedata.normalize("NFD", prompt),
        prompt.replace(" ", " \n  "),
        prompt.replace("'", "’"),
        f"  {prompt}\t",
    ):
        assert detect(other, RULES) == found
    shouted = detect(prompt.upper(), RULES)
    assert (shouted.phrases, shouted.retraction) == (found.phrases, found.retraction)
    assert shouted.scope.lower() == found.scope.lower()
