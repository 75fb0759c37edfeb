# Every target makes its own virtual environment and installs what it needs.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3

.PHONY: demo test suite check crash bench bench-reply eval-embedded eval-staged eval-numbers test-local bench-local screenshots format clean

demo: $(VENV)/core          ## judge the bundled samples of all four judges: no key, no network
	$(BIN)/python -m adjudge.demo

test: $(VENV)/dev           ## the whole test suite, beside style, types and layers
	@sh tests/servers.sh
	@$(MAKE) --no-print-directory --jobs 2 check suite

# Neighbours share what is made once for a file or a folder, and nobody idles at the end: hence `worksteal`.
suite: $(VENV)/dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(VENV)/dev          ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

crash: $(VENV)/dev          ## kill runs at every point and at any time, on both stores, with the counts
	@sh tests/servers.sh
	$(BIN)/python -m tests.crash.sweep

bench: $(VENV)/bench        ## speed, memory and crash cost beside bare clients, as ratios of one run (ARGS="--quick", "--write")
	$(BIN)/python -m bench $(ARGS)
	$(BIN)/python -m bench.statistics $(filter --write,$(ARGS))
	@sh tests/servers.sh
	$(BIN)/python -m bench.report $(filter --write,$(ARGS))

bench-reply: $(VENV)/dev    ## reading replies: speed and recovery beside json-repair and a strict parser
	$(BIN)/python -m bench.replies

eval-embedded: $(VENV)/dev  ## how far the embedded judge agrees with people, into docs/embedded-judge.md (ARGS="--only summaries")
	$(BIN)/python -m eval.embedded $(ARGS)

eval-staged: $(VENV)/dev    ## claims and questions in stages against one call, on the samples with a real model, into docs/staged.md
	$(BIN)/python -m eval.staged $(ARGS)

eval-numbers: $(VENV)/dev   ## what intervals, tests and corrections promise, simulated, and published figures (an hour)
	$(BIN)/python -m eval.intervals
	$(BIN)/python -m eval.compare_sims
	$(BIN)/python -m eval.agree_sims
	$(BIN)/python -m eval.correct_sims
	$(BIN)/python -m eval.until
	$(BIN)/python -m eval.published

test-local: $(VENV)/dev     ## a real language model in a file: does it tell subtle errors apart? (1.1 GB, minutes)
	ADJUDGE_TEST_JUDGE=1 $(BIN)/python -m pytest tests/local

bench-local: $(VENV)/dev    ## the same model on labelled texts: yes/no against digits against JSON ratings (ARGS="--items 100")
	$(BIN)/python -m eval.embedded.local $(or $(MODEL),"$$($(PYTHON) ../shared/tools/local-model judge "$$HOME/.cache/adjudge/models")") $(ARGS)

screenshots: $(VENV)/dev    ## the pictures of the documents, into docs/pictures
	@sh tests/servers.sh
	$(BIN)/python -m tests.screenshots

format: $(VENV)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "adjudge needs Python 3.11 or newer; say make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/core

$(VENV)/bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@touch $@ $(VENV)/dev $(VENV)/core

clean:
	rm -rf $(VENV) demo build dist .mypy_cache .ruff_cache .hypothesis
