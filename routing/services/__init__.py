"""The verbs of the router: a prompt is routed, people and agents speak, models answer."""

from routing.services.answering import (
    ClaimLost,
    Failure,
    answer,
    claim,
    fail,
    lost_turns,
    note_decision,
    note_words,
    pin,
    recover,
    sent_too_long_ago,
)
from routing.services.conversing import (
    Reply,
    hold,
    resend,
    say_as_agent,
    say_as_person,
    unpin,
)
from routing.services.routing import route

__all__ = [
    "ClaimLost",
    "Failure",
    "Reply",
    "answer",
    "claim",
    "fail",
    "hold",
    "lost_turns",
    "note_decision",
    "note_words",
    "pin",
    "recover",
    "resend",
    "route",
    "say_as_agent",
    "say_as_person",
    "sent_too_long_ago",
    "unpin",
]
