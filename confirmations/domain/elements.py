"""Element ids: `cart.item[3].remove` is the remove button of the fourth row."""

import re
from collections.abc import Iterable

# What a shop does for good, by the ids that its profile gives.
IRREVERSIBLE_IN_A_SHOP = (
    "checkout_review.place_order",
    "checkout_review.place_order_bottom",
    "order_cancel.confirm",
    "cart.item[N].remove",
)


def is_one_of(element_id: str, patterns: Iterable[str]) -> bool:
    """Whether an id is one of those listed; `[N]` in a pattern stands for any row."""
    return any(_pattern(pattern).fullmatch(element_id) for pattern in patterns)


def is_irreversible_in_a_shop(element_id: str) -> bool:
    return is_one_of(element_id, IRREVERSIBLE_IN_A_SHOP)


def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(re.escape(pattern).replace(r"\[N\]", r"\[[0-9]+\]"))
