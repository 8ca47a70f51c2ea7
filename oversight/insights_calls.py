"""Calls that keep coming back before people, and how far reviewers agree on them.

A call is a selector on a page. These tables name selectors and cards, so they hold only what the
person's teams review.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import (
    Aggregate,
    Count,
    Expression,
    F,
    Func,
    Max,
    Q,
    TextField,
    UUIDField,
    Value,
)
from django.db.models.functions import Cast, Coalesce

from agents.models import Person
from confidence.models import Precedent
from core import clock
from oversight.domain import share
from oversight.insights import start_of
from proposals import access
from proposals.models import Decision

OFTEN = 3
SHOWN = 20
DIFFERENCES_SHOWN = 10
# PostgreSQL's regular expressions: the address without scheme, query and fragment; its host; and
# steps that are another number each time.
ADDRESS = "^[a-z]+://([^?#]+)"
HOST = "^[a-z]+://([^/?#]+)"
NUMBER_STEPS = r"/\d+(?=/|$)"


@dataclass(frozen=True)
class Offender:
    """A selector on a site that people were asked about again and again."""

    target: str
    host: str
    asked: int
    agents: int
    last_at: datetime
    card_id: UUID
    is_waiting: bool
    is_taught: bool


@dataclass(frozen=True)
class Difference:
    """A call on which reviewers picked different elements."""

    target: str
    page: str
    people: int
    picks: int
    decided: int


@dataclass(frozen=True)
class Agreement:
    """Calls that two or more reviewers decided, and how many of them with the same pick."""

    calls: int
    agreed: int
    differences: tuple[Difference, ...]

    @property
    def share(self) -> float | None:
        return share(self.agreed, self.calls)


# --- in SQL -----------------------------------------------------------------------------
def _at(held: str, *path: Expression) -> Func:
    """The text at a path of a JSON column."""
    return Func(
        F(held), *path, function="jsonb_extract_path_text", output_field=TextField(null=True)
    )


def _match(url: str, pattern: str) -> Func:
    return Func(F(url), Value(pattern), function="substring", output_field=TextField())


def _text(name: str) -> Cast:
    return Cast(name, TextField())


def target_of(prefix: str = "") -> Coalesce:
    """The selector of the target that was shown; "" when none named it."""
    shown = _at(f"{prefix}fields", _text(f"{prefix}shown_field"), Value("target"))
    only = _at(f"{prefix}params", Value("target"))
    return Coalesce(shown, only, Value(""), output_field=TextField())


class CardToOpen(Aggregate):
    """The id of the proposal to look at: one that waits, else the latest."""

    template = (
        "(ARRAY_AGG(%(expressions)s ORDER BY "
        '("proposals_proposal"."status" = \'pending\') DESC, '
        '"proposals_proposal"."created_at" DESC))[1]'
    )
    output_field = UUIDField()


# --- calls that keep coming back --------------------------------------------------------
def offenders_for(person: Person, *, since: date) -> list[Offender]:
    """The most asked first, in two queries; each was asked three times or more."""
    asked = (
        access.visible_to(person)
        .filter(created_at__gte=start_of(since))
        .annotate(call=target_of(), host=_match("page_url", HOST))
        .exclude(call="")
        .exclude(host=None)
        .order_by()
        .values("call", "host")
        .annotate(
            asked=Count("id"),
            agents=Count("agent", distinct=True),
            last_at=Max("created_at"),
            waiting=Count("id", filter=Q(status="pending")),
            card_id=CardToOpen("id"),
        )
        .filter(asked__gte=OFTEN)
        .order_by("-asked", "call", "host")[:SHOWN]
    )
    rows = list(asked)
    taught = _taught(row["call"] for row in rows)
    return [_offender(row, is_taught=(row["call"], row["host"].lower()) in taught) for row in rows]


def _offender(row: Mapping[str, Any], *, is_taught: bool) -> Offender:
    return Offender(
        target=row["call"],
        host=row["host"],
        asked=row["asked"],
        agents=row["agents"],
        last_at=row["last_at"],
        card_id=row["card_id"],
        is_waiting=row["waiting"] > 0,
        is_taught=is_taught,
    )


def _taught(targets: Iterable[str]) -> set[tuple[str, str]]:
    """Selector and host of the precedents that pick now."""
    live = Precedent.objects.filter(
        target__in=list(targets), expires_at__gt=clock.now(), revoked_at=None, suspended_at=None
    )
    named = live.values_list("target", "page_pattern")
    return {(target, pattern.partition("/")[0]) for target, pattern in named}


# --- do reviewers agree? ----------------------------------------------------------------
def agreement_for(person: Person, *, since: date) -> Agreement:
    """Two queries. Only a call with one target has one pick; its element is known by its
    fingerprint."""
    calls = _calls_of_several(person, since=since)
    total = calls.aggregate(
        calls=Count("decided"), agreed=Count("decided", filter=Q(different_picks=1))
    )
    unlike = calls.filter(different_picks__gt=1).order_by("-decided", "call", "page")
    return Agreement(
        **total,
        differences=tuple(
            Difference(
                row["call"], row["page"], row["people"], row["different_picks"], row["decided"]
            )
            for row in unlike[:DIFFERENCES_SHOWN]
        ),
    )


def _calls_of_several(person: Person, *, since: date) -> Any:  # mypy has no name for grouped rows
    page = Func(
        _match("proposal__page_url", ADDRESS),
        Value(NUMBER_STEPS),
        Value("/*"),
        Value("g"),
        function="regexp_replace",
        output_field=TextField(),
    )
    pick = _at(
        "proposal__match_confidence",
        Value("candidates"),
        _text("proposal__approved_index"),
        Value("fingerprint"),
    )
    verbs = [Decision.Verb.APPROVE, Decision.Verb.MODIFY]
    picked = Decision.objects.filter(
        proposal__in=access.visible_to(person), created_at__gte=start_of(since), verb__in=verbs
    ).annotate(call=target_of("proposal__"), page=page, pick=pick)
    named = picked.exclude(call="").exclude(Q(pick=None) | Q(pick=""))
    return (
        named.order_by()
        .values("call", "page")
        .annotate(
            people=Count("person", distinct=True),
            different_picks=Count("pick", distinct=True),
            decided=Count("id"),
        )
        .filter(people__gte=2)
    )
