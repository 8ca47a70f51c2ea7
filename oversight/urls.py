"""The addresses of the admins' pages."""

from django.urls import path

from oversight.views import (
    agents,
    flags,
    insights,
    precedents,
    profile_trial,
    profiles,
    rollout,
    scoreboard,
)

urlpatterns = [
    path("agents", agents.agents, name="agents"),
    path("agents/new", agents.new_agent, name="agent_new"),
    path("agents/<uuid:agent_id>", agents.agent, name="agent"),
    path("agents/<uuid:agent_id>/tier", agents.set_tier, name="agent_tier"),
    path("agents/<uuid:agent_id>/gating", agents.set_gating, name="agent_gating"),
    path(
        "agents/<uuid:agent_id>/confirmation-mode",
        agents.set_confirmation_mode,
        name="agent_confirmation_mode",
    ),
    path("agents/<uuid:agent_id>/hosts", agents.set_hosts, name="agent_hosts"),
    path("agents/<uuid:agent_id>/pause", agents.pause, name="agent_pause"),
    path("agents/<uuid:agent_id>/resume", agents.resume, name="agent_resume"),
    path("agents/<uuid:agent_id>/keys", agents.create_key, name="agent_keys"),
    path(
        "agents/<uuid:agent_id>/keys/<int:key_id>/revoke",
        agents.revoke_key,
        name="agent_key_revoke",
    ),
    path(
        "agents/<uuid:agent_id>/keys/<int:key_id>/rotate",
        agents.rotate_key,
        name="agent_key_rotate",
    ),
    path("rollout", rollout.rollout, name="rollout"),
    path("rollout/<slug:slug>/on", rollout.switch_on, name="rollout_on"),
    path("rollout/<slug:slug>/back", rollout.take_back, name="rollout_back"),
    path("insights", insights.insights, name="insights"),
    path("scoreboard", scoreboard.scoreboard, name="scoreboard"),
    path("precedents", precedents.precedents_page, name="precedents"),
    path("precedents/<int:precedent_id>/edit", precedents.edit, name="precedent_edit"),
    path("precedents/<int:precedent_id>/resume", precedents.resume, name="precedent_resume"),
    path("precedents/<int:precedent_id>/revoke", precedents.revoke, name="precedent_revoke"),
    path("settings", flags.settings_home, name="settings"),
    path("settings/flags", flags.flags_page, name="flags"),
    path("settings/flags/stop-gating", flags.stop_gating, name="stop_gating"),
    path("settings/flags/<str:name>", flags.set_flag, name="flag"),
    path("settings/flags/<str:name>/reset", flags.reset_flag, name="flag_reset"),
    path("settings/profiles", profiles.profiles, name="profiles"),
    path("settings/new-profile", profiles.new_profile, name="profile_new"),
    path("settings/try-profile", profile_trial.try_profile, name="profile_try"),
    path("settings/profiles/<slug:name>", profiles.profile, name="profile"),
    path("settings/profiles/<slug:name>/on", profiles.activate, name="profile_on"),
    path("settings/profiles/<slug:name>/off", profiles.deactivate, name="profile_off"),
    path(
        "settings/profiles/<slug:name>/versions/<int:number>",
        profiles.profile_version,
        name="profile_version",
    ),
]
