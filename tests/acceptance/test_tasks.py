"""`manage.py tasks` against a running product and shop."""

import pytest

from tests.support.shop import Shop
from tests.support.stack import Stack

pytestmark = pytest.mark.stack


def test_tasks_are_played_and_what_comes_out_is_a_table(shop: Shop, shop_stack: Stack) -> None:
    said = shop_stack.manage("tasks", "order-with-coupon", "--shop", shop.url)
    assert "[1/2] order-with-coupon: uses the coupon: as expected" in said
    assert "2 scripts, 0 surprises" in said


def test_a_surprise_ends_in_failure(shop: Shop, shop_stack: Stack) -> None:
    with (
        shop_stack.flag("CONFIRMATION_MODE", "block"),
        pytest.raises(AssertionError, match=r"ended with 1: (.|\n)*2 scripts, 1 surprises"),
    ):
        shop_stack.manage("tasks", "order-as-trusted", "--shop", shop.url)
