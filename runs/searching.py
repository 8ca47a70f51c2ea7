"""What people search runs by. Words they typed are cut, and nonsense is left out."""

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, F, Func, OuterRef, Q, QuerySet, TextField, Value
from django.http import QueryDict
from django.utils.dateparse import parse_date

from runs.models import Action, Run

LEVELS = ("high", "partial", "ambiguous")
WORDS = ("label", "agent", "status", "host", "level", "protocol")
LONGEST = 200
HOST = "^[a-z]+://([^/?#]+)"  # PostgreSQL's regular expression

PROTOCOL = {"task": ~Q(task={}), "broken": Q(confirmation__violation__gt="")}


@dataclass(frozen=True)
class RunSearch:
    """`since` and `until` are UTC days, both included; "" and None ask for nothing."""

    label: str = ""
    agent: str = ""
    status: str = ""
    host: str = ""
    level: str = ""
    protocol: str = ""
    since: date | None = None
    until: date | None = None

    @property
    def is_empty(self) -> bool:
        return self == RunSearch()

    @property
    def query(self) -> str:
        """As an address says it."""
        return urlencode({name: str(value) for name, value in asdict(self).items() if value})

    def narrow(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        wanted: dict[str, Any] = {
            "label__icontains": self.label,
            "agent__name": self.agent,
            "status": self.status,
            "created_at__gte": self.since and _start_of(self.since),
            "created_at__lt": self.until and _start_of(self.until + timedelta(days=1)),
        }
        found = runs.filter(**{name: value for name, value in wanted.items() if value})
        found = found.filter(PROTOCOL[self.protocol]) if self.protocol else found
        found = _on_host(found, self.host) if self.host else found
        return _with_level(found, self.level) if self.level else found


def read_search(asked: QueryDict) -> RunSearch:
    """From an address that anybody may have written."""
    words = {name: _words(asked, name) for name in WORDS}
    if words["status"] not in Run.Status.values:
        words["status"] = ""
    if words["level"] not in LEVELS:
        words["level"] = ""
    if words["protocol"] not in PROTOCOL:
        words["protocol"] = ""
    return RunSearch(**words, since=_day(asked, "since"), until=_day(asked, "until"))


def _words(asked: QueryDict, name: str) -> str:
    return asked.get(name, "").replace("\0", "").strip()[:LONGEST]


def _day(asked: QueryDict, name: str) -> date | None:
    try:
        found = parse_date(asked.get(name, ""))
    except ValueError:
        return None
    return found if found and found.year < date.max.year else None


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


def _on_host(runs: QuerySet[Run], host: str) -> QuerySet[Run]:
    """Where it began or where it is; part of a host's name will do."""
    named = runs.annotate(began_on=_host_of("start_url"), host=_host_of("current_url"))
    return named.filter(Q(began_on__icontains=host) | Q(host__icontains=host))


def _host_of(url: str) -> Func:
    return Func(F(url), Value(HOST), function="substring", output_field=TextField())


def _with_level(runs: QuerySet[Run], level: str) -> QuerySet[Run]:
    """Runs with a step of that level."""
    steps = Action.objects.filter(run=OuterRef("pk"), match_confidence__level=level)
    return runs.filter(Exists(steps))
