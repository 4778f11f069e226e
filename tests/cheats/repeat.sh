#!/usr/bin/env bash
# tests/cheats/repeat.sh BUILD N DIR
# Runs all cheats N times. DIR keeps the runs, so that the same command continues after an interruption.
exec python3 -B "$(dirname "$0")/run.py" "${1:?usage: $0 BUILD N DIR}" --times "${2:?N}" --keep "${3:?DIR}"
