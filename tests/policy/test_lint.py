import pytest

from dossiers import dossier
from mcp_assay.policy.lint import lint


def found(text):
    return [(violation.rule, violation.line) for violation in lint(text)]


def test_a_dossier_without_faults_has_none():
    assert lint(dossier()) == []


@pytest.mark.parametrize("title", ["\ufeff# T", "<!-- c -->\n# T", "---\ntitle: x\n---\n\n# T", "T\n===", "   # T ##"])
def test_titles(title):
    assert found(dossier(title=title)) == []


@pytest.mark.parametrize("title", ["text\n\n# T", "## T", "#T", "# ", "", "**T**", "> # T", "<h1>T</h1>"])
def test_what_is_no_title_first(title):
    assert ("title-first", 1) in found(dossier(title=title))


@pytest.mark.parametrize(
    ("text", "violations"),
    [
        (dossier().replace("## Summary", "## Abstract"), [("section-missing", 1)]),
        (dossier().replace("## Summary", "## summary"), [("section-missing", 1)]),
        (dossier().replace("## Summary", "### Summary"), [("section-missing", 1)]),
        (dossier().replace("## Findings", "> ## Findings"), [("section-missing", 1)]),
        (
            dossier()
            .replace("## Findings", "## Sum")
            .replace("## Summary", "## Findings")
            .replace("## Sum", "## Summary"),
            [("section-order", 7)],
        ),
        (dossier() + "\n## Findings\n", [("section-repeated", 15)]),
        (dossier().replace("## Findings", "## Method\n\n## Findings"), []),
        (dossier().replace("## Summary", "Summary\n--"), []),
        (dossier().replace("## Summary", "## *Summary* ##"), []),
    ],
)
def test_sections_stand_once_and_in_order(text, violations):
    assert found(text) == violations


@pytest.mark.parametrize(
    ("sources", "violations"),
    [
        ("none", [("no-source", 11)]),
        ("![i](https://e.example/i.png)", [("no-source", 11)]),
        ("[a](https://e.example)", [("link-not-canonical", 13)]),
        ("[a](https://e.example/a/)", [("link-not-canonical", 13)]),
        ("[a][r]\n\n[r]: https://e.example/a?utm_source=x", [("link-not-canonical", 13)]),
        ("<https://e.example/a>", []),
        ("- <https://e.example/a>\n- [b](https://e.example/a)", [("link-repeated", 14)]),
        ("[a](https://e.example/a) [b](https://e.example/a)", [("link-repeated", 13)]),
        ("- <https://e.example/a>\n- [b](https://e.example/a/)", [("link-not-canonical", 14), ("link-repeated", 14)]),
        ("- <https://e.example/a>\n- [b](#summary)", [("link-invalid", 14)]),
        ("- <https://e.example/a>\n- <joe@e.example>", [("link-invalid", 14)]),
        ("### Books\n\n- <https://e.example/a>\n\n### Pages\n\n- <https://e.example/a>", [("link-repeated", 19)]),
        ("- <https://e.example/a>\n\n## More\n\n- <https://e.example/a>", []),
    ],
)
def test_sources_are_links_canonical_and_cited_once(sources, violations):
    assert found(dossier(sources=sources)) == violations


def test_links_elsewhere_are_canonical_but_may_be_repeated_or_lead_into_the_document():
    here = "[a](https://docs.example/m) [b](https://docs.example/m) [c](#sources)"
    assert found(dossier(findings=here)) == []
    assert found(dossier(findings="[a](https://docs.example/m#x)")) == [("link-not-canonical", 9)]


def test_messages_say_what_to_do_and_name_what_is_removed():
    (violation,) = lint(dossier(sources="[a](https://e.example/a?ref=v1&b=1)"))
    assert violation.message == "write https://e.example/a?b=1 (without ref)"
    (violation,) = lint(dossier(sources="- <https://docs.example/m>\n- [a](https://joe:hunter2@e.example/)"))
    assert violation.message.endswith("remove what stands before the @")
    (_, violation) = lint(dossier(sources="- [a](https://docs.example/m)\n- [b](https://docs.example/m/)"))
    assert violation.message == "remove this link: https://docs.example/m is already cited in line 13"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("see https://e.example/x", 1),
        ("see HTTPS://e.example/x and ftp://e.example/", 2),
        ("see www.e.example", 1),
        ("https&#58;//e.example/", 1),
        ("https://*e*.example/", 1),
        ("[gone][z] https://e.example/z", 1),
        ("<a href='https://e.example/'>x</a>", 1),
        ("`https://e.example/x`", 0),
        ("    https://e.example/x", 0),
        ("[https://docs.example/m](https://docs.example/m)", 0),
        ("<https://docs.example/m>", 0),
        ("<!-- https://e.example/ -->", 0),
        ("the scheme https: and the mark ://", 0),
        ("awww.x", 0),
    ],
)
def test_addresses_outside_the_link_syntax(text, bare):
    assert found(dossier(findings=text)) == [("bare-url", 9)] * bare


@pytest.mark.parametrize(
    "text",
    [
        "TODO: fill",
        "(TBD)",
        "FIXME",
        "Lorem ipsum dolor",
        "LOREM",
        "<https://docs.example/m> TODO",
        "[TODO](https://docs.example/m)",
        "T*O*DO",
        "<!-- FIXME -->",
        "![TBD](i.png)",
    ],
)
def test_placeholders(text):
    assert found(dossier(findings=text)) == [("placeholder", 9)]


@pytest.mark.parametrize(
    "text",
    [
        "OTODOKE_TIME",
        "our todo list app",
        "TODOs remain",
        "Floremont",
        "[x](https://docs.example/TODO)",
        "<https://docs.example/TODO>",
        "`TODO`",
        "TODO_LIST",
        "```\nFIXME\n```",
    ],
)
def test_what_is_no_placeholder(text):
    assert found(dossier(findings=text)) == []


def test_an_empty_text_breaks_every_rule_about_what_must_be_there():
    assert found("") == [("no-source", 1)] + [("section-missing", 1)] * 3 + [("title-first", 1)]


def test_what_nests_too_deeply_is_a_violation():
    assert found(">" * 200) == [("too-deep", 1)]
