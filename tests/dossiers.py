"""A dossier without faults, part by part, for the tests of the policy server."""


def dossier(title="# Report", summary="All is well.", findings="- It works.", sources="- [M](https://docs.example/m)"):
    """The summary is in line 5, findings in line 9, sources in line 13, if each part before is one line."""
    return f"{title}\n\n## Summary\n\n{summary}\n\n## Findings\n\n{findings}\n\n## Sources\n\n{sources}\n"
