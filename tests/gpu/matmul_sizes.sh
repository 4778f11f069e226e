#!/usr/bin/env bash
# tests/gpu/matmul_sizes.sh TREE PROGRAM [OPTION...]
# Runs matmul_sizes on 3,000 small, 200 large and 100 deep sizes of each storage type, or as the options say; its output
# names the seed. Then runs a part of it under compute-sanitizer's memcheck and racecheck, with deep sizes, so that all
# rings wrap around. TREE is not used. Exits with 77 without a GPU.
set -uo pipefail
program=$(realpath "${2:?usage: $0 TREE PROGRAM [OPTION...]}"); shift 2
"$program" "$@"; status=$?
((status == 0)) || exit "$status"
command -v compute-sanitizer >/dev/null || { echo "skipped: no compute-sanitizer here"; exit 0; }
compute-sanitizer --tool memcheck --error-exitcode 9 "$program" --small 40 --large 2 --deep 4 || exit
compute-sanitizer --tool racecheck --error-exitcode 9 "$program" --small 1 --large 0 --deep 2
