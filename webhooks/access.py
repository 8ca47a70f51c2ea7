"""Only admins see and change where events are sent."""

from uuid import UUID

from agents.models import Person
from core.errors import Forbidden, NotFound
from webhooks.models import Delivery, Endpoint


def admin(caller: object) -> Person:
    """The caller, who is an admin. Raises Forbidden for anybody else."""
    if not isinstance(caller, Person) or caller.role != Person.Role.ADMIN:
        raise Forbidden("Only an admin may see and change webhooks.")
    return caller


def get_endpoint(endpoint_id: UUID) -> Endpoint:
    found = Endpoint.objects.filter(pk=endpoint_id).first()
    if found is None:
        raise NotFound("There is no such endpoint.")
    return found


def get_delivery(delivery_id: int) -> Delivery:
    found = Delivery.objects.select_related("endpoint").filter(pk=delivery_id).first()
    if found is None:
        raise NotFound("There is no such delivery.")
    return found
