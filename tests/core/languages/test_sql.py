"""No statement that writes passes for a read, in whatever disguise; what agents ask for does."""

import os
import random
import sqlite3
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_assay.core.languages.sql import LONGEST, why_not
from sql_texts import READS, SQLITE_WRITES, WRITES

FUZZ = int(os.environ.get("MCP_ASSAY_FUZZ", "3000"))


@pytest.mark.parametrize("text", WRITES)
def test_what_writes_or_cannot_be_told_is_no_read(text):
    assert why_not(text)


@pytest.mark.parametrize("text", READS)
def test_an_honest_read_is_one(text):
    assert why_not(text) is None


def test_no_reason_holds_a_part_of_the_text():
    for text in (*WRITES, "SELECT canary(1)", "SELECT 'CANARY", "CANARY", "DELETE FROM canary"):
        assert "canary" not in (why_not(text.replace("users", "canary")) or "").lower()


def test_a_text_is_judged_up_to_a_length():
    read = "SELECT '{}'"
    assert why_not(read.format("x" * (LONGEST - len(read) + 2))) is None
    assert why_not(read.format("x" * LONGEST)) == "too long to be judged"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "struct(" * 30 + "1" + ")" * 30,
        "SELECT " + "date(" * 8 + "a," * 200 + "1" + ")" * 8,
        "SELECT " + "abs(" * 40 + "1" + ")" * 40,
    ],
)
def test_what_a_parser_would_take_forever_for_is_no_read(text):
    assert why_not(text) == "too deep to be judged"


@settings(deadline=None)
@given(st.text(max_size=200) | st.lists(st.sampled_from([*"'\"();-/*#$\\,[]`\n", "SELECT", "a"])).map(" ".join))
def test_it_is_total_and_says_the_same_twice(text):
    first = why_not(text)
    why_not.cache_clear()
    assert why_not(text) == first


# --- disguises -------------------------------------------------------------------------------------------------------

BLANKS = st.sampled_from([" ", "\n", "\t", " /**/ ", "/* x */", " -- x\n", " /* ; */ ", "\r\n", " /*!*/ ", " --\n"])
PREFIXES = st.sampled_from(
    [
        "",
        ";",
        "SELECT 1;",
        "EXPLAIN ANALYZE ",
        "/* SELECT */",
        "-- SELECT\n",
        "(",
        "WITH a AS (SELECT 1) ",
        "SELECT 1 ",
        "/*!",
        "\ufeff",
    ]
)
SUFFIXES = st.sampled_from(["", ";", " -- SELECT", " /* */", "; SELECT 1", ")", " RETURNING *", " */"])


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_no_disguise_makes_a_write_a_read(data):
    words = data.draw(st.sampled_from([text for text in SQLITE_WRITES if text.isascii()])).split(" ")
    cased = [data.draw(st.sampled_from([str.upper, str.lower, str.title, str.swapcase]))(word) for word in words]
    text = cased[0] + "".join(data.draw(BLANKS) + word for word in cased[1:])
    assert why_not(data.draw(PREFIXES) + text + data.draw(SUFFIXES))


# --- a real database -------------------------------------------------------------------------------------------------


class Shop:
    """A real SQLite file. ``run`` executes a text as carelessly as a server might."""

    def __init__(self, path):
        self.path = path
        with sqlite3.connect(path) as made:
            made.executescript(
                """
                CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, data TEXT, created TEXT);
                CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER, total REAL, created TEXT);
                INSERT INTO users (name, data) VALUES ('Ada', '{"a": {"b": 1}}'), ('Bo', '{}');
                INSERT INTO orders (user_id, total) VALUES (1, 12.5), (2, 3);
                """
            )
        made.close()
        self.bytes = path.read_bytes()

    def run(self, text):
        """Whether SQLite took it, as a script and as a statement."""
        taken = False
        for method in ("executescript", "execute"):
            base = sqlite3.connect(self.path, isolation_level=None)
            base.set_progress_handler(lambda: 1, 200_000)
            try:
                list(getattr(base, method)(text))
                taken = True
            except (sqlite3.Error, ValueError, UnicodeError):
                pass
            finally:
                base.close()
        return taken

    @property
    def changed(self):
        return self.path.read_bytes() != self.bytes or len(list(self.path.parent.iterdir())) > 1


@pytest.fixture
def shop(tmp_path):
    return Shop(tmp_path / "shop.db")


def test_the_writes_of_the_table_do_write(shop):
    for text in ("DELETE FROM users", "PRAGMA user_version(7)", SQLITE_WRITES[5]):
        assert shop.run(text)
        assert shop.changed
        shop.path.write_bytes(shop.bytes)


def test_what_reads_leaves_a_real_database_as_it_was(shop):
    taken = sum(shop.run(text) for text in READS if why_not(text) is None)
    assert taken > 30
    assert not shop.changed


VOCABULARY = """SELECT * FROM users orders WHERE id = 1 name 'x' "y" ( ) , ; -- /* */ /*! || -> ->> $.a # \\ [ ] ` ' " 7
    DELETE UPDATE SET INSERT INTO VALUES DROP TABLE WITH a AS UNION ALL VACUUM ATTACH REPLACE CREATE ALTER PRAGMA
    user_version table_info RETURNING count(*) EXPLAIN ORDER BY LIMIT BEGIN COMMIT load_extension('x') LEFT JOIN ON IN
    EXISTS NOT NULL CASE WHEN THEN END"""


def test_whatever_of_a_soup_of_words_is_judged_a_read_leaves_a_real_database_as_it_was(shop):
    soup = random.Random(17)
    vocabulary = [*VOCABULARY.split(), "\n"]
    reads = 0
    for _ in range(FUZZ):
        if soup.random() < 0.5:
            words = soup.choices(vocabulary, k=soup.randint(1, 12))
        else:  # a known text, with a few words changed
            words = soup.choice(READS + SQLITE_WRITES).split(" ")
            for _ in range(soup.randint(1, 4)):
                at = soup.randint(0, len(words))
                words[at : at + soup.randint(0, 1)] = soup.choices(vocabulary, k=1)
        text = " ".join(words)
        if why_not(text) is None:
            reads += 1
            shop.run(text)
            assert not shop.changed, text
    assert reads > FUZZ / 50


def test_whatever_of_random_characters_is_judged_a_read_leaves_a_real_database_as_it_was(shop):
    noise = random.Random(18)
    for _ in range(FUZZ):
        text = list(noise.choice(READS + SQLITE_WRITES))
        for _ in range(noise.randint(1, 3)):
            text[noise.randrange(len(text) + 1) : 0] = noise.choice(string.printable + "\u00a0\u2028\uff07\uff1b")
        if why_not("".join(text)) is None:
            shop.run("".join(text))
            assert not shop.changed, "".join(text)
