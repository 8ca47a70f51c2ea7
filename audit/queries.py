"""Reads of the record, and its verification."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from django.conf import settings

from audit import domain, failures
from audit.models import BrowserAudit, Chain

NAMED_AT_ONCE = 500


def verify_chain(name: str) -> domain.Break | None:
    """The first place where the chain was tampered with, or None."""
    chain = Chain.objects.filter(name=name).first()
    if chain is None:
        orphan = BrowserAudit.objects.filter(chain=name).order_by("sequence").first()
        return domain.Break(name, orphan.sequence, "its head is missing") if orphan else None
    return domain.find_break(
        settings.AUDIT_KEY,
        chain=name,
        links=_links(name),
        count=chain.count,
        head=chain.head,
        head_seal=chain.head_seal,
    )


def verify_all() -> Iterator[tuple[str, domain.Break | None]]:
    """Every chain by name with its first break, chains whose head was removed included."""
    named = Chain.objects.values_list("name", flat=True)
    written = BrowserAudit.objects.order_by().values_list("chain", flat=True).distinct()
    for name in sorted({*named, *written}):
        yield name, verify_chain(name)


@dataclass(frozen=True)
class Checked:
    """Some chains were verified: how many, which are broken, and the name to go on after."""

    count: int
    broken: tuple[domain.Break, ...]
    after: str


def verify_some(after: str, *, within_s: float) -> Checked:
    """Chains by name from `after` on, as many as the time allows and one at least. `after` is empty
    in the answer when these were the last."""
    deadline = time.monotonic() + within_s
    broken: list[domain.Break] = []
    for count, name in enumerate(names := _names_after(after), 1):
        if found := verify_chain(name):
            broken.append(found)
        if time.monotonic() >= deadline and count < len(names):
            return Checked(count, tuple(broken), name)
    return Checked(len(names), tuple(broken), names[-1] if len(names) == NAMED_AT_ONCE else "")


def _names_after(after: str) -> list[str]:
    """Of chains and of entries whose chain's head was removed."""
    named = Chain.objects.filter(name__gt=after).order_by("name")
    written = BrowserAudit.objects.filter(chain__gt=after).order_by("chain")
    names = {
        *named.values_list("name", flat=True)[:NAMED_AT_ONCE],
        *written.values_list("chain", flat=True).distinct()[:NAMED_AT_ONCE],
    }
    return sorted(names)[:NAMED_AT_ONCE]


def count_chains() -> int:
    return Chain.objects.count()


def audit_failures_by_day(days: int) -> dict[date, int]:
    """Entries that could not be written, for each of the last `days` days (UTC), today included.
    Empty where Redis, which keeps the counts for 60 days, does not answer."""
    return failures.by_day(days)


def _links(name: str) -> Iterator[domain.Link]:
    entries = BrowserAudit.objects.filter(chain=name).order_by("sequence", "id")
    for entry in entries.iterator(chunk_size=500):
        yield domain.Link(entry.sequence, entry.sealed_content(), entry.previous_hash, entry.hash)
