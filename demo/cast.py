"""Who plays in the demo: two agents, with new keys at each start, and the person who reviews."""

from pathlib import Path

from django.conf import settings

from agents import services
from agents.models import AgentRegistry, Person
from confidence import flags
from confirmations import services as profile_services

TIERS = {
    "checkout-bot": AgentRegistry.Tier.SUPERVISED,
    "price-watch": AgentRegistry.Tier.AUTONOMOUS,
}
REVIEWER = "demo-reviewer"
PROFILE = Path(__file__).parent / "shop" / "profile.yaml"


def prepare_agents(*, shop_host: str) -> dict[str, str]:
    """Register the demo agents for the shop; each name with its only live key."""
    return {name: _new_key(_agent(name, tier, shop_host)) for name, tier in TIERS.items()}


def prepare_reviewer() -> str:
    """The token of a fresh one-time sign-in link."""
    person = Person.objects.filter(username=REVIEWER).first()
    if person is None:
        person, _ = services.create_person(REVIEWER)
    return services.create_sign_in_link(person)


def watch_over_shop(*, port: int) -> None:
    """Put the shop's profile in force, for the port it runs on."""
    profile_services.put_in_force(PROFILE.read_text().replace(":8001/", f":{port}/"))


def ask_people() -> None:
    """Leave shadow mode, so that unclear calls really wait for a person. Locked flags stay."""
    if not settings.LOCK_FLAGS and not flags.current().force_proposal:
        flags.set_flag("MATCH_CONFIDENCE_FORCE_PROPOSAL", True)


def _agent(name: str, tier: str, shop_host: str) -> AgentRegistry:
    known = AgentRegistry.objects.filter(name=name).first()
    if known is None:
        return services.create_agent(name, tier=tier, allowed_hosts=[shop_host])
    return services.allow_hosts(known, [shop_host])


def _new_key(agent: AgentRegistry) -> str:
    services.revoke_keys(agent)
    return services.create_key(agent)
