# Everything a clone needs: `make demo`, `make up`, `make test`, `make lint`, `make bench`.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=
# Twice quiet: warnings about mirrors help nobody, errors still show.
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
# The parallel tests use every core; the timing tests come after them, alone.
PYTEST := $(BIN)/python -m pytest -q

.PHONY: demo up test lint bench setup setup-triton clean

demo: setup
	@$(BIN)/kernelcup demo $(ARGS)

up: setup
	@$(BIN)/kernelcup up $(ARGS)

test: setup setup-triton
	$(PYTEST) -n auto -m "not timing" $(ARGS)
	$(PYTEST) -m timing $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	docker/check-compose

bench: setup
	$(BIN)/python benchmarks/verdict_latency.py --quick
	$(BIN)/python benchmarks/aa_noise.py --quick

setup: $(VENV)/.stamp
setup-triton: $(VENV)/.stamp-triton

$(VENV)/.stamp: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it with PYTHON=" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing KernelCup and its dependencies into $(VENV) (once; PyTorch is most of it)"
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@

# A gigabyte, and only the tests of Triton kernels need it.
$(VENV)/.stamp-triton: $(VENV)/.stamp
	@$(PIP) install -c constraints.txt -e '.[triton]'
	@touch $@

clean:
	rm -rf $(VENV) .kernelcup build dist *.egg-info
