"""Which controls cannot be taken back, by what they say. A guess for sites without a profile: it
may ask a person once too often, never once too little on purpose."""

import re
from collections.abc import Iterable

from confidence.domain.candidate import MatchCandidate

_ACTS = (
    r"place (?:\w+ )?orders?|order now|buy(?: now| it)?|pay(?: now)?|purchase|"
    r"(?:submit|confirm|complete|finish|send) (?:\w+ )?(?:order|purchase|payment|transfer|booking)|"
    r"book now|transfer|withdraw|donate|"
    r"delete|remove|erase|wipe|discard|destroy|terminate|deactivate|revoke|"
    r"(?:cancel|close) (?:\w+ )?(?:order|account|subscription|booking|membership|plan)|unsubscribe|"
    r"publish|deploy|send|"
    r"acquista(?: ora)?|compra(?: ora)?|paga(?: ora)?|elimina|cancella|rimuovi|invia|"
    r"(?:conferma|invia) (?:l['’])?(?:ordine|acquisto|pagamento)"
)
_WORDS = re.compile(rf"(?<!\w)(?:{_ACTS})(?!\w)", re.IGNORECASE)
_LONGEST = 60  # a control says what it does in a few words; a paragraph merely mentions it


def looks_irreversible(candidate: MatchCandidate) -> bool:
    """Judged by its name, its text and the words a button carries as its value."""
    said = (candidate.name, candidate.text, candidate.attributes.get("value", ""))
    return any(len(words) <= _LONGEST and _WORDS.search(words) for words in said)


def any_irreversible(candidates: Iterable[MatchCandidate]) -> bool:
    return any(looks_irreversible(candidate) for candidate in candidates)
