"""What the last word of an argument's name says about it: the one list that the sandbox goes by.

Each word belongs to a kind, and the kind has a reason:

* ``ADDRESSING`` says *where* a call acts, or on whom: places, people, things that are part of no place. Always held.
* ``BY_NAME_OR_ID`` is content by itself (``page`` counts, ``document`` is a text); ``page_id`` addresses.
* ``WITHIN`` are parts. A part stays in the place that it is part of (a branch in a repository, a message in a channel):
  such a place holds it, if it is covered in the same call; without one the part must be covered itself.
* ``QUERIES`` and ``COMMANDS`` are statements: they say themselves what they act on. A query that names no
  other database stays in its own; nothing holds a command.
* ``NAMING`` names what the call acts on only if nothing else in the call does.
* ``CONTENT`` is what is written; it never satisfies the sandbox. ``message_id`` identifies nevertheless.
* ``OPTIONS`` say how, not where: ``color_id`` chooses a colour, ``request_id`` is the caller's own.

A word in no list is taken for content. But whatever ends in an identifier (``…_id``, ``…_key``, ``…_uuid``) and is no
option identifies a thing: it addresses, whatever the thing may be.
"""

from collections.abc import Mapping

from mcp_assay.core.words import word_set

__all__ = [
    "ADDRESSING",
    "BY_NAME_OR_ID",
    "COMMANDS",
    "CONTENT",
    "GLOBAL_IDS",
    "IDENTIFYING",
    "NAMING",
    "NARROWING",
    "NO_IDS",
    "OPTIONS",
    "PATHS",
    "QUERIES",
    "WITHIN",
]


_PLACES = word_set(
    """account address alias app application area audience blog board bucket calendar callback catalog chain channel
    chat cluster collection connection container conversation cwd dag database dataset datasource db dest
    destination device dir directory dirname dirpath disk domain drive droplet endpoint env environment exchange
    file filename filepath firewall folder from gateway gist graph group guild host hostname inbox index instance ip
    keyspace kubeconfig ledger machine mailbox namespace network newsletter node org organisation organization
    origin output parent path pathname phone pipeline playlist pod pool portfolio profile project publication queue
    realm registry remote repo repository room root runner scene schema server service shop site source space
    spreadsheet store stream subnet table target team tenant to topic uri url vault vhost vm volume vpc wallet
    warehouse watchlist webhook wiki with workbook workdir workspace worktree"""
)
_PEOPLE = word_set(
    """applicant approver assignee attendee bcc candidate cc collaborator contact customer email employee follower
    invitee member mention owner participant patient peer people person principal receiver recipient reviewer sender
    student subscriber user username watcher"""
)
_THINGS = word_set(
    """appointment asset backup booking campaign cart certificate charge deal dispute entity epic incident intent
    invoice issue monitor number opportunity package payout pid process pull reservation sandbox session shipment
    sku sprint subscription symbol thread ticker ticket timesheet"""
)
ADDRESSING = _PLACES | _PEOPLE | _THINGS

BY_NAME_OR_ID = word_set(
    """alert automation base cloud company component constraint dashboard deployment doc document enum flow form
    function job list notebook page policy presentation property role rule script secret template trigger
    variable workflow"""
)

IDENTIFYING = word_set("id ids key keys slug slugs uuid uuids uid uids gid guid jid udid arn arns identifier handle")
"""Last words that make an identifier of the word before them; alone, they identify what the tool acts on."""

PATHS = word_set("path file folder directory dir filename filepath pathname dirname dirpath")

_FOLDERS = "folder directory dir root cwd workdir worktree workspace vault"
_REPOSITORIES = "repo repository project " + _FOLDERS
_DOCUMENTS = "spreadsheet workbook document doc presentation form notebook page file filename filepath path"
_DATABASES = "database db base table collection index keyspace bucket scope dataset schema catalog warehouse"
_PARTS = (
    (" ".join(PATHS), _REPOSITORIES + " bucket"),
    ("key object prefix", "bucket"),
    (
        """artifact base branch check comment commit component deployment head issue job label milestone number pull ref
        release review revision run sha tag workflow""",
        _REPOSITORIES + " path",
    ),
    ("message post reaction reply thread ts", "channel chat conversation mailbox room space thread"),
    ("event", "calendar"),
    (
        """block bookmark cell chart comment element footnote heading image node object paragraph permission revision
        section segment sheet slicer slide suggestion tab worksheet""",
        _DOCUMENTS,
    ),
    ("column field point record row vector view", _DATABASES + " board list project spreadsheet workbook"),
    ("constraint enum function trigger", _DATABASES + " connection"),
    ("document", "bucket collection database db index scope"),
    ("instance job run task", "dag pipeline workflow"),
    ("card item label pulse section task", "board list"),
    ("attachment comment label link subtask worklog", "card event issue item message page record task ticket"),
)


def _parents() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for parts, wholes in _PARTS:
        for part in parts.split():
            found[part] = found.get(part, frozenset()) | word_set(wholes)
    return found


QUERIES = word_set("sql query statement cypher mutation gql graphql soql")
COMMANDS = word_set("cmd code command function javascript script")

WITHIN = {
    **_parents(),
    **dict.fromkeys(
        QUERIES,
        word_set(
            "bucket collection connection database datasource db endpoint file filepath index path project warehouse"
        ),
    ),
}
"""Part → the kinds of place that hold it."""

GLOBAL_IDS = PATHS | word_set("base head issue pull")
"""Parts whose numbers and names are their container's own, but whose ids are the whole service's: no container holds
``issue_id``, which may be any repository's."""

NO_IDS = word_set("project workspace vault root") | word_set("folder directory dir")
"""Places that hold names and numbers but no ids: a project's milestone is its third one, but the ids of most services
that speak of projects are the whole service's."""

NARROWING = word_set("collection schema table view")
"""Where an entry is labelled so, the user meant that much of a database, and no statement lies within it."""

NAMING = word_set(
    """condition cql criteria filter hash jql label name pattern regex scope selector tag version where wildcard"""
)

CONTENT = word_set(
    """answer artifact attachment block body caption card cell chart check column comment content contents data
    description document element event field footnote heading html image instruction item job link markdown message
    note object observation paragraph permission point post prompt question reaction record reply result review row
    run section slide subject suggestion summary task text title update value vector view"""
)

OPTIONS = word_set(
    """change client color colour correlation cost currency deduplication display emoji family first font format
    given icon idempotency kind language last layout license locale middle mime mode nick nonce option
    priority reason request severity solution state status style theme timezone trace transition type tz unit
    visibility"""
)
