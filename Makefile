# Every task of the project. `make` alone lists them.
#
#   PYTHON=python3.12   the interpreter for a new environment (default: the newest that is at least 3.11)
#   ARGS="..."          passed on by serve, bench, lock and release
#   PYTEST_ARGS="..."   passed on by test, fuzz and coverage
#   SYSTEM_PACKAGES=no  install nothing outside of .venv, also as root

MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
.DEFAULT_GOAL := help
# The checks run in their order and one at a time: the tests last, so that their count closes the output.
.NOTPARALLEL:
.DELETE_ON_ERROR:

VENV ?= .venv
PYTHON ?=
ARGS ?=
PYTEST_ARGS ?=
SYSTEM_PACKAGES ?= yes
export PYTHON SYSTEM_PACKAGES

BIN := $(VENV)/bin
RUN_READY := $(VENV)/.run-ready
DEV_READY := $(VENV)/.dev-ready
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -q
# Extras stay in the locks: pip takes a package that is asked for with one as another, unlocked package.
UV_COMPILE = $(BIN)/uv --no-config pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-strip-extras --no-header --no-emit-index-url --no-annotate $(ARGS)

.PHONY: help serve test browser proxies check lint types architecture format audit coverage fuzz faults bench translations screenshots docs lock wheel release clean

help: ## List the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

serve: $(RUN_READY) ## Run the tracker, its data in ./data: make serve ARGS="--port 9000"
	@$(BIN)/skerry serve $(ARGS)

# The tests start the program a hundred times: it is compiled once, even where Python is told to keep nothing.
unexport PYTHONDONTWRITEBYTECODE

# A browser or a server on a busy machine can fail a test that holds. Such a test has one more try; the summary names it.
# Where all happens in one process, nothing needs it: to ask for each test whether it was tried costs 12 ms.
RERUNS := --reruns=1 $(addprefix --rerun-exclude-path=tests/,store text web wire)
test: $(DEV_READY) browser proxies ## Run the tests: make test PYTEST_ARGS="-n0 -k slugs"
	@$(BIN)/python -m pytest $(RERUNS) -rfER $(COVERAGE) $(PYTEST_ARGS)

# Coverage takes as long again, so only these ask for it; too few covered branches fail them (fail_under in pyproject.toml).
check coverage: COVERAGE = --cov --cov-report=term

browser:
	@sh tools/chromium.sh

proxies: $(DEV_READY)
	@sh tools/proxies.sh $(VENV)

check: lint types architecture audit test ## All that must hold before a change lands, coverage included

lint: $(DEV_READY) ## Style and common mistakes
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@! grep -rnE '\bctypes\b|/proc/|\bimport _[a-z]' skerry --include='*.py' || { echo 'No private names, kernel files or ctypes'; exit 1; }

types: $(DEV_READY) ## Strict type check
	@$(BIN)/mypy

architecture: $(DEV_READY) ## Imports go down the layers only
	@$(BIN)/lint-imports --no-logo

audit: $(DEV_READY) ## Known vulnerabilities in what a server runs
	@$(BIN)/python tools/audit.py $(AUDIT_ARGS) requirements/run.txt

format: $(DEV_READY) ## Rewrite the sources in the house style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

coverage: test ## Run the tests and show which lines and branches they do not cover

fuzz: $(DEV_READY) ## Long random runs, each of SKERRY_FUZZ_SECONDS=60: parsers, searches, the whole server, and the same steps on several instances
	@$(BIN)/python -m pytest -m fuzz $(PYTEST_ARGS)

faults: $(DEV_READY) ## Killed, cut off and starved servers: minutes of real time, on a quiet machine
	@$(BIN)/python -m pytest -m faults -n0 $(PYTEST_ARGS)

bench: $(DEV_READY) ## Measure: make bench ARGS="..."
	@$(BIN)/python -m bench $(ARGS)

translations: $(DEV_READY) ## Bring the catalogues of the site up to date with what it says
	@$(BIN)/python tools/translations.py

screenshots: $(DEV_READY) browser ## Take the pictures of the site in docs/screenshots anew
	@$(BIN)/python -m tests.support.screenshots
	@$(BIN)/python -m tests.support.mail_screenshots

docs: $(DEV_READY) ## Build the documentation site into build/docs
	@$(BIN)/sphinx-build -q -E -W --keep-going -c docs . build/docs

lock: $(DEV_READY) ## Remake requirements/*.txt from pyproject.toml; ARGS=--upgrade takes newer versions
	@$(UV_COMPILE) pyproject.toml --all-extras --group dev -o requirements/dev.txt
	@$(UV_COMPILE) pyproject.toml --extra import --extra postgres -c requirements/dev.txt -o requirements/run.txt
	@$(UV_COMPILE) --group build -c requirements/dev.txt -o requirements/build.txt
	@! grep -n '://' requirements/*.txt || { echo 'A lock must not name a place to fetch from'; exit 1; }

wheel: $(RUN_READY) ## Build the wheel into dist/
	@$(BIN)/python -m hatchling build -t wheel

release: $(DEV_READY) ## Make the files of a release in dist/ and try them: make release ARGS="--tag v0.1.0"
	@$(BIN)/python tools/release.py $(ARGS)

clean: ## Remove what tools left behind; the environment and the data stay
	rm -rf dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov
	find skerry tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} +

# --- The environment: what a server needs first, the tools of development on top -------------------

# Only one make at a time installs; whoever waited looks again whether there is anything left to do.
ifndef LOCKED
$(RUN_READY): requirements/build.txt requirements/run.txt pyproject.toml
$(DEV_READY): requirements/dev.txt $(RUN_READY)
$(RUN_READY) $(DEV_READY):
	@sh tools/locked.sh $(VENV).lock $(MAKE) -s LOCKED=yes $@
else

$(BIN)/python:
	@sh tools/venv.sh $(VENV)

$(RUN_READY): requirements/build.txt requirements/run.txt pyproject.toml | $(BIN)/python
	@echo "Installing what a server needs into $(VENV)"
	@$(PIP_INSTALL) --require-hashes -r requirements/build.txt -r requirements/run.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(DEV_READY): requirements/dev.txt $(RUN_READY)
	@echo "Installing the tools of development into $(VENV)"
	@$(PIP_INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@
endif
