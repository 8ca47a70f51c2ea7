"""How counts, shares, money and flags are written on the admins' pages."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import get_text_list
from django.utils.translation import gettext, gettext_lazy, pgettext, pgettext_lazy

from agents.models import AgentRegistry
from audit.models import BrowserAudit
from core import speaking
from oversight.domain import GATING_WORDS, Tally

register = template.Library()
NOTHING = "–"
TIERS = frozenset(AgentRegistry.Tier.values)
PRECEDENT_STATES = {
    "live": pgettext_lazy("precedent", "live"),
    "suspended": pgettext_lazy("precedent", "suspended"),
    "expired": pgettext_lazy("precedent", "expired"),
    "revoked": pgettext_lazy("precedent", "revoked"),
}


@register.filter
def whole(number: int | None) -> str:
    """`12,480`"""
    return NOTHING if number is None else speaking.number(number)


@register.filter
def percent(part: float | None) -> str:
    """`4.2%`; a share that is not nothing is never written as 0.0%."""
    if part is None:
        return NOTHING
    if 0 < part < 0.0005:
        return f"<{speaking.number(0.1, 1)}%"
    return f"{speaking.number(part * 100, 1)}%"


@register.filter
def per_hundred(part: float | None) -> str:
    return NOTHING if part is None else speaking.number(part * 100, 1)


@register.filter
def times(ratio: float | None) -> str:
    return NOTHING if ratio is None else f"{speaking.number(ratio, 1)}×"


@register.filter
def milliseconds(value: float | None) -> str:
    return NOTHING if value is None else f"{speaking.number(value, 1)} ms"


@register.filter
def usd(amount: Decimal) -> str:
    """Cents where they say enough; a tiebreak costs less than one."""
    return f"${speaking.number(amount, 2 if amount >= 1 or not amount else 4)}"


@register.filter
def decimal(number: float) -> str:
    return speaking.number(number, 1)


@register.filter
def gating_word(flag: bool | None) -> str:
    return speaking.spoken(GATING_WORDS[flag])


@register.filter
def mode_word(mode: str) -> str:
    """What an agent's confirmation mode is called; without one the others say."""
    return speaking.spoken(mode) if mode else gettext("as the others say")


@register.filter
def precedent_state(state: str) -> str:
    return str(PRECEDENT_STATES.get(state, state))


@register.filter
def spoken_list(names: Iterable[str]) -> str:
    """Tiers in a sentence."""
    return get_text_list([speaking.spoken(name) for name in names], gettext("and"))


@register.filter
def flag_value(value: Any) -> str:
    """As the environment and the command line write it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(value) or pgettext("tier", "none")
    return f"{value:g}" if isinstance(value, float) else str(value)


@register.filter
def breakable(name: str) -> SafeString:
    """A long flag's name that may go on in the next line after each word."""
    return format_html_join(mark_safe("<wbr>"), "{}", ((part,) for part in _words(name)))


def _words(name: str) -> list[str]:
    first, *rest = name.split("_")
    return [first, *(f"_{part}" for part in rest)]


@register.simple_tag
def level_bar(tally: Tally) -> SafeString:
    """The levels of some acts as one bar; the numbers stand beside it."""
    return format_html(
        '<svg class="level-bar" viewBox="0 0 100 6" preserveAspectRatio="none" '
        'aria-hidden="true" focusable="false">{}</svg>',
        format_html_join(
            "", '<rect class="bar-{}" x="{}" width="{}" height="6"/>', _parts_of(tally)
        ),
    )


def _parts_of(tally: Tally) -> Iterator[tuple[str, str, str]]:
    at = 0.0
    for tone in ("clear", "caution", "danger"):
        width = 100 * getattr(tally, tone) / (tally.acts or 1)
        if width:
            yield tone, f"{at:.2f}", f"{width:.2f}"
        at += width


CHANGES = {
    "agent.create": gettext_lazy("registered it as {tier}"),
    "agent.set_tier": gettext_lazy("moved it from {from} to {to}"),
    "agent.set_hosts": gettext_lazy("changed its hosts"),
    "agent.allow_hosts": gettext_lazy("added hosts"),
    "agent.pause": gettext_lazy("paused it"),
    "agent.resume": gettext_lazy("resumed it"),
    "agent.key_create": gettext_lazy("created key {prefix}…"),
    "agent.key_rotate": gettext_lazy("rotated {old}… to {prefix}…"),
    "agent.key_revoke": gettext_lazy("revoked {prefix}…"),
}


def _tier_word(value: Any) -> Any:
    return speaking.spoken(value) if isinstance(value, str) and value in TIERS else value


@register.filter
def change_words(entry: BrowserAudit) -> str:
    """What somebody did to an agent, in words; an entry nobody gave words to says its verb."""
    said = entry.payload
    if entry.verb == "agent.set_gating":
        was, now = gating_word(said["from"]), gating_word(said["to"])
        return gettext("set gating from {was} to {now}").format(was=was, now=now)
    if entry.verb == "agent.set_confirmation_mode":
        was, now = mode_word(said["from"]), mode_word(said["to"])
        return gettext("set confirmations from {was} to {now}").format(was=was, now=now)
    if entry.verb == "agent.key_revoke" and "prefix" not in said:
        return gettext("revoked {count} keys").format(count=said["count"])
    told = {name: _tier_word(value) for name, value in said.items()}
    return CHANGES.get(entry.verb, entry.verb).format(**told)
