"""Addresses of the run pages and of pictures."""

from django.urls import path

from runs import views

urlpatterns = [
    path("runs", views.runs, name="runs"),
    path("runs/<uuid:run_id>", views.run, name="run"),
    path("pictures/<str:digest>", views.picture, name="picture"),
]
