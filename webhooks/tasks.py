"""The workers' doors: each hands its work to a thread beside, or looks at a few rows."""

from uuid import UUID

from celery import shared_task

from core.beside import Beside
from webhooks import escalations, mails, services

senders = Beside("webhooks", threads=4)


@shared_task(name="webhooks.deliver")
def deliver(endpoint_id: str) -> None:
    senders.start(services.deliver, UUID(endpoint_id))


@shared_task(name="webhooks.sweep")
def sweep() -> None:
    services.send_for_due()
    for proposal_id in escalations.escalate_due():
        senders.start(mails.send_escalation, proposal_id)


@shared_task(name="webhooks.mail_digests")
def mail_digests() -> None:
    senders.start(mails.send_digests)


@shared_task(name="webhooks.forget")
def forget() -> None:
    services.forget_old()
    escalations.forget_old()
