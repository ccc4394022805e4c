"""SQL with the contents of strings, quoted names and comments blanked, where every engine would blank the same.

Engines disagree on where a string or a comment ends: MySQL has backslash escapes, ``#`` comments and comments that it
executes, PostgreSQL has dollar quotes and comments in comments, BigQuery has triple quotes, Oracle ``q'[…]'``, SQL
Server names in brackets. A text that two of them would cut up differently has no one meaning, so it gets none here.
"""

import re

__all__ = ["mask"]

# What a comment may hold: no quote, nothing that opens, nests or ends a comment, no semicolon.
_PROSE = r"\w .,:()=<>%&?|~^\t"
_TOKEN = re.compile(
    rf"""
      (?P<code>
          [ \t\n]+
        | \w+                                    # a letter that only looks like another one is judged by the caller
        | \$(?!\w*[$(])                          # $1, but neither $$…$$ nor $tag$…$tag$ nor $(…)
        | \#(?=>)(?!.*\n)                        # JSON's #> and #>>: in MySQL a comment, to the end of the line
        | -(?!-) | /(?!\*) | [!%&()*+,.:;<=>?@^{{|}}~]
      )
    | (?P<blanked>
          --(?=[ \t\n]|\Z) [{_PROSE}!*+\-]* (?=\n|\Z)
        | /\*(?!\+) [{_PROSE}+\-\n]* \*/
        | '(?:[^'\\]|\\(?!'))*'
        | "(?:[^"\\]|\\(?!"))*"
        | `(?:[\w .:@]|-(?!-))*`
        | \[(?:[\w .,:@+*]|-(?!-)|'[^'\[\]\\\n]*')*\](?!\])
      )
    """,
    re.VERBOSE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_ALTERNATIVE_QUOTES = re.compile(r"(?:^|\W)n?q'|'''|\"\"\"", re.IGNORECASE)


def mask(text: str) -> str | None:
    """The same text, equally long, with blanks for all that is quoted (its quotes stay) and all comments.

    None if engines would cut the text up differently, or if a string or a comment has no end.
    """
    text = text.replace("\r\n", " \n")
    if _CONTROL.search(text) or _ALTERNATIVE_QUOTES.search(text):
        return None
    parts: list[str] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        parts.append(token["code"] or _blank(token["blanked"]))
        at = token.end()
    return "".join(parts)


def _blank(quoted: str) -> str:
    return " " * len(quoted) if quoted[0] in "-/" else f"{quoted[-1]}{' ' * (len(quoted) - 2)}{quoted[-1]}"
