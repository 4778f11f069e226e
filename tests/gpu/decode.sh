#!/usr/bin/env bash
# tests/gpu/decode.sh TREE [OUT [PART|PRESET...]]: attention/decode on a GPU. Parts: `odd`, `split` and `wgmma` at sizes that no
# tile divides and with all ways of sharing keys, of other data each time; `sanitize`, compute-sanitizer's memcheck and
# racecheck over the same kernels; `times`, at every preset or these, beside PyTorch's backends: the faster of the two is
# not slower than the best of those, or than `cudnn` in the run, anywhere, and reads the cache at 90% of the measured read
# bandwidth where it is of 8k keys or more and of 64 heads in all. Presets alone: their times. What is several times
# slower is left out: `naive`, and the backends that repeat keys. TREE holds bin/gpubench. Python is $GPUBENCH_PYTHON or
# python3. Exit 77 without a GPU.
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
