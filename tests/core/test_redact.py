import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.redact import REDACTED, argv, looks_secret, url

X = REDACTED
HEX = "3f9a61c07be24d5890aa41f6d2c7e8b1"
BASE62 = "xK9f2Lq8Zm4TpR7waB3dQ5vN"
SECRETS = [
    "sk-abc",
    "sk-abcdefgh",
    "sk-proj-A1b2C3d4",
    "sk_live_4eC39Hq",
    "ghp_x",
    "gho_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG",
    "glpat-abc-def",
    "xoxb-1234-abcd",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig",
    "npm_abcdefghijkl",
    HEX,
    BASE62,
    "xK9f-2Lq8-Zm4T-pR7w-aB3d",
    "2b8e7c1f-41aa-4d0e-9c2d-7f0a1b2c3d4e",
    "bZkQ3rTnYvWm/L8NDHEG/cQySgjDZFOBNQMFLFZ9",
]
PLAIN = [
    "npx",
    "-y",
    "--yes",
    "@scope/pkg@1.2.3",
    "@modelcontextprotocol/server-filesystem@2025.8.21",
    "@scope/pkg@1.2.3-beta.4.5.6",
    "mcp-server-git",
    "mcp_server_git",
    "modelcontextprotocol-server-sequential-thinking",
    "aws-s3-mcp-server-v2",
    "disk-usage-server",
    "task-runner-tool",
    "pypi-query-mcp-server",
    "npm_config_registry",
    "getMyMcpToolById",
    "ghcr.io/example/tracker-mcp-server:v1.2",
    f"image@sha256:{HEX}{HEX}",
    "git+https://example.com/x/y@v1.2",
    "/home/u/projects/app",
    f"/store/{HEX}-node-22/bin/node",
    "./dist/index.js",
    "~/.config/tool/config.json",
    r"C:\Users\Jo\AppData\Local\tool.exe",
    "--port",
    "3000",
    "localhost:3000",
    "127.0.0.1",
    "--transport=stdio",
    "--author",
    "--max-tokens=4096",
    "--keyboard=us",
    "--path=/srv",
    "--pattern=*.md",
    "--token-file=/run/token",
    "GITHUB_TOKEN",
    "LOG_LEVEL=debug",
    "20250821T101500Z",
    "auth-server:latest",
    "a sentence with several plain words",
    "",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_credentials_are_known_by_their_shape(secret: str) -> None:
    assert looks_secret(secret)
    assert looks_secret(f"say {secret} now")
    assert argv("run", [secret]) == ["run", X]


@pytest.mark.parametrize("plain", PLAIN)
def test_ordinary_arguments_stay_visible(plain: str) -> None:
    assert argv(None, [plain]) == [plain]


@pytest.mark.parametrize("plain", [item for item in PLAIN if "sha256:" not in item])
def test_ordinary_words_do_not_look_secret(plain: str) -> None:
    assert not looks_secret(plain)


@pytest.mark.parametrize(
    "flag",
    [
        "--token",
        "--api-key",
        "--apiKey",
        "--apikey",
        "-token",
        "--secret",
        "--client-secret",
        "--password",
        "--passwd",
        "--db-pass",
        "--auth",
        "--oauth",
        "--authorization",
        "--credentials",
        "--cred",
        "--bearer",
        "--pat",
        "--github_pat",
        "--access-token",
        "--ACCESS_KEY",
        "--cookie",
    ],
)
def test_the_value_of_a_flag_that_names_a_secret_is_hidden(flag: str) -> None:
    assert argv("run", [flag, "hunter2", "next"]) == ["run", flag, X, "next"]
    assert argv("run", [f"{flag}=hunter2", "next"]) == ["run", f"{flag}={X}", "next"]
    assert argv("sh", ["-c", f"run {flag} hunter2 next"]) == ["sh", "-c", f"run {flag} {X} next"]


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        (["--auth", "--verbose"], ["--auth", "--verbose"]),  # a flag without a value
        (["--auth", "-v"], ["--auth", "-v"]),
        (["--token", "-Ab1x"], ["--token", X]),  # a value may begin with a dash
        (["--token", f"--{BASE62}"], ["--token", X]),
        (["--no-auth", "pkg"], ["--no-auth", "pkg"]),
        (["--token-file", "/run/token"], ["--token-file", "/run/token"]),
        (["--auth-type", "basic"], ["--auth-type", "basic"]),
        (["--auth-url", "https://u:p@h/x"], ["--auth-url", f"https://{X}@h/x"]),
        (["--token"], ["--token"]),
        (["--token="], ["--token="]),
        (["--password", "two words"], ["--password", X]),
        (["--password=two words"], [f"--password={X}"]),
    ],
)
def test_where_a_flags_value_begins_and_ends(args: list[str], shown: list[str]) -> None:
    assert argv(None, args) == shown


