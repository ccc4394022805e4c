"""Three deterministic policy tools: seat routing, response contracts, dossier lint.

Nothing here imports another part of the package, and nothing is imported here, so that a server starts at once:

    seats      a role's tier and cost, and whether a budget admits it
    contracts  an agent's response against anchor, schema, forbidden claims and citations
    dossier    URLs made canonical, duplicates, the lint of a Markdown dossier
    tools      the registry, and call_tool(): the one path of server, evals and Promptfoo
    resources  what the server lets a client read
    evals      the fixtures judged, and the scorecard
    sanitize   what must not be in a repository, looked for in its tree and its commits
"""
