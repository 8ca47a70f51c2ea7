"""Accounts: signing up, in and out, and the saved address."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from demo.shop import shoppers
from demo.shop.forms import AccountForm, SignInForm, SignUpForm
from demo.shop.views.asking import own_path


@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, "sign_in.html", SignInForm(auto_id="%s"))
    form = SignInForm(request.POST, auto_id="%s")
    if not form.is_valid():
        return _page(request, "sign_in.html", form, status=422)
    shopper = shoppers.find_or_make(request)
    given = form.cleaned_data
    if not shoppers.sign_in(shopper, email=given["email"].lower(), password=given["password"]):
        form.add_error("password", "E-mail and password do not belong together.")
        return _page(request, "sign_in.html", form, status=422)
    return _welcome(request)


@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, "sign_up.html", SignUpForm(auto_id="%s"))
    form = SignUpForm(request.POST, auto_id="%s")
    if not form.is_valid():
        return _page(request, "sign_up.html", form, status=422)
    given = form.cleaned_data | {"email": form.cleaned_data["email"].lower()}
    try:
        shoppers.sign_up(shoppers.find_or_make(request), **given)
    except shoppers.EmailTaken:
        form.add_error("email", "There is an account with this e-mail already.")
        return _page(request, "sign_up.html", form, status=422)
    return _welcome(request)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    if shopper := shoppers.find(request):
        shoppers.sign_out(shopper)
    rotate_token(request)
    messages.success(request, "You are signed out.")
    return redirect("home")


@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    shopper = shoppers.find(request)
    if shopper is None or shopper.account is None:
        return redirect("sign-in")
    found = shopper.account
    if request.method != "POST":
        return _page(request, "account.html", AccountForm(initial=found.recipient, auto_id="%s"))
    form = AccountForm(request.POST, auto_id="%s")
    if not form.is_valid():
        return _page(request, "account.html", form, status=422)
    recipient = {**form.cleaned_data, "email": found.email}
    shoppers.keep_recipient(found, recipient)
    shoppers.keep_recipient(shopper, recipient)
    messages.success(request, "Your address is saved.")
    return redirect("account")


def _page(
    request: HttpRequest,
    template: str,
    form: SignInForm | SignUpForm | AccountForm,
    *,
    status: int = 200,
) -> HttpResponse:
    wanted = (request.POST if request.method == "POST" else request.GET).get("next", "")
    shown = {"form": form, "next": own_path(request, wanted, otherwise="")}
    return render(request, template, shown, status=status)


def _welcome(request: HttpRequest) -> HttpResponse:
    rotate_token(request)
    messages.success(request, "You are signed in.")
    return redirect(own_path(request, request.POST.get("next", ""), otherwise=reverse("account")))
