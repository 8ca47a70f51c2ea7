"""Read loose data without ever raising: what an old row, a model's reply or a log line may hold.

Every reader answers a safe default for a value it cannot use.
"""

import ast
import json
import math

MAX_READ_CHARS = 4_000_000
MAX_FIELD_CHARS = 4_000
MAX_COUNT = 1_000_000_000

UNREADABLE = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)


def mapping_from(anything: object) -> dict[str, object] | None:
    """The mapping that a dict, JSON text, Python repr text or bytes of either stands for."""
    if isinstance(anything, bytes | bytearray):
        anything = bytes(anything[:MAX_READ_CHARS]).decode("utf-8", "replace")
    if isinstance(anything, str):
        anything = _value_in(anything)
    if not isinstance(anything, dict):
        return None
    return {key: value for key, value in anything.items() if isinstance(key, str)}


def _value_in(text: str) -> object:
    if len(text) > MAX_READ_CHARS:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _value_of_repr(text)


def _value_of_repr(text: str) -> object:
    try:
        return _value_of(ast.parse(text.strip(), mode="eval").body)
    except UNREADABLE:
        return None


def _value_of(node: ast.expr) -> object:
    """A literal's value. `Name(field=...)`, the repr of a dataclass, is read as a mapping."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value_of(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_key_of(k): _value_of(v) for k, v in zip(keys, values, strict=True)}
        case ast.Call(args=[], keywords=fields):
            return {field.arg: _value_of(field.value) for field in fields}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
    raise ValueError("not a literal")


def _key_of(node: ast.expr | None) -> object:
    if not isinstance(node, ast.Constant):
        raise ValueError("not a literal key")
    return node.value


def text_from(value: object) -> str:
    """Text a database can store: no NUL, no lone surrogates, cut."""
    if not isinstance(value, str):
        return ""
    kept = value[:MAX_FIELD_CHARS].replace("\x00", "")
    return kept.encode("utf-8", "replace").decode("utf-8")


def number_from(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def count_from(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return min(max(value, 0), MAX_COUNT)


def index_from(value: object, *, length: int) -> int:
    """A 0-based index into `length` items, or -1."""
    if isinstance(value, bool) or not isinstance(value, int):
        return -1
    return value if 0 <= value < length else -1


def items_from(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []
