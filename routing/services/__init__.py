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
from routing.services.ruling import (
    Overtaken,
    UnreadableRules,
    checked_rules,
    plain,
    save_rules,
)

__all__ = [
    "ClaimLost",
    "Failure",
    "Overtaken",
    "Reply",
    "UnreadableRules",
    "answer",
    "checked_rules",
    "claim",
    "fail",
    "hold",
    "lost_turns",
    "note_decision",
    "note_words",
    "pin",
    "plain",
    "recover",
    "resend",
    "route",
    "save_rules",
    "say_as_agent",
    "say_as_person",
    "sent_too_long_ago",
    "unpin",
]
