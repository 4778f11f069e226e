#!/usr/bin/env bash
# tests/cpu/flush.sh: how much has to be read before a small working set is in no cache: ns for each of its lines, one
# after the other in random order, by what was read before. The mode "cold" of a CPU rests on it. About 20 s.
set -euo pipefail
tool=$(mktemp)
trap 'rm -f "$tool"' EXIT
"${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -o "$tool" "$(dirname "$0")/flush.c"
"$tool"
