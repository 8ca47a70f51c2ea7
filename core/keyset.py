"""Lists of the newest first, a page at a time, in which rows of the same moment are not lost."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, Self
from uuid import UUID

from django.db.models import Q


class Row(Protocol):
    pk: Any
    created_at: datetime


@dataclass(frozen=True)
class Mark:
    """Where a page ended: the moment and the id of its last row."""

    created_at: datetime
    id: UUID

    def __str__(self) -> str:
        return f"{self.created_at.isoformat(timespec='microseconds')}_{self.id}"

    @classmethod
    def of(cls, row: Row) -> Self:
        return cls(row.created_at, row.pk)

    @property
    def older(self) -> Q:
        """The rows after it, of a list ordered by `-created_at, -id`."""
        same = Q(created_at=self.created_at, id__lt=self.id)
        return Q(created_at__lt=self.created_at) | same

    @property
    def newer(self) -> Q:
        """The rows before it."""
        same = Q(created_at=self.created_at, id__gt=self.id)
        return Q(created_at__gt=self.created_at) | same


def read_mark(words: str) -> Mark | None:
    """What `str(mark)` wrote; None for anything else."""
    try:
        moment, row_id = words.split("_")
        return Mark(datetime.fromisoformat(moment).astimezone(UTC), UUID(row_id))
    except (ValueError, OverflowError):
        return None
