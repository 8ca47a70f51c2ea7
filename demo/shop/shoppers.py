"""Who is shopping: the browser's shopper, and the account it is signed in to."""

import uuid

from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.middleware.csrf import rotate_token

from demo.shop.models import OPEN_SHOP, RECIPIENT_FIELDS, Account, Order, Press, Shopper, World

SESSION_KEY = "shopper"


class EmailTaken(Exception):
    """There is an account with this e-mail already."""


def find(request: HttpRequest) -> Shopper | None:
    """This browser's shopper; none while it has only looked."""
    key = request.session.get(SESSION_KEY)
    if key is None:
        return None
    return Shopper.objects.select_related("account").filter(key=uuid.UUID(key)).first()


def find_or_make(request: HttpRequest) -> Shopper:
    found = find(request)
    if found is None:
        found = Shopper.objects.create(world=World.objects.get(name=OPEN_SHOP))
        request.session[SESSION_KEY] = found.key.hex
    return found


def enter(request: HttpRequest, code: str) -> bool:
    """Make this browser the shopper that the code stands for. False if the code was used."""
    with transaction.atomic():
        found = Shopper.objects.filter(entry_code=code).first()
        if found is None:
            return False
        Shopper.objects.filter(key=found.key).update(entry_code=None)
    request.session.flush()
    request.session[SESSION_KEY] = found.key.hex
    rotate_token(request)
    return True


def count_press(shopper: Shopper, button: str) -> None:
    Press.objects.create(shopper=shopper, button=button)


def sign_up(shopper: Shopper, *, name: str, email: str, password: str) -> None:
    """Orders that this browser placed as a guest belong to the new account. Raises EmailTaken."""
    try:
        with transaction.atomic():
            account = Account.objects.create(
                world=shopper.world, name=name, email=email, password=make_password(password)
            )
            Order.objects.filter(shopper=shopper, account=None).update(account=account)
            _attach(shopper, account)
    except IntegrityError:
        raise EmailTaken from None


def sign_in(shopper: Shopper, *, email: str, password: str) -> bool:
    account = Account.objects.filter(world=shopper.world, email=email).first()
    if account is None or not check_password(password, account.password):
        return False
    _attach(shopper, account)
    return True


def sign_out(shopper: Shopper) -> None:
    """The cart stays; the next person at this browser finds no address."""
    shopper.account = None
    keep_recipient(shopper, dict.fromkeys(RECIPIENT_FIELDS, ""))
    shopper.delivery = shopper.payment = ""
    shopper.save()


def keep_recipient(holder: Account | Shopper, recipient: dict[str, str]) -> None:
    for field in RECIPIENT_FIELDS:
        setattr(holder, field, recipient[field])
    holder.save()


def _attach(shopper: Shopper, account: Account) -> None:
    shopper.account = account
    if account.has_address:
        keep_recipient(shopper, account.recipient)
    shopper.save()
