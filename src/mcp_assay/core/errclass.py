"""What kind of failure a reply is, in one word of a fixed list: never a word of the server's own.

The sources, most telling first: how the call ended, the JSON-RPC code, an HTTP status in the text, then the text's
wording. A text can say two things ("validation failed: not found"); the order of the table decides.
"""

import re
from itertools import islice

from mcp_assay.core.content import Body, read
from mcp_assay.core.declared import UNDECLARED, leaves
from mcp_assay.core.model import Outcome, Reply

__all__ = ["CLASSES", "UNSPECIFIED", "classify", "failure", "hidden_failure"]

UNSPECIFIED = "unspecified"

_MAX_TEXT = 4_000  # characters of an error's text that are read
_MAX_LEAVES = 50

_ENDINGS = {
    Outcome.TIMEOUT: "timeout",
    Outcome.CANCELLED: "cancelled",
    Outcome.LOST: "lost",
    Outcome.BLOCKED: "blocked",
    Outcome.ABORTED: "aborted",
}
_CODES = {
    -32700: "parse_error",
    -32600: "invalid_request",
    -32601: "method_not_found",
    -32602: "validation",
    -32002: "not_found",
    -32001: "timeout",
}
# A wrapper's code for whatever went wrong inside: its text may know better.
_VAGUE_CODES = {-32603: "internal"}

# Class and wordings, in the order in which they are tried.
_WORDING: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("parse_error", (r"cannot be parsed as json",)),
    ("validation", (r"validation error", r"(?:validation|schema) failed", r"invalid (?:argument|param|input|request)")),
    ("rate_limited", (r"rate.?limit", r"too many requests", r"quota exceeded", r"throttl")),
    ("timeout", (r"time[d-]? ?out\b", r"deadline exceeded")),
    ("unauthorized", (r"unauthori[sz]ed", r"unauthenticated", r"authentication (?:failed|required|error)")),
    ("unauthorized", (r"not (?:authenticated|logged in)", r"bad credentials")),
    ("unauthorized", (r"(?:invalid|expired|missing) (?:\w+ )?(?:token|credential|api.?key)",)),
    ("forbidden", (r"forbidden", r"(?:permission|access) (?:was )?denied", r"not (?:allowed|permitted|authori[sz]ed)")),
    ("forbidden", (r"insufficient (?:permission|privilege|scope)", r"eacces\b", r"eperm\b")),
    ("conflict", (r"already exists", r"conflict", r"eexist\b")),
    ("too_large", (r"too (?:large|big|long)", r"reply larger than", r"exceeds (?:the )?(?:max|limit|allowed)")),
    ("method_not_found", (r"unknown method", r"method not found")),
    ("not_found", (r"not found", r"no such", r"(?:does not|doesn't|did not) exist", r"could(?: not|n't) find")),
    ("not_found", (r"unknown tool", r"enoent\b")),
    ("unsupported", (r"not (?:supported|implemented)", r"unsupported")),
    ("network", (r"connection (?:refused|reset|closed|aborted|error)", r"econn\w", r"unreachable", r"fetch failed")),
    ("network", (r"enotfound", r"getaddrinfo", r"name resolution", r"network error", r"certificate", r"ssl\b")),
    ("unavailable", (r"unavailable", r"overloaded", r"under maintenance", r"try again later")),
    ("validation", (r"\binvalid\b", r"is required", r"required (?:field|property|argument)", r"missing", r"must be")),
    ("validation", (r"malformed", r"bad request")),
    ("internal", (r"internal (?:server )?error", r"unexpected error", r"traceback", r"unhandled")),
)
_WORDED = tuple((name, re.compile("|".join(wordings), re.IGNORECASE)) for name, wordings in _WORDING)

