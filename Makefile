# make board: a board on the screen and in board.png.  make test: the tests.
# Both set up .venv and, where there is no MiniZinc yet, a private copy of it.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: board test lint types docs bench clean solver

board: solver
	$(BIN)/catan-cp generate --save board.png --force

test: solver
	$(BIN)/python -m pytest -q

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

bench: solver
	$(BIN)/python -m benchmarks

solver: .venv/ready
	@$(BIN)/catan-cp doctor >/dev/null 2>&1 || $(BIN)/catan-cp doctor --install

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

clean:
	rm -rf .venv dist board.png
