"""JSON values as JSON Schema sees them: 1.0 is an integer, true is no number, 1 equals 1.0.

Values are what a JSON parser makes: dict, list, str, int, float, bool, None. A number beyond the range of a double is
no finite number to most readers of JSON, and is none here.
"""

import math
from collections.abc import Callable
from decimal import Context, Decimal, InvalidOperation

__all__ = ["IS", "decimal", "is_integer", "is_multiple", "is_number", "key_of"]

_EXACT = Context(prec=5_000)  # no quotient of two doubles has so many digits, so a remainder is exact


def is_number(value: object) -> bool:
    """A finite number. "booleans are not numbers"."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def is_integer(value: object) -> bool:
    """JSON Schema: "any number with a zero fractional part", so 1.0 is one."""
    return is_number(value) and value == int(value)  # type: ignore[call-overload]


IS: dict[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": is_number,
    "integer": is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def key_of(value: object) -> object:
    """A hashable stand-in: keys are equal exactly if JSON Schema calls the values equal (1 and 1.0, not 1 and true)."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return ("array", tuple(map(key_of, value)))
    if isinstance(value, dict):
        return ("object", frozenset((name, key_of(member)) for name, member in value.items()))
    return value


def decimal(number: float) -> Decimal:
    """The number as it was written: 0.09 is nine hundredths."""
    return Decimal(number) if isinstance(number, int) else Decimal(repr(number))


def is_multiple(value: float, step: float) -> bool:
    try:
        return _EXACT.remainder(decimal(value), decimal(step)) == 0
    except InvalidOperation:
        return False
