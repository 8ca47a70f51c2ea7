"""Teach once: what a reviewer picked is picked again, for that selector on that kind of page.

A precedent can be seen, edited, revoked; it expires, counts its uses, and is suspended when one of
them turns out wrong.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet

from agents.models import Team
from audit.services import record
from confidence.domain import page_pattern as page_patterns
from confidence.domain import risk, selector
from confidence.domain.confidence import (
    MatchCandidate,
    MatchConfidence,
    MatchLevel,
    Tiebreak,
    candidate_from,
)
from confidence.domain.page_pattern import BadPattern
from confidence.models import Precedent, PrecedentUse
from core import clock
from core.actors import Actor
from core.errors import Conflict, Invalid
from core.words import phrase

LIFE = timedelta(days=30)
LONGEST_LIFE = timedelta(days=365)
ONLY_SELECTORS = phrase("Only a selector can be remembered: a ref means one element of one page.")


# --- what was taught --------------------------------------------------------------------
@transaction.atomic
def remember(
    *,
    actor: Actor,
    agent_id: UUID | None,
    taught_by_id: UUID | None = None,
    target: str,
    page_url: str,
    candidate: Mapping[str, Any],
    proposal_id: UUID,
) -> Precedent:
    """From a decision about a call of `taught_by_id`. `agent_id` None: for every agent on that site
    that shares a team with that one.

    Raises Invalid for what may not be taught: refs, calls without a selector, and what cannot be
    taken back or foreseen. Raises Conflict while a suspended one says the same.
    """
    _refuse_unteachable(target, candidate_from(candidate, index=0))
    owner_id = taught_by_id or agent_id
    _refuse_while_suspended(agent_id, owner_id, target=target, page_url=page_url)
    pattern = _pattern_of(page_url)
    for former in _owned_like(agent_id, owner_id).filter(target=target, page_pattern=pattern):
        revoke(former, actor=actor)
    now = clock.now()
    precedent = Precedent.objects.create(
        agent_id=agent_id,
        taught_by_id=owner_id,
        target=target,
        page_pattern=pattern,
        fingerprint=candidate["fingerprint"],
        candidate=dict(candidate),
        proposal_id=proposal_id,
        made_by=actor.name,
        created_at=now,
        expires_at=now + LIFE,
    )
    _record("precedent.make", precedent, actor, {"target": target, "page": pattern})
    return precedent


def _refuse_unteachable(target: str, element: MatchCandidate) -> None:
    if not target.strip() or selector.is_ref(target):
        raise Invalid(ONLY_SELECTORS)
    if risk.looks_irreversible(element):
        raise Invalid(phrase("What cannot be taken back is decided by a person each time."))
    if risk.is_unforeseeable(element):
        raise Invalid(
            phrase("What Enter does there only the page knows: a person decides each time.")
        )
    if not element.fingerprint:
        raise Invalid(phrase("This element has nothing to be known by."))


def _refuse_while_suspended(
    agent_id: UUID | None, owner_id: UUID | None, *, target: str, page_url: str
) -> None:
    """An admin looks at what was wrong first: teaching it anew would let it pick again."""
    suspended = _reaching(agent_id, owner_id).filter(suspended_at__isnull=False, target=target)
    if any(page_patterns.matches(one.page_pattern, page_url) for one in suspended):
        raise Conflict(
            phrase(
                "What was remembered for this selector here was wrong once and is suspended: an "
                "admin has to look at it before anything is remembered. Decide without remembering."
            )
        )


def _pattern_of(page_url: str) -> str:
    try:
        return page_patterns.pattern_of(page_url)
    except BadPattern as error:
        raise Invalid(str(error)) from None


def _owned_like(agent_id: UUID | None, owner_id: UUID | None) -> QuerySet[Precedent]:
    """Live ones for the same agent; for a site, those that a team of the owner taught."""
    live = _live(clock.now())
    if agent_id is not None:
        return live.filter(agent_id=agent_id)
    return live.filter(pk__in=live.filter(agent_id=None, taught_by__teams__in=_teams_of(owner_id)))


def _reaching(agent_id: UUID | None, owner_id: UUID | None) -> QuerySet[Precedent]:
    """Live ones that pick for an agent for which this would pick too."""
    live, teams = _live(clock.now()), _teams_of(owner_id)
    for_team = live.filter(agent_id=None, taught_by__teams__in=teams)
    theirs = live.filter(agent__teams__in=teams) if agent_id is None else live.none()
    own = live.filter(agent_id__in=[one for one in (agent_id, owner_id) if one])
    return live.filter(Q(pk__in=for_team) | Q(pk__in=theirs) | Q(pk__in=own))


def _teams_of(agent_id: UUID | None) -> QuerySet[Team]:
    return Team.objects.filter(agents=agent_id) if agent_id else Team.objects.none()


# --- what it is used for ----------------------------------------------------------------
def recall(
    confidence: MatchConfidence, *, agent_id: UUID, target: str, url: str
) -> tuple[Precedent, Tiebreak] | None:
    """The precedent that picks one candidate of an uncertain call, and its pick.

    None for what is certain already, cannot be taken back or foreseen, or fits several candidates
    or none.
    """
    if confidence.level is MatchLevel.HIGH or risk.only_a_person_settles(confidence.candidates):
        return None
    for precedent in _for_call(agent_id=agent_id, target=target, url=url):
        index = _only_match(confidence, precedent.fingerprint)
        is_allowed = confidence.level is MatchLevel.PARTIAL or precedent.rescues_ambiguous
        if index is not None and is_allowed:
            return precedent, _tiebreak(precedent, index)
    return None


def _for_call(*, agent_id: UUID, target: str, url: str) -> Iterable[Precedent]:
    """An agent's own before those of the site, the newest first."""
    mine = _reaching(agent_id, agent_id).filter(suspended_at=None, target=target)
    ordered = mine.order_by(F("agent_id").asc(nulls_last=True), "-created_at")
    return (one for one in ordered[:20] if page_patterns.matches(one.page_pattern, url))


