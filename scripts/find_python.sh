#!/bin/sh
# Prints a Python that can run Pointsman (3.11 to 3.14), one that can also make virtual
# environments if there is one. PYTHON=/path/to/python in the environment decides instead;
# otherwise the one that .venv was made with stays.
set -u

names="python3.13 python3.12 python3.14 python3.11 python3 python"
present=$(readlink -f .venv/bin/python 2>/dev/null)
version='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'
for test in "import ensurepip; $version" "$version"; do
  for name in ${PYTHON:-$present $names}; do
    if "$name" -c "$test" >/dev/null 2>&1; then
      command -v "$name"
      exit 0
    fi
  done
done
echo "Pointsman needs Python 3.11 to 3.14 and found none as: ${PYTHON:-$names}." >&2
echo "Debian, Ubuntu: apt install python3 python3-venv. Or: PYTHON=/path/to/python make setup" >&2
exit 1
