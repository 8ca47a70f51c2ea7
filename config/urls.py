"""Every address, by the room that answers it."""

from django.urls import include, path

from core import health, http

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("api/v1", http.nothing_here),
    path("api/v1/", include("runs.api_urls")),
    path("", include("agents.urls")),
    path("", include("proposals.urls")),
    path("", include("runs.urls")),
]
