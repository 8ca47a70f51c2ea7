"""The workers' doors: load by id, call the pipeline."""

from uuid import UUID

from celery import shared_task

from runs import pipeline


@shared_task(name="runs.start")
def start(run_id: str) -> None:
    pipeline.start(UUID(run_id))


@shared_task(name="runs.stop")
def stop(run_id: str) -> None:
    pipeline.stop(UUID(run_id))


@shared_task(name="runs.perform")
def perform(action_id: str) -> None:
    pipeline.perform(UUID(action_id))


@shared_task(name="runs.execute")
def execute(proposal_id: str) -> None:
    pipeline.execute(UUID(proposal_id))


@shared_task(name="runs.preview")
def preview(preview_id: str) -> None:
    pipeline.preview(UUID(preview_id))


@shared_task(name="runs.full_picture")
def full_picture(full_picture_id: str) -> None:
    pipeline.full_picture(UUID(full_picture_id))


@shared_task(name="runs.try_profile")
def try_profile(trial_id: str) -> None:
    pipeline.try_profile(UUID(trial_id))


@shared_task(name="runs.sweep")
def sweep() -> None:
    pipeline.sweep()
