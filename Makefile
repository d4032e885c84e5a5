PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= auto
QUIETLY := --quiet --disable-pip-version-check

export OPENBLAS_NUM_THREADS := 1  # tests run in parallel already
export OMP_NUM_THREADS := 1

.PHONY: demo test test-slow test-oldest test-wheel bench track track-quick browser clean

demo: $(READY)  ## set up everything; from an unfair model on embedded data to a fair one and a report
	$(BIN)/fairordinal demo

.PHONY: docs
docs: $(READY)  ## the site in docs/_build/html, without a network; its links and code blocks
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html
	$(BIN)/python -m pytest -q tests/test_pages.py tests/test_site.py --doctest-modules src/fairordinal

test: $(READY) browser  ## set up everything; lint, types, tests and their branch coverage
	$(BIN)/ruff check src tests benchmarks examples docs
	$(BIN)/ruff format --check src tests benchmarks examples docs
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/python -m slipcover --branch --source src/fairordinal --json --out .coverage.json \
	-m pytest -n $(JOBS) -m "not slow"
	@$(BIN)/python -m slipcover --merge .coverage.json --out .coverage.json --skip-covered \
	--fail-under 95 > .coverage.txt; status=$$?; \
	awk '/summary/ {print "Coverage: " $$6 " % of branches, " $$7 " % of lines and branches (.coverage.txt)"}' \
	.coverage.txt; exit $$status

test-slow: $(READY)  ## Monte-Carlo tests and fuzzing; prints the table of coverage
	$(BIN)/python -m pytest -n $(JOBS) -m slow

test-oldest:  ## tests with the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv --clear $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install $(QUIETLY) uv
	$(VENV)-oldest/bin/uv pip install --quiet --python $(VENV)-oldest/bin/python \
	--resolution lowest-direct --editable ".[all]" --group test
	FAIRORDINAL_VERSIONS=lowest $(VENV)-oldest/bin/python -m pytest -n $(JOBS) -m "not slow"

test-wheel:  ## build wheel and sdist; the tests of the sdist, run with the installed wheel
	rm -rf dist $(VENV)-wheel
	$(PYTHON) -m venv $(VENV)-wheel
	$(VENV)-wheel/bin/python -m pip install $(QUIETLY) --upgrade "pip>=25.1"
	$(VENV)-wheel/bin/python -m pip install $(QUIETLY) --group release
	$(VENV)-wheel/bin/python -m build --outdir dist .
	$(VENV)-wheel/bin/twine check --strict dist/*
	$(VENV)-wheel/bin/python -m pip install $(QUIETLY) --group test "$$(echo dist/*.whl)[all]"
	folder=$$(mktemp -d); tar -xzf dist/*.tar.gz -C $$folder --strip-components 1; \
	python="$$(cd $(VENV)-wheel/bin && pwd)/python"; cd $$folder && \
	$$python -c "import fairordinal as f; assert 'site-packages' in f.__file__, f.__file__" && \
	$$python -m pytest -n $(JOBS) -m "not slow" tests --pyargs fairordinal; \
	status=$$?; rm -rf $$folder; exit $$status

bench: $(READY)  ## benchmarks at full size; see benchmarks/RESULTS.md
	$(BIN)/python benchmarks/bench_audit.py
	$(BIN)/python benchmarks/bench_sizes.py
	$(BIN)/python benchmarks/bench_thresholds.py
	$(BIN)/python benchmarks/bench_train.py
	$(BIN)/python benchmarks/bench_quality.py
	$(BIN)/python benchmarks/bench_frontier.py
	$(BIN)/python benchmarks/bench_cli.py
	$(BIN)/python benchmarks/bench_scale_audit.py

track: $(READY)  ## five benchmarks, compared with the last time on this machine
	$(BIN)/python -m pytest benchmarks/track.py --benchmark-autosave --benchmark-compare \
	--benchmark-columns min,median,rounds

track-quick: $(READY)  ## the same benchmarks, each run once and not measured
	$(BIN)/python -m pytest benchmarks/track.py --benchmark-disable

browser:  ## Chromium for the tests of reports, where root may install it; never fails
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || \
	command -v google-chrome > /dev/null || \
	{ test "$$(id -u)" = 0 && command -v apt-get > /dev/null && \
	  { apt-get install -y -qq --no-install-recommends chromium || \
	    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }; } \
	  > /dev/null 2>&1; } || \
	echo "No Chromium: the tests of reports in a browser will be skipped."

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(QUIETLY) --upgrade "pip>=25.1"  # the first with --group
	$(BIN)/python -m pip install $(QUIETLY) --editable ".[all,docs]" --group dev
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-wheel .mypy_cache .ruff_cache .pytest_cache .hypothesis
