"""The sweep of proposals: what the clock and dead workers decide."""

from celery import shared_task

from proposals import services


@shared_task(name="proposals.sweep")
def sweep() -> None:
    services.expire_due()
    services.lose_expired_leases()
