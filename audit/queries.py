"""Reads of the record, and its verification."""

from collections.abc import Iterator
from datetime import date

from django.conf import settings

from audit import domain, failures
from audit.models import BrowserAudit, Chain


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


def audit_failures_by_day(days: int) -> dict[date, int]:
    """Entries that could not be written, for each of the last `days` days (UTC), today included.
    Empty where Redis, which keeps the counts for 60 days, does not answer."""
    return failures.by_day(days)


def _links(name: str) -> Iterator[domain.Link]:
    entries = BrowserAudit.objects.filter(chain=name).order_by("sequence", "id")
    for entry in entries.iterator(chunk_size=500):
        yield domain.Link(entry.sequence, entry.sealed_content(), entry.previous_hash, entry.hash)
