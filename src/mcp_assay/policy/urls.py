"""One spelling for each address, on a WHATWG URL parser: what a browser would open, not what a splitter guesses.

Only ``dossier`` imports this module, when it is first needed.
"""

from urllib.parse import unquote

import ada_url

__all__ = ["InvalidUrl", "canonicalize"]

# "`utm_*`, `fbclid`, `gclid`, `mc_cid`, `mc_eid`, `ref`, `ref_src` removed"
_TRACKING = frozenset({"fbclid", "gclid", "mc_cid", "mc_eid", "ref", "ref_src"})
_TRACKING_PREFIX = "utm_"


class InvalidUrl(Exception):
    """Not an address that can be a source. The message says why and never repeats it: it may hold a password."""


def canonicalize(text: str) -> tuple[str, list[str]]:
    """The canonical address, and the names of the parameters that were removed, as they were written.

    "lowercase scheme and host, default ports removed, fragment removed, [tracking] removed, query keys sorted, trailing
    slash removed from non-root paths. Hosts are not rewritten". Raises InvalidUrl.
    """
    try:
        url = ada_url.URL(text)
    except ValueError:
        raise InvalidUrl("no absolute address; write it in full, with http:// or https://") from None
    if url.protocol not in ("http:", "https:"):
        raise InvalidUrl("no http or https address; cite a page that a reader can open")
    if url.username or url.password:
        raise InvalidUrl("an address with a user name or a password; remove what stands before the @")
    url.hash = ""
    kept, removed = _query(url.search.removeprefix("?"))
    url.search = f"?{kept}" if kept else ""  # the parser takes one question mark off, which may be the key's own
    # All of them, since an address that still ends in a slash would not be canonical.
    url.pathname = url.pathname.rstrip("/") or "/"
    return url.href, removed


def _query(query: str) -> tuple[str, list[str]]:
    """The sorted query and the names removed from it. Each pair keeps its text, equal keys their order."""
    pairs = [pair for pair in query.split("&") if pair]
    kept = [pair for pair in pairs if not _is_tracking(_key(pair))]
    return "&".join(sorted(kept, key=_key)), [_key(pair) for pair in pairs if _is_tracking(_key(pair))]


def _key(pair: str) -> str:
    return pair.partition("=")[0]


def _is_tracking(key: str) -> bool:
    """Whatever the letter case and however it is escaped: both say the same to the site that counts."""
    name = unquote(key).lower()
    return name in _TRACKING or name.startswith(_TRACKING_PREFIX)
