#!/usr/bin/env bash
# tests/gpu/matmul_sizes.sh TREE PROGRAM [OPTION...]: matmul_sizes on 3,000 small and 200 large sizes of each storage, or as the
# options say; what it printed names the seed. Then a part of it under compute-sanitizer's memcheck. TREE is not used.
# Exit 77 without a GPU.
set -uo pipefail
program=$(realpath "${2:?usage: $0 TREE PROGRAM [OPTION...]}"); shift 2
"$program" "$@"; status=$?
((status == 0)) || exit "$status"
command -v compute-sanitizer >/dev/null || { echo "skipped: no compute-sanitizer here"; exit 0; }
compute-sanitizer --tool memcheck --error-exitcode 9 "$program" --small 40 --large 2
