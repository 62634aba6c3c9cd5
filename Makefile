# The commands of the project; `make help` lists them.
PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
WORKERS ?= 2
CORPUS ?=
BIN := $(VENV)/bin
SAMPLE := indexer/sample/arguments.json
SOURCE := $(abspath $(or $(CORPUS),$(SAMPLE)))
INDEX ?= index/$(if $(CORPUS),$(basename $(notdir $(CORPUS)))-$(firstword $(shell echo '$(SOURCE)' | cksum)),sample)
MUTATIONS ?= 100000
MINUTES ?= 20
QUESTION ?= should teachers get tenure
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
INSTALL := $(PIP) install --no-compile --constraint constraints.txt
# pip would compile one file after the other; of some packages' files none knows this Python
COMPILE := $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
WHEELS := .cache/wheels
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
PASSED := $(VENV)/passed.json
TOGETHER := --together tests/browser
EXTRAS := elasticsearch,use,sbert,onnx,minilm,ltr,datasets,mcp,pyterrier,langchain,bench,docs,dev

# Without compiled modules each of the many processes of a test reads all sources anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-quick test-all nightly fuzz soak lint docs bench bench-quick reproduce reproduce-quick servers wheels clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

ROOMS := api configs engine indexer lab ranking

.house/argsearch: setup.py Makefile # the folders as one package, for tools that do not ask Python where a package is
	mkdir -p $@
	ln -sfn $(foreach room,$(ROOMS),../../$(room)) $(foreach file,__init__.py __main__.py version.py py.typed,../../argsearch/$(file)) $@
	@touch $@

$(VENV)/core.stamp: pyproject.toml setup.py constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable .
	@$(COMPILE)
	@touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp
	$(INSTALL) --editable '.[dev,elasticsearch]'
	@$(COMPILE)
	@touch $@

$(VENV)/bench.stamp: $(VENV)/dev.stamp
	$(INSTALL) --editable '.[bench,elasticsearch]'
	@touch $@

$(VENV)/docs.stamp: $(VENV)/core.stamp
	$(INSTALL) --editable '.[docs]'
	@touch $@

$(VENV)/all.stamp: $(VENV)/dev.stamp
	$(INSTALL) --editable '.[$(EXTRAS)]' --requirement tests/requirements.txt
	$(INSTALL) --no-deps --requirement tests/requirements-alone.txt # its command wants an older typer
	@$(COMPILE)
	@touch $@

wheels: $(VENV)/core.stamp # fetch what `make test-all` installs, to install it by PIP_NO_INDEX=1 PIP_FIND_LINKS=$(WHEELS)
	$(PIP) download --dest $(WHEELS) --constraint constraints.txt '.[$(EXTRAS)]' --requirement tests/requirements.txt
	$(PIP) download --dest $(WHEELS) --no-deps --requirement tests/requirements-alone.txt

$(INDEX)/manifest.json: $(VENV)/core.stamp $(SOURCE)
	@mkdir -p $(dir $(INDEX))
	$(BIN)/argsearch index '$(SOURCE)' --out $(INDEX)

run: $(INDEX)/manifest.json ## index the sample corpus (or CORPUS=file), answer a question, serve the page on PORT
	$(BIN)/argsearch search '$(QUESTION)' --index $(INDEX) -k 3 --explain
	$(BIN)/argsearch serve --index $(INDEX) --port $(PORT)

test: $(VENV)/dev.stamp .house/argsearch ## the tests, without search servers and slow ones; parts that need Chromium or extras are skipped with a line
	cd .house && $(abspath $(BIN))/lint-imports --config ../pyproject.toml
	$(PYTEST) -m 'not slow and not servers' $(TOGETHER) --write-passed $(PASSED)

test-quick: $(VENV)/dev.stamp .house/argsearch ## a quick part of the tests, for daily work: no servers, browser, corpora or processes
	cd .house && $(abspath $(BIN))/lint-imports --config ../pyproject.toml
	$(PYTEST) -q --hypothesis-profile quick -m 'not (thorough or slow or servers or browser or lucene or data or processes or sbert or use or onnx or ltr)'

test-all: $(VENV)/all.stamp .house/argsearch ## every test with every extra, a skip is a failure; not again what `make test` passed on this very tree
	cd .house && $(abspath $(BIN))/lint-imports --config ../pyproject.toml
	$(PYTEST) --no-skips $(TOGETHER) --together tests/contracts --but-passed $(PASSED)

nightly: $(VENV)/all.stamp .house/argsearch ## every test with every extra and what takes longest: large corpora, loads of a minute, thousands of changes
	cd .house && $(abspath $(BIN))/lint-imports --config ../pyproject.toml
	ARGSEARCH_TEST_LOAD_ANSWERS=1000 $(PYTEST) --no-skips --nightly $(TOGETHER) --together tests/contracts

fuzz: $(VENV)/dev.stamp ## every reader, given 100,000 changed files each (MUTATIONS=…), and the HTTP API for 20 minutes (MINUTES=…); two hours
	$(BIN)/python -m tests.fuzz.running all $(MUTATIONS)
	$(BIN)/python -m tests.fuzz.messages 400
	$(BIN)/python -m tests.fuzz.http $(MINUTES)

soak: MINUTES = 30
soak: $(VENV)/dev.stamp ## a server under everything at once, half an hour (MINUTES=…): docs/soak.csv and its figure
	$(BIN)/python -m tests.soak $(MINUTES) docs

lint: $(VENV)/dev.stamp .house/argsearch ## ruff, mypy, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd .house && $(abspath $(BIN))/lint-imports --config ../pyproject.toml

docs: $(VENV)/docs.stamp .house/argsearch ## the documentation as a site in site/; a warning is a failure
	NO_MKDOCS_2_WARNING=true $(BIN)/python -m mkdocs --quiet build --clean

bench: $(VENV)/bench.stamp ## speed beside Lucene, Elasticsearch, OpenSearch and others (ARGSEARCH_DATA)
	$(BIN)/python -m benchmarks

bench-quick: $(VENV)/bench.stamp ## the same on a part of the corpus, in two minutes
	$(BIN)/python -m benchmarks --quick

reproduce: $(VENV)/all.stamp ## docs/reproduction.md made again from ARGSEARCH_DATA; fails where a number moved; an hour on two cores
	$(BIN)/python -m studies.reproduce

reproduce-quick: $(VENV)/dev.stamp ## what of it takes seconds
	$(BIN)/python -m studies.reproduce --quick

servers: $(VENV)/dev.stamp ## real Elasticsearch and OpenSearch nodes until Ctrl-C (Java, Maven)
	$(BIN)/python -m tests.servers.launcher

clean: ## remove what the commands above made, but for indexes of your own corpora
	rm -rf $(VENV) .house index/sample site .cache
	rmdir index 2>/dev/null || true
