"""Addresses of the admins' REST calls, under /api/v1/."""

from django.urls import path

from oversight import api

urlpatterns = [
    path("agents", api.AgentList.as_view()),
    path("agents/<uuid:agent_id>", api.AgentDetail.as_view()),
]
