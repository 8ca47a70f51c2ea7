"""What templates need to show other people's words, levels, scores and times."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from core import speaking
from proposals import call_words, equation, page_text, preferences, queries
from proposals.filters import LEVELS
from proposals.models import Decision, Proposal

register = template.Library()

LONGEST_VALUE = 60
SECONDS_FROM_S = 120  # less time left is said to the second
TONES = {"high": "clear", "partial": "caution", "ambiguous": "danger"}
OUTSIDE_WORDS = {
    "above": gettext_lazy("above the picture"),
    "below": gettext_lazy("below the picture"),
    "left of": gettext_lazy("left of the picture"),
    "right of": gettext_lazy("right of the picture"),
}
SIDE_WORDS = {
    "above": gettext_lazy("above it"),
    "below": gettext_lazy("below it"),
    "left of": gettext_lazy("left of it"),
    "right of": gettext_lazy("right of it"),
}
STATUS_WORDS = {
    "pending": gettext_lazy("pending"),
    "approved": gettext_lazy("approved"),
    "executing": gettext_lazy("executing"),
    "executed": gettext_lazy("executed"),
    "execution_failed": gettext_lazy("execution failed"),
    "outcome_unknown": gettext_lazy("outcome unknown"),
    "stale": gettext_lazy("stale"),
    "rejected": gettext_lazy("rejected"),
    "expired": gettext_lazy("expired"),
    "cancelled": gettext_lazy("cancelled"),
    "superseded": gettext_lazy("superseded"),
    "verified": gettext_lazy("verified"),
    "unverified": gettext_lazy("unverified"),
    "failed_verification": gettext_lazy("failed verification"),
}
YOU_DID = {
    "approve": gettext_lazy("You approved"),
    "approve_first": gettext_lazy("You approved first"),
    "modify": gettext_lazy("You modified"),
    "reject": gettext_lazy("You rejected"),
    "mark_done": gettext_lazy("You marked as done"),
    "retry": gettext_lazy("You asked for a retry"),
    "mark_not_done": gettext_lazy("You marked as not done"),
}
YOU_ANSWERED = {
    **YOU_DID,
    "approve": gettext_lazy("You said yes"),
    "approve_first": gettext_lazy("You said yes first"),
    "reject": gettext_lazy("You said no"),
    "retry": gettext_lazy("You said yes again"),
}
ANSWERS = {
    **STATUS_WORDS,
    "pending": gettext_lazy("question"),
    "approved": pgettext_lazy("answer", "yes"),
    "executing": pgettext_lazy("answer", "yes"),
    "executed": pgettext_lazy("answer", "yes"),
    "rejected": pgettext_lazy("answer", "no"),
}
# As json_script does: nothing in the data can end the element it stands in.
JSON_ESCAPES = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}


@register.filter
def shown(text: object, limit: int = 300) -> SafeString:
    """Words of a page or an agent: isolated, cut, and every unseen character named."""
    kept = page_text.pieces(page_text.cut(str(text or ""), int(limit)))
    return format_html("<bdi>{}</bdi>", format_html_join("", "{}", ((_piece(p),) for p in kept)))


def _piece(piece: page_text.Piece) -> SafeString | str:
    if not piece.name:
        return piece.text
    return format_html('<span class="unseen" title="{}">{}</span>', piece.name, piece.text)


@register.filter
def code(text: object, limit: int = 4000) -> SafeString:
    """Page source with its own lines; every other unseen character is named."""
    lines = page_text.cut(str(text or ""), int(limit)).split("\n")
    return mark_safe("\n".join(_indent(line) + shown(line, int(limit)) for line in lines))


def _indent(line: str) -> str:
    return " " * (len(line) - len(line.lstrip(" ")))


@register.filter
def plain(text: object, limit: int = 120) -> str:
    """The same for an attribute of our own elements, where no markup can stand."""
    return page_text.visible(page_text.cut(str(text or ""), int(limit)))


@register.filter
def address(url: object) -> SafeString:
    """A URL with its host standing out, without query and fragment."""
    parts = page_text.address(str(url or ""))
    scheme = f"{parts.scheme}://" if parts.host and parts.scheme not in {"https", ""} else ""
    return format_html(
        '<bdi class="address">{}<b>{}</b>{}{}</bdi>',
        scheme,
        shown(parts.host) if parts.host else "",
        shown(parts.path, 200),
        format_html('<span class="muted" title="{}">?…</span>', gettext("The query is left out."))
        if parts.has_more
        else "",
    )


@register.filter
def host(url: object) -> str:
    return page_text.visible(page_text.address(str(url or "")).host)


@register.filter
def call_line(line: call_words.Line, limit: int = 120) -> SafeString:
    """A call as one line; `limit` is for each thing that it names."""
    return format_html_join(" ", "{}", ((_call_piece(piece, int(limit)),) for piece in line))


def _call_piece(piece: call_words.Piece, limit: int) -> SafeString:
    match piece.kind:
        case call_words.Kind.ADDRESS:
            return address(piece.text)
        case call_words.Kind.SELECTOR:
            return format_html('<span class="selector">{}</span>', shown(piece.text, limit))
        case call_words.Kind.VALUE:
            return format_html("<q>{}</q>", shown(piece.text, min(limit, LONGEST_VALUE)))
    return format_html('<span class="call-words">{}</span>', shown(piece.text, limit))


class ListedCall(Protocol):
    """A row of the list, which holds its call's parameters without the long ones."""

    tool: str
    said: Mapping[str, Any]
    field_count: int | None


