"""A search index over documents, with jobs that build it anew."""

from random import Random

from benchmarks.friction.goals import about, after, checking, counting, finding, missing, searching, since, working
from benchmarks.friction.parts import Collection, date, job_tools, number, text, words
from benchmarks.friction.people import DIRECTORY, PLAYGROUND, day, people
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_LANGUAGES = ["en", "de", "fr", "pl"]
_SOURCES = ["handbook", "support", "engineering", "legal"]
_TOPICS = ["retention", "billing", "sandbox", "latency", "refund", "escalation", "encryption", "holiday"]

_DOCUMENTS = Collection(
    "document",
    "documents",
    "doc_id",
    short={
        "doc_id": text("The document's identifier."),
        "title": text("One line."),
        "language": words(_LANGUAGES, "The language it is written in."),
        "source": words(_SOURCES, "Where it was found."),
        "author": text("The login of who wrote it."),
        "indexed": date("The day on which it was indexed"),
    },
    whole={"passage": text("The part that says most."), "score": number("How well it is linked.")},
    filters={
        "language": words(_LANGUAGES, "Only documents in this language."),
        "source": words(_SOURCES, "Only documents from there."),
        "author": text("Only documents by this person, by login."),
    },
    shared={"author": "login"},
    dated="indexed",
    since="indexed_since",
    items="results",
    cursor="continuation",
    cursor_param="continuation",
    limit="max_results",
)
_START, _STATUS = job_tools(
    "reindex",
    ("start_reindex", "Builds a collection's index anew; get_reindex tells how far it is."),
    ("get_reindex", "Returns the state of a reindex, at once or when it has ended (wait_seconds)."),
    {
        "collection": text("The collection, by the project's key."),
        "full": {"type": "boolean", "default": False, "description": "Whether everything is read anew."},
    },
    ["collection"],
    key="reindex_id",
)


def _world(rng: Random) -> World:
    crowd, documents = people(rng), []
    for place in range(80):
        topic = rng.choice(_TOPICS)
        documents.append(
            {
                "doc_id": f"doc-{rng.getrandbits(32):08x}",
                "title": f"{topic.capitalize()}: {rng.choice(['a guide', 'questions', 'the long story'])} ({place})",
                "language": rng.choice(_LANGUAGES),
                "source": rng.choice(_SOURCES),
                "author": rng.choice(crowd)["login"],
                "indexed": day(rng),
                "passage": f"Whoever meets {topic} for the first time asks {rng.choice(crowd)['name']}.",
                "score": round(rng.random(), 3),
            }
        )
    return {"people": crowd, "documents": documents}


SURFACE = Surface(
    "search",
    named(
        _DOCUMENTS.search_tool("search_documents", "Searches titles and passages.", over=("title", "passage")),
        _DOCUMENTS.list_tool("list_documents", "Lists what is in the index, a page at a time."),
        _DOCUMENTS.get_tool(
            "get_document", "Returns one document or several, with their best passage.", batch="doc_ids"
        ),
        _DOCUMENTS.count_tool("count_documents", "Returns how many documents match."),
        _START,
        _STATUS,
        DIRECTORY.list_tool("list_authors", "Lists who has written what is indexed, a page at a time."),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    searching("search", "document", lambda rng, _: rng.choice(_TOPICS)),
    about("search", "document", lambda rng, _: {"language": rng.choice(_LANGUAGES), "source": rng.choice(_SOURCES)}),
    about("search", "document", lambda rng, world: {"author": rng.choice(world["people"])["login"]}),
    counting("search", "document", lambda rng, _: {"language": rng.choice(_LANGUAGES)}),
    since("search", "document", lambda rng, _: {"source": rng.choice(_SOURCES)}, dated="indexed"),
    missing("search", "document", lambda rng, _: f"doc-{rng.getrandbits(32):08x}"),
    working("search", "reindex", lambda rng, _: {"collection": PLAYGROUND, "full": rng.random() < 0.5}),
    finding("search", "person", "email", "people"),
    checking("search", "document", lambda rng, _: {"language": rng.choice(_LANGUAGES)}),
    after("search", "document"),
)
