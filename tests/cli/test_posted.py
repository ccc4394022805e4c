"""Questions to the user of an agent's host: answered by what they type after it was shown, and by nothing else."""

import asyncio
import io

from mcp_assay.cli.posted import Posted

YES_NO = {"yes": "", "no": ""}


class Page:
    """A page on which questions are printed, and all that was told of them."""

    def __init__(self) -> None:
        self.text = io.StringIO()
        self.told: list[str | None] = []
        self.posted = Posted(self.text, self.told.append)

    async def asks(self, printed: str, prompt: str = "> ", **words: str) -> "asyncio.Task[str]":
        self.text.write(printed)
        asked = asyncio.create_task(self.posted.line(prompt, words))
        await asyncio.sleep(0)
        return asked

    def shows(self) -> str | None:
        """As a hook hands it to the host."""
        text = self.posted.unshown()
        self.posted.shown()
        return text


def test_what_is_typed_after_the_question_was_shown_answers_it() -> None:
    async def play() -> None:
        page = Page()
        asked = await page.asks("Start notes?", "yes / no: ", **YES_NO)
        shown = page.shows()
        assert shown is not None
        assert shown.startswith("Start notes?\n\nyes / no:\n")
        assert page.posted.typed(" Yes\n") is not None
        assert await asked == " Yes\n"
        assert page.told == [shown, None]

    asyncio.run(play())


def test_what_is_typed_before_answers_nothing_and_is_told_so() -> None:
    async def play() -> None:
        page = Page()
        asked = await page.asks("Approve?")
        note = page.posted.typed("approve")
        assert note is not None
        assert "answered nothing" in note
        await asyncio.sleep(0)
        assert not asked.done()
        assert page.posted.unshown() is not None
        page.shows()
        page.posted.typed("approve")
        assert await asked == "approve"

    asyncio.run(play())


def test_a_question_is_shown_once_and_the_next_one_has_to_be_shown_again() -> None:
    async def play() -> None:
        page = Page()
        first = await page.asks("One?")
        assert page.shows()
        assert page.posted.unshown() is None
        page.posted.typed("1")
        await first
        second = await page.asks("Two?")
        note = page.posted.typed("2")
        assert note is not None
        assert "answered nothing" in note
        assert not second.done()
        text = page.shows()
        assert text is not None
        assert "One?" not in text
        second.cancel()

    asyncio.run(play())


def test_only_the_first_of_two_prompts_answers() -> None:
    async def play() -> None:
        page = Page()
        asked = await page.asks("Approve?")
        page.shows()
        assert page.posted.typed("drop S2") is not None
        assert page.posted.typed("approve") is None
        assert await asked == "drop S2"

    asyncio.run(play())


def test_nothing_is_taken_when_nothing_is_asked() -> None:
    page = Page()
    assert page.posted.typed("approve") is None
    assert page.posted.unshown() is None


def test_the_hosts_own_commands_are_no_answers_and_paths_are() -> None:
    async def play() -> None:
        page = Page()
        asked = await page.asks("Which resources?")
        page.shows()
        for command in ("/cost", "/mcp-eval --name x", "/mcp-eval:mcp-eval"):
            assert page.posted.typed(command) is None
        page.posted.typed("/tmp/scratch")
        assert await asked == "/tmp/scratch"

    asyncio.run(play())


def test_the_last_words_are_shown_once_and_answer_to_nothing() -> None:
    async def play() -> None:
        page = Page()
        closing = asyncio.create_task(page.posted.closes("Evaluation complete."))
        await asyncio.sleep(0)
        assert page.posted.typed("thanks") is None
        assert not closing.done()
        assert page.shows() == "Evaluation complete."
        await closing
        assert page.posted.unshown() is None

    asyncio.run(play())


def test_done_stands_for_an_empty_line_but_not_where_words_are_offered() -> None:
    async def play() -> None:
        page = Page()
        lines = await page.asks("One a line.")
        page.shows()
        page.posted.typed("Done")
        assert await lines == ""
        word = await page.asks("Resume?", "[resume] / restart: ", resume="", restart="")
        page.shows()
        page.posted.typed("done")
        assert await word == "done"

    asyncio.run(play())