@register.filter
def row_call(row: ListedCall) -> call_words.Line:
    params = {**row.said, "fields": [None] * (row.field_count or 0)}
    return call_words.call_line(row.tool, params)


@register.filter
def place(proposal: Proposal) -> str:
    """Where it stands in the queue, as text that sorts alike."""
    return str(queries.place_of(proposal))


@register.simple_tag(takes_context=True)
def key(context: Mapping[str, Any], act: str) -> SafeString:
    """The key that does it for whoever looks; a script changes it when they choose another."""
    keys = preferences.preferences_of(context["request"].user).keys
    return format_html('<kbd data-key-of="{}">{}</kbd>', act, keys[act])


@register.simple_tag
def usual_key(act: str) -> str:
    return preferences.DEFAULT_KEYS[act]


@register.filter
def level_word(level: str) -> str:
    return str(LEVELS.get(level, LEVELS["none"]))


@register.filter
def tone(level: str) -> str:
    """The name of a level's colour and icon."""
    return TONES.get(level, "none")


@register.filter
def places(number: float | None) -> str:
    return "" if number is None else speaking.number(number, 2)


@register.filter
def count_words(count: int) -> str:
    return equation.count_words(count)


@register.filter
def words_of_status(status: str) -> str:
    return str(STATUS_WORDS.get(status, str(status).replace("_", " ")))


@register.filter
def state_words(proposal: Proposal) -> str:
    """How a card stands; of a question what was answered."""
    if proposal.is_question:
        return str(ANSWERS[proposal.status])
    return words_of_status(proposal.status)


@register.filter
def you_did(decision: Decision) -> str:
    """What the reader decided; what others did is said by `Decision.did`."""
    words = YOU_ANSWERED if decision.proposal.is_question else YOU_DID
    return str(words[decision.verb])


@register.filter
def screen(screen_id: str) -> SafeString:
    """The name of a screen; where no profile names it, the page's address without its scheme."""
    if not screen_id.startswith("URL:"):
        return format_html("<code>{}</code>", shown(screen_id, 80))
    return format_html('<span title="{}">{}</span>', plain(screen_id, 300), address(screen_id[4:]))


@register.filter
def outside_words(side: str) -> str:
    return str(OUTSIDE_WORDS[side])


@register.filter
def side_words(side: str) -> str:
    return str(SIDE_WORDS[side])


@register.filter
def seconds(milliseconds: float | None) -> str:
    """`840 ms`, `3.2 s`, `2 min 05 s`."""
    if milliseconds is None:
        return ""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 60_000:
        return f"{speaking.number(milliseconds / 1000, 1)} s"
    minutes, rest = divmod(round(milliseconds / 1000), 60)
    return f"{minutes} min {rest:02d} s"


@register.simple_tag
def moment(at: datetime | None) -> SafeString | str:
    """A time; a script says it in the viewer's zone."""
    if at is None:
        return ""
    return format_html(
        '<time datetime="{}" data-moment title="{} UTC">{} UTC</time>',
        at.isoformat(),
        f"{at:%Y-%m-%d %H:%M:%S}",
        f"{at:%H:%M}",
    )


@register.simple_tag
def countdown(until: datetime, now: datetime) -> SafeString:
    """The time left, as it was when the page was made; a script counts on by the server's clock."""
    return _countdown(until, now, unit="seconds", words=_exactly(_left_s(until, now)))


@register.simple_tag
def minutes_left(until: datetime, now: datetime) -> SafeString:
    """The same in a list of times, where `14:03` would be read as one; exact when it is short."""
    left_s = _left_s(until, now)
    minutes = gettext("{minutes} min").format(minutes=left_s // 60)
    words = minutes if left_s >= SECONDS_FROM_S else _exactly(left_s)
    return _countdown(until, now, unit="minutes", words=words)


def _left_s(until: datetime, now: datetime) -> int:
    return max(0, int((until - now).total_seconds()))


def _exactly(left_s: int) -> str:
    return f"{left_s // 60}:{left_s % 60:02d}"


def _countdown(until: datetime, now: datetime, *, unit: str, words: str) -> SafeString:
    return format_html(
        '<time datetime="{}" data-countdown="{}" data-now="{}" title="{}">{}</time>',
        until.isoformat(),
        unit,
        now.isoformat(),
        gettext("until {time} UTC").format(time=f"{until:%H:%M:%S}"),
        words,
    )


@register.simple_tag
def match_confidence(
    action_id: UUID, confidence: Mapping[str, Any] | None, fields: Sequence[Any] = ()
) -> SafeString:
    """The data behind a card or a step, for `getMatchConfidence(actionId)` and other machines;
    with `fields` of a call with several targets."""
    held = {**(confidence or {}), "fields": fields} if fields else confidence
    data = json.dumps(held, ensure_ascii=True).translate(JSON_ESCAPES)
    return format_html(
        '<script type="application/json" data-match-confidence data-action-id="{}">{}</script>',
        str(action_id),
        mark_safe(data),  # escaped above, letter by letter
    )
