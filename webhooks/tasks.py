"""The workers' doors: each hands its work to a thread beside, or looks at a few rows."""

from uuid import UUID

from celery import shared_task

from webhooks import beside, escalations, mails, services


@shared_task(name="webhooks.deliver")
def deliver(endpoint_id: str) -> None:
    beside.start(services.deliver, UUID(endpoint_id))


@shared_task(name="webhooks.sweep")
def sweep() -> None:
    services.send_for_due()
    for proposal_id in escalations.escalate_due():
        beside.start(mails.send_escalation, proposal_id)


@shared_task(name="webhooks.mail_digests")
def mail_digests() -> None:
    beside.start(mails.send_digests)


@shared_task(name="webhooks.forget")
def forget() -> None:
    services.forget_old()
    escalations.forget_old()
