"""checkout-bot buys one thing per round, and lets a person say which button places the order."""

from demo.agents.pointsman import RoundOver, Say
from demo.agents.visit import Visit, expect

SHOPPING_LIST = (
    ("kettle", "whistling-kettle"),
    ("lantern", "storm-lantern"),
    ("mug", "enamel-mug"),
    ("blanket", "wool-blanket"),
    ("skillet", "iron-skillet"),
)
CUSTOMER = {
    "#name": "Robin Fell",
    "#email": "robin@example.org",
    "#street": "4 Mill Lane",
    "#town": "Kendal",
    "#postcode": "LA9 4AA",
}
PLACE_ORDER = "text=Place order"
TRIES = 2


def play(visit: Visit, *, number: int, say: Say) -> None:
    words, sku = SHOPPING_LIST[number % len(SHOPPING_LIST)]
    visit.close_the_letter()
    put_into_cart(visit, words=words, sku=sku)
    say(f"found the {words} and put it into the cart")
    expect(visit.click("#checkout-link", element="the link to the checkout"), what="the checkout")
    for _ in range(TRIES):
        if place_order(visit, say=say):
            return
    raise RoundOver("no order placed; leaving the cart as it is")


def put_into_cart(visit: Visit, *, words: str, sku: str) -> None:
    expect(visit.type("#search", words, submit=True), what="the search")
    hit = visit.click(f'[data-testid="product-{sku}"]', element=f"the {words} among the results")
    expect(hit, what=f"opening the {words}")
    # The real button comes after the stock check; until then a spinner carries its words.
    add = visit.click('role=button[name="Add to cart"]', element="the button below the price")
    expect(add, what="adding to the cart")


def place_order(visit: Visit, *, say: Say) -> bool:
    """True once the shop has given an order number. A person's no ends the round."""
    for field, text in CUSTOMER.items():
        expect(visit.type(field, text), what=f"typing into {field}")
    answer = visit.click(PLACE_ORDER, element="the button that orders with the address just typed")
    if answer.status == "rejected":
        raise RoundOver(f"nothing is ordered. {answer.message}")
    expect(answer, what="placing the order")
    numbers = visit.read("#order-number")
    if numbers:
        say(f"the shop took the order: {numbers[0]}")
        return True
    say("the shop did not take the order; that button sends no address")
    return False
