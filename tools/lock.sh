#!/bin/sh
# Lock the dependencies for every supported Python and platform. The lock holds names, versions and hashes and no
# address, so that it can be installed from any index that has the same files.
set -eu
cd "$(dirname "$0")/.."
uv=$(command -v uv || command -v .venv/bin/uv) || {
    echo "mneme: 'uv' is needed to lock" >&2
    echo "  hint: .venv/bin/pip install uv" >&2
    exit 2
}
compile() {
    "$uv" pip compile pyproject.toml --quiet --universal --python-version 3.11 \
        --generate-hashes --no-emit-index-url --no-header --no-annotate "$@"
}
compile --upgrade --output-file requirements/run.txt
compile --upgrade --group dev --constraint requirements/run.txt --output-file requirements/dev.txt
