"""What somebody wants to see of the queue, as it stands in the page's address."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy

from agents.models import AgentRegistry, Person
from proposals.models import Decision, Proposal

LEVELS = {
    "partial": gettext_lazy("caution"),
    "ambiguous": gettext_lazy("danger"),
    "high": gettext_lazy("clear"),
    "none": gettext_lazy("no target"),
}
NOT_IN_A_HOST = re.compile(r"[^a-z0-9.:-]")
LONGEST_SITE = 100


@dataclass(frozen=True)
class Filters:
    """Each empty where it does not matter. `site` is a part of a host, `mine` is "1" or "".

    A card is mine when I was the last to have it open, or said something about it."""

    agent: str = ""
    tier: str = ""
    level: str = ""
    site: str = ""
    mine: str = ""

    @property
    def count(self) -> int:
        return sum(bool(value) for value in asdict(self).values())

    @property
    def query(self) -> str:
        """As it stands behind an address, "?" included; "" when nothing is filtered."""
        chosen = {name: value for name, value in asdict(self).items() if value}
        return f"?{urlencode(chosen)}" if chosen else ""

    def narrow(self, proposals: QuerySet[Proposal], person: Person) -> QuerySet[Proposal]:
        if self.agent:
            proposals = proposals.filter(agent__name=self.agent)
        if self.tier:
            proposals = proposals.filter(agent__tier=self.tier)
        if self.level:
            proposals = proposals.filter(level="" if self.level == "none" else self.level)
        if self.site:
            proposals = proposals.filter(page_url__iregex=_host_holds(self.site))
        return proposals.filter(_is_of(person)) if self.mine else proposals


def filters_of(query: Mapping[str, str]) -> Filters:
    """What is not known is no filter: an old bookmark still opens the queue."""
    tier, level = query.get("tier", ""), query.get("level", "")
    return Filters(
        agent=query.get("agent", "")[:80].replace("\0", ""),
        tier=tier if tier in AgentRegistry.Tier.values else "",
        level=level if level in LEVELS else "",
        site=NOT_IN_A_HOST.sub("", query.get("site", "").lower())[:LONGEST_SITE],
        mine="1" if query.get("mine") else "",
    )


def _host_holds(site: str) -> str:
    return rf"^[a-z][a-z0-9+.-]*://([^/?#]*@)?[^/?#@]*{site.replace('.', '[.]')}"


def _is_of(person: Person) -> Q:
    said = Decision.objects.filter(proposal=OuterRef("pk"), person=person)
    return Q(viewer=person) | Q(Exists(said))
