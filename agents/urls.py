"""Addresses of the doors, one's own account, people and teams.

Those of allauth carry the names it looks for; nothing else of it has an address."""

from allauth.account.views import reauthenticate
from allauth.mfa.base.views import authenticate
from allauth.mfa.base.views import reauthenticate as reauthenticate_by_code
from allauth.mfa.recovery_codes.views import generate_recovery_codes, view_recovery_codes
from allauth.mfa.totp.views import activate_totp, deactivate_totp
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from agents.views import account, people, signing, teams

doors = [
    path("sign-in", signing.SignIn.as_view(), name="sign_in"),
    path("sign-in/once/<str:token>", signing.sign_in_once, name="sign_in_once"),
    path("sign-in/code", authenticate, name="mfa_authenticate"),
    path("sign-in/forgotten", signing.forgotten, name="forgotten"),
    path("sign-in/password/<str:token>", signing.password_link, name="password_link"),
    path("sign-out", LogoutView.as_view(), name="sign_out"),
]

# Not found while no issuer is set.
company = [
    path("sign-in/", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("sign-in/cancelled", signing.company_cancelled, name="socialaccount_login_cancelled"),
]

own = [
    path("account", account.account, name="account"),
    path("account/password", account.set_password, name="account_password"),
    path("account/language", account.set_language, name="account_language"),
    path("account/sessions/end-others", account.end_other_sessions, name="end_other_sessions"),
    path("account/sessions/<int:session_id>/end", account.end_session, name="end_session"),
    path("account/again", reauthenticate, name="account_reauthenticate"),
    path("account/again/code", reauthenticate_by_code, name="mfa_reauthenticate"),
    path("account/second-factor", activate_totp, name="mfa_activate_totp"),
    path("account/second-factor/remove", deactivate_totp, name="mfa_deactivate_totp"),
    path("account/recovery-codes", view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/recovery-codes/new", generate_recovery_codes, name="mfa_generate_recovery_codes"),
]

settings_pages = [
    path("settings/people", people.people, name="people"),
    path("settings/people/new", people.invite, name="person_new"),
    path("settings/people/<int:person_id>", people.person, name="person"),
    path("settings/people/<int:person_id>/role", people.set_role, name="person_role"),
    path("settings/people/<int:person_id>/teams", people.set_teams, name="person_teams"),
    path("settings/people/<int:person_id>/link", people.create_link, name="person_link"),
    path("settings/people/<int:person_id>/off", people.deactivate, name="person_off"),
    path("settings/people/<int:person_id>/on", people.reactivate, name="person_on"),
    path("settings/people/<int:person_id>/sign-out", people.end_sessions, name="person_sign_out"),
    path(
        "settings/people/<int:person_id>/second-factor/remove",
        people.remove_second_factor,
        name="person_second_factor",
    ),
    path("settings/teams", teams.teams, name="teams"),
    path("settings/teams/<int:team_id>", teams.team, name="team"),
    path("settings/teams/<int:team_id>/name", teams.rename, name="team_name"),
]

names_allauth_looks_for = [
    path("sign-in", signing.SignIn.as_view(), name="account_login"),
    path("account", account.account, name="mfa_index"),
]

urlpatterns = [
    *doors,
    *company,
    *own,
    *settings_pages,
    *names_allauth_looks_for,
]
