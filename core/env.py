"""Reads settings from the environment, one reader per type. A bad value stops the start by name."""

import contextlib
import os
import secrets
from pathlib import Path


class BadSetting(SystemExit):
    """A variable of the environment cannot be read; the message names it."""


def text(name: str, *, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def listing(name: str, *, default: str = "") -> list[str]:
    """A comma-separated list, empty parts dropped."""
    return [part.strip() for part in text(name, default=default).split(",") if part.strip()]


def boolean(name: str, *, default: bool) -> bool:
    value = text(name, default=str(default)).lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise BadSetting(f"{name} must be true or false, not {value!r}.")


def number(name: str, *, default: float) -> float:
    value = text(name, default=str(default))
    try:
        return float(value)
    except ValueError:
        raise BadSetting(f"{name} must be a number, not {value!r}.") from None


def integer(name: str, *, default: int) -> int:
    value = text(name, default=str(default))
    try:
        return int(value)
    except ValueError:
        raise BadSetting(f"{name} must be a whole number, not {value!r}.") from None


def secret_file(name: str, path: Path, *, length: int = 50) -> str:
    """The variable `name`, else the content of `path`, made once with random text (mode 0600)."""
    given = text(name)
    if given:
        return given
    if not path.exists():
        _write_secret(path, length)
    return path.read_text().strip()


def _write_secret(path: Path, length: int) -> None:
    """Linked into place whole, so that two processes starting at once read the same secret."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_urlsafe(length))
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
