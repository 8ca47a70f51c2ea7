"""What every call's body is read by: known keys only, and text as it was sent."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses keys it does not know, by name."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = sorted(str(key) for key in set(data) - set(self.fields))
            if unknown:
                raise serializers.ValidationError(
                    {key[:80]: ["Unknown key: it was not read."] for key in unknown[:20]}
                )
        return super().to_internal_value(data)


class TextField(serializers.CharField):
    """Text as it is: not trimmed, and without the NUL that no database keeps."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)
