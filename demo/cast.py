"""Who plays in the demo and in its tasks, with new keys at each start, and who watches."""

from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from agents import services
from agents.models import AgentRegistry, Person
from confidence import flags
from confirmations import services as profile_services

TIERS = {
    "checkout-bot": AgentRegistry.Tier.SUPERVISED,
    "price-watch": AgentRegistry.Tier.AUTONOMOUS,
}
PLAYER = "task-player"
REVIEWER = "demo-reviewer"
PROFILE = Path(__file__).parent / "shop" / "profile.yaml"
WRITTEN_FOR = "8001"  # the port in the profile


def prepare_agents(shop: str) -> dict[str, str]:
    """Register the demo agents for the shop; each name with its only live key."""
    return {name: _new_key(_agent(name, shop, tier=tier)) for name, tier in TIERS.items()}


def prepare_player(shop: str) -> str:
    """The key of the agent that plays every task. No person sits there to be asked what is
    unclear, so its acts are not gated."""
    tier = AgentRegistry.Tier.AUTONOMOUS
    return _new_key(_agent(PLAYER, shop, tier=tier, gating=False))


def prepare_reviewer() -> str:
    """The token of a fresh one-time sign-in link."""
    person = Person.objects.filter(username=REVIEWER).first()
    if person is None:
        person, _ = services.create_person(REVIEWER)
    return services.create_sign_in_link(person)


def watch_over(shop: str) -> None:
    """Put the shop's profile in force, for the port it runs on."""
    profile_services.put_in_force(profile_text(shop))


def profile_text(shop: str) -> str:
    return PROFILE.read_text().replace(f":{WRITTEN_FOR}/", f":{urlsplit(shop).port}/")


def ask_people() -> None:
    """Leave shadow mode, so that unclear calls really wait for a person. Locked flags stay."""
    if not settings.LOCK_FLAGS and not flags.current().force_proposal:
        flags.set_flag("MATCH_CONFIDENCE_FORCE_PROPOSAL", True)


def _agent(name: str, shop: str, *, tier: str, gating: bool | None = None) -> AgentRegistry:
    hosts = [urlsplit(shop).netloc]
    known = AgentRegistry.objects.filter(name=name).first()
    if known is None:
        return services.create_agent(name, tier=tier, allowed_hosts=hosts, gating=gating)
    return services.allow_hosts(known, hosts)


def _new_key(agent: AgentRegistry) -> str:
    services.revoke_keys(agent)
    return services.create_key(agent)
