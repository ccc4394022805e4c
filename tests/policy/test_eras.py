import json

import pytest

from mcp_assay.policy import eras
from mcp_assay.policy.wire import Refusal, Request
from policy_frames import CAPABILITIES, META, STATELESS, VERSION


def request(meta=None, method="tools/list"):
    return Request(4, method, {} if meta is None else {"_meta": meta})


@pytest.mark.parametrize(
    ("meta", "version"),
    [
        (None, None),
        ({}, None),
        ({"progressToken": 1}, None),
        ("text", None),
        (META, STATELESS),
        ({**META, VERSION: "1999-01-01"}, "1999-01-01"),
        ({**META, "io.modelcontextprotocol/clientInfo": {"name": "n", "version": "1"}}, STATELESS),
    ],
)
def test_a_request_declares_its_version_in_its_meta_or_not_at_all(meta, version):
    assert eras.declared(request(meta)) == version


@pytest.mark.parametrize(
    "meta", [{VERSION: STATELESS}, {CAPABILITIES: {}}, {**META, VERSION: 20260728}, {**META, CAPABILITIES: []}]
)
def test_a_part_of_what_must_be_declared_is_not_enough(meta):
    with pytest.raises(Refusal) as caught:
        eras.declared(request(meta))
    assert (caught.value.code, caught.value.id) == (-32602, 4)
    assert VERSION in caught.value.message


def test_discovery_is_only_for_those_who_declare_a_version():
    with pytest.raises(Refusal) as caught:
        eras.declared(request(method="server/discover"))
    assert caught.value.code == -32602


def test_a_version_has_an_era_or_is_refused_with_those_that_have():
    assert eras.served(STATELESS, 1) is eras.STATELESS
    assert all(eras.served(version, 1) is eras.HANDSHAKE for version in (None, "2025-06-18", "2025-11-25"))
    for version in ("2025-03-26", "2027-01-01", "", "2026-07-28 "):
        with pytest.raises(Refusal) as caught:
            eras.served(version, 9)
        assert (caught.value.code, caught.value.id) == (-32022, 9)
        assert caught.value.data == {"supported": ["2026-07-28", "2025-11-25", "2025-06-18"], "requested": version}


@pytest.mark.parametrize(
    ("wanted", "agreed"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),  # has no handshake to agree on it in
        ("", "2025-11-25"),
    ],
)
def test_initialize_agrees_on_the_wanted_version_or_offers_its_own(wanted, agreed):
    assert eras.negotiated(wanted) == agreed


def test_results_of_the_handshake_era_stay_as_they_are_and_those_of_the_next_say_more():
    assert eras.HANDSHAKE.finished("tools/list", b'{"tools":[]}') == b'{"tools":[]}'
    later = json.loads(eras.STATELESS.finished("tools/list", b'{"tools":[]}'))
    assert (later["tools"], later["resultType"], later["cacheScope"]) == ([], "complete", "public")
    assert later["ttlMs"] > 0
    assert later["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "agent-eval-policy"
    assert json.loads(eras.STATELESS.finished("resources/read", b'{"contents":[]}'))["ttlMs"] == 0
    assert b"ttlMs" not in eras.STATELESS.finished("tools/call", b'{"content":[]}')
