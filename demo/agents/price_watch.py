"""price-watch reads prices and now and then keeps one thing in a cart to see the discount."""

import re

from demo.agents.pointsman import RoundOver, Say
from demo.agents.visit import Visit, expect

KEEP = (("hand-trowel", "Hand Trowel"), ("nest-box", "Nest Box"), ("watering-can", "Watering Can"))
PRICE = re.compile(r"\d+\.\d\d")


def play(visit: Visit, *, number: int, say: Say) -> None:
    sku, name = KEEP[number % len(KEEP)]
    visit.close_the_letter()
    say(sum_up(visit.read(".price"), where="the whole shop"))
    # The menu is in the page twice; its twin for small screens is hidden, so this is clear.
    expect(visit.click("text=Garden", element="the Garden link in the menu"), what="the menu")
    say(sum_up(visit.read(".price"), where="Garden"))
    keep_one(visit, sku=sku, name=name, say=say)
    expect(visit.go_to("/cart/"), what="opening the cart")
    try_the_coupon(visit, say=say)


def keep_one(visit: Visit, *, sku: str, name: str, say: Say) -> None:
    """Ask loosely first. Told that it was not clear, name the very button."""
    answer = visit.click("text=Add to cart", element=f"the button under the {name}")
    if answer.status == "rejected":
        say(answer.message)
        say("asking again by the button's own id")
        answer = visit.click(f"#add-{sku}", element=f"the button under the {name}")
    expect(answer, what="adding to the cart")


def try_the_coupon(visit: Visit, *, say: Say) -> None:
    expect(visit.type("#coupon-code", "SPRING10"), what="typing the coupon")
    answer = visit.click("text=Apply", element="the button beside the coupon")
    if answer.status == "rejected":
        raise RoundOver(f"leaving without the discount. {answer.message}")
    expect(answer, what="the coupon")
    to_pay = visit.read("dd[data-total]")
    say(f"with the coupon: {to_pay[0]} to pay" if to_pay else "the sum is not on the page")


def sum_up(texts: list[str], *, where: str) -> str:
    prices = [float(found.group()) for text in texts if (found := PRICE.search(text))]
    if not prices:
        return f"no price to be seen in {where}"
    return f"{len(prices)} prices in {where}, from £{min(prices):.2f} to £{max(prices):.2f}"
