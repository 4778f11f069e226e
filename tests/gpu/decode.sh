#!/usr/bin/env bash
# tests/gpu/decode.sh TREE [OUT [PART|PRESET...]]: attention/decode on a GPU. Parts: `odd`, `split` and `wgmma` at sizes that no
# tile divides and with all ways of sharing keys, of other data each time; `sanitize`, compute-sanitizer's memcheck and
# racecheck over the same kernels; `times`, at every preset or these, beside PyTorch's backends: the faster of the two is
# not slower than the best of those, or than `cudnn` in the run, anywhere, and reads the cache at 90% of the measured read
# bandwidth where it is of 8k keys or more and of 64 heads in all. Presets alone: their times. What is several times
# slower is left out: `naive`, and the backends that repeat keys. TREE holds bin/gpubench. Python is $GPUBENCH_PYTHON or
# python3. Exit 77 without a GPU.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: $0 TREE [OUT [PART|PRESET...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-decode}" && cd "${2:-gpu-decode}" && pwd)
parts=() presets=()
for name in "${@:3}"; do
  case $name in
    odd | sanitize | times) parts+=("$name") ;;
    *) presets+=(--preset "$name") ;;
  esac
done
((${#parts[@]})) || { ((${#presets[@]})) && parts=(times) || parts=(odd sanitize times); }
((${#presets[@]})) || presets=(--preset '*')
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
python=${GPUBENCH_PYTHON:-python3}
bench=(--plugin attention.so --bench decode --device cuda)
failed=0

fail() { echo "FAILED: $*"; failed=1; }

# verify NAME OPTIONS...: all rows are right, and there are some.
verify() {
  local name=$1; shift
  "$tree/bin/gpubench" "${bench[@]}" --variant split,wgmma --verify-only --lock off --no-save -a dtype=bf16 "$@" >"$out/$name.log" 2>&1 ||
    { fail "$name: exit $?"; tail -5 "$out/$name.log"; return; }
  printf '%-20s %s\n' "$name" "$(grep -o '^verified .*' "$out/$name.log")"
}

odd() {
  local seed=$RANDOM
  echo "seed $seed"
  verify odd --seed "$seed" -a b=2 -a h=6,48,142,300 -a h_kv=1,2,6 -a s_q=1,3 -a s=3,63,65,127,129,777 -a d=64,128
  verify drafts --seed "$seed" -a b=1 -a h=8 -a h_kv=1,2 -a s_q=4,16 -a s=16,17,128,1000,2049 -a d=64,128
  verify long --seed "$seed" -a b=1,70 -a h=24 -a h_kv=1 -a s_q=1,4 -a s=5000 -a d=64,128
}

sanitize() {
  local tool d log
  command -v compute-sanitizer >/dev/null || { echo "sanitize skipped: no compute-sanitizer here"; return; }
  for tool in memcheck racecheck; do
    for d in 64 128; do
      log=$out/$tool-$d.log
      compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 "$tree/bin/gpubench" "${bench[@]}" \
        --variant split,wgmma --verify-only --no-save --lock off --timeout 600 -a dtype=bf16 -a b=1,150 -a h=24,71 -a h_kv=1 \
        -a s_q=1,3 -a s=200,300 -a "d=$d" >"$log" 2>&1 || fail "$tool, d=$d: exit $?"
      ! grep -q 'SUMMARY: [1-9]' "$log" || fail "$tool, d=$d: $(grep 'SUMMARY: [1-9]' "$log" | head -1)"
      printf '%-20s %s\n' "$tool d=$d" "$(grep -o 'SUMMARY: .*' "$log" | sort | uniq -c | tr -s ' \n' ' ')"
    done
  done
}

times() {
  "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
    { echo "times skipped: no PyTorch with CUDA here"; return; }
  rm -rf "${out:?}/run"
  "$python" -B "$here/../../ci/peers/pytorch.py" --variant 'sdpa-cudnn*' --variant 'sdpa-flash*' --samples 100 --case-time 2 \
    --out "$out/run" --gpubench "$tree/bin/gpubench" -- --case-time 2 "${bench[@]}" --exclude naive "${presets[@]}" \
    >"$out/table.txt" 2>"$out/run.log" || { fail "times: exit $?"; tail -5 "$out/run.log"; return; }
  "$python" -B "$here/decode.py" "$out/run" || fail "times"
}

for part in "${parts[@]}"; do "$part"; done
exit "$failed"
