"""Every address, by the room that answers it."""

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("runs.api_urls")),
    path("", include("agents.urls")),
    path("", include("proposals.urls")),
    path("", include("runs.urls")),
]
