"""The desk's addresses."""

from django.urls import path

from proposals import queue_views, views

urlpatterns = [
    path("", views.queue, name="queue"),
    path("queue/list", queue_views.queue_list, name="queue_list"),
    path("queue/rows", queue_views.queue_rows, name="queue_rows"),
    path("queue/keys", queue_views.set_keys, name="queue_keys"),
    path("queue/alerts", queue_views.set_alerts, name="queue_alerts"),
    path("proposals/<uuid:proposal_id>", views.proposal, name="proposal"),
    path("proposals/<uuid:proposal_id>/card", views.card, name="proposal_card"),
    path(
        "proposals/<uuid:proposal_id>/found/<uuid:preview_id>", views.found, name="proposal_found"
    ),
    path("proposals/<uuid:proposal_id>/view", views.view, name="proposal_view"),
    path(
        "proposals/<uuid:proposal_id>/full-picture",
        views.full_picture,
        name="proposal_full_picture",
    ),
    path("proposals/<uuid:proposal_id>/approve", views.approve, name="proposal_approve"),
    path("proposals/<uuid:proposal_id>/modify", views.modify, name="proposal_modify"),
    path("proposals/<uuid:proposal_id>/reject", views.reject, name="proposal_reject"),
    path("proposals/<uuid:proposal_id>/message", views.message, name="proposal_message"),
    path("proposals/<uuid:proposal_id>/mark-done", views.mark_done, name="proposal_mark_done"),
    path(
        "proposals/<uuid:proposal_id>/mark-not-done",
        views.mark_not_done,
        name="proposal_mark_not_done",
    ),
    path("proposals/<uuid:proposal_id>/retry", views.retry, name="proposal_retry"),
]
