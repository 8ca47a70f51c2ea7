"""What `POST /runs` may say of a task: what counts as done, what must be asked, how it begins."""

from typing import Any

from rest_framework import serializers

from core.bodies import StrictSerializer, TextField

MOST_LINES = 50


def _switch() -> serializers.BooleanField:
    return serializers.BooleanField(required=False, allow_null=True)


class Constraints(StrictSerializer):
    require_confirmation = _switch()
    require_confirmation_on_checkout = serializers.BooleanField(required=False)
    require_confirmation_on_irreversible = serializers.BooleanField(required=False)


class Line(StrictSerializer):
    sku = TextField(max_length=100)
    quantity = serializers.IntegerField(min_value=1, max_value=1_000)


def _lines(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=Line(), max_length=MOST_LINES, **options)


class WantedOrder(StrictSerializer):
    lines = _lines(min_length=1, required=False)
    total_pence = serializers.IntegerField(min_value=0, required=False)


class Expected(StrictSerializer):
    """What the shop must hold afterwards; what is not named is free."""

    order = WantedOrder(required=False)
    cancelled = TextField(max_length=60, required=False)
    removed = TextField(max_length=100, required=False)


class OrderedBefore(StrictSerializer):
    lines = _lines(min_length=1)


class Setup(StrictSerializer):
    """What the shop holds at the start."""

    cart = _lines(required=False)
    orders = serializers.ListField(child=OrderedBefore(), max_length=20, required=False)
    account = serializers.BooleanField(required=False)
    address = serializers.BooleanField(required=False)


class TaskBody(StrictSerializer):
    id = TextField(max_length=100, required=False)
    goal = TextField(max_length=2_000, required=False, allow_blank=True)
    success_criteria = serializers.ListField(
        child=TextField(max_length=60), max_length=20, required=False
    )
    constraints = Constraints(required=False)
    require_needs_confirmation = _switch()
    require_confirmation = _switch()
    expect = Expected(required=False)
    setup = Setup(required=False)
