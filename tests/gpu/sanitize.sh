#!/usr/bin/env bash
# tests/gpu/sanitize.sh TREE [OUT [TOOL...]]
# Runs every kernel of softmax, activations and md, those of attention's window and varlen, and, in a build directory,
# those of the cheating guests and their honest twins under compute-sanitizer's memcheck, initcheck and racecheck: each
# code path at small shapes, all types. TREE is a build directory or an unpacked TGZ. One part per processor runs at a
# time, because nothing is timed. Parts that are clean in OUT are not run again, so the script may be interrupted. Exits
# with 77 without a GPU or compute-sanitizer.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT [TOOL...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-sanitize}" && cd "${2:-gpu-sanitize}" && pwd)
tools=("${@:3}")
((${#tools[@]} > 0)) || tools=(memcheck initcheck racecheck)
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
command -v compute-sanitizer >/dev/null || { echo "skipped: no compute-sanitizer here"; exit 77; }
export tree out

check() { # check NAME TOOL GPUBENCH-OPTION...: prints one line when it is done; the log has the tool's output
  local log=$out/$1-$2.log start=$EPOCHREALTIME rc
  ! grep -qs '^clean$' "$log" || { printf '%-28s clean before\n' "$1-$2"; return 0; }
  compute-sanitizer --tool "$2" --target-processes all --error-exitcode 9 "$tree/bin/gpubench" "${@:3}" \
    --verify-only --no-save --lock off --timeout 600 >"$log" 2>&1
  rc=$?
  [[ $rc != 3 || $1 != cheats-* ]] || rc=0 # caught, which is right; findings of the tool give 9
  ! grep -q 'SUMMARY: [1-9]' "$log" || rc=9
  ((rc != 0)) || echo clean >>"$log"
  printf '%-28s exit %d, %.0f s: %s\n' "$1-$2" "$rc" "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')" \
    "$(grep -o 'SUMMARY: .*' "$log" | sort | uniq -c | tr -s ' \n' ' ')"
  return "$((rc != 0))"
}
export -f check

part() { # part NAME GPUBENCH-OPTION...: prints a line for each tool and each type, or each of $types if that is set
  local dtype tool
  for tool in "${tools[@]}"; do
    for dtype in ${types:-fp32 fp16 bf16}; do
      echo "$1-$dtype $tool ${*:2} -a dtype=$dtype"
    done
  done
}

parts() { # the long parts come first
  local tool
  local norms="--plugin activations.so --variant *" rows="--plugin softmax.so --variant * -a m=5" bench
  # lanes, blocks, clusters; rows that divide evenly among threads, whose number is a compile-time constant or not
  for bench in layernorm_gelu layernorm layernorm_saved add_layernorm rmsnorm rmsnorm_saved add_rmsnorm; do
    part "$bench" "$norms" --bench "$bench" -a m=5 -a n=1,33,128,200,1000,2048,4096,5120,6144,8192,16384,20000,50257,131072
  done
  # a warp, a block and clusters of 2 to 16; rows on and off 16-byte boundaries; one longer than `fused` can hold
  part softmax-rows "$rows" --bench rows -a n=1,33,1024,5000,16384,16385,32769,50257,131072,262144,262145
  part softmax-masked "$rows" --bench masked -a b=2 -a mask=causal,given -a n=64,100,1000,1025,2048,16384
  part cross-entropy "$rows" --bench cross_entropy -a n=1,33,1000,50257,65537,128256
  # the last two are lengths at which a thread has two packs, of fp32 and of 16 bits, on a GPU of 132 multiprocessors
  part elementwise "$norms" --bench gelu,swish,swiglu -a form=erf,tanh -a n=1,17,4097,20000,2100003,4200003
  part bias "$norms" --bench bias_gelu -a form=erf,tanh -a m=5 -a n=1,8,4096,5000
  types=bf16 part window --plugin attention.so --bench attention/window --variant flash -a h=2 -a h_kv=1 -a d=64,128 -a s=1,200 -a window=1,70
  types=bf16 part varlen --plugin attention.so --bench attention/varlen --variant flash -a h=2 -a h_kv=1 -a d=64,128 -a total=300 \
    -a sequences=1,9 -a window=0,70
  types=bf16 part varlen-all-seen --plugin attention.so --bench attention/varlen --variant flash -a h=2 -a h_kv=1 -a d=64,128 -a total=300 \
    -a sequences=1,40 -a causal=no
  for tool in "${tools[@]}"; do # a few atoms too many for the lattice; enough atoms for the narrow groups
    echo "md-few $tool --plugin md.so --variant * -a atoms=501,1373 -a leg=1,3 -a order=sorted,shuffled -a potential=cut,shifted-force"
    echo "md-more $tool --plugin md.so -a atoms=13001 -a leg=3"
  done
  local guests=$tree/tests/cheats/guests guest
  for guest in $([[ ! -d $guests ]] || echo reuse untimed neighbour); do
    for tool in "${tools[@]}"; do
      echo "cheats-$guest $tool --plugin $tree/tests/plugins/cheat_cuda.so --plugin $guests/cheat_gpu_$guest.so --bench cheats/cuda -a n=4k,100003 -a steps=1,16"
    done
  done
  for tool in $([[ ! -d $guests ]] || echo "${tools[@]}"); do
    echo "cheats-foresee $tool --plugin softmax.so --plugin $guests/cheat_gpu_foresee.so --bench softmax/rows --variant seed* -a m=999 -a n=1024 -a dtype=fp32"
  done
  part many-rows --plugin activations.so --bench layernorm,rmsnorm_saved,layernorm_gelu --variant lanes,tensor -a m=65537 -a n=128
}

parts | xargs -P "$(nproc)" -L 1 bash -c 'check "$@"' check
