"""Settings, addresses and the two doors: ASGI for the web, Celery for the workers."""

from config.celery import app as celery

__all__ = ["celery"]
