"""What may be shown of a command line or an address that may hold secrets.

Before a server is started the user sees what would run, so commands, packages, paths and flags stay readable; a
secret must never be shown, so in doubt a value is hidden. ``${VAR}`` is the name of a secret, not the secret: it stays.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["REDACTED", "argv", "looks_secret", "url"]

REDACTED = "\u2039redacted\u203a"  # in single angle quotes, which no shell and no markup gives a meaning

# --- names that announce a secret -------------------------------------------------------------------------------------
_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_WORDS = frozenset(
    {"key", "keys", "token", "cred", "creds", "pat", "jwt", "otp", "pw", "pwd", "sas", "sig", "signature"}
)
_SECRET_PARTS = re.compile(
    r"secret|passw|passphrase|passcode|(?<!by)(?<!om)pass$|credential|token$|^tokens$|bearer|cookie"
    r"|auth(?!or(?!iz))"  # auth, oauth, authorization; but not author, authority
    r"|session(?:id|key)$|(?:api|access|account|client|encryption|master|private|signing|ssh)keys?$"
)
_NOT_THE_SECRET = frozenset({"file", "path", "dir", "url", "type", "mode"})  # --token-file names where, not what
_NEGATIONS = frozenset({"no", "disable", "without"})
_HEADER_NAME = re.compile(r"(?:authorization|cookie|key|password|secret|token)$", re.IGNORECASE)
_HARMLESS_HEADERS = frozenset({"accept", "accept-language", "content-type", "mcp-protocol-version", "user-agent"})

# --- the grammar of arguments -----------------------------------------------------------------------------------------
_FLAG = re.compile(r"-{1,2}[A-Za-z][\w.-]*")
_SHORT_OR_LONG_FLAG = re.compile(r"-[A-Za-z]|--[A-Za-z][\w-]*(?:=.*)?", re.DOTALL)
_SHELL_FLAGS = frozenset({"-c", "-lc", "-ec", "/c", "/C", "-Command"})  # the next argument is a command line of its own
_HEADER_FLAGS = frozenset({"-H", "--header"})
_LOGIN_FLAGS = frozenset({"-u", "--user", "--proxy-user"})
_LOGIN = re.compile(r"(?!\d+:\d+$)([^:/]*:)(?!//)(.+)", re.DOTALL)  # user:password; but not the uid:gid of a container
_NAMED = re.compile(
    r"(?<![\w/.@$-])(?<!\$\{)"
    r"(?:(?P<flag>-{1,2}[A-Za-z][\w-]*)\s+(?=[^-=\s])|(?P<name>[\w.-]+)(?P<joint>[\"']?\s*[=:]\s*))"
)
_WORD_VALUE = re.compile(r"[^\s\"';&]*")
_FIELD_VALUE = re.compile(r"[^\"';&]*")
_LINE_VALUE = re.compile(r"[^\"']*")
_QUOTED_VALUE = {quote: re.compile(rf"{quote}(?:\\.|[^{quote}\\])*", re.DOTALL) for quote in "\"'"}
_REFERENCE = re.compile(r"(\$\{\w+(?::-[^}]*)?\})")
_DEFAULT = re.compile(r":-[^}]+\}$")
_SCHEME = re.compile(r"\s*(?:Bearer|Basic)\s+")
_CREDENTIALS = re.compile(r"\b((?i:bearer)\s+|Basic\s+(?=\S*[A-Z0-9=]))([^\s\"']+)")
_WORD = r"[^\s\"'`,;:|&?#<>(){}\[\]=@]+"
_DIGEST = r"sha256:[0-9a-f]{64}(?![0-9a-f])"
_TOKEN = re.compile(
    r"(?P<url>[A-Za-z][\w+.-]*://(?:\$\{[^}]*\}|[^\s\"'{}])+)"
    r"|\$\{(?P<variable>\w+)(?::-(?P<default>[^}]*))?\}"
    rf"|{_DIGEST}|(?P<word>{_WORD})"
)

# --- values that give themselves away ---------------------------------------------------------------------------------
_KNOWN = re.compile(
    r"(?:^|/)(?:sk-\w|(?:sk|rk|pk)_(?:live|test)_\w|gh[opsur]_\w|github_pat_\w|glpat-\w|xox[a-z]-\w|xapp-\d"
    r"|(?:AKIA|ASIA)[0-9A-Z]{8}|eyJ[\w-]{6}|npm_[A-Za-z0-9]{8}|pypi-AgE|hf_[A-Za-z0-9]{16}|AIza[\w-]{20}|ya29\.\w"
    r"|shp[a-z]{2}_\w|dop_v1_\w|lin_api_\w|ntn_\w|figd_\w|SG\.\w)"
)
_PRIVATE_KEY = "PRIVATE KEY-----"
_PATH = re.compile(r"(?:~|\.{1,2})?[/\\](?!.*\+)")
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_FORTY = re.compile(r"[A-Za-z0-9+/]{40}")  # the secret half of an AWS key has no prefix
_UNIT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_LONG = 20
_SHORT_UNIT, _SHORT_UNIT_WITH_DIGITS = 2.5, 3.5  # average length; names of packages and programs lie well above

# --- the grammar of addresses -----------------------------------------------------------------------------------------
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][\w+.-]*:)?(?://(?P<authority>[^/\\?#]*))?"
    r"(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.DOTALL,
)
_HOST_AND_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|(?:\$\{[^}]*\}|[^:\[\]{}])*)(?::(?:\d*|\$\{[^}]*\}))?")


def argv(command: str | None, args: Sequence[str]) -> list[str]:
    """The command and its arguments, safe to print: of ``--token=value`` the name stays."""
    shown = [] if command is None else [_text(command, is_shell=True)]
    return shown + [_argument(before, arg) for before, arg in pairwise(["", *args])]


def url(text: str) -> str:
    """An address, safe to print: userinfo, query values, the fragment and secret-looking path segments are hidden.

    What cannot be read as an address is hidden from the doubtful place on.
    """
    part = _URL.fullmatch(text)
    if part is None:
        return REDACTED
    scheme, authority, path = part["scheme"] or "", part["authority"], part["path"]
    if authority is None and "@" in path:  # user:password@host, without the slashes
        return scheme + REDACTED
    if authority is not None:
        userinfo, at, host = authority.rpartition("@")
        if not _HOST_AND_PORT.fullmatch(host):  # a password with a slash in it looks like this
            return f"{scheme}//{REDACTED}"
        scheme += f"//{_hide(userinfo)}{at}{host}"
    shown = scheme + "/".join(map(_segment, path.split("/")))
    if part["query"] is not None:
        shown += "?" + "&".join(map(_parameter, part["query"].split("&")))
    return shown if part["fragment"] is None else f"{shown}#{_hide(part['fragment'])}"


def looks_secret(text: str) -> bool:
    """Whether some word in a text has the shape of a credential: a known prefix, or long and without structure."""
    if _PRIVATE_KEY in text:
        return True
    return any(map(_secret_word, re.findall(_WORD, re.sub(_DIGEST, "", text))))


def _argument(before: str, arg: str) -> str:
    """One argument, given the one before it."""
    is_flag = _SHORT_OR_LONG_FLAG.fullmatch(arg) and not looks_secret(arg)
    if _FLAG.fullmatch(before) and _secret_name(before) and not is_flag:
        return _hide(arg)
    if before in _HEADER_FLAGS:
        return _header(arg)
    if before in _LOGIN_FLAGS and (login := _LOGIN.fullmatch(arg)):
        return login[1] + _hide(login[2])
    return _text(arg, is_shell=before in _SHELL_FLAGS)


def _header(arg: str) -> str:
    """``Name: value``: anyone may name a header that carries a secret, so only the harmless ones stay."""
    name, colon, value = arg.partition(":")
    is_address = value.startswith("//") or value.isdigit()
    if not colon or is_address or name.strip().lower() in _HARMLESS_HEADERS:
        return _text(arg, is_shell=False)
    blank = value[: len(value) - len(value.lstrip())]
    return f"{name}:{blank}{_hide(value.lstrip())}"


def _text(text: str, *, is_shell: bool) -> str:
    """Any other argument; ``is_shell`` says that it is a command line, where a value ends at a blank."""
    return REDACTED if _PRIVATE_KEY in text else _literal(_pairs(text, is_shell=is_shell))


def _pairs(text: str, *, is_shell: bool) -> str:
    """Hide the values of ``NAME=value``, ``--flag value``, ``Name: value`` and ``"name": "value"`` with such a name."""
    shown, at = "", 0
    for named in _NAMED.finditer(text):
        if named.start() >= at and _announces(named):
            start = named.end()
            end = _value_end(text, named, is_shell=is_shell)
            start += text[start : start + 1] in _QUOTED_VALUE  # the quote itself stays
            shown += text[at:start] + _hide(text[start:end])
            at = end
    return shown + text[at:]


def _announces(named: re.Match[str]) -> bool:
    if named["flag"]:
        return _secret_name(named["flag"])
    # "image:tag" and "host:port" are no headers, whatever the image's name is
    return _secret_name(named["name"]) and (named["joint"] != ":" or bool(_HEADER_NAME.search(named["name"])))


def _value_end(text: str, named: re.Match[str], *, is_shell: bool) -> int:
    start, joint = named.end(), named["joint"] or ""
    if text[start : start + 1] in {"[", "{"}:  # a list or table of secrets: nothing says where it ends
        return len(text)
    if text[start : start + 1] in _QUOTED_VALUE:
        kind = _QUOTED_VALUE[text[start]]
    elif named["flag"] or (is_shell and "=" in joint):
        kind = _WORD_VALUE
    elif named.start() == 0:  # the whole argument is one pair
        return len(text)
    else:
        kind = _FIELD_VALUE if "=" in joint else _LINE_VALUE
    value = kind.match(text, start)
    return value.end() if value else len(text)


def _literal(text: str) -> str:
    """Hide credentials after a scheme, secrets in addresses, secret defaults of references, secret-looking words."""
    text = _CREDENTIALS.sub(lambda found: found[1] + _hide(found[2]), text)
    return _TOKEN.sub(_token, text)


def _token(found: re.Match[str]) -> str:
    if found["url"]:
        return url(found["url"])
    if found["default"]:
        default = found["default"]
        return f"${{{found['variable']}:-{_hide(default) if _secret_name(found['variable']) else _literal(default)}}}"
    return REDACTED if found["word"] and _secret_word(found["word"]) else found[0]


def _hide(value: str) -> str:
    """A secret without its text: an authentication scheme and references stay, ``Bearer ${T}`` as a whole."""
    scheme = _SCHEME.match(value)
    head = scheme[0] if scheme else ""
    literals_and_references = _REFERENCE.split(value[len(head) :])
    return head + "".join(
        _DEFAULT.sub(f":-{REDACTED}}}", piece) if number % 2 else REDACTED if piece else ""
        for number, piece in enumerate(literals_and_references)
    )


def _secret_name(name: str) -> bool:
    words = [word.lower() for word in _NAME_WORD.findall(name)]
    if not words or words[0] in _NEGATIONS or words[-1] in _NOT_THE_SECRET:
        return False
    return not _SECRET_WORDS.isdisjoint(words) or bool(_SECRET_PARTS.search("".join(words)))


def _secret_word(word: str) -> bool:
    if _KNOWN.search(word) or _UUID.fullmatch(word):
        return True
    if _PATH.match(word):  # folders may have hashes for names
        return False
    return _mixed(word) or any(_scrambled(run) for run in _RUN.findall(word))


def _scrambled(run: str) -> bool:
    """A run of letters and digits whose words, capitalised or not, and numbers are too short to mean anything."""
    return _unit_length(run) < (_SHORT_UNIT_WITH_DIGITS if re.search(r"\d", run) else _SHORT_UNIT)


def _mixed(word: str) -> bool:
    """Small and capital letters and digits in disorder, whatever stands between them; package names are in order."""
    if not all(re.search(kind, word) for kind in ("[a-z]", "[A-Z]", "[0-9]")):
        return False
    is_long = len(re.findall(r"[A-Za-z0-9]", word)) >= _LONG
    return bool(_FORTY.fullmatch(word)) or (is_long and _unit_length(word) < _SHORT_UNIT)


def _unit_length(text: str) -> float:
    units = _UNIT.findall(text)
    return sum(map(len, units)) / len(units) if units else 0.0


def _segment(segment: str) -> str:
    return REDACTED if looks_secret(segment) else _pairs(segment, is_shell=False)


def _parameter(parameter: str) -> str:
    name, equals, value = parameter.partition("=")
    return f"{_hide(name) if not equals or looks_secret(name) else name}{equals}{_hide(value)}"
