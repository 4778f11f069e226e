#!/usr/bin/env bash
# tests/cpu/truth.sh TREE PLUGIN [PROCESSES]
# Produces the ground truth that the README quotes, on the CPU: verdicts on contests with known outcome, and the clock.
# 20 processes (the default) take about half an hour. Exits with 1 if a bound is broken.
set -euo pipefail
tree=${1:?usage: $0 TREE PLUGIN [PROCESSES]} plugin=${2:?usage: $0 TREE PLUGIN [PROCESSES]}
PYTHONUNBUFFERED=1 exec python3 -B "$(dirname "$0")/../truth.py" "$tree" "$plugin" --device cpu --part clock --part words \
  --processes "${3:-20}"
