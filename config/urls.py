"""Every address, by the room that answers it."""

from django.urls import include, path

from core import health, http, metrics

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", metrics.export),
    path("api/v1", http.nothing_here),
    path("api/v1/", include("oversight.api_urls")),
    path("api/v1/", include("routing.api_urls")),
    path("api/v1/", include("runs.api_urls")),
    path("", include("agents.urls")),
    path("", include("proposals.urls")),
    path("", include("runs.urls")),
    path("", include("routing.urls")),
    path("", include("oversight.urls")),
    path("", include("webhooks.urls")),
]
