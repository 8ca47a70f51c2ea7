"""The workers' doors. A turn is answered in a thread beside: a slow model holds up nothing."""

from uuid import UUID

from celery import shared_task

from core.beside import Beside
from routing import answering

executors = Beside("executors", threads=8)


@shared_task(name="routing.answer")
def answer(turn_id: str) -> None:
    executors.start(answering.answer, UUID(turn_id))


@shared_task(name="routing.sweep")
def sweep() -> None:
    answering.sweep()
