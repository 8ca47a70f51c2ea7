"""Addresses of the REST API, under /api/v1/."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView

from core.http import nothing_here
from proposals import api as proposals_api
from runs import api, api_messages, api_record, api_replies
from runs.api_previews import ProposalPreview
from runs.waiting import waiting_view

urlpatterns = [
    path("runs", waiting_view(api.RunList.as_view())),
    path("runs/open", waiting_view(api.OpenPlay.as_view())),
    path("runs/<uuid:run_id>", api.RunDetail.as_view(), name="api-run"),
    path("runs/<uuid:run_id>/finish", api.RunFinish.as_view()),
    path("runs/<uuid:run_id>/verification", api.RunVerification.as_view()),
    path("runs/<uuid:run_id>/kill", api.RunKill.as_view()),
    path("runs/<uuid:run_id>/messages", waiting_view(api_messages.Messages.as_view())),
    path("runs/<uuid:run_id>/messages/unpin", api_messages.Unpin.as_view()),
    path("runs/<uuid:run_id>/messages/<int:number>/resend", api_messages.Resend.as_view()),
    path("runs/<uuid:run_id>/files/<str:name>", api.RunFile.as_view()),
    path("runs/<uuid:run_id>/actions", waiting_view(api.ActionList.as_view())),
    path("actions/<uuid:action_id>", waiting_view(api.ActionDetail.as_view()), name="api-action"),
    path("actions/<uuid:action_id>/wrong-target", api_record.WrongTarget.as_view()),
    path("audit", api_record.RecordList.as_view()),
    path("audit/export", api_record.RecordExport.as_view(), name="record_export"),
    path("audit/verify", api_record.RecordVerify.as_view()),
    re_path("^pictures/(?P<digest>[0-9a-f]{64})$", api.PictureDetail.as_view()),
    path("whoami", api.Whoami.as_view()),
    path("proposals", proposals_api.ProposalList.as_view()),
    path("proposals/<uuid:proposal_id>", proposals_api.ProposalDetail.as_view()),
    path("proposals/<uuid:proposal_id>/preview", waiting_view(ProposalPreview.as_view())),
    path("proposals/<uuid:proposal_id>/approve", proposals_api.Approve.as_view()),
    path("proposals/<uuid:proposal_id>/modify", proposals_api.Modify.as_view()),
    path("proposals/<uuid:proposal_id>/reject", proposals_api.Reject.as_view()),
    path("proposals/<uuid:proposal_id>/message", proposals_api.Say.as_view()),
    path("replies", api_replies.Replies.as_view()),
    path("schema", SpectacularAPIView.as_view(), name="schema"),
    re_path("^(?P<rest>.*)$", nothing_here),
]
