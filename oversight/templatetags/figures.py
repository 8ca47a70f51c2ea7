"""How counts, shares, money and flags are written on the admins' pages."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from audit.models import BrowserAudit
from oversight.domain import GATING_WORDS, Tally

register = template.Library()
NOTHING = "–"


@register.filter
def whole(number: int | None) -> str:
    """`12,480`"""
    return NOTHING if number is None else f"{number:,}"


@register.filter
def percent(part: float | None) -> str:
    """`4.2%`; a share that is not nothing is never written as 0.0%."""
    if part is None:
        return NOTHING
    return "<0.1%" if 0 < part < 0.0005 else f"{part * 100:.1f}%"


@register.filter
def per_hundred(part: float | None) -> str:
    return NOTHING if part is None else f"{part * 100:.1f}"


@register.filter
def times(ratio: float | None) -> str:
    return NOTHING if ratio is None else f"{ratio:.1f}×"


@register.filter
def milliseconds(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.1f} ms"


@register.filter
def usd(amount: Decimal) -> str:
    """Cents where they say enough; a tiebreak costs less than one."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.4f}"


@register.filter
def decimal(number: float) -> str:
    return f"{number:,.1f}"


@register.filter
def gating_word(flag: bool | None) -> str:
    return GATING_WORDS[flag]


@register.filter
def flag_value(value: Any) -> str:
    """As the environment and the command line write it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(value) or "none"
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
    "agent.create": "registered it as {tier}",
    "agent.set_tier": "moved it from {from} to {to}",
    "agent.set_hosts": "changed its hosts",
    "agent.allow_hosts": "added hosts",
    "agent.pause": "paused it",
    "agent.resume": "resumed it",
    "agent.key_create": "created key {prefix}…",
    "agent.key_rotate": "rotated {old}… to {prefix}…",
    "agent.key_revoke": "revoked {prefix}…",
}


@register.filter
def change_words(entry: BrowserAudit) -> str:
    """What somebody did to an agent, in words; an entry nobody gave words to says its verb."""
    said = entry.payload
    if entry.verb == "agent.set_gating":
        return f"set gating from {GATING_WORDS[said['from']]} to {GATING_WORDS[said['to']]}"
    if entry.verb == "agent.key_revoke" and "prefix" not in said:
        return f"revoked {said['count']} keys"
    return CHANGES.get(entry.verb, entry.verb).format(**said)
