# Everything starts from a clean clone with Python 3.11 or newer and make. No target needs a key.
#
#   make demo            evaluate real servers and print the findings
#   make test            all the tests that need nothing but Python, then the policy's fixtures and the sanitization
#                        gate
#   make test-clients    the same gate in front of servers from the npm registry, and others' clients and the official
#                        conformance suite against the policy server (needs Node)
#   make test-hosts      whole evaluations with the real Claude Code, its model scripted on loopback (needs Node)
#   make test-promptfoo  the policy's fixtures in Promptfoo, which judges them by itself (needs Node)
#   make check           lint, types, contracts and tests
#   make bench           figures, each against a baseline in the same run; after make peers also beside other gateways
#   make bench-critic    how often the rule critic is right, on synthetic servers with planted defects (15 minutes)
#   make soak            the long randomized runs (needs Node)

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
DEMO := .demo
FASTMCP := build/fastmcp
PEERS := build/peers
CLAUDE := @anthropic-ai/claude-code@2.1.332

.PHONY: demo test test-clients test-hosts test-promptfoo check bench bench-critic peers soak clean

test: $(VENV)/.ready
	$(BIN)/pytest -n 2 -m "not clients and not hosts and not promptfoo and not soak"
	$(BIN)/mcp-assay policy eval
	$(BIN)/mcp-assay policy sanitize

test-clients: $(VENV)/.ready $(FASTMCP)/.ready
	sh scripts/npm-servers.sh build/npm
	$(BIN)/pytest -n 2 -m clients tests/clients

test-hosts: $(VENV)/.ready
	sh scripts/npm-install.sh build/hosts $(CLAUDE)
	$(BIN)/pytest -n 2 -m hosts tests/hosts

# Without what it offers for the models of others, which is four fifths of it.
test-promptfoo: $(VENV)/.ready
	sh scripts/npm-install.sh build/promptfoo --omit=optional promptfoo@0.120.19
	$(BIN)/pytest -m promptfoo tests/evals

check: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini tests
	$(BIN)/lint-imports
	$(MAKE) test

bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks.run

bench-critic: $(VENV)/.ready
	$(BIN)/python -m benchmarks.friction.run

soak: $(VENV)/.ready
	MCP_ASSAY_KILLS=200 $(BIN)/pytest -m soak
	sh scripts/npm-install.sh build/hosts $(CLAUDE)
	MCP_ASSAY_KILLS=200 $(BIN)/pytest -n 2 -m hosts tests/hosts/test_headless_kills.py
	MCP_ASSAY_FUZZ=200000 $(BIN)/pytest -n 2 tests/core/languages/test_sql.py -k judged_a_read

demo: $(VENV)/.ready $(DEMO)/.ready
	sh examples/demo/run.sh $(DEMO) $(BIN)/mcp-assay

$(VENV)/.ready: pyproject.toml constraints.txt scripts/venv.sh
	sh scripts/venv.sh "$(PYTHON)" $(VENV) -e '.[dev]'
	touch $@

$(DEMO)/.ready: constraints.txt scripts/venv.sh examples/demo/servers.sh
	sh examples/demo/servers.sh "$(PYTHON)" $(DEMO)
	touch $@

$(FASTMCP)/.ready: constraints.txt scripts/venv.sh
	sh scripts/venv.sh "$(PYTHON)" $(FASTMCP) fastmcp
	touch $@

# What the gateway is measured beside, if it is there: make peers bench
peers: $(PEERS)/.ready

$(PEERS)/.ready: constraints.txt scripts/venv.sh
	sh scripts/venv.sh "$(PYTHON)" $(PEERS) agentguard-mcp agentbelay
	touch $@

clean:
	rm -rf $(VENV) $(DEMO) build .mypy_cache .pytest_cache .ruff_cache .hypothesis
