#!/usr/bin/env bash
# tests/gpu/sanitize.sh TREE [OUT [TOOL...]]: every kernel of softmax and activations under compute-sanitizer's memcheck,
# initcheck and racecheck: each path at small shapes, all types. TREE is a build directory or an unpacked TGZ. All of it
# runs side by side, as nothing is timed. Exit 77 without a GPU or compute-sanitizer.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT [TOOL...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-sanitize}" && cd "${2:-gpu-sanitize}" && pwd)
tools=("${@:3}")
((${#tools[@]} > 0)) || tools=(memcheck initcheck racecheck)
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
command -v compute-sanitizer >/dev/null || { echo "skipped: no compute-sanitizer here"; exit 77; }
running=()

check() { # check NAME TOOL GPUBENCH-OPTION...: one line when it is done; the log has what the tool said
  local name=$1-$2 start=$EPOCHREALTIME rc
  compute-sanitizer --tool "$2" --target-processes all --error-exitcode 9 "$tree/bin/gpubench" "${@:3}" \
    -a dtype=fp32,fp16,bf16 --verify-only --no-save --lock off --timeout 600 >"$out/$name.log" 2>&1
  rc=$?
  printf '%-28s exit %d, %.0f s: %s\n' "$name" "$rc" "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')" \
    "$(grep -o 'SUMMARY: .*' "$out/$name.log" | sort | uniq -c | tr -s ' \n' ' ')"
  return $rc
}

for tool in "${tools[@]}"; do
  softmax=(--plugin softmax.so -a m=5 --variant '*')
  # a warp, a block and clusters of 2 to 16; rows on and off 16-byte boundaries; one beyond what `fused` holds
  check softmax-rows "$tool" "${softmax[@]}" --bench rows -a n=1,33,1024,5000,16384,16385,32769,50257,131072,262144,262145 &
  running+=($!)
  check softmax-masked "$tool" "${softmax[@]}" --bench masked -a b=2 -a mask=causal,given -a n=64,100,1000,1025,2048,16384 &
  running+=($!)
  check cross-entropy "$tool" "${softmax[@]}" --bench cross_entropy -a n=1,33,1000,50257,65537,128256 &
  running+=($!)
  activations=(--plugin activations.so --variant '*')
  check elementwise "$tool" "${activations[@]}" --bench gelu,swish,swiglu -a form=erf,tanh -a n=1,17,4097,20000 &
  running+=($!)
  check bias "$tool" "${activations[@]}" --bench bias_gelu -a form=erf,tanh -a m=5 -a n=1,8,4096,5000 &
  running+=($!)
  # lanes, blocks, clusters; whole shares with as many threads as a constant, and with another number
  for bench in layernorm rmsnorm layernorm_gelu add_layernorm add_rmsnorm layernorm_saved rmsnorm_saved; do
    check $bench "$tool" "${activations[@]}" --bench $bench -a m=5 \
      -a n=1,33,128,200,1000,2048,4096,5120,6144,8192,16384,20000,50257,131072 &
    running+=($!)
  done
  check many-rows "$tool" --plugin activations.so --bench layernorm,rmsnorm_saved,layernorm_gelu --variant lanes,tensor \
    -a m=65537 -a n=128 &
  running+=($!)
done
failed=0
for each in "${running[@]}"; do
  wait "$each" || failed=1
done
exit $failed
