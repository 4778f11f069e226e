#!/usr/bin/env bash
# tests/gpu/flash.sh TREE [OUT [PART...]]: attention/forward on a GPU. Parts: `odd`, both kernels of ours that have bf16 and fp16 and
# no scores in memory, at sizes that no tile divides and with all ways of sharing keys, of other data and lengths each time, and the
# others at fewer; `sanitize`, compute-sanitizer's memcheck and racecheck over the same; `times`, cudnn and both at every preset in
# turns, and PyTorch of the same sizes, and fails where `wgmma` is below its goals; and, where it is named, `e4m3`, what odd and sanitize
# do, which fails while `wgmma` is skipped there. Python is $GPUBENCH_PYTHON or python3. TREE holds bin/gpubench. Exit 77 without a GPU.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: $0 TREE [OUT [PART...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-flash}" && cd "${2:-gpu-flash}" && pwd)
parts=("${@:3}")
((${#parts[@]})) || parts=(odd sanitize times)
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
python=${GPUBENCH_PYTHON:-python3}
bench=(--plugin attention.so --bench forward --device cuda)
failed=0

fail() { echo "FAILED: $*"; failed=1; }

# verify NAME VARIANTS OPTIONS...: all rows are right, and there are some.
verify() {
  local name=$1 variants=$2; shift 2
  "$tree/bin/gpubench" "${bench[@]}" --variant "$variants" --verify-only --lock off --no-save "$@" >"$out/$name.log" 2>&1 ||
    { fail "$name: exit $?"; tail -5 "$out/$name.log"; return; }
  printf '%-20s %s\n' "$name" "$(grep -o '^verified .*' "$out/$name.log")"
}

odd() {
  local seed=$RANDOM any=$((1 + RANDOM % 600)),$((1 + RANDOM % 600)),$((1 + RANDOM % 600))
  echo "seed $seed, lengths $any"
  verify odd flash,wgmma --seed "$seed" -a b=2 -a h=8 -a h_kv=1,2,8 -a "s=1,2,63,64,65,79,80,81,127,128,129,161,191,192,193,500,577,$any" \
    -a dtype=fp16,bf16 -a d=64,128,256 -a causal=yes,no
  verify longer flash,wgmma --seed "$seed" -a b=1 -a h=4 -a h_kv=2 -a s=777,1000,1024,2049 -a dtype=fp16,bf16 -a d=64,128,256 \
    -a causal=yes,no
  verify many flash,wgmma --seed "$seed" -a b=8 -a h=32 -a h_kv=8 -a s=129,577 -a dtype=fp16,bf16 -a d=64,256 -a causal=yes,no
  verify standard standard --seed "$seed" -a b=1 -a h=4 -a h_kv=2 -a "s=1,65,129,500,$any" -a dtype=fp32,fp16,bf16 -a d=64,128,256 \
    -a causal=yes,no
  verify cudnn cudnn --seed "$seed" -a b=1 -a h=4 -a h_kv=2 -a s=500 -a dtype=fp16,bf16 -a d=64,256 -a causal=yes,no
}

# sees TOOL NAME OPTIONS...
sees() {
  local tool=$1 name=$2 log=$out/$1-$2.log; shift 2
  compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 "$tree/bin/gpubench" "${bench[@]}" \
    --variant flash,wgmma --verify-only --no-save --lock off --timeout 600 "$@" >"$log" 2>&1 || fail "$tool, $name: exit $?"
  ! grep -q 'SUMMARY: [1-9]' "$log" || fail "$tool, $name: $(grep 'SUMMARY: [1-9]' "$log" | head -1)"
  printf '%-20s %s\n' "$tool $name" "$(grep -o 'SUMMARY: .*' "$log" | sort | uniq -c | tr -s ' \n' ' ')"
}

# The second: more tiles than any GPU has multiprocessors, each of which takes several.
sanitize() {
  local tool d
  command -v compute-sanitizer >/dev/null || { echo "sanitize skipped: no compute-sanitizer here"; return; }
  for tool in memcheck racecheck; do
    for d in 64 128 256; do
      sees "$tool" "d=$d" -a b=1 -a h=2 -a h_kv=1 -a s=200,400 -a dtype=fp16,bf16 -a "d=$d" -a causal=yes,no
      sees "$tool" "d=$d-many" -a b=1 -a h=400 -a h_kv=200 -a s=100 -a dtype=bf16 -a "d=$d" -a causal=yes
    done
  done
}

e4m3() {
  local tool d
  verify e4m3 wgmma -a b=2 -a h=8 -a h_kv=1,2,8 -a "s=1,2,63,64,65,127,128,129,191,192,193,500,577,1000,2049,$((1 + RANDOM % 600))" -a dtype=e4m3 \
    -a d=64,128,256 -a causal=yes,no
  for tool in memcheck racecheck; do
    for d in 64 128 256; do
      sees "$tool" "d=$d-e4m3" -a b=1 -a h=400 -a h_kv=200 -a s=100,200 -a dtype=e4m3 -a "d=$d" -a causal=yes,no
    done
  done
}

times() {
  rm -rf "${out:?}/run"
  "$tree/bin/gpubench" "${bench[@]}" --variant cudnn,flash,wgmma --preset '*' --case-time 1 --max-time 100 --roofs off --out "$out/run" \
    >"$out/times.txt" 2>"$out/times.log" || { fail "times: exit $?"; tail -5 "$out/times.log"; }
  "$python" -B "$here/flash.py" "$out/run/results.csv" || fail "times"
}

for part in "${parts[@]}"; do "$part"; done
exit "$failed"
