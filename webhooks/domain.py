"""Which events are told, when a delivery is tried again, when a proposal escalates. Pure rules."""

import random
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from core.errors import Invalid
from core.words import phrase

MAX_TRIES = 8
FIRST_WAIT_S = 10.0
GROWTH = 4.3  # seven waits make about a day
JITTER = 0.2
KEPT_ANSWER = 2000  # characters of a receiver's answer
ESCALATION_SHARE = 2 / 3
GONE = 410


class Event(StrEnum):
    PROPOSAL_CREATED = "proposal.created"
    PROPOSAL_DECIDED = "proposal.decided"
    PROPOSAL_ESCALATED = "proposal.escalated"
    PROPOSAL_EXPIRED = "proposal.expired"
    ACTION_FINISHED = "action.finished"
    RUN_KILLED = "run.killed"
    FLAGS_CHANGED = "flags.changed"
    VIOLATION_LATCHED = "violation.latched"


ABOUT = {
    Event.PROPOSAL_CREATED: phrase("an action waits for a person"),
    Event.PROPOSAL_DECIDED: phrase("a person decided it"),
    Event.PROPOSAL_ESCALATED: phrase("two thirds of its time are over and nobody decided"),
    Event.PROPOSAL_EXPIRED: phrase("nobody decided in time"),
    Event.ACTION_FINISHED: phrase("an action reached its end"),
    Event.RUN_KILLED: phrase("a run was killed"),
    Event.FLAGS_CHANGED: phrase("an admin changed a flag"),
    Event.VIOLATION_LATCHED: phrase("a run acted for good without asking first"),
}
TEST = "webhook.test"  # what the page's button sends; nobody subscribes to it


def is_delivered(status: int) -> bool:
    """Any 2xx; a redirect is not followed, so it is a failure."""
    return 200 <= status < 300


def wait_after(tries: int, *, luck: float | None = None) -> timedelta | None:
    """How long to wait after the `tries`-th try failed; None when that was the last.

    `luck` (0..1, random unless given) spreads the waits, so that many do not come back at once.
    """
    if tries >= MAX_TRIES:
        return None
    spread = 1 + JITTER * (2 * (random.random() if luck is None else luck) - 1)
    return timedelta(seconds=FIRST_WAIT_S * GROWTH ** (tries - 1) * spread)


def escalates_at(*, created_at: datetime, expires_at: datetime) -> datetime:
    return created_at + (expires_at - created_at) * ESCALATION_SHARE


def checked_url(url: str) -> str:
    """An address that may be posted to as far as its words show. Raises Invalid."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise Invalid(phrase("That is not an address.")) from None
    if parts.scheme not in {"https", "http"} or not host:
        raise Invalid(phrase("It must begin with https:// or http:// and name a host."))
    if parts.username or parts.password:
        raise Invalid(
            phrase("Leave name and password out of the address: the signature says who sends.")
        )
    if parts.fragment:
        raise Invalid(phrase("Leave out what follows the #: it is never sent."))
    return url.strip()


def host_of(url: str) -> str:
    """All of an address that logs and the record may hold: paths and queries can be secrets."""
    return urlsplit(url).netloc


def host_name(url: str) -> str:
    return urlsplit(url).hostname or ""
