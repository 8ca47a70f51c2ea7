"""The addresses of the webhooks' pages."""

from django.urls import path

from webhooks.views import deliveries, endpoints, mail

urlpatterns = [
    path("settings/webhooks", endpoints.endpoints, name="webhooks"),
    path("settings/webhooks/new", endpoints.new_endpoint, name="webhook_new"),
    path("settings/webhooks/deliveries", deliveries.deliveries, name="deliveries"),
    path("settings/webhooks/deliveries/<int:delivery_id>", deliveries.delivery, name="delivery"),
    path(
        "settings/webhooks/deliveries/<int:delivery_id>/retry",
        deliveries.retry,
        name="delivery_retry",
    ),
    path(
        "settings/webhooks/deliveries/<int:delivery_id>/replay",
        deliveries.replay,
        name="delivery_replay",
    ),
    path("settings/webhooks/<uuid:endpoint_id>", endpoints.endpoint, name="webhook"),
    path("settings/webhooks/<uuid:endpoint_id>/test", endpoints.send_test, name="webhook_test"),
    path("settings/webhooks/<uuid:endpoint_id>/secret", endpoints.secret, name="webhook_secret"),
    path("settings/webhooks/<uuid:endpoint_id>/enable", endpoints.enable, name="webhook_enable"),
    path("settings/webhooks/<uuid:endpoint_id>/disable", endpoints.disable, name="webhook_disable"),
    path("settings/webhooks/<uuid:endpoint_id>/delete", endpoints.delete, name="webhook_delete"),
    path("settings/mail", mail.mail, name="mail"),
    path("settings/mail/confirm/<str:token>", mail.confirm, name="mail_confirm"),
    path("settings/mail/stop", mail.stop, name="mail_stop"),
]
