"""The lists that the product ships: more of what people say when they agree, and no more than that."""

import pytest

from routing import rules
from routing.domain.confirmation import detect
from routing.rules_file import default_rules, extended_rules

EXTENDED = extended_rules()


@pytest.mark.parametrize(
    "words",
    [
        *("Yes, thank you.", "Correct.", "That's right", "That sounds great, thanks!", "Perfect"),
        *("Fine by me", "Great, that works for me.", "Exactly! Go ahead", "correct thank you"),
        *("Esatto, grazie", "Va benissimo", "Perfetto, procedi pure", "È giusto."),
    ],
)
def test_agreement_is_a_pure_yes(words):
    assert detect(words, EXTENDED).is_pure, detect(words, EXTENDED)


@pytest.mark.parametrize(
    "words",
    [
        *("Correct the tests and run them", "Right click the button", "Fine-tune the model"),
        *("Perfect the layout", "Good morning, list the files", "Great big refactor of it all"),
        *(
            "Thank you",
            "Thanks",
            "All good",
            "It is partially correct",
            "What is the phone number?",
        ),
        *("Giusto il tempo di un caffè", "Corretto il file, rilancia i test", "Grazie"),
    ],
)
def test_other_words_confirm_nothing(words):
    assert not detect(words, EXTENDED).is_confirmation


@pytest.mark.parametrize("words", ["Perfect, but don't", "Great, never mind", "Correct. No, wait"])
def test_what_is_taken_back_confirms_nothing(words):
    assert detect(words, EXTENDED).retracted


@pytest.mark.django_db
def test_it_is_in_force_unless_somebody_names_a_file(settings):
    settings.ROUTER_RULES = ""
    assert rules.current() == EXTENDED


def test_nothing_that_the_default_lists_hear_is_unheard():
    for phrase in default_rules().confirmation_phrases.entries:
        assert detect(phrase, EXTENDED).is_pure
