"""Loaded by pytest before Django reads its settings: a data folder of the tests' own.

It does not lie below pytest's own folders: those are closed to the account that the embedded
PostgreSQL runs under when the tests run as root.
"""

import os
import shutil
import tempfile
from pathlib import Path

DATA = Path(tempfile.mkdtemp(prefix="pm-"))
os.environ["DATA_DIR"] = str(DATA)
os.environ.pop("DATABASE_URL", None)
os.environ.pop("REDIS_URL", None)
# Playwright's sync API keeps a loop running in the tests' own thread.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


def pytest_unconfigure() -> None:
    shutil.rmtree(DATA, ignore_errors=True)
