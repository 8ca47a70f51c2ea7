"""Addresses of the router's REST calls, under /api/v1/."""

from django.urls import path

from routing import api

urlpatterns = [path("route", api.Route.as_view())]
