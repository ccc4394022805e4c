"""Any JSON that a server may call a schema."""

from hypothesis import strategies as st

_WORDS = [
    "type", "properties", "required", "$ref", "allOf", "anyOf", "items", "enum", "default", "examples", "minItems",
    "minimum", "maximum", "minLength", "maxLength", "format", "pattern", "description",
]  # fmt: skip
_VALUES = [*_WORDS, "#", "#/properties", "string", "integer", "number", "array", "object", "null", "date", "e.g. 'x'"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(_VALUES) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS), inner, max_size=5),
    max_leaves=25,
)
"""Also what is no JSON: NaN and infinity, which Python's parser lets through."""
