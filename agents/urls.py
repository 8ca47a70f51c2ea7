"""Addresses of signing in and out."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from agents import views

urlpatterns = [
    path("sign-in", views.SignIn.as_view(), name="sign_in"),
    path("sign-in/once/<str:token>", views.sign_in_once, name="sign_in_once"),
    path("sign-out", LogoutView.as_view(), name="sign_out"),
]
