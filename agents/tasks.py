"""The workers' doors: what must not be timed by whoever asked for it, and tidying up."""

from celery import shared_task

from agents import mails, services
from agents.models import Person
from agents.services import actor_of


@shared_task(name="agents.mail_forgotten_password")
def mail_forgotten_password(person_id: int) -> None:
    """The link is made here, so that it never lies in the queue."""
    person = Person.objects.filter(pk=person_id, is_active=True).first()
    if person is not None:
        token = services.create_further_password_link(person, actor=actor_of(person))
        mails.send_link(person, token)


@shared_task(name="agents.forget")
def forget() -> None:
    services.forget_ended()
