# The whole interface of the checkout. `make run` and `make test` need nothing but Python 3.11+, make and a C compiler:
# each prepares .venv from the locked, hash-checked dependencies first, and is quick the second time.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.prepared
LOCKS := requirements/run.txt requirements/dev.txt
WORKSPACE := workspace

# What the table of all sets holds already, and what changes the ranking: neither is run to measure.
PARTS := $(addprefix bench/,fit.py fuzz.py page.py locomo.py memsim.py paraphrase.py tools.py peers.py)

.DEFAULT_GOAL := help
.PHONY: help env run test lint format docs skill golden bench fit fuzz crash nights hosts hosts-test lock clean

help: ## list what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

env: $(STAMP) ## prepare .venv with the `mneme` command in it

$(STAMP): $(LOCKS) pyproject.toml tools/python.sh
	@$(BIN)/python -c '' 2>/dev/null || { python=$$(tools/python.sh $(PYTHON)) && \
		echo "making $(VENV) with $$python" && "$$python" -m venv --clear $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src && PYTHONDONTWRITEBYTECODE= $(BIN)/python -m mneme.compiled
	@$(BIN)/python tools/build_model.py --if-possible
	@touch $@

run: env ## make a workspace unless there is one, and see memory at work
	@PATH="$(CURDIR)/$(BIN):$$PATH" tools/demo.sh $(WORKSPACE)

test: env ## run the tests
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest

lint: env ## check style, types, layers, the lock, and that the generated pages are fresh
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/pages.py --check
	$(BIN)/python tools/build_skill.py --check
	$(BIN)/python -m pytest tests/test_architecture.py tests/test_packaging.py

format: env ## put the sources in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: env ## write the generated pages again
	$(BIN)/python tools/pages.py

skill: env ## build the skill's one-file tool from the sources
	$(BIN)/python tools/build_skill.py

golden: env ## run the transcripts again and write what they print now, to be read as a diff
	$(BIN)/python tools/transcripts.py

bench: env ## measure; DATA=DIR is the folder of question sets, PEERS=DIR where other systems are installed
	@failed=0; for script in $(filter-out $(PARTS),$(wildcard bench/*.py)); do \
		grep -q __main__ $$script || continue; echo "$$script"; \
		data=; test -z "$(DATA)" || ! grep -q '"--data"' $$script || data="--data $(DATA)"; \
		peers=; test -z "$(PEERS)" || test $$script != bench/table.py || peers=--peers; \
		PYTHONPATH="$(PEERS)" MNEME_PEERS="$(PEERS)" $(BIN)/python $$script $$data $$peers || failed=1; \
	done; exit $$failed

fit: env ## fit the ranking to the question sets in DATA=DIR, after saying what held-out questions get
	@test -n "$(DATA)" || { echo "say where the question sets are: make fit DATA=DIR" >&2; exit 2; }
	$(BIN)/python bench/fit.py --data "$(DATA)"

fuzz: env ## run the property tests for long, on examples nobody has seen
	MNEME_CAMPAIGN=full $(BIN)/python -m pytest -m "campaign or not campaign" --ignore=tests/crash

crash: env ## kill the command at every system call it makes, and cut its power
	MNEME_CAMPAIGN=full $(BIN)/python -m pytest -m "campaign or not campaign" tests/crash

nights: ## crash at every call of every night of a season, or of NIGHTS=4-7, and dream again
	MNEME_CAMPAIGN=full MNEME_NIGHTS=$(or $(NIGHTS),0-19) $(BIN)/python -m pytest -rP \
		tests/consolidate/dream/test_year.py::test_every_night_is_idle_the_second_time_and_survives_a_crash

hosts: ## install the host programs that tests/real drives (needs npm); `make test` runs those tests where they are there
	tools/hosts.sh

hosts-test: env ## run every test that drives a host program, the slow ones too
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -m "campaign or not campaign" -rs tests/real

lock: ## choose the newest dependencies again and lock them (needs uv)
	tools/lock.sh

clean: ## remove what make made, the workspace excepted
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} +
