"""Addresses of the admins' REST calls, under /api/v1/."""

from django.urls import path

from oversight import api, api_profiles

urlpatterns = [
    path("agents", api.AgentList.as_view()),
    path("agents/<uuid:agent_id>", api.AgentDetail.as_view()),
    path("profiles", api_profiles.ProfileList.as_view()),
    path("profiles/<slug:name>", api_profiles.ProfileDetail.as_view()),
]
