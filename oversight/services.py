"""The roll-out's switches. Each changes flags, which `confidence/flags.py` alone writes."""

from django.db import connection, transaction

from agents.models import Person
from agents.services import actor_of
from audit.services import record
from confidence import flags
from confidence.domain.gate import ALL_TIERS
from confidence.models import FlagOverride
from core.errors import NotFound
from oversight.domain import STEPS, RollOut, Step

FORCE = "MATCH_CONFIDENCE_FORCE_PROPOSAL"
TIERS = "MATCH_CONFIDENCE_GATED_TIERS"
LAYER = ("SELECTOR_CONFIDENCE_ENABLED", "BROWSER_LOCATOR_API_ENABLED")


def present() -> RollOut:
    """How far gating is in force at this moment."""
    read = flags.values()
    return RollOut(
        force_proposal=read[FORCE],
        gated_tiers=frozenset(read[TIERS]),
        layer_is_on=all(read[name] for name in LAYER),
    )


def step_named(slug: str) -> Step:
    found = next((step for step in STEPS if step.slug == slug), None)
    if found is None:
        raise NotFound("There is no such step of the roll-out.")
    return found


@transaction.atomic
def switch_on(step: Step, *, person: Person) -> RollOut:
    """Put gating in force for this step's tiers as well. Raises Conflict out of order."""
    _hold_the_flags()
    wanted = present().with_step(step)
    return _move(wanted, verb="rollout.switch_on", step=step, person=person)


@transaction.atomic
def take_back(step: Step, *, person: Person) -> RollOut:
    """Gating is no longer in force for this step's tiers. Raises Conflict if it was not."""
    _hold_the_flags()
    wanted = present().without_step(step)
    return _move(wanted, verb="rollout.take_back", step=step, person=person)


@transaction.atomic
def stop_gating(*, person: Person) -> None:
    """The kill switch: shadow mode for everybody, the gated tiers stay as they were set."""
    flags.set_flag(FORCE, False, actor=actor_of(person))


def _move(wanted: RollOut, *, verb: str, step: Step, person: Person) -> RollOut:
    """Tiers first: nobody ever reads gating in force for more tiers than were chosen."""
    actor = actor_of(person)
    now = present()
    if now.gated_tiers != wanted.gated_tiers:
        chosen = [tier for tier in ALL_TIERS if tier in wanted.gated_tiers]
        flags.set_flag(TIERS, chosen, actor=actor)
    if now.force_proposal != wanted.force_proposal:
        flags.set_flag(FORCE, wanted.force_proposal, actor=actor)
    payload = {"step": step.slug, "tiers_in_force": wanted.in_order}
    record(verb, actor=actor, payload=payload)
    return wanted


def _hold_the_flags() -> None:
    """Read, decide and write as one: two admins may press at the same moment."""
    with connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {FlagOverride._meta.db_table} IN SHARE ROW EXCLUSIVE MODE")
