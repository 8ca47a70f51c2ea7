"""How the REST API knows its callers: agents by Bearer key, people by session."""

from datetime import timedelta

from django.db.models import Q
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from agents.models import AgentRegistry, ApiKey
from agents.services import KEY_PREFIX, hash_of
from core import clock

LAST_USED_STEP = timedelta(minutes=1)


class KeyAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer pm_...`; `request.user` is then the AgentRegistry row."""

    def authenticate(self, request: Request) -> tuple[AgentRegistry, ApiKey] | None:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        found = _live_key(key.strip()) if key.startswith(KEY_PREFIX) else None
        if found is None:
            raise exceptions.AuthenticationFailed(
                "This key is unknown, expired or revoked. Ask an admin for a new one."
            )
        if found.agent.status == AgentRegistry.Status.STOPPED:
            raise exceptions.AuthenticationFailed("This agent was stopped by an admin.")
        return found.agent, found

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _live_key(key: str) -> ApiKey | None:
    found = ApiKey.objects.select_related("agent").filter(key_hash=hash_of(key)).first()
    if found is None or not found.is_live:
        return None
    _note_use(found)
    return found


def _note_use(key: ApiKey) -> None:
    """Once a minute is enough: no write on every call."""
    now = clock.now()
    if key.last_used_at and key.last_used_at > now - LAST_USED_STEP:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USED_STEP)
    ApiKey.objects.filter(stale, pk=key.pk).update(last_used_at=now)


class SessionAuthentication(authentication.SessionAuthentication):
    """A person signed in to the pages; CSRF is enforced. A door that asks for sign-in says 401."""

    def authenticate_header(self, request: Request) -> str:
        return "Session"
