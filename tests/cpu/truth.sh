#!/usr/bin/env bash
# tests/cpu/truth.sh TREE PLUGIN [PROCESSES]: the ground truth that the README quotes, on the CPU: words over contests of
# known outcome, and the clock. 20 processes (the default) take about half an hour. Exit 1 when a bound is broken.
set -euo pipefail
tree=${1:?usage: $0 TREE PLUGIN [PROCESSES]} plugin=${2:?usage: $0 TREE PLUGIN [PROCESSES]}
PYTHONUNBUFFERED=1 exec python3 -B "$(dirname "$0")/../truth.py" "$tree" "$plugin" --device cpu --part clock --part words \
  --processes "${3:-20}"
