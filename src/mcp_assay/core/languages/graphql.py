"""Is a GraphQL document a read: nothing in it but queries and their fragments?"""

import re
from functools import lru_cache
from itertools import accumulate

__all__ = ["why_not"]

_LONGEST = 20_000
_DEEPEST = 60
_BRACKETS = {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}
_EXECUTABLE = re.compile(r"[\s,\ufeff]*(?:query|fragment|\{|#)")


@lru_cache(maxsize=64)
def why_not(text: str) -> str | None:
    """None if every operation in the document is a query; else why it is no read."""
    if len(text) > _LONGEST:
        return "too long to be judged"
    if max(accumulate((_BRACKETS.get(sign, 0) for sign in text), initial=0)) > _DEEPEST:
        return "too deep to be judged"
    if _EXECUTABLE.match(text) is None:
        return "it does not begin as a query does"
    return _by_operations(text)


def _by_operations(text: str) -> str | None:
    # 0.1 s, only where there is GraphQL
    from graphql import FragmentDefinitionNode, GraphQLError, OperationDefinitionNode, parse  # noqa: PLC0415

    try:
        definitions = parse(text, no_location=True).definitions
    except (GraphQLError, RecursionError, ValueError, TypeError, LookupError):
        return "it cannot be parsed"
    operations = [each for each in definitions if isinstance(each, OperationDefinitionNode)]
    if any(each.operation.value != "query" for each in operations):
        return "it holds a mutation or a subscription"
    fragments = sum(isinstance(each, FragmentDefinitionNode) for each in definitions)
    return None if operations and len(operations) + fragments == len(definitions) else "it holds more than queries"
