"""The files of a run: what its agent sent, and so what it may upload to a page."""

import re
import shutil
from pathlib import Path
from uuid import UUID

from django.conf import settings

from core.errors import Invalid, NotFound

MAX_BYTES = 10 * 1024 * 1024
MAX_FILES = 50
LONGEST_NAME_BYTES = 250  # what file systems take
NAME = re.compile(r"[^/\\\x00-\x1f]{1,200}")


def folder_of(run_id: UUID) -> Path:
    return Path(settings.DATA_DIR).resolve() / "files" / str(run_id)


def keep(run_id: UUID, name: str, content: bytes) -> int:
    """Put a file beside the run, in place of one of that name. Returns its size in bytes.

    Raises Invalid for a bad name, a file too large, or one too many.
    """
    if not NAME.fullmatch(name) or name.strip(". ") == "" or _is_too_long(name):
        raise Invalid("A file's name is 1 to 200 characters without slashes.")
    if len(content) > MAX_BYTES:
        raise Invalid(f"A file has at most {MAX_BYTES // 1024 // 1024} MiB.")
    folder = folder_of(run_id)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / name).exists() and len(list(folder.iterdir())) >= MAX_FILES:
        raise Invalid(f"A run has at most {MAX_FILES} files.")
    (folder / name).write_bytes(content)
    return len(content)


def _is_too_long(name: str) -> bool:
    return len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME_BYTES


def path_of(run_id: UUID, name: str) -> Path:
    """Raises NotFound when the run has no such file."""
    path = folder_of(run_id) / name
    if _is_too_long(name) or not path.is_file():
        raise NotFound(f"This run has no file {name[:200]!r}: PUT /runs/{run_id}/files/NAME first.")
    return path.resolve()


def clear(run_id: UUID) -> None:
    shutil.rmtree(folder_of(run_id), ignore_errors=True)
