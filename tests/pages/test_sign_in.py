"""The doors: password, one-time link, way out."""

import logging

import pytest
from django.http import HttpResponse
from django.test import Client
from playwright.sync_api import expect

from agents import services
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import PASSWORD, Crew
from tests.support.clients import HOME


def post(rows: Rows, path: str, data: dict[str, str], **meta: str) -> HttpResponse:
    return rows.do(lambda: Client(**HOME).post(path, data, **meta))


def test_a_wrong_password_is_refused_in_helpful_words(rows: Rows, crew: Crew) -> None:
    answer = post(rows, "/sign-in", {"username": crew.anna.username, "password": "no"})
    assert answer.status_code == 200
    assert "do not go together" in answer.content.decode()


def test_nobody_learns_which_usernames_exist(rows: Rows, crew: Crew) -> None:
    known = post(rows, "/sign-in", {"username": crew.ben.username, "password": "no"})
    unknown = post(rows, "/sign-in", {"username": "nobody-here", "password": "no"})

    def said(answer: HttpResponse) -> str:
        return str(answer.context["form"].non_field_errors())

    assert said(known) == said(unknown)


def test_guessing_is_stopped_even_with_the_right_password(rows: Rows, crew: Crew) -> None:
    name = crew.anna.username
    for _ in range(8):
        answer = post(rows, "/sign-in", {"username": name, "password": "wrong"})
    assert answer.status_code == 429
    assert "Too many tries" in answer.content.decode()
    right = post(rows, "/sign-in", {"username": name, "password": PASSWORD})
    assert right.status_code == 429


def test_signing_in_never_leads_to_another_site(rows: Rows, crew: Crew) -> None:
    path = "/sign-in?next=https://evil.example/"
    said = {"username": crew.anna.username, "password": PASSWORD, "next": "https://evil.example/"}
    assert post(rows, path, said)["Location"] == "/"


def test_signing_out_takes_a_post_and_ends_the_session(crew: Crew, open_desk: OpenDesk) -> None:
    desk = open_desk(crew.anna)
    desk.page.get_by_label(f"{crew.anna.username}: your account").click()
    desk.page.get_by_role("button", name="Sign out").click()
    expect(desk.page.get_by_role("heading", name="Sign in")).to_be_visible()
    desk.page.goto("/")
    assert "/sign-in" in desk.page.url


def test_a_link_signs_in_once_by_a_button(rows: Rows, crew: Crew) -> None:
    path = f"/sign-in/once/{rows.do(services.create_sign_in_link, crew.anna)}"

    def use() -> tuple[HttpResponse, HttpResponse, HttpResponse, HttpResponse]:
        client = Client(**HOME)
        return client.get(path), client.post(path), client.get("/"), Client(**HOME).post(path)

    asked, signed_in, home, again = rows.do(use)
    assert asked.status_code == 200
    assert f"Sign in as {crew.anna.username} on this machine" in asked.content.decode()
    assert asked["Referrer-Policy"] == "strict-origin"  # never the address itself
    assert (signed_in.status_code, signed_in["Location"]) == (302, "/")
    assert home.status_code == 200
    assert again.status_code == 410
    assert "This link is used up" in again.content.decode()


@pytest.mark.parametrize(
    "meta",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_FORWARDED": "for=127.0.0.1"},
    ],
)
def test_a_link_works_on_this_machine_only_and_is_not_used_up_elsewhere(
    meta: dict[str, str], rows: Rows, crew: Crew
) -> None:
    path = f"/sign-in/once/{rows.do(services.create_sign_in_link, crew.anna)}"
    assert post(rows, path, {}, **meta).status_code == 403
    assert post(rows, path, {}, REMOTE_ADDR="127.0.0.1").status_code == 302


def test_a_link_is_never_in_the_log(
    rows: Rows, crew: Crew, caplog: pytest.LogCaptureFixture
) -> None:
    token = rows.do(services.create_sign_in_link, crew.anna)
    with caplog.at_level(logging.DEBUG, logger="django.request"):
        post(rows, f"/sign-in/once/{token}", {}, REMOTE_ADDR="192.0.2.7")
        post(rows, f"/sign-in/once/{token}", {})
        post(rows, f"/sign-in/once/{token}", {})
        post(rows, "/proposals/not-there", {})
    assert "/proposals/not-there" in caplog.text  # the log was listened to
    assert token not in caplog.text
