# make board: a board on the screen and in board.png.  make check: what to run before each commit, in half a minute.
# make test: all tests of the package but a few long ones, which make slow runs.  make check-all: the rest of the
# repository: pages, notebooks, examples, builds, workflows. Each sets up .venv (all but make board with what
# developers need) and, where there is no MiniZinc yet, a private copy of it: native, or as WebAssembly anywhere.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: board check check-all test times slow agree mutants coverage lint types docs release bench fuzz page page-test page-agree models api solver clean

board: .venv/installed
	@$(SOLVER) || echo "No solver was installed. This board needs none."
	@$(BIN)/catan-cp generate --rules tournament --save board.png --force
	@echo
	@echo "Your board is in board.png. To go on:"
	@echo "    source $(BIN)/activate      # puts catan-cp on your path, in this terminal"
	@echo "    catan-cp --help                # (without activating: $(BIN)/catan-cp --help)"
	@echo "To install it for good, for you alone: pipx install .    (or: pip install . in any environment)"

# Before each commit: style, types, and the quick tests, in half a minute on two cores.
check: solver
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -n 2 -m "not slow and not solver" $(QUICK)

# What shows a slip soonest: nouns, names, imports, what the shell completes.
QUICK := tests/boards tests/house/test_package.py tests/cli/test_commands.py

# A third process works while tests wait for a solver or a time limit. An idle process takes tests from a busy one.
SPREAD := -n 3 --dist worksteal
# A test that never ends fails by name, and the others go on.
LIMIT := --timeout 600
TIMES = --junitxml=build/times/$@.xml
test: solver
	$(BIN)/python -m pytest -q $(SPREAD) $(LIMIT) $(TIMES) -m "not slow"

# Pages, notebooks, examples, public names, builds, workflows, and what no file may contain.
check-all: solver
	$(BIN)/python -m pytest -q $(SPREAD) $(LIMIT) $(TIMES) -m "not slow" checks

# The slowest files of the last make test and make check-all. A file above 30 s of a core is an error.
times: .venv/ready
	$(BIN)/python tools/durations.py $(wildcard build/times/*.xml)

# Ten thousand drafts, the published search tree, installs that are killed.
slow: solver
	$(BIN)/python -m pytest -q $(SPREAD) -m slow tests checks

# Two thousand random problems: counts, lists, checks and samples against a list of all boards. Ctrl-C stops it, and the
# same command goes on.
agree: solver
	$(BIN)/python -m tests.agreement.comparison

# Whether the tests notice changes of the package: the chosen ones, and random ones whose failing tests are stored.
mutants: solver
	$(BIN)/python -m tests.mutation

# Which lines of the package no test reaches; docs/trust.md says why.
coverage: solver
	$(BIN)/python -m pytest -q $(SPREAD) --cov --cov-report=term tests checks

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

# The pages, with warnings as errors.
docs: .venv/ready
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

# All that a release uploads, built twice and installed from a folder by pip, pipx and uv; tools/RELEASING.md has the steps.
release: BIN := .venv-release/bin
release: .venv-release/ready
	@$(SOLVER)
	$(BIN)/python -m tools.release

bench: solver
	$(BIN)/python -m benchmarks

solver: .venv/ready
	@$(SOLVER)

SOLVER = $(BIN)/catan-cp doctor >/dev/null 2>&1 || $(BIN)/catan-cp doctor --install

.venv/installed: pyproject.toml
	@echo "setting up .venv, which takes a minute or two the first time"
	$(BIN)/python --version 2>/dev/null || $(PYTHON) -m venv --clear .venv  # never mix two versions of Python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/ready: .venv/installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

.venv-release/ready: pyproject.toml
	$(PYTHON) -m venv --clear .venv-release
	.venv-release/bin/python -m pip install --quiet --editable '.[release]'
	@touch $@

# The public names and signatures that checks/api.txt promises, after a change that CHANGELOG.md announces.
api: .venv/ready
	$(BIN)/python -m checks.test_release

# What is written from declarations of rules, and the fingerprints of the models: after an edit of either that stays.
models: .venv/ready
	$(BIN)/python docs/tools/rules.py
	$(BIN)/python docs/tools/models.py

SECONDS ?= 60
fuzz: .venv/fuzz
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

.venv/fuzz: .venv/ready
	$(BIN)/python -m pip install --quiet --only-binary atheris --editable '.[fuzz]'
	@touch $@

# The web page that runs the models in the browser, in page/dist. It wants Node 20 and npm. It is made anew where a
# file that it is made of has changed.
page: page/dist/sw.js

PARTS := models layouts page/src page/public page/languages page/licences
page/dist/sw.js: .venv/installed page/node_modules/ready LICENSE $(wildcard page/*.mjs page/*.mzn page/*.py) page/impossible.json \
		$(shell find $(PARTS) -type f 2>/dev/null; find catan_cp -name '*.py')
	@$(SOLVER)
	@echo "building the web page in page/dist, which takes a minute or two"
	cd page && PYTHON=../$(BIN)/python npm run --silent build
	@touch $@

# The page and the library name the same broken places on a hundred thousand boards.
page-agree: .venv/ready page
	cd page && ../$(BIN)/python tests/vectors.py build/vectors.json 100000 && npm run --silent test

# Linted, compared with the library, and tried in Chromium on a desktop and on a phone.
page-test: .venv/ready page
	tools/test_page.sh unit
	tools/test_page.sh e2e
	tools/test_page.sh visits

page/node_modules/ready: page/package.json page/package-lock.json
	@echo "installing the packages of the web page in page/node_modules, which takes a minute"
	cd page && npm ci --silent
	@touch $@

clean:
	rm -rf .venv .venv-oldest .venv-release dist board.png page/node_modules page/build page/dist
