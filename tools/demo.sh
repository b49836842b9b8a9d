#!/bin/sh
# Memory at work: one process stores something, another, later and knowing nothing of the first, finds it.
# Usage: demo.sh FOLDER; the folder becomes a workspace unless it is one.
set -eu
folder=$1

show() {
    printf '\n$ mneme'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9/-]*) printf ' "%s"' "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    mneme --workspace "$folder" "$@"
}

[ -e "$folder/mneme.toml" ] || show init
show remember "Local cache uses SQLite, not JSON" --kind decision --topic storage/cache --why "JSON lost writes"
echo
echo "That process has ended. Another one asks:"
show recall "which database does the cache use?"
show spine
echo
echo "The memory is plain text: see $folder/, or run 'mneme --workspace $folder --help'."
echo "The command itself is $(command -v mneme)."
echo "Host programs ask the resident engine, which leaves by itself when nobody does:"
show serve --background
