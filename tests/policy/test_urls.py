import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.policy import urls


@pytest.mark.parametrize(
    ("text", "canonical", "removed"),
    [
        ("HTTPS://E.Example", "https://e.example/", []),
        ("http://e.example:80/A", "http://e.example/A", []),
        ("https://e.example:443/", "https://e.example/", []),
        ("http://e.example:443/", "http://e.example:443/", []),
        ("https://e.example/#part", "https://e.example/", []),
        ("https://e.example/a/", "https://e.example/a", []),
        ("https://e.example/a///", "https://e.example/a", []),
        ("https://e.example///", "https://e.example/", []),
        ("https://e.example/a/../b/./c", "https://e.example/b/c", []),
        ("https://e.example/a?", "https://e.example/a", []),
        ("https://e.example/a?&", "https://e.example/a", []),
        ("https://e.example/a??b=1&?", "https://e.example/a??&?b=1", []),
        ("https://WWW.e.example/", "https://www.e.example/", []),
        ("https://пример.example:99/", "https://xn--e1afmkfd.example:99/", []),
        ("https://xn--e1afmkfd.example:99", "https://xn--e1afmkfd.example:99/", []),
        ("https://e.example/?b=2&a=1", "https://e.example/?a=1&b=2", []),
        ("https://e.example/?k=2&k=1&Z=%2f&a=+&e=&f", "https://e.example/?Z=%2f&a=+&e=&f&k=2&k=1", []),
        ("https://e.example/?utm_source=a&utm_=b&x=1", "https://e.example/?x=1", ["utm_source", "utm_"]),
        (
            "https://e.example/?fbclid&gclid=&mc_cid=1&mc_eid=2",
            "https://e.example/",
            ["fbclid", "gclid", "mc_cid", "mc_eid"],
        ),
        ("https://e.example/?ref=v1&ref_src=x", "https://e.example/", ["ref", "ref_src"]),
        ("https://e.example/?UTM_Medium=a&%72ef=b", "https://e.example/", ["UTM_Medium", "%72ef"]),
        (
            "https://e.example/?utm=1&autm_x=2&refs=3&ref_=4&my_ref=5",
            "https://e.example/?autm_x=2&my_ref=5&ref_=4&refs=3&utm=1",
            [],
        ),
        ("http://a.example\\@b.example/", "http://a.example/@b.example", []),
        ("http://a\t.exa\nmple/", "http://a.example/", []),
        ("http://0x7f.1/", "http://127.0.0.1/", []),
    ],
)
def test_an_address_has_one_spelling_and_what_was_removed_is_named(text, canonical, removed):
    assert urls.canonicalize(text) == (canonical, removed)
    assert urls.canonicalize(canonical) == (canonical, [])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("//e.example/x", "no absolute address"),
        ("/rel", "no absolute address"),
        ("e.example", "no absolute address"),
        ("", "no absolute address"),
        ("https://", "no absolute address"),
        ("https://e.example:99999/", "no absolute address"),
        ("https://e.example/\ud800", "no absolute address"),
        ("javascript:alert(1)", "no http or https address"),
        ("mailto:a@e.example", "no http or https address"),
        ("data:text/plain,hi", "no http or https address"),
        ("ftp://e.example/", "no http or https address"),
        ("https://joe:hunter2@e.example/", "a user name or a password"),
        ("https://joe@e.example/", "a user name or a password"),
    ],
)
def test_what_is_no_source_is_refused_without_repeating_it(text, why):
    with pytest.raises(urls.InvalidUrl, match=why) as refused:
        urls.canonicalize(text)
    assert "hunter2" not in str(refused.value)


PIECE = st.text("abZ09%2F/.?#&=+;:@é~ ", max_size=12)


@given(st.sampled_from(["http", "HTTPS"]), PIECE, PIECE)
def test_canonical_addresses_are_their_own_canonical_address(scheme, path, query):
    try:
        canonical, _ = urls.canonicalize(f"{scheme}://e.example/{path}?{query}")
    except urls.InvalidUrl:
        return
    assert urls.canonicalize(canonical) == (canonical, [])


@given(st.lists(st.sampled_from(["a=1", "b", "c=", "B=2"]), unique_by=lambda pair: pair[0], min_size=1), st.randoms())
def test_the_order_of_different_keys_does_not_matter(pairs, random):
    shuffled = random.sample(pairs, len(pairs))
    one, other = (urls.canonicalize("https://e.example/?" + "&".join(some))[0] for some in (pairs, shuffled))
    assert one == other
