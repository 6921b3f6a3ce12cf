#!/bin/sh
# Checks every session below FOLDER, on all cores, and says in one line for each file what is wrong with it:
#   sh fleet_xargs.sh FOLDER > found.jsonl
# Each process writes to a file of its own, since long lines of several processes in one pipe would run into each other.
set -eu
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
export parts
find "$1" -type f \( -name '*.json' -o -name '*.jsonl' -o -name '*.jsonl.zst' \) -print0 |
    xargs -0 -r -n 50 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
        toolpair check --jobs 1 --skip-unrecognised --output-format jsonl -- "$@" > "$(mktemp "$parts/XXXXXX")"
        [ $? -le 2 ]' check
cat "$parts"/*
