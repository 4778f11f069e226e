#!/usr/bin/env bash
# tests/no_spills.sh NVCC ARGUMENT...
# Runs the compilation, and fails if the assembler spills registers or warns (wgmma serialised, setmaxnreg ignored). A
# kernel that spills is slow in a way that no CPU test notices. Used as cmake
# -DCMAKE_CUDA_COMPILER_LAUNCHER=.../tests/no_spills.sh by ci/test.sh --extra.
set -uo pipefail
log=$("$@" -Xptxas -v 2>&1)
status=$?
grep -vE '^ptxas info|bytes stack frame|^$' <<<"$log"
((status == 0)) || exit "$status"
grep -q 'Compiling entry function' <<<"$log" || { echo "$0: no kernel was compiled by: $*"; exit 1; }
bad=$(grep -E 'Compiling entry|[1-9][0-9]* bytes spill|warning|C75[0-9][0-9]' <<<"$log" | grep -vE 'Compiling' -B 1 | grep -v '^--$')
[[ -z $bad ]] || { echo "$0: spilled registers or warnings: $*"; echo "$bad"; exit 1; }
