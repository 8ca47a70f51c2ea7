"""The only writers of agents, keys, teams, people, their links and their sessions, by noun."""

from agents.services.agents import (
    allow_hosts,
    checked_host,
    create_agent,
    pause,
    resume,
    set_gating,
    set_hosts,
    set_tier,
)
from agents.services.keys import KEY_PREFIX, create_key, revoke_key, revoke_keys, rotate_key
from agents.services.links import (
    consume_sign_in_link,
    create_further_password_link,
    create_password_link,
    create_sign_in_link,
    live_password_link,
    set_password_by_link,
)
from agents.services.names import actor_of, hash_of
from agents.services.people import (
    change_password,
    create_person,
    deactivate,
    invite,
    reactivate,
    remove_second_factor,
    set_preference,
    set_role,
    set_teams,
)
from agents.services.sessions import (
    end_session,
    end_sessions,
    forget_ended,
    note_session,
    note_use,
)
from agents.services.teams import DEFAULT_TEAM, create_team, rename_team, set_members

__all__ = [
    "DEFAULT_TEAM",
    "KEY_PREFIX",
    "actor_of",
    "allow_hosts",
    "change_password",
    "checked_host",
    "consume_sign_in_link",
    "create_agent",
    "create_further_password_link",
    "create_key",
    "create_password_link",
    "create_person",
    "create_sign_in_link",
    "create_team",
    "deactivate",
    "end_session",
    "end_sessions",
    "forget_ended",
    "hash_of",
    "invite",
    "live_password_link",
    "note_session",
    "note_use",
    "pause",
    "reactivate",
    "remove_second_factor",
    "rename_team",
    "resume",
    "revoke_key",
    "revoke_keys",
    "rotate_key",
    "set_gating",
    "set_hosts",
    "set_members",
    "set_password_by_link",
    "set_preference",
    "set_role",
    "set_teams",
    "set_tier",
]
