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


def play(visit: Visit, *, number: int, say: Say) -> None:
    words, sku = SHOPPING_LIST[number % len(SHOPPING_LIST)]
    visit.close_the_letter()
    put_into_cart(visit, words=words, sku=sku)
    say(f"found the {words} and put it into the cart")
    go_through_checkout(visit)
    place_order(visit, say=say)


def put_into_cart(visit: Visit, *, words: str, sku: str) -> None:
    expect(visit.type("#search", words, submit=True), what="the search")
    hit = visit.click(f'[data-testid="product-{sku}"]', element=f"the {words} among the results")
    expect(hit, what=f"opening the {words}")
    # The real button comes after the stock check; until then a spinner carries its words.
    add = visit.click('role=button[name="Add to cart"]', element="the button below the price")
    expect(add, what="adding to the cart")


def go_through_checkout(visit: Visit) -> None:
    expect(visit.click("#checkout-link", element="the link to the checkout"), what="the checkout")
    for field, text in CUSTOMER.items():
        expect(visit.type(field, text), what=f"typing into {field}")
    expect(visit.click("#to-payment", element="the button to the payment"), what="the address")
    expect(visit.click("#to-review", element="the button to the review"), what="the payment")


def place_order(visit: Visit, *, say: Say) -> None:
    """A person's no ends the round."""
    answer = visit.click(PLACE_ORDER, element="the button that places the order")
    if answer.status == "rejected":
        raise RoundOver(f"nothing is ordered. {answer.message}")
    expect(answer, what="placing the order")
    numbers = visit.read("#order-number")
    if not numbers:
        raise RoundOver("the shop did not take the order; leaving the cart as it is")
    say(f"the shop took the order: {numbers[0]}")
