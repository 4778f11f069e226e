#!/usr/bin/env bash
# tests/gpu/backward.sh TREE [OUT [PART...]]: attention/backward on a GPU. Parts: `odd`, every variant of ours at sizes that
# no tile divides and with all ways of sharing keys, of other data each time; `sanitize`, compute-sanitizer's memcheck and
# racecheck over the same kernels; `times`, the variants at every preset in turns, and PyTorch's backward of the same
# sizes. Python is $GPUBENCH_PYTHON or python3. TREE holds bin/gpubench. Exit 77 without a GPU.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: $0 TREE [OUT [PART...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-backward}" && cd "${2:-gpu-backward}" && pwd)
parts=("${@:3}")
((${#parts[@]})) || parts=(odd sanitize times)
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
python=${GPUBENCH_PYTHON:-python3}
bench=(--plugin attention.so --bench backward --device cuda)
failed=0

fail() { echo "FAILED: $*"; failed=1; }

# verify NAME OPTIONS...: all rows are right, and there are some.
verify() {
  local name=$1; shift
  "$tree/bin/gpubench" "${bench[@]}" --variant flash,wgmma,shares --verify-only --lock off --no-save "$@" >"$out/$name.log" 2>&1 ||
    { fail "$name: exit $?"; tail -5 "$out/$name.log"; return; }
  printf '%-20s %s\n' "$name" "$(grep -o '^verified .*' "$out/$name.log")"
}

odd() {
  local seed=$RANDOM
  echo "seed $seed"
  verify odd --seed "$seed" -a b=2 -a h=6 -a h_kv=1,3,6 -a s=1,2,63,64,65,127,129,191,500 -a d=64,128 -a causal=yes,no
  verify longer --seed "$seed" -a b=1 -a h=4 -a h_kv=2 -a s=777,1000,2049 -a d=64,128 -a causal=yes,no
}

sanitize() {
  local tool d log
  command -v compute-sanitizer >/dev/null || { echo "sanitize skipped: no compute-sanitizer here"; return; }
  for tool in memcheck racecheck; do
    for d in 64 128; do
      log=$out/$tool-$d.log
      compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 "$tree/bin/gpubench" "${bench[@]}" \
        --variant flash,wgmma,shares --verify-only --no-save --lock off --timeout 600 -a b=1 -a h=2 -a h_kv=1 -a s=200 -a "d=$d" \
        -a causal=yes,no >"$log" 2>&1 || fail "$tool, d=$d: exit $?"
      ! grep -q 'SUMMARY: [1-9]' "$log" || fail "$tool, d=$d: $(grep 'SUMMARY: [1-9]' "$log" | head -1)"
      printf '%-20s %s\n' "$tool d=$d" "$(grep -o 'SUMMARY: .*' "$log" | sort | uniq -c | tr -s ' \n' ' ')"
    done
  done
}

times() {
  rm -rf "${out:?}/run"
  "$tree/bin/gpubench" "${bench[@]}" --variant cudnn,flash,wgmma,shares --preset '*' -a dtype=bf16 --case-time 1 --roofs off --out "$out/run" \
    >"$out/times.txt" 2>"$out/times.log" || { fail "times: exit $?"; tail -5 "$out/times.log"; }
  "$python" -B "$here/backward.py" "$out/run/results.csv" || fail "times"
}

for part in "${parts[@]}"; do "$part"; done
exit "$failed"
