"""What the shop does before it opens: its tables, and what was left lying for long."""

from datetime import timedelta

from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from demo.shop.models import OPEN_SHOP, Shopper, World

KEPT_FOR = timedelta(days=7)


def prepare_database() -> None:
    call_command("migrate", interactive=False, verbosity=0)
    World.objects.get_or_create(name=OPEN_SHOP)
    forget_what_is_old()
    connection.close()


def forget_what_is_old() -> None:
    """Worlds are made for one run each, and most visitors never come back."""
    long_ago = timezone.now() - KEPT_FOR
    World.objects.exclude(name=OPEN_SHOP).filter(made_at__lt=long_ago).delete()
    Shopper.objects.filter(account=None, seen_at__lt=long_ago).delete()
