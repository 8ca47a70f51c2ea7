"""A person says that an action hit the wrong target."""

from uuid import UUID

from django.db import transaction

from agents.models import Person
from confidence import precedents
from core import clock
from core.actors import Actor
from core.errors import Conflict, Forbidden, NotFound
from core.words import phrase
from runs import access
from runs.models import Action, WrongTargetReport
from runs.services.acting import host_of, record_action
from runs.targets import targets_of


@transaction.atomic
def report_wrong_target(action_id: UUID, *, person: Person, note: str = "") -> WrongTargetReport:
    """It counts against the action's level, its selector, and the precedent that picked for it.

    Raises NotFound, Forbidden for a role that may not decide, Conflict for an action that hit
    nothing or was reported already.
    """
    mine = Action.objects.select_related("run__agent").filter(run__in=access.visible_to(person))
    action = mine.select_for_update(of=("self",)).filter(pk=action_id).first()
    if action is None:
        raise NotFound("There is no such action, or it belongs to another team.")
    if not person.may_decide:
        raise Forbidden(phrase("Your role may read runs but not report on them."))
    if action.acting_at is None or WrongTargetReport.objects.filter(action=action).exists():
        raise Conflict(phrase("This action hit nothing, or it was reported already."))
    actor = Actor(kind="person", id=str(person.pk), name=person.username)
    suspended = precedents.suspend_used_by(action.id, actor=actor)
    report = WrongTargetReport.objects.create(
        action=action,
        person=person,
        level=(action.match_confidence or {}).get("level", ""),
        target=_target_of(action),
        host=action.page_host or host_of(action.run.current_url),
        precedent_id=suspended[0].pk if suspended else None,
        note=note[:1000],
        created_at=clock.now(),
    )
    precedents_used = [one.pk for one in suspended]
    payload = {"note": report.note, "level": report.level, "precedents": precedents_used}
    record_action(action, "action.wrong_target", actor, payload)
    return report


def _target_of(action: Action) -> str:
    named = targets_of(action.tool, action.params)
    return named[0].words if named else ""
