"""Reads for the webhooks' pages."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db.models import Count, Max, Q, QuerySet

from core import clock
from webhooks.models import Delivery, Endpoint

PAGE_SIZE = 50
RECENT = timedelta(days=7)


def endpoints_with_counts() -> QuerySet[Endpoint]:
    """`waiting_count` now; `delivered_count` and `failed_count` of the last seven days."""
    recent = Q(deliveries__created_at__gte=clock.now() - RECENT)
    return Endpoint.objects.annotate(
        waiting_count=Count("deliveries", filter=Q(deliveries__status="pending")),
        delivered_count=Count("deliveries", filter=recent & Q(deliveries__status="delivered")),
        failed_count=Count("deliveries", filter=recent & Q(deliveries__status="failed")),
        last_tried_at=Max("deliveries__tried_at"),
    ).order_by("created_at")


@dataclass(frozen=True)
class Wanted:
    """Which deliveries a page lists, newest first; `before` is the id that the page above ends."""

    status: str = ""
    endpoint_id: UUID | None = None
    before: int | None = None


def page_of_deliveries(wanted: Wanted) -> list[Delivery]:
    """One more than a page holds, if there are more."""
    found = Delivery.objects.select_related("endpoint").defer(
        "answer", "body", "endpoint__sealed_secret"
    )
    if wanted.status:
        found = found.filter(status=wanted.status)
    if wanted.endpoint_id:
        found = found.filter(endpoint_id=wanted.endpoint_id)
    if wanted.before:
        found = found.filter(pk__lt=wanted.before)
    return list(found.order_by("-id")[: PAGE_SIZE + 1])
