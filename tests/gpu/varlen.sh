#!/usr/bin/env bash
# tests/gpu/varlen.sh TREE [OUT [PART...]]
# Tests attention/window and attention/varlen on a GPU. The parts are: `odd`, our kernel at lengths, windows and numbers
# of sequences that no tile divides, on new data each time; `cudnn`, cuDNN's windows and ours; `forward`, whose kernels
# come from the same source; `sanitize`, the same kernels under compute-sanitizer's memcheck and racecheck; `times`, the
# variants at every preset, interleaved, and forward's at the same sizes. Python is $GPUBENCH_PYTHON or python3. TREE
# holds bin/gpubench. Exits with 77 without a GPU.
set -uo pipefail
source "$(dirname "$0")/parts.sh" gpu-varlen "odd cudnn forward sanitize times" "$@"
bench=(--plugin attention.so)

odd() {
  local heads=(-a h=6 -a d=64,128 -a dtype=bf16)
  verify window --bench attention/window --variant flash -a b=2 "${heads[@]}" -a h_kv=1,3,6 -a s=1,2,63,64,65,127,129,191,500 -a window=1,2,63,64,65,128,129,200,1000
  verify window-long --bench attention/window --variant flash -a b=1 "${heads[@]}" -a h_kv=2 -a s=1000,2049,5000 -a window=1,100,777,2047,4999
  verify one-sequence --bench attention/varlen --variant flash "${heads[@]}" -a h_kv=3 -a total=1,32,33,64,127,129,500 -a sequences=1 -a causal=yes,no
  verify lengths --bench attention/varlen --variant flash "${heads[@]}" -a h_kv=1,3,6 -a total=500 -a sequences=2,7,33,64,100,500 -a lengths=equal,uniform,zipf \
    -a causal=yes,no
  verify varlen-window --bench attention/varlen --variant flash "${heads[@]}" -a h_kv=3 -a total=700 -a sequences=1,5,40 -a lengths=uniform,zipf \
    -a window=1,2,31,32,33,63,64,65,129,1000
  verify varlen-long --bench attention/varlen --variant flash "${heads[@]}" -a h_kv=2 -a total=20001 -a sequences=3,70,1000 -a lengths=zipf -a causal=yes,no
}

# Skipped rows do not fail: there may be no cuDNN.
cudnn() {
  verify cudnn --bench attention/window --variant cudnn,flash -a b=2 -a h=6 -a h_kv=1,3,6 -a s=64,65,500,1000 -a window=1,2,64,65,499,2000 -a d=64,128 -a dtype=bf16
}

forward() {
  verify forward --bench attention/forward --variant flash,standard -a b=2 -a h=6 -a h_kv=1,6 -a s=1,64,129,500 -a d=64,128 -a dtype=fp32,bf16 -a causal=yes,no
}

sanitize() {
  local tool
  can_sanitize || return
  for tool in memcheck racecheck; do
    sees "$tool" window --bench attention/window --variant flash -a h=2 -a h_kv=1 -a s=1,200 -a d=64,128 -a dtype=bf16 -a window=1,70
    sees "$tool" varlen --bench attention/varlen --variant flash -a h=2 -a h_kv=1 -a total=300 -a sequences=1,9 -a d=64,128 -a dtype=bf16 \
      -a causal=yes -a window=0,70
  done
}

times() {
  rm -rf "${out:?}/run"
  "$tree/bin/gpubench" --plugin attention.so --bench attention/window,attention/varlen --preset '*' -a dtype=bf16 --device cuda --case-time 1 \
    --ceilings off --out "$out/run" >"$out/times.txt" 2>"$out/times.log" || { fail "times: exit $?"; tail -5 "$out/times.log"; }
  # the gain and the cost of windows and packing: the same heads and lengths with all keys, and unpacked
  rm -rf "${out:?}/all"
  "$tree/bin/gpubench" --plugin attention.so --bench attention/forward --variant cudnn,flash --device cuda --case-time 1 --ceilings off \
    --out "$out/all" -a b=1 -a h=32 -a h_kv=8 -a s=8k,32k -a d=128 -a dtype=bf16 >"$out/all.txt" 2>"$out/all.log" || fail "all: exit $?"
  "$python" -B "$here/varlen.py" "$out/run/results.csv" "$out/all/results.csv" || fail "times"
}

run_parts
