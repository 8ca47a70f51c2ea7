# Everything goes through .venv; `make setup` makes it from any Python 3.11 or newer.
PYTHON_HERE = $(shell sh scripts/find_python.sh)
RUN = .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo run doctor test check bench screens soak shape words

help:
	@echo "make demo    everything with a demo shop and demo agents; prints the address"
	@echo "make run     everything without the demo (PORT, DATA_DIR, DATABASE_URL, REDIS_URL)"
	@echo "make test    the whole test suite          make check  lint, types, import rules, migrations"
	@echo "make bench   benchmarks                    make soak   a long run, watched for leaks"
	@echo "make shape   sizes of files and functions  make setup  only the set-up, into .venv"
	@echo "make doctor  what this machine lacks   make screens  pictures of every page into docs/screens"
	@echo "make words   collects and compiles what pages say in other languages; needs gettext"

setup:
	@python="$(PYTHON_HERE)"; test -n "$$python" && "$$python" scripts/setup.py

setup-dev:
	@python="$(PYTHON_HERE)"; test -n "$$python" && "$$python" scripts/setup.py dev

demo: setup
	@$(RUN) manage.py demo

run: setup
	@$(RUN) manage.py run

doctor: setup
	@$(RUN) manage.py doctor

test: setup-dev
	@$(RUN) -m pytest $(ARGS)

check: setup-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy .
	.venv/bin/lint-imports
	DATABASE_TIMEOUT_S=0.1 LOG_LEVEL=CRITICAL $(RUN) -W ignore manage.py makemigrations --check --dry-run

bench: setup-dev
	@$(RUN) -m benchmarks $(ARGS)

screens: setup-dev
	@$(RUN) -m pytest -q -p no:cacheprovider tests/pages/screens.py

soak: setup-dev
	@$(RUN) -m benchmarks.soak $(ARGS)

shape: setup-dev
	@$(RUN) scripts/shape.py

words: setup-dev
	@$(RUN) manage.py makemessages -a
	@$(RUN) manage.py makemessages -a -d djangojs
	@$(RUN) manage.py compilemessages -i .venv -v 0