def _live(now: Any) -> QuerySet[Precedent]:
    return Precedent.objects.filter(revoked_at=None, expires_at__gt=now)


def _only_match(confidence: MatchConfidence, fingerprint: str) -> int | None:
    if len(confidence.candidates) != confidence.match_count:
        return None  # one that nobody described might be its twin
    found = [
        index
        for index, candidate in enumerate(confidence.candidates)
        if candidate.visible and candidate.fingerprint == fingerprint
    ]
    return found[0] if len(found) == 1 else None


def _tiebreak(precedent: Precedent, index: int) -> Tiebreak:
    when = f"{precedent.created_at:%Y-%m-%d}"
    rationale = f"{precedent.made_by} picked this element for this selector on {when}."
    return Tiebreak(used=True, chosen_index=index, rationale=rationale, source="precedent")


def note_use(precedent: Precedent, *, action_id: UUID) -> None:
    """It picked for this action, whatever becomes of that: a report finds it."""
    now = clock.now()
    _, is_new = PrecedentUse.objects.get_or_create(
        action_id=action_id, precedent=precedent, defaults={"at": now}
    )
    if is_new:
        Precedent.objects.filter(pk=precedent.pk).update(last_used_at=now)


@transaction.atomic
def count_saved_review(action_id: UUID) -> None:
    """This action went on, and would have waited for a person without its precedents. An action
    that was judged twice was still saved one review."""
    uses = PrecedentUse.objects.filter(action_id=action_id, saved_review=False)
    saved_by = list(uses.values_list("precedent_id", flat=True))
    uses.update(saved_review=True)
    Precedent.objects.filter(pk__in=saved_by).update(uses=F("uses") + 1)


@transaction.atomic
def suspend_used_by(action_id: UUID, *, actor: Actor) -> list[Precedent]:
    """An action that precedents picked for hit the wrong target: none of them picks any more until
    an admin looks at it."""
    PrecedentUse.objects.filter(action_id=action_id).update(was_wrong=True)
    used = list(Precedent.objects.filter(actions__action_id=action_id).order_by("pk"))
    for one in used:
        if one.suspended_at is None:
            Precedent.objects.filter(pk=one.pk).update(suspended_at=clock.now())
            _record("precedent.suspend", one, actor, {"action": str(action_id)})
    return used


# --- what people change -----------------------------------------------------------------
@transaction.atomic
def revoke(precedent: Precedent, *, actor: Actor) -> None:
    if not Precedent.objects.filter(pk=precedent.pk, revoked_at=None).update(
        revoked_at=clock.now()
    ):
        raise Conflict(phrase("This precedent was revoked already."))
    _record("precedent.revoke", precedent, actor, {})


@transaction.atomic
def edit(
    precedent: Precedent,
    *,
    actor: Actor,
    page_pattern: str | None = None,
    expires_in_days: int | None = None,
    rescues_ambiguous: bool | None = None,
    resumes: bool = False,
) -> Precedent:
    """Raises Invalid for a pattern without a host, or a life longer than a year; Conflict for a
    revoked one."""
    if precedent.revoked_at is not None:
        raise Conflict(phrase("This precedent was revoked: teach it anew."))
    changes: dict[str, Any] = {}
    if page_pattern is not None:
        try:
            changes["page_pattern"] = page_patterns.checked_pattern(page_pattern)
        except BadPattern as error:
            raise Invalid(error.args[0]) from None
    if expires_in_days is not None:
        life = timedelta(days=expires_in_days)
        if not timedelta() < life <= LONGEST_LIFE:
            raise Invalid(phrase("A precedent lives 1 to 365 days."))
        changes["expires_at"] = clock.now() + life
    if rescues_ambiguous is not None:
        changes["rescues_ambiguous"] = rescues_ambiguous
    if resumes:
        changes["suspended_at"] = None
    Precedent.objects.filter(pk=precedent.pk).update(**changes)
    shown = {name: str(value) for name, value in changes.items()}
    _record("precedent.edit", precedent, actor, shown)
    precedent.refresh_from_db()
    return precedent


def _record(verb: str, precedent: Precedent, actor: Actor, payload: Mapping[str, Any]) -> None:
    details = {"precedent": str(precedent.pk), **payload}
    record(verb, actor=actor, agent_id=precedent.agent_id, payload=details)
