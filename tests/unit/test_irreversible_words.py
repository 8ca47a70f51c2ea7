"""What a control says is a guess at what it does: in English and Italian, as data."""

import pytest

from confidence.domain.candidate import MatchCandidate
from confidence.domain.irreversible_words import WORDS
from confidence.domain.risk import looks_irreversible


def says(words):
    return looks_irreversible(MatchCandidate(0, "button", role="button", name=words))


@pytest.mark.parametrize(
    "words",
    [
        *(
            "Place order",
            "PLACE YOUR ORDER",
            "Pay £5",
            "Cancel my order",
            "Submit your application",
        ),
        *("Delete account", "Remove Kettle", "Send", "Transfer", "Place\norder", "→ Buy now"),
        *("Annulla l’ordine", "Conferma l'ordine", "Invia la domanda", "Elimina", "Paga ora"),
    ],
)
def test_these_do_something_for_good(words):
    assert says(words)


@pytest.mark.parametrize(
    "words",
    [
        *("Submit", "Cancel", "Payment options", "Sender", "Removed items", "Application"),
        *("Place the very big order", "Inviata", "Annulla", "Ordini", "Continue", ""),
    ],
)
def test_these_do_not(words):
    assert not says(words)


def test_a_paragraph_merely_mentions_it():
    assert not says("Here you learn how to place an order and what it costs to have it sent to you")


@pytest.mark.parametrize("phrase", [phrase for each in WORDS.values() for phrase in each])
def test_every_phrase_of_the_list_is_found(phrase):
    assert says(phrase.replace("* ", ""))
    assert says(phrase.replace("*", "the"))
