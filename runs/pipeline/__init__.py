"""One action from its message to its end: sandbox, resolve, score, gate, then act or ask a person.

Rows are read before and written after; no transaction is open while the browser is touched.
"""

from runs.pipeline.actions import perform
from runs.pipeline.executing import execute
from runs.pipeline.life import start, stop
from runs.pipeline.looking import full_picture, preview
from runs.pipeline.sweeping import sweep
from runs.pipeline.trying import try_profile

__all__ = [
    "execute",
    "full_picture",
    "perform",
    "preview",
    "start",
    "stop",
    "sweep",
    "try_profile",
]
