import base64

import pytest

from mcp_assay.policy import eras, mirror
from mcp_assay.policy.wire import Refusal, Request
from policy_frames import META, STATELESS, VERSION


def request(method="tools/call", meta=META, **params):
    return Request(3, method, {**params, **({} if meta is None else {"_meta": meta})})


def headers(version=STATELESS, method="tools/call", name="t"):
    given = {"mcp-protocol-version": version, "mcp-method": method, "mcp-name": name}
    return {key: value for key, value in given.items() if value is not None}


def code(found, given):
    try:
        mirror.era(found, given)
    except Refusal as bad:
        return bad.code if bad.id == found.id else "another id"
    return None


def encoded(text):
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (headers(), None),
        (headers(name=encoded("t")), None),
        (headers(version=None), -32020),
        (headers(version="2025-11-25"), -32020),
        (headers(version="1999-01-01"), -32020),
        (headers(method=None), -32020),
        (headers(method="TOOLS/CALL"), -32020),
        (headers(method="tools/list"), -32020),
        (headers(name=None), -32020),
        (headers(name="T"), -32020),
        (headers(name="t, t"), -32020),
        (headers(name=encoded("u")), -32020),
        (headers(name="=?base64?%%%?="), -32020),
        (headers(name="=?base64?/w==?="), -32020),
    ],
)
def test_the_headers_of_a_stateless_request_say_what_its_body_says(given, expected):
    assert code(request(name="t"), given) == expected


def test_a_name_that_no_header_can_hold_is_compared_as_what_it_decodes_to():
    assert code(request(name="größe"), headers(name=encoded("größe"))) is None
    assert code(request("resources/read", uri="a:b"), headers(method="resources/read", name="a:b")) is None
    assert code(request("resources/read", uri="a:b"), headers(method="resources/read", name="a:c")) == -32020


def test_methods_without_a_name_need_no_header_for_it():
    assert code(request("tools/list"), headers(method="tools/list", name=None)) is None


def test_what_is_not_declared_is_refused_before_the_headers_are_compared():
    assert code(request(meta=None), headers(method=None)) == -32602
    assert code(request(meta={VERSION: STATELESS}), headers(method=None)) == -32602


def test_a_version_that_is_not_served_is_told_so_if_header_and_body_agree_on_it():
    assert code(request(meta={**META, VERSION: "2099-01-01"}), headers(version="2099-01-01")) == -32022


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (None, None),
        ("2025-06-18", None),
        ("2025-11-25", None),
        ("1999-01-01", -32022),
        ("2025-03-26", -32022),
        ("", -32022),
    ],
)
def test_before_that_the_version_may_be_absent_but_not_unknown(version, expected):
    given = headers(version=version, method=None, name=None)
    assert code(request(meta=None), given) == expected
    if expected is None:
        assert mirror.era(request(meta=None), given) is eras.HANDSHAKE
        mirror.check_version(given)
    else:
        with pytest.raises(Refusal):
            mirror.check_version(given)
