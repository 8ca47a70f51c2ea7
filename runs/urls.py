"""Addresses of the run pages and of pictures."""

from django.urls import path, re_path

from runs import conversation_views, record_views, reply_views, views

urlpatterns = [
    path("audit", record_views.entries, name="audit"),
    path("audit/check", record_views.check, name="audit_check"),
    path("audit/<int:entry_id>", record_views.entry, name="audit_entry"),
    path("runs", views.runs, name="runs"),
    path("runs/<uuid:run_id>", views.run, name="run"),
    path("runs/export", views.export_runs, name="runs_export"),
    path("runs/<uuid:run_id>/kill", views.kill, name="run_kill"),
    path("runs/<uuid:run_id>/export", views.export_run, name="run_export"),
    path(
        "runs/<uuid:run_id>/actions/<uuid:action_id>/wrong-target",
        views.wrong_target,
        name="wrong_target",
    ),
    path("runs/<uuid:run_id>/conversation", conversation_views.conversation, name="conversation"),
    path("runs/<uuid:run_id>/conversation/say", conversation_views.say, name="conversation_say"),
    path(
        "runs/<uuid:run_id>/conversation/<int:number>/resend",
        conversation_views.resend,
        name="conversation_resend",
    ),
    path(
        "runs/<uuid:run_id>/conversation/unpin",
        conversation_views.unpin,
        name="conversation_unpin",
    ),
    path("runs/<uuid:run_id>/reply", reply_views.answer_run, name="run_reply"),
    path("proposals/<uuid:proposal_id>/reply", reply_views.answer_card, name="question_reply"),
    re_path(r"^pictures/(?P<digest>[0-9a-f]{64})$", views.picture, name="picture"),
]
