"""What happened in the shop since it started: orders, carts and every button press.

Kept in this process only, so that a test can ask what the server really saw and can wipe it.
"""

import threading
from collections import Counter, OrderedDict
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

FIRST_ORDER_NUMBER = 10401
# The demo agents open a new session every few seconds; the oldest ones may be forgotten.
MOST_SHOPPERS = 500
MOST_ORDERS = 2000


@dataclass(frozen=True)
class OrderLine:
    sku: str
    name: str
    quantity: int
    unit_pence: int


@dataclass(frozen=True)
class Order:
    number: str
    session: str
    placed_from: str
    status: str
    lines: tuple[OrderLine, ...]
    total_pence: int
    name: str
    address: str
    delivery: str
    placed_at: str


@dataclass
class Shopper:
    presses: Counter[str] = field(default_factory=Counter)
    cart_adds: Counter[str] = field(default_factory=Counter)
    cart: dict[str, int] = field(default_factory=dict)


class Ledger:
    """Every method takes the lock: requests run in threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._orders: OrderedDict[str, Order] = OrderedDict()
        self._shoppers: OrderedDict[str, Shopper] = OrderedDict()
        self._forgotten = Shopper()
        self._next_number = FIRST_ORDER_NUMBER

    def reset(self) -> None:
        with self._lock:
            self._orders.clear()
            self._shoppers.clear()
            self._forgotten = Shopper()
            self._next_number = FIRST_ORDER_NUMBER

    def count_press(self, session: str, button: str) -> None:
        with self._lock:
            self._shopper(session).presses[button] += 1

    def count_cart_add(self, session: str, sku: str, *, quantity: int) -> None:
        with self._lock:
            self._shopper(session).cart_adds[sku] += quantity

    def note_cart(self, session: str, quantities: dict[str, int]) -> None:
        with self._lock:
            self._shopper(session).cart = dict(quantities)

    def place(
        self,
        session: str,
        *,
        placed_from: str,
        lines: tuple[OrderLine, ...],
        total_pence: int,
        name: str,
        address: str,
        delivery: str,
    ) -> Order:
        with self._lock:
            order = Order(
                number=f"HH-{self._next_number}",
                session=session,
                placed_from=placed_from,
                status="placed",
                lines=lines,
                total_pence=total_pence,
                name=name,
                address=address,
                delivery=delivery,
                placed_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            )
            self._next_number += 1
            self._orders[order.number] = order
            if len(self._orders) > MOST_ORDERS:
                self._orders.popitem(last=False)
            return order

    def order(self, number: str, *, session: str) -> Order | None:
        """The order, if this session placed it."""
        with self._lock:
            order = self._orders.get(number)
        return order if order and order.session == session else None

    def cancel(self, number: str, *, session: str) -> None:
        with self._lock:
            order = self._orders.get(number)
            if order and order.session == session:
                self._orders[number] = replace(order, status="cancelled")

    def snapshot(self, *, you: str | None) -> dict[str, Any]:
        """Everything as JSON-ready values; `you` is the asking session."""
        with self._lock:
            everyone = [self._forgotten, *self._shoppers.values()]
            return {
                "you": you,
                "orders": [asdict(order) for order in self._orders.values()],
                "presses": dict(sum((s.presses for s in everyone), Counter())),
                "cart_adds": dict(sum((s.cart_adds for s in everyone), Counter())),
                "sessions": {key: self._session(key) for key in self._shoppers},
            }

    def _session(self, key: str) -> dict[str, Any]:
        shopper = self._shoppers[key]
        return {
            "presses": dict(shopper.presses),
            "cart_adds": dict(shopper.cart_adds),
            "cart": dict(shopper.cart),
            "orders": [o.number for o in self._orders.values() if o.session == key],
        }

    def _shopper(self, session: str) -> Shopper:
        shopper = self._shoppers.setdefault(session, Shopper())
        self._shoppers.move_to_end(session)
        if len(self._shoppers) > MOST_SHOPPERS:
            _, gone = self._shoppers.popitem(last=False)
            self._forgotten.presses += gone.presses
            self._forgotten.cart_adds += gone.cart_adds
        return shopper


ledger = Ledger()
