#!/usr/bin/env bash
# tests/gpu/decode.sh TREE [OUT [PART|PRESET...]]
# Tests attention/decode on a GPU. The parts are: `odd`, `split` and `wgmma` at sizes that no tile divides and with
# every way of sharing keys, on new data each time; `sanitize`, the same kernels under compute-sanitizer's memcheck and
# racecheck; `times`, all presets or the given ones, compared with PyTorch's backends. The faster of the two variants
# must nowhere be slower than the fastest backend or than `cudnn` in the same run, and must read the cache at 90% of the
# measured read bandwidth if it has at least 8k keys and 64 heads in all. Presets without a part are timed. `naive`
# and the backends that repeat keys are left out, because they are several times slower. TREE holds bin/gpubench. Python
# is $GPUBENCH_PYTHON or python3. Exits with 77 without a GPU.
set -uo pipefail
named=() presets=()
for name in "${@:3}"; do
  case $name in
    odd | sanitize | times) named+=("$name") ;;
    *) presets+=(--preset "$name") ;;
  esac
done
((${#named[@]} == 0 && ${#presets[@]})) && named=(times)
source "$(dirname "$0")/parts.sh" gpu-decode "odd sanitize times" "${1-}" "${2-}" "${named[@]}"
((${#presets[@]})) || presets=(--preset '*')
bench=(--plugin attention.so --bench decode)
tensor=(--variant split,wgmma -a dtype=bf16)

odd() {
  echo "seed $seed"
  verify odd "${tensor[@]}" -a b=2 -a h=6,48,142,300 -a h_kv=1,2,6 -a s_q=1,3 -a s=3,63,65,127,129,777 -a d=64,128
  verify drafts "${tensor[@]}" -a b=1 -a h=8 -a h_kv=1,2 -a s_q=4,16 -a s=16,17,128,1000,2049 -a d=64,128
  verify long "${tensor[@]}" -a b=1,70 -a h=24 -a h_kv=1 -a s_q=1,4 -a s=5000 -a d=64,128
}

sanitize() {
  local tool d
  can_sanitize || return
  for tool in memcheck racecheck; do
    for d in 64 128; do
      sees "$tool" "d=$d" "${tensor[@]}" -a b=1,150 -a h=24,71 -a h_kv=1 -a s_q=1,3 -a s=200,300 -a "d=$d"
    done
  done
}

times() {
  "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
    { echo "times skipped: no PyTorch with CUDA here"; return; }
  rm -rf "${out:?}/run"
  "$python" -B "$here/../../ci/peers/pytorch.py" --variant 'sdpa-cudnn*' --variant 'sdpa-flash*' --samples 100 --case-time 2 \
    --out "$out/run" --gpubench "$tree/bin/gpubench" -- --case-time 2 "${bench[@]}" --device cuda --exclude naive "${presets[@]}" \
    >"$out/table.txt" 2>"$out/run.log" || { fail "times: exit $?"; tail -5 "$out/run.log"; return; }
  "$python" -B "$here/decode.py" "$out/run" || fail "times"
}

run_parts
