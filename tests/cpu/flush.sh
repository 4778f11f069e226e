#!/usr/bin/env bash
# tests/cpu/flush.sh
# Measures how much must be read until a small working set is in no cache: ns per line of the set, read in random order,
# by the number of bytes read before. The mode "cold" on a CPU is based on it. Takes about 20 s.
set -euo pipefail
tool=$(mktemp)
trap 'rm -f "$tool"' EXIT
"${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -o "$tool" "$(dirname "$0")/flush.c"
"$tool"
