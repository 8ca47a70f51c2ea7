"""The only writers of endpoints. Every change is audited, with the host alone of an address."""

import base64
import ipaddress
import secrets
from collections.abc import Sequence
from typing import Any

import httpx
from django.conf import settings
from django.db import transaction

from agents.models import Person
from agents.services import actor_of
from audit.services import record
from core import addresses, clock, sealing
from core.actors import SYSTEM, Actor
from core.errors import Invalid
from core.words import phrase
from webhooks import domain
from webhooks.models import Delivery, Endpoint
from webhooks.sending import SETTING

SECRET_BYTES = 32
ENDED = "Its endpoint was disabled."


@transaction.atomic
def create(
    url: str, *, events: Sequence[str], description: str = "", person: Person
) -> tuple[Endpoint, str]:
    """Returns the endpoint and its secret, which nobody is shown again."""
    secret = _new_secret()
    endpoint = Endpoint.objects.create(
        url=checked_url(url),
        events=checked_events(events),
        description=description.strip(),
        sealed_secret=sealing.seal({"secret": secret}),
        created_at=clock.now(),
    )
    _record(endpoint, "webhook.create", actor_of(person), events=endpoint.events)
    return endpoint, secret


@transaction.atomic
def change(
    endpoint: Endpoint, *, url: str, events: Sequence[str], description: str, person: Person
) -> Endpoint:
    endpoint.url = checked_url(url)
    endpoint.events = checked_events(events)
    endpoint.description = description.strip()
    endpoint.save(update_fields=["url", "events", "description"])
    _record(endpoint, "webhook.change", actor_of(person), events=endpoint.events)
    return endpoint


@transaction.atomic
def replace_secret(endpoint: Endpoint, *, person: Person) -> str:
    """The former secret signs nothing from now on."""
    secret = _new_secret()
    endpoint.sealed_secret = sealing.seal({"secret": secret})
    endpoint.save(update_fields=["sealed_secret"])
    _record(endpoint, "webhook.replace_secret", actor_of(person))
    return secret


@transaction.atomic
def enable(endpoint: Endpoint, *, person: Person) -> None:
    """It hears of events from now on; what it missed can be replayed."""
    endpoint.enabled, endpoint.disabled_why = True, ""
    endpoint.save(update_fields=["enabled", "disabled_why"])
    _record(endpoint, "webhook.enable", actor_of(person))


@transaction.atomic
def disable(endpoint: Endpoint, *, why: str, person: Person | None = None) -> None:
    """It hears of nothing more, and what waited for it fails."""
    endpoint.enabled, endpoint.disabled_why = False, why
    endpoint.save(update_fields=["enabled", "disabled_why"])
    waiting = endpoint.deliveries.filter(status=Delivery.Status.PENDING)
    waiting.update(status=Delivery.Status.FAILED, lease_until=None, error=ENDED)
    _record(endpoint, "webhook.disable", actor_of(person) if person else SYSTEM, why=why)


@transaction.atomic
def delete(endpoint: Endpoint, *, person: Person) -> None:
    """With its deliveries."""
    _record(endpoint, "webhook.delete", actor_of(person))
    endpoint.delete()


def secret_of(endpoint: Endpoint) -> str:
    return str(sealing.unseal(endpoint.sealed_secret)["secret"])


def checked_url(url: str) -> str:
    """Raises Invalid. A host's name is judged at every try, an address by number already here."""
    checked = domain.checked_url(url)
    try:
        httpx.URL(checked)
    except httpx.InvalidURL as error:
        raise Invalid(phrase("That is not an address.")) from error
    try:
        address = ipaddress.ip_address(domain.host_name(checked))
    except ValueError:
        return checked
    allowed = settings.WEBHOOKS_ALLOW_PRIVATE
    if why := addresses.refusal(str(address), allow_private=allowed, setting=SETTING):
        raise Invalid(f"{why[:1].upper()}{why[1:]}.")
    return checked


def checked_events(names: Sequence[str]) -> list[str]:
    """In the order they are listed in. Raises Invalid."""
    unknown = sorted(set(names) - set(domain.Event))
    if unknown:
        raise Invalid(f"There is no event {unknown[0]!r}.")
    if not names:
        raise Invalid(phrase("Choose an event at least."))
    return [str(event) for event in domain.Event if event in names]


def _new_secret() -> str:
    return f"whsec_{base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}"


def _record(endpoint: Endpoint, verb: str, actor: Actor, **payload: Any) -> None:
    about = {"endpoint": str(endpoint.id), "host": domain.host_of(endpoint.url)}
    record(verb, actor=actor, payload={**about, **payload})
