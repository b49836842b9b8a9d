#!/bin/sh
# Print the newest installed Python that mneme runs on, or say what is missing. Names on the path may be shims that
# start nothing, so each one is asked.
for name in "$@" python3.13 python3.12 python3.11 python3; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        command -v "$name"
        exit 0
    fi
done
echo "mneme: no Python 3.11 or newer with 'venv' was found" >&2
echo "  hint: install one (on Debian and Ubuntu: apt-get install python3-venv), or name it: make env PYTHON=/path/to/python" >&2
exit 2
