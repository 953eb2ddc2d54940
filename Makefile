# The commands of the course. `make` alone lists them; README.md gives the same in plain Python.
#
#   PYTHON=python3.12   the Python to make the environment with, instead of the first that fits (`make clean` first)
#   VENV=folder         where the environment lives, instead of .venv
#   ARGS="..."          arguments for the program that demo, test, ladder, labs, explore, book, slides or dynet-... runs

VENV := .venv
PYTHON :=
ARGS :=

ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
ACTIVATE := source $(BIN)/activate   (cmd: $(subst /,\,$(BIN))\activate)
else
BIN := $(VENV)/bin
ACTIVATE := source $(BIN)/activate
endif

# Stamps in the environment: what it holds is up to date while they are younger than the lists it was installed from.
SETUP_STAMP := $(VENV)/.setup-done
DEV_STAMP := $(VENV)/.dev-done
LABS_STAMP := $(VENV)/.labs-done
EXPLORE_STAMP := $(VENV)/.explore-done
BOOK_STAMP := $(VENV)/.book-done
LISTS := pyproject.toml constraints.txt

.PHONY: help setup demo test test-all ladder figures labs explore book slides dynet-mkl dynet-gpu dynet-default lint clean

help:
	@echo "make setup   make a virtual environment in $(VENV) and install the course into it"
	@echo "make demo    setup, then train an attentive language model: a minute and a half"
	@echo "make test    setup, then the tests, side by side on all cores: three minutes on two"
	@echo "make test-all  setup, then these and the slow ones: a site in a browser, a class under attack, every figure"
	@echo "make ladder  setup, then train every chapter's model five times and write RESULTS.md"
	@echo "make figures setup, then draw the figures of the lessons"
	@echo "make labs    setup, then make notebooks of lessons and labs in build/labs/; ARGS=--open opens the labs in JupyterLab"
	@echo "make explore setup, then open a page for playing with the models that you have trained"
	@echo "make book    setup, then run the labs and build the course as a site in build/book/; ARGS=--instructor adds answers,"
	@echo "             ARGS=\"--pdf --epub\" writes the book to print and for e-readers into build/printed/"
	@echo "make slides  setup, then make the instructor's slides in build/slides/, and PDF where Chrome or Chromium is"
	@echo "make dynet-mkl      setup, then build DyNet with threads (MKL or OpenBLAS): minutes (tools/dynet/README.md)"
	@echo "make dynet-gpu      setup, then build DyNet for an NVIDIA GPU: minutes"
	@echo "make dynet-default  go back to the DyNet that setup installs"
	@echo "make lint    setup, then check the style and the types of the code"
	@echo "make clean   remove the environment, build/ and caches; runs/ and data/corpora/ stay"

setup: $(SETUP_STAMP)
	@echo "Ready. Enter the environment with: $(ACTIVATE)"
	@echo "Then, for a start: python chapters/06_attentive_lm/train.py, and for the exercises: python -m exercises"

demo: $(SETUP_STAMP)
	@$(BIN)/python chapters/06_attentive_lm/train.py --preset demo $(ARGS)

PYTEST = $(BIN)/python -m pytest --timeout 900 --max-worker-restart 0 -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder

test: $(DEV_STAMP)
	@$(PYTEST) $(or $(ARGS),-m "not slow")

test-all: $(DEV_STAMP)
	@$(PYTEST) $(ARGS)

ladder: $(SETUP_STAMP)
	@$(BIN)/python -m tools.experiment ladder $(ARGS)

figures: $(SETUP_STAMP)
	@$(BIN)/python -m book.figures

labs: $(LABS_STAMP)
	@$(BIN)/python -m book.lessons --notebooks build/labs
	@$(BIN)/python -m book.labs $(ARGS)

explore: $(EXPLORE_STAMP)
	@$(BIN)/python -m book.explorer $(ARGS)

# The site shows the labs with their outputs: they run before it is built, and again when one of them has changed.
LABS := $(wildcard book/labs/*.py book/labs/views/*.py)

book: $(BOOK_STAMP) $(if $(LABS),build/labs/.run)
	@$(BIN)/python -m book.site $(ARGS)

slides: $(BOOK_STAMP)
	@$(BIN)/python -m book.slides $(ARGS)

build/labs/.run: $(LABS) $(wildcard chapters/*/*.md) | $(BOOK_STAMP)
	@$(BIN)/python -m book.labs

dynet-mkl: $(SETUP_STAMP)
	@$(BIN)/python -m tools.dynet cpu $(ARGS)

dynet-gpu: $(SETUP_STAMP)
	@$(BIN)/python -m tools.dynet cuda $(ARGS)

dynet-default: $(SETUP_STAMP)
	@$(BIN)/python -m tools.dynet default

lint: $(DEV_STAMP)
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m tools.check_types

clean:
	@if [ -f "$(VENV)/pyvenv.cfg" ]; then rm -rf "$(VENV)"; fi
	@rm -rf build dist .pytest_cache .ruff_cache .hypothesis *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(SETUP_STAMP): $(LISTS)
	@PYTHON="$(PYTHON)" sh tools/setup.sh "$(VENV)" "$(BIN)" .
	@touch $@

# What else an environment holds: .dev-done stands for the extra `dev`, .labs-done for `labs`, and so on.
$(VENV)/.%-done: $(LISTS)
	@PYTHON="$(PYTHON)" sh tools/setup.sh "$(VENV)" "$(BIN)" ".[$*]"
	@touch $(SETUP_STAMP) $@
