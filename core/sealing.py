"""Typed text that may be a secret: encrypted until its action is over, never kept in the clear."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings

MASK = "•••"


@cache
def _cipher() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(settings.SEAL_KEY.encode()).digest()))


def seal(secrets: Mapping[str, Any]) -> str:
    return _cipher().encrypt(json.dumps(dict(secrets)).encode()).decode() if secrets else ""


def unseal(sealed: str) -> dict[str, Any]:
    return json.loads(_cipher().decrypt(sealed.encode())) if sealed else {}


def digest(content: Any) -> str:
    """A keyed digest: short secrets in it cannot be guessed from it."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hmac.new(settings.SEAL_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()
