#!/usr/bin/env bash
# tests/gpu/backward.sh TREE [OUT [PART...]]
# Tests attention/backward on a GPU. The parts are: `odd`, our variants at sizes that no tile divides and with every way
# of sharing keys, on new data each time; `sanitize`, the same kernels under compute-sanitizer's memcheck and racecheck;
# `times`, the variants at every preset, interleaved, and PyTorch's backward at the same sizes. Python is
# $GPUBENCH_PYTHON or python3. TREE holds bin/gpubench. Exits with 77 without a GPU.
set -uo pipefail
source "$(dirname "$0")/parts.sh" gpu-backward "odd sanitize times" "$@"
bench=(--plugin attention.so --bench backward)

odd() {
  echo "seed $seed"
  verify odd --variant flash,wgmma -a b=2 -a h=6 -a h_kv=1,3,6 -a s=1,2,63,64,65,127,129,191,500 -a d=64,128 -a causal=yes,no
  verify longer --variant flash,wgmma -a b=1 -a h=4 -a h_kv=2 -a s=777,1000,2049 -a d=64,128 -a causal=yes,no
}

# The second case has more blocks of keys than any GPU has multiprocessors; the kernels do not split those.
sanitize() {
  local tool d
  can_sanitize || return
  for tool in memcheck racecheck; do
    for d in 64 128; do
      sees "$tool" "d=$d" --variant flash,wgmma -a b=1 -a h=2 -a h_kv=1 -a s=200 -a "d=$d" -a causal=yes,no
      sees "$tool" "d=$d-many" --variant flash,wgmma -a b=1 -a h=400 -a h_kv=200 -a s=200 -a "d=$d" -a causal=yes
    done
  done
}

times() {
  rm -rf "${out:?}/run"
  "$tree/bin/gpubench" "${bench[@]}" --device cuda --variant cudnn,flash,wgmma --preset '*' -a dtype=bf16 --case-time 1 --ceilings off --out "$out/run" \
    >"$out/times.txt" 2>"$out/times.log" || { fail "times: exit $?"; tail -5 "$out/times.log"; }
  "$python" -B "$here/backward.py" "$out/run/results.csv" || fail "times"
}

run_parts
