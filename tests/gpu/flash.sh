#!/usr/bin/env bash
# tests/gpu/flash.sh TREE [OUT [PART...]]
# Tests attention/forward on a GPU. The parts are: `odd`, our two kernels that take bf16 and fp16 and keep no scores in
# memory, at sizes that no tile divides and with every way of sharing keys, on new data and lengths each time, and the
# other variants at fewer sizes; `sanitize`, the same two under compute-sanitizer's memcheck and racecheck; `e4m3`, these
# two tests for `wgmma` in fp8; `times`, cudnn and our two at every preset, interleaved, and PyTorch at the same sizes,
# which fails if `wgmma` is below its goals. Python is $GPUBENCH_PYTHON or python3. TREE holds bin/gpubench. Exits with
# 77 without a GPU.
set -uo pipefail
source "$(dirname "$0")/parts.sh" gpu-flash "odd sanitize e4m3 times" "$@"
bench=(--plugin attention.so --bench forward)

odd() {
  local any=$((1 + RANDOM % 600)),$((1 + RANDOM % 600)),$((1 + RANDOM % 600))
  echo "seed $seed, lengths $any"
  verify odd --variant flash,wgmma -a b=2 -a h=8 -a h_kv=1,2,8 -a "s=1,2,63,64,65,79,80,81,127,128,129,161,191,192,193,500,577,$any" \
    -a dtype=fp16,bf16 -a d=64,128,256 -a causal=yes,no
  verify longer --variant flash,wgmma -a b=1 -a h=4 -a h_kv=2 -a s=777,1000,1024,2049 -a dtype=fp16,bf16 -a d=64,128,256 \
    -a causal=yes,no
  verify few --variant wgmma -a b=5 -a h=8 -a h_kv=2 -a s=193,300,385 -a dtype=fp16,bf16 -a d=64 -a causal=yes,no
  verify many --variant flash,wgmma -a b=8 -a h=32 -a h_kv=8 -a s=129,577 -a dtype=fp16,bf16 -a d=64,256 -a causal=yes,no
  verify standard --variant standard -a b=1 -a h=4 -a h_kv=2 -a "s=1,65,129,500,$any" -a dtype=fp32,fp16,bf16 -a d=64,128,256 \
    -a causal=yes,no
  verify cudnn --variant cudnn -a b=1 -a h=4 -a h_kv=2 -a s=500 -a dtype=fp16,bf16 -a d=64,256 -a causal=yes,no
}

# The second case has more tiles than any GPU has multiprocessors, so each takes several. The last has more tiles of 64
# queries than an H200 has multiprocessors, and fewer of 128.
sanitize() {
  local tool d
  can_sanitize || return
  for tool in memcheck racecheck; do
    for d in 64 128 256; do
      sees "$tool" "d=$d" --variant flash,wgmma -a b=1 -a h=2 -a h_kv=1 -a s=200,400 -a dtype=fp16,bf16 -a "d=$d" -a causal=yes,no
      sees "$tool" "d=$d-many" --variant flash,wgmma -a b=1 -a h=400 -a h_kv=200 -a s=100 -a dtype=bf16 -a "d=$d" -a causal=yes
    done
    sees "$tool" d=64-few --variant wgmma -a b=1 -a h=40 -a h_kv=20 -a s=300 -a dtype=bf16 -a d=64 -a causal=yes,no
  done
}

e4m3() {
  local tool d
  verify e4m3 --variant wgmma -a b=2 -a h=8 -a h_kv=1,2,8 -a "s=1,2,63,64,65,127,128,129,191,192,193,500,577,1000,2049,$((1 + RANDOM % 600))" -a dtype=e4m3 \
    -a d=64,128,256 -a causal=yes,no
  can_sanitize || return
  for tool in memcheck racecheck; do
    for d in 64 128 256; do
      sees "$tool" "d=$d-e4m3" --variant wgmma -a b=1 -a h=400 -a h_kv=200 -a s=100,200 -a dtype=e4m3 -a "d=$d" -a causal=yes,no
    done
  done
}

times() {
  rm -rf "${out:?}/run"
  "$tree/bin/gpubench" "${bench[@]}" --device cuda --variant cudnn,flash,wgmma --preset '*' --case-time 1 --max-time 100 --ceilings off --out "$out/run" \
    >"$out/times.txt" 2>"$out/times.log" || { fail "times: exit $?"; tail -5 "$out/times.log"; }
  "$python" -B "$here/flash.py" "$out/run/results.csv" || fail "times"
}

run_parts
