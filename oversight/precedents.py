"""Which precedents somebody sees, in what state each is, and who may change it."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext

from agents.access import agents_overseen_by
from agents.models import Person
from confidence.models import Precedent
from core import clock
from core.errors import Conflict, Forbidden, NotFound
from core.words import phrase
from oversight import access
from proposals.models import Proposal

PAGE_SIZE = 50
STATES = {
    "live": "it picks",
    "suspended": "a pick of it was reported as wrong",
    "expired": "its time is over",
    "revoked": "somebody took it back",
}


@dataclass(frozen=True)
class Row:
    """One precedent, and how many of its picks were reported as wrong."""

    precedent: Precedent
    wrong: int

    @property
    def state(self) -> str:
        return state_of(self.precedent)

    @property
    def element(self) -> str:
        """The element as it was taught, by its name or its words."""
        told = self.precedent.candidate
        return str(told.get("name") or told.get("text") or "")

    @property
    def kind(self) -> str:
        told = self.precedent.candidate
        return str(told.get("role") or told.get("tag") or gettext("element"))


def state_of(precedent: Precedent) -> str:
    if precedent.revoked_at:
        return "revoked"
    if precedent.expires_at <= clock.now():
        return "expired"
    return "suspended" if precedent.suspended_at else "live"


def visible_to(person: Person) -> QuerySet[Precedent]:
    """Those of the agents that the person oversees; one for a whole site belongs to the team that
    taught it."""
    if person.role == Person.Role.ADMIN:
        return Precedent.objects.all()
    agents = agents_overseen_by(person)
    taught = Proposal.objects.filter(agent__in=agents).values("pk")
    return Precedent.objects.filter(Q(agent__in=agents) | Q(agent=None, proposal_id__in=taught))


def page_of_precedents(person: Person, *, state: str = "", before: int | None = None) -> list[Row]:
    """The newest first; one more than a page holds when there is a next page."""
    found = _in_state(visible_to(person), state).select_related("agent").order_by("-pk")
    found = found.annotate(wrong=Count("actions", filter=Q(actions__was_wrong=True)))
    page = (found.filter(pk__lt=before) if before else found)[: PAGE_SIZE + 1]
    return [Row(one, one.wrong) for one in page]


def _in_state(found: QuerySet[Precedent], state: str) -> QuerySet[Precedent]:
    is_over = Q(expires_at__lte=clock.now())
    match state:
        case "live":
            return found.filter(~is_over, revoked_at=None, suspended_at=None)
        case "suspended":
            return found.filter(~is_over, revoked_at=None, suspended_at__isnull=False)
        case "expired":
            return found.filter(is_over, revoked_at=None)
        case "revoked":
            return found.filter(revoked_at__isnull=False)
    return found


def changeable_by(person: Person, precedent_id: int) -> Precedent:
    """Raises NotFound for another team's, Forbidden for a role that only reads and for a suspended
    one, which waits for an admin, Conflict for one that was revoked."""
    found = visible_to(person).filter(pk=precedent_id).first()
    if found is None:
        raise NotFound("There is no such precedent, or it belongs to another team.")
    if not person.may_decide:
        raise Forbidden("Your role may read precedents but not change them.")
    if found.revoked_at:
        raise Conflict(phrase("This precedent was revoked: teach it again from a card."))
    if found.suspended_at:
        access.admin(person)
    return found


def resumable_by(person: Person, precedent_id: int) -> Precedent:
    """As above, and only one that is suspended."""
    found = changeable_by(person, precedent_id)
    access.admin(person)
    if not found.suspended_at:
        raise Conflict(phrase("This precedent is not suspended."))
    return found
