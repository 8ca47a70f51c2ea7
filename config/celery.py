"""The Celery application. Tasks are doors: they load by id and call a service."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("pointsman")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
