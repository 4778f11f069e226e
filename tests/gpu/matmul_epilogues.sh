#!/usr/bin/env bash
# tests/gpu/matmul_epilogues.sh TREE [OUT [PART...]]
# Tests matmul/bias_gelu and matmul/add on a GPU. The parts are: `odd`, all variants at sizes that no tile divides;
# `presets`, every element at the sizes of the models; `sanitize`, wgmma at small sizes under compute-sanitizer's
# memcheck and racecheck; `times`, all variants interleaved. TREE holds bin/gpubench. Exits with 77 without a GPU.
set -uo pipefail
source "$(dirname "$0")/parts.sh" gpu-epilogues "odd presets sanitize times" "$@"
bench=(--plugin matmul.so)
models=epilogue/gpt2-fc,epilogue/gpt2-proj,epilogue/llama3-8b-up,epilogue/llama3-8b-down,epilogue/square-4k

odd() {
  local sum
  for sum in bias_gelu add; do
    verify "small-$sum" --bench "matmul/$sum" --variant wgmma,wgmma-best,cublaslt,unfused -a m=1,63,129,500 -a n=8,200,328 -a k=8,72,520 -a dtype=bf16
    verify "large-$sum" --bench "matmul/$sum" --variant wgmma,wgmma-best -a m=2049,5000 -a n=1544,3000 -a k=264,1000 -a dtype=bf16
    verify "types-$sum" --bench "matmul/$sum" --variant cublaslt,unfused -a m=65,1025 -a n=72,777 -a k=40,1200 -a dtype=fp32,fp16
  done
}

presets() {
  local sum
  for sum in bias_gelu add; do verify "presets-$sum" --bench "matmul/$sum" --preset "$models"; done
}

sanitize() {
  local tool sum
  can_sanitize || return
  for tool in memcheck racecheck; do
    for sum in bias_gelu add; do
      sees "$tool" "$sum" --bench "matmul/$sum" --variant wgmma -a m=129 -a n=200 -a k=328 -a dtype=bf16
    done
  done
}

times() {
  local sum
  for sum in bias_gelu add; do
    rm -rf "${out:?}/$sum"
    "$tree/bin/gpubench" "${bench[@]}" --device cuda --bench "matmul/$sum" --ceilings off --preset "$models" --restarts 3 --max-time 60s \
      --out "$out/$sum" --color never | tee "$out/times-$sum.log"
    ((PIPESTATUS[0] == 0)) || fail "times of $sum"
  done
}

run_parts
