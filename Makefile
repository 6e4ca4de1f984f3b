# Everything runs from .venv, which `make setup` makes; the other targets call it.
# Where the interpreter is not called python3: make PYTHON=python3.12 setup

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench compiled golden fuzz mutants explore pictures published browser clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/\1\t\2/' | expand -t 12

setup: $(READY)  ## make .venv with everything, .venv/bin/amcast included

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "amcast needs Python 3.11 or newer: make PYTHON=python3.12 setup"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(READY)

demo: setup  ## three protocols over twelve AWS regions on Spark: simulate, verify, measure, one page
	$(BIN)/python -m amcast.cli.demo

test: setup  ## all tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

lint: setup  ## types, style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup  ## the speed of simulator and checker, as ratios measured in one run
	$(BIN)/amcast bench sim
	$(BIN)/amcast bench check
	$(BIN)/amcast bench lab

compiled: setup  ## the same benchmark with the simulator compiled (needs a C compiler)
	$(PYTHON) -m venv build/compiled
	build/compiled/bin/python -m pip install --quiet --disable-pip-version-check \
	  -c constraints.txt setuptools wheel mypy msgspec pyarrow rich simpy
	AMCAST_COMPILE=1 build/compiled/bin/python -m pip install --quiet \
	  --disable-pip-version-check --no-build-isolation .
	build/compiled/bin/amcast bench sim

golden: setup  ## write the golden stories again; read the difference before committing it
	$(BIN)/python -m pytest -q tests/stories --rewrite

fuzz: setup  ## a long campaign of random schedules over every protocol
	$(BIN)/amcast fuzz --protocol all --runs 20000
	$(BIN)/amcast fuzz --protocol all --faults --runs 2000

mutants: setup  ## known bugs, what catches each, and how many seeds it took
	$(BIN)/python -m tests.mutants

explore: setup  ## every schedule of small replicated groups within a bound, for some minutes
	$(BIN)/python -m tests.groups.test_explore_replicas

pictures: setup  ## draw the pictures of the overlays again, and the index of protocols
	$(BIN)/python -m pytest -q tests/overlays/test_pictures.py tests/test_docs.py --rewrite

published: setup  ## published latencies beside ours
	$(BIN)/python -m tests.scenarios.test_published_table2

browser: setup  ## open reports in Chromium, wide and narrow: nothing overlaps, nothing is fetched
	$(BIN)/python -m tests.browser

clean:
	rm -rf .venv build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
