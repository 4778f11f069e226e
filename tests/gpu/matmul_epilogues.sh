#!/usr/bin/env bash
# tests/gpu/matmul_epilogues.sh TREE [OUT [PART...]]: matmul/bias_gelu and matmul/add on a GPU. Parts: `odd`, all variants at sizes that no
# tile divides; `presets`, the same at the models' sizes, every element; `sanitize`, compute-sanitizer's memcheck and racecheck of
# wgmma at small sizes; `times`, all variants in turns. TREE holds bin/gpubench. Exit 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT [PART...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-epilogues}" && cd "${2:-gpu-epilogues}" && pwd)
parts=("${@:3}")
((${#parts[@]})) || parts=(odd presets sanitize times)
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
seed=$RANDOM
failed=0
presets=epilogue/gpt2-fc,epilogue/gpt2-proj,epilogue/llama3-8b-up,epilogue/llama3-8b-down,epilogue/square-4k

fail() { echo "FAILED: $*"; failed=1; }

bench() { "$tree/bin/gpubench" --plugin matmul.so --device cuda --lock off --no-save --seed "$seed" "$@"; }

# verify NAME BENCH OPTIONS...: all rows are right, and there are some.
verify() {
  local name=$1 bench=$2; shift 2
  bench --bench "matmul/$bench" --verify-only "$@" >"$out/$name.log" 2>&1 || { fail "$name: exit $?"; tail -5 "$out/$name.log"; return; }
  printf '%-20s %s\n' "$name" "$(grep -o '^verified .*' "$out/$name.log")"
}

odd() {
  for bench in bias_gelu add; do
    verify "small-$bench" "$bench" --variant wgmma,wgmma-best,cublaslt,unfused -a m=1,63,129,500 -a n=8,200,328 -a k=8,72,520 -a dtype=bf16
    verify "large-$bench" "$bench" --variant wgmma,wgmma-best -a m=2049,5000 -a n=1544,3000 -a k=264,1000 -a dtype=bf16
    verify "types-$bench" "$bench" --variant cublaslt,unfused -a m=65,1025 -a n=72,777 -a k=40,1200 -a dtype=fp32,fp16
  done
}

presets() {
  for bench in bias_gelu add; do verify "presets-$bench" "$bench" --preset "$presets"; done
}

sanitize() {
  command -v compute-sanitizer >/dev/null || { echo "sanitize: skipped: no compute-sanitizer here"; return; }
  for tool in memcheck racecheck; do
    for bench in bias_gelu add; do
      compute-sanitizer --target-processes all --tool "$tool" --error-exitcode 9 "$tree/bin/gpubench" --plugin matmul.so --device cuda \
        --lock off --no-save --bench "matmul/$bench" --variant wgmma --verify-only -a m=129 -a n=200 -a k=328 -a dtype=bf16 \
        >"$out/$tool-$bench.log" 2>&1 || { fail "$tool of $bench: exit $?"; tail -5 "$out/$tool-$bench.log"; continue; }
      echo "$tool of $bench: nothing"
    done
  done
}

times() {
  for bench in bias_gelu add; do
    bench --bench "matmul/$bench" --roofs off --preset "$presets" --max-time 60s | tee "$out/times-$bench.log"
    ((PIPESTATUS[0] == 0)) || fail "times of $bench"
  done
}

for part in "${parts[@]}"; do "$part"; done
exit "$failed"