# Three digits are a status only where the words around them say so. Every gap is bounded: the text is a stranger's.
_STATUS = re.compile(
    r"""(?: \bhttp (?:/\d(?:\.\d)?)? [\s:(]{0,2} (?:error|status)? [\s_]? (?:code)? [\s:=(]{0,3}
          | \bstatus [\s_]? (?:code)? ["']? (?: [\s:=]{1,3} | \sof\s | \swas\s ) ["'(]?
          | \b(?:client|server)\serror [\s:'"(]{1,3}
        ) (?P<after>[45]\d\d) (?!\d|[.,]\d)
      | \berror (?:\scode)? [\s:(]{1,3} (?P<alone>[45]\d\d) (?= \s*$ | [:),] | \s- )
      | (?<![\w.,$\#-]) (?P<before>[45]\d\d) [:,-]? \s (?:client\serror|server\serror|bad\srequest|unauthorized
            |payment\srequired|forbidden|not\sfound|method\snot\sallowed|conflict|gone|payload\stoo\slarge
            |unprocessable|too\smany\srequests|internal\sserver\serror|not\simplemented|bad\sgateway
            |service\sunavailable|gateway\stime-?out)\b
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)

_LINE = re.compile(
    r"\W{0,4}(?i:(?:[a-z]{2,20} )?error:|exception:|error (?:executing|calling|running|invoking) |failed to \w"
    r"|traceback \(most recent call last\))|[A-Z]\w{0,60}(?:Error|Exception):"
)

CLASSES = frozenset(
    {
        UNSPECIFIED,
        *_ENDINGS.values(),
        *_CODES.values(),
        *_VAGUE_CODES.values(),
        *(name for name, _ in _WORDING),
        *(f"http:{status}" for status in range(400, 600)),
    }
)
"""Every class there is. An HTTP status known from the text is ``http:404``."""


def classify(code: int | None, text: str) -> str:
    """The class of a JSON-RPC code and an error's text; either may say nothing. Total."""
    if code in _CODES:
        return _CODES[code]
    if code is not None and 400 <= code < 600:  # noqa: PLR2004 - servers that put the HTTP status there
        return f"http:{code:d}"
    text = text[:_MAX_TEXT]
    status = _STATUS.search(text)
    if status is not None:
        return f"http:{status['after'] or status['alone'] or status['before']}"
    worded = next((name for name, pattern in _WORDED if pattern.search(text)), None)
    return worded or _VAGUE_CODES.get(code or 0, UNSPECIFIED)


def failure(reply: Reply, body: Body | None = None) -> str | None:
    """The class of a failed reply, None for one that did not fail. ``body`` is its result where already read.

    A result marked ``isError`` has failed whatever else it holds.
    """
    if reply.outcome in _ENDINGS:
        return _ENDINGS[reply.outcome]
    marked = reply.result is not None and bool(reply.result.get("isError"))
    if reply.outcome is Outcome.OK and not marked:
        return None
    return classify(reply.error_code, f"{reply.error_text}\n{_wording(read(reply.result) if body is None else body)}")


def hidden_failure(body: Body) -> str | None:
    """The class of an error that a result reports though it is not marked as one; None if it reports none.

    Conservative: an object that says so in a member meant for it, or a text that begins as error reports do.
    """
    if isinstance(body.data, dict):
        reported = _reports_error(body.data)
    else:
        reported = any(_LINE.match(text.lstrip()) for text in body.texts[:1])
    return classify(None, _wording(body)) if reported else None


def _reports_error(data: dict[str, object]) -> bool:
    # Numbers do not count: {"errors": 3} is what a linter found.
    told = any(
        isinstance(data.get(key), str | list | dict) and data[key] for key in ("error", "errors", "error_message")
    )
    denied = data.get("ok") is False or data.get("success") is False
    status = data.get("status")
    return told or denied or data.get("error") is True or (isinstance(status, str) and status.lower() in _BAD_STATUS)


_BAD_STATUS = ("error", "failed")


def _wording(body: Body) -> str:
    texts = "\n".join(text[:_MAX_TEXT] for text in body.texts[:_MAX_LEAVES] if text)
    if texts or body.data is None:
        return texts
    told = (leaf for leaf in leaves(body.data, UNDECLARED) if _is_telling(leaf.value))
    return "\n".join(f"{leaf.name}: {leaf.value}"[:_MAX_TEXT] for leaf in islice(told, _MAX_LEAVES))


def _is_telling(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and 0 <= value < 1_000)  # noqa: PLR2004 - a status
