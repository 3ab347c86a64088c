# Needs git, make and Python 3.11 or later. Everything else goes into .venv.

PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
READY   := $(VENV)/.ready
PIP     := -m pip --disable-pip-version-check -qq
SEEDS   ?= 0 20000

.DEFAULT_GOAL := help
.PHONY: help demo test bench fuzz wheel format lock clean

help:
	@echo 'make demo     check the deployed policies of spec/policies'
	@echo 'make test     formatting, lint, types, import directions, tests'
	@echo 'make bench    the benchmarks of tests/benchmarks'
	@echo 'make fuzz     drawn policies, proofs beside cases (SEEDS="0 20000")'
	@echo 'make wheel    build the wheel, install it elsewhere, use it there'
	@echo 'make format   format the code'
	@echo 'make lock     pin the newest versions that pyproject.toml admits'

demo: $(READY)
	@$(BIN)/selfedit check spec/policies

test: $(READY)
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/ruff check --quiet
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/pytest -q -n auto --dist worksteal

bench: $(READY)
	@$(BIN)/python -m tests.benchmarks

fuzz: $(READY)
	@$(BIN)/python -m tests.fuzz --seeds $(SEEDS)

wheel: $(READY)
	@$(BIN)/pytest -m network tests/test_packaging.py

format: $(READY)
	@$(BIN)/ruff check --quiet --fix
	@$(BIN)/ruff format

lock:
	@rm -rf build/lock && $(PYTHON) -m venv build/lock
	@build/lock/bin/python $(PIP) install -e '.[dev]'
	@{ head -n 1 .ci/constraints.txt; build/lock/bin/python $(PIP) freeze --exclude-editable; } > build/constraints.txt
	@mv build/constraints.txt .ci/constraints.txt
	@rm -rf build/lock

clean:
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): pyproject.toml .ci/constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP) install -c .ci/constraints.txt -e '.[dev]'
	@touch $@