@pytest.mark.parametrize(
    ("arg", "shown"),
    [
        ("API_TOKEN=abc", f"API_TOKEN={X}"),
        ("DB_PASSWORD=a b;c", f"DB_PASSWORD={X}"),
        ("--env=API_TOKEN=abc", f"--env=API_TOKEN={X}"),
        ("DATABASE_URL=postgres://u:p@h/db", f"DATABASE_URL=postgres://{X}@h/db"),
        ("Server=db;Password=p w;Pool=5", f"Server=db;Password={X};Pool=5"),
        ('{"apiKey": "a, b", "region": "eu"}', f'{{"apiKey": "{X}", "region": "eu"}}'),
        (r'{"secret": "a\"b", "n": 1}', f'{{"secret": "{X}", "n": 1}}'),
        ("Authorization: Basic abc", f"Authorization: Basic {X}"),
        ("Authorization:abc", f"Authorization:{X}"),
        ("X-Api-Key: a b c", f"X-Api-Key: {X}"),
        ("use Bearer abcdefgh here", f"use Bearer {X} here"),
        ("Bearer abc", f"Bearer {X}"),
        ('{"region": "eu", "tokens": ["a", "b"]}', f'{{"region": "eu", "tokens": {X}'),
        ('{"auth": {"any": "a"}}', f'{{"auth": {X}'),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----", X),
        (f"see {HEX}, please", f"see {X}, please"),
    ],
)
def test_secrets_inside_an_argument_are_hidden_and_the_rest_stays(arg: str, shown: str) -> None:
    assert argv(None, [arg]) == [shown]


@pytest.mark.parametrize("flag", ["-H", "--header"])
@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("Authorization: Bearer abc", f"Authorization: Bearer {X}"),
        ("authorization: abc", f"authorization: {X}"),
        ("X-Our-Thing: blue", f"X-Our-Thing: {X}"),  # any header may carry a secret
        ("X-Our-Thing:${THING}", "X-Our-Thing:${THING}"),
        ("Accept: text/plain", "Accept: text/plain"),
        ("Content-Type: application/json", "Content-Type: application/json"),
        (f"Accept: {HEX}", f"Accept: {X}"),
        ("0.0.0.0", "0.0.0.0"),  # to some programs -H is the host
        ("localhost:8080", "localhost:8080"),
        ("tcp://127.0.0.1:2375", "tcp://127.0.0.1:2375"),
    ],
)
def test_header_arguments(flag: str, header: str, shown: str) -> None:
    assert argv("curl", [flag, header]) == ["curl", flag, shown]


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        (["--token", "${TOKEN}"], ["--token", "${TOKEN}"]),
        (["--token=${TOKEN}"], ["--token=${TOKEN}"]),
        (["--token", "pre${TOKEN}"], ["--token", f"{X}${{TOKEN}}"]),
        (["--token", "${TOKEN:-abc}"], ["--token", f"${{TOKEN:-{X}}}"]),
        (["Authorization: Bearer ${T}"], ["Authorization: Bearer ${T}"]),
        (["${API_KEY:-abc}"], [f"${{API_KEY:-{X}}}"]),
        (["${ROOT:-/srv}/data"], ["${ROOT:-/srv}/data"]),
        (["${URL:-https://u:p@h/x}"], [f"${{URL:-https://{X}@h/x}}"]),
        (["https://${HOST}/mcp?key=${KEY}"], ["https://${HOST}/mcp?key=${KEY}"]),
    ],
)
def test_references_stay_visible_and_their_defaults_count_as_values(args: list[str], shown: list[str]) -> None:
    assert argv(None, args) == shown


