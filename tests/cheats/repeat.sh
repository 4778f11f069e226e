#!/usr/bin/env bash
# tests/cheats/repeat.sh BUILD N DIR: all cheats N times; DIR keeps the runs, so that it can be interrupted and gone on with.
exec python3 -B "$(dirname "$0")/run.py" "${1:?usage: $0 BUILD N DIR}" --times "${2:?N}" --keep "${3:?DIR}"
