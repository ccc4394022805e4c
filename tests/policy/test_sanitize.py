import subprocess

import pytest

from mcp_assay.policy.faults import PolicyError
from mcp_assay.policy.sanitize import Hit, scan

IDENTITY = "Seed <seed@users.noreply.a.example>"


def git(repo, *arguments, author=IDENTITY, committer="Seed <seed@noreply.example>"):
    name, _, mail = committer.rstrip(">").partition(" <")
    command = ["git", "-C", repo, "-c", f"user.name={name}", "-c", f"user.email={mail}", *arguments]
    if arguments[0] == "commit":
        command += [f"--author={author}", "--allow-empty", "--quiet", "--no-gpg-sign"]
    subprocess.run(
        command, check=True, capture_output=True, env={"GIT_CONFIG_GLOBAL": "/dev/null", "PATH": "/usr/bin:/bin"}
    )


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "--quiet")
    return folder


def track(repo, **files):
    for name, content in files.items():
        (repo / name).write_text(content, encoding="utf-8")
        git(repo, "add", name)


def rules(repo, content):
    track(repo, note=content)
    return [hit.rule for hit in scan(repo, None)]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("mail joe.doe+x@corp.io now", "email"),
        ("<joe@corp.co.uk>", "email"),
        ("joe@example.community", "email"),
        ("call +49 30 1234567", "phone"),
        ("call +1 (212) 555-0100", "phone"),
        ("call (212) 555-0100.", "phone"),
        ("call 212-555-0100", "phone"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "key"),
        ("-----BEGIN PRIVATE KEY-----", "key"),
        ("id AKIAABCDEFGHIJKLMNOP", "key"),
        ("ghp_0123456789abcdefghij0123456789abcdef", "key"),
        ("github_pat_11ABCDEFG0123456789abc", "key"),
        ("sk-proj-0123456789abcdefghij", "key"),
        ("xoxb-0123456789-abc", "key"),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----", "key"),
        ("sk_live_0123456789abcdefghij", "key"),
        ("glpat-0123456789abcdefghij", "key"),
        ("hf_0123456789abcdefghij0123456789ab", "key"),
        ("npm_0123456789abcdefghij0123456789ab", "key"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "key"),
        ("open /home/joe/x", "local-path"),
        ("open '/Users/joe'", "local-path"),
        (r"open C:\Users\joe\x", "local-path"),
        (r"{\"path\": \"C:\\Users\\joe\"}", "local-path"),
        ("file:///home/joe", "local-path"),
        ("cd /root/.ssh", "local-path"),
    ],
)
def test_each_kind_is_found(repo, content, rule):
    assert rules(repo, content) == [rule]


@pytest.mark.parametrize(
    "content",
    [
        "a@example.com b@mail.example.org c@d.example e@f.test g@h.invalid",
        "noreply@corp.io 12+joe@users.noreply.github.com",
        "@decorator user@host @scope/package@1.2.3",
        "2026-12-01 12:30:00 and 2026-12-01T12:30:00+01:00",
        "1.234.567.8901 550e8400-e29b-41d4-a716-446655440000 192.168.100.1000",
        "f(+100, 2) and 5 + 12 and 0123456789",
        "/homework /home /home/$USER /home/<name> ~/home/x https://e.example/home/joe /rooted",
        "task-sk-1 risk-assessment-of-everything-here the AKIA prefix",
        "-----BEGIN PUBLIC KEY-----",
    ],
)
def test_what_is_like_them_is_not(repo, content):
    assert rules(repo, content) == []


def test_a_hit_tells_file_and_line_and_never_the_whole_find(repo):
    track(repo, note="one\n\nghp_0123456789abcdefghij0123456789abcdef\n")
    assert scan(repo, None) == [Hit("key", "note:3", "ghp_01…")]


def test_only_tracked_files_are_read_and_a_deleted_one_is_no_trouble(repo):
    track(repo, gone="joe@corp.io")
    (repo / "gone").unlink()
    (repo / "untracked").write_text("joe@corp.io", encoding="utf-8")
    assert scan(repo, None) == []


def test_a_link_is_read_as_the_path_it_holds(repo):
    (repo / "link").symlink_to("/home/joe/notes")
    git(repo, "add", "link")
    assert [(hit.rule, hit.where) for hit in scan(repo, None)] == [("local-path", "link:1")]


def test_bytes_that_are_no_text_are_read_all_the_same(repo):
    (repo / "blob").write_bytes(b"\x00\xff\njoe@corp.io\xfe")
    git(repo, "add", "blob")
    assert [hit.where for hit in scan(repo, None)] == ["blob:2"]


def test_author_committer_and_message_of_every_reachable_commit_are_read(repo):
    git(repo, "commit", "-m", "clean\n\nbody")
    git(repo, "checkout", "-q", "-b", "side")
    git(repo, "commit", "-m", "subject\n\nask joe@corp.io", author="Joe <joe@corp.io>", committer="Ann <ann@corp.io>")
    git(repo, "checkout", "-q", "-")
    hits = scan(repo, None)
    assert [(hit.rule, hit.where.split()[2]) for hit in hits] == [
        ("email", "author"),
        ("email", "committer"),
        ("email", "message"),
    ]
    assert all(hit.where.startswith("commit ") for hit in hits)


def test_what_the_allow_file_names_is_allowed_there_and_nowhere_else(repo):
    entry = r"email note joe@corp\.io  # the planted one" + "\n# a comment\n\n"
    track(repo, **{".sanitize-allow": entry, "note": "joe@corp.io ann@corp.io", "other": "joe@corp.io"})
    assert [(hit.where, hit.found) for hit in scan(repo, None)] == [("note:1", "ann@co…"), ("other:1", "joe@co…")]


@pytest.mark.parametrize(
    "line", ["email note joe@corp\\.io", "mail note x  # why", "email note  # why", "email note (  # why"]
)
def test_an_allowance_without_its_parts_or_a_reason_is_refused_with_its_line(repo, line):
    track(repo, **{".sanitize-allow": f"# head\n{line}\n"})
    with pytest.raises(PolicyError, match=r"\.sanitize-allow:2: "):
        scan(repo, None)


def test_private_terms_are_found_in_any_letter_case_and_never_repeated(repo, tmp_path):
    terms = tmp_path / "terms"
    terms.write_text("\ufeffNothing here\n\n  Project Falcon \n", encoding="utf-8")
    track(repo, note="a\nproject falcon, PROJECT FALCON\n")
    git(repo, "commit", "-m", "Project FALCON begins")
    hits = scan(repo, terms)
    assert [hit.where for hit in hits[:2]] == ["note:2", "note:2"]
    assert hits[2].where.endswith(" message")
    assert {(hit.rule, hit.found) for hit in hits} == {("private-term", "line 3 of the private terms")}


def test_what_cannot_be_read_is_an_error_and_not_a_clean_result(repo, tmp_path):
    with pytest.raises(PolicyError, match="the private terms cannot be read"):
        scan(repo, tmp_path / "missing")
    with pytest.raises(PolicyError, match="git ls-files failed"):
        scan(tmp_path, None)
