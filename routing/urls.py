"""Address of the router's page."""

from django.urls import path

from routing import views

urlpatterns = [path("router", views.playground, name="router")]