@pytest.mark.parametrize("flag", ["-u", "--user", "--proxy-user"])
@pytest.mark.parametrize(
    ("login", "shown"),
    [
        ("user:pw", f"user:{X}"),
        ("user:1234", f"user:{X}"),
        ("user:${PW}", "user:${PW}"),
        ("1000:1000", "1000:1000"),
        ("user", "user"),
        ("https://h/x", "https://h/x"),
    ],
)
def test_login_arguments(flag: str, login: str, shown: str) -> None:
    assert argv("curl", [flag, login]) == ["curl", flag, shown]


def test_a_command_that_is_a_whole_command_line_is_read_as_one() -> None:
    assert argv("API_TOKEN=abc npx -y pkg --key k --root /srv", []) == [
        f"API_TOKEN={X} npx -y pkg --key {X} --root /srv"
    ]


def test_quoted_values_in_a_shell_command_line_are_hidden_to_their_quote() -> None:
    line = """curl -H 'X-Api-Key: a b' --data "token='c d' e" https://h/x"""
    assert argv("sh", ["-c", line])[2] == f"""curl -H 'X-Api-Key: {X}' --data "token='{X}' e" https://h/x"""


def test_no_command_is_left_out() -> None:
    assert argv(None, []) == []
    assert argv("run", []) == ["run"]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://h.example/mcp", "https://h.example/mcp"),
        ("https://h.example:8443", "https://h.example:8443"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("https://h/@scope/pkg", "https://h/@scope/pkg"),
        ("https://user:pw@h/x", f"https://{X}@h/x"),
        ("https://pw@h/x", f"https://{X}@h/x"),
        ("https://a@b@h/x", f"https://{X}@h/x"),
        ("https://user:p/w@h/x", f"https://{X}"),
        ("https://user:p?w@h/x", f"https://{X}"),
        ("user:pw@h/x", f"user:{X}"),
        ("https://h/x?a=1&b=2", f"https://h/x?a={X}&b={X}"),
        ("https://h/x?a=", "https://h/x?a="),
        ("https://h/x?pw", f"https://h/x?{X}"),
        (f"https://h/x?{HEX}=1", f"https://h/x?{X}={X}"),
        ("https://h/x#pw", f"https://h/x#{X}"),
        (f"https://h/s/{BASE62}/mcp", f"https://h/s/{X}/mcp"),
        ("https://h/bot123:sk-abcdefgh/x", f"https://h/{X}/x"),
        ("https://h/token=abc/x", f"https://h/token={X}/x"),
        ("https://${HOST}:${PORT}/mcp", "https://${HOST}:${PORT}/mcp"),
        ("https://${USER}:${PW}@h/x", f"https://${{USER}}{X}${{PW}}@h/x"),
        ("${BASE}/mcp?k=${K}", "${BASE}/mcp?k=${K}"),
        ("", ""),
    ],
)
def test_an_address_keeps_scheme_host_port_and_path(address: str, shown: str) -> None:
    assert url(address) == shown


SECRET = st.text(alphabet=string.ascii_letters + string.digits, min_size=24, max_size=48).filter(
    lambda text: re.search("[a-z]", text) and re.search("[A-Z]", text) and re.search("[0-9]", text)
)


@given(SECRET)
def test_a_value_under_a_secret_name_never_shows_wherever_it_stands(value: str) -> None:
    places = [
        ["--token", value],
        [f"--token={value}"],
        ["-e", f"API_KEY={value}"],
        ["-H", f"X-Any: {value}"],
        ["sh", "-c", f"KEY={value} run --password {value} -x"],
        [f'{{"password":"{value}"}}'],
        [f"https://{value}@h/?q={value}#{value}"],
    ]
    for args in places:
        assert value not in " ".join(argv("run", args))


@given(st.text())
def test_nothing_in_the_query_the_fragment_or_the_userinfo_survives(value: str) -> None:
    marked = f"QQQ{value}QQQ".replace("/", "").replace("\\", "").replace("?", "").replace("#", "").replace("$", "")
    quiet = marked.replace("=", "").replace("&", "")
    assert "QQQ" not in url(f"https://{marked}@h/p?a={quiet}#{marked}")


@given(st.lists(st.text()), st.text())
def test_any_text_is_shown_as_one_text_an_argument(args: list[str], address: str) -> None:
    assert len(argv("run", args)) == len(args) + 1
    assert isinstance(url(address), str)
