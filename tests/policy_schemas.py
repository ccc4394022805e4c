"""Schemas of the supported subset, and values that are sometimes what they ask for."""

from hypothesis import strategies as st

LEAVES = st.sampled_from([0, 1, 1.0, 1.5, -1, 2, True, False, None, "", "a", "ab", "1"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
SMALL = st.integers(0, 3)
KEYWORDS = {
    "type": st.sampled_from(["object", "array", "string", "number", "integer", "boolean", "null", ["null", "string"]]),
    "enum": st.lists(VALUES, max_size=3),
    "const": VALUES,
    "required": st.lists(st.sampled_from("abc"), unique=True, max_size=2),
    "minProperties": SMALL,
    "maxProperties": SMALL,
    "minItems": SMALL,
    "maxItems": SMALL,
    "uniqueItems": st.booleans(),
    "minLength": SMALL,
    "maxLength": SMALL,
    "pattern": st.sampled_from(["a", "^a", "b$", "^$"]),
    "minimum": LEAVES.filter(lambda leaf: type(leaf) in (int, float)),
    "exclusiveMaximum": LEAVES.filter(lambda leaf: type(leaf) in (int, float)),
    "multipleOf": st.sampled_from([1, 0.5, 2]),
}
SCHEMAS = st.recursive(
    st.booleans() | st.fixed_dictionaries({}, optional=KEYWORDS),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "additionalProperties": inner,
            "items": inner,
        },
    ),
    max_leaves=4,
)
