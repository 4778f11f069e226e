#!/usr/bin/env bash
# tests/gpu/main_job.sh TREE [OUT]
# Tests the main job on a GPU. TREE holds bin/gpubench and lib/gpubench/plugins: a build directory or an unpacked TGZ.
# The script runs calibrate, softmax and attention at their defaults, times the first row of a quick case, and, if
# compute-sanitizer is installed, runs their kernels under its memcheck, racecheck and initcheck. Exits with 77 without
# a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
failed=0

check() { # check NAME COMMAND...: writes the output to a log and prints one line
  local name=$1 start=$EPOCHREALTIME; shift
  "$@" >"$out/$name.log" 2>&1
  local rc=$?
  local verdict=ok
  ((rc == 0)) || { verdict=FAILED; failed=1; }
  printf '%-28s %s (exit %d) %.1f s\n' "$name" "$verdict" "$rc" \
    "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')"
}

for plugin in calibrate softmax attention; do
  check "$plugin" "$gpubench" --plugin $plugin.so --out "$out/run-$plugin"
done
check quick-one-case "$gpubench" --plugin attention.so --quick --no-save \
  --case 'attention/forward[preset=llama3-8b/4k]'

# A profiler that waits for the range sees the kernels of one call and none of the host's.
profiled() { # profiled VARIANT KERNELS
  local seen
  seen=$(ncu --profile-from-start off --clock-control none --target-processes all "$gpubench" --profile \
    --plugin attention.so --case 'attention/forward[preset=gpt2/1k]' --variant "$1" 2>&1 | tee "$out/ncu-$1.log" |
    grep -cE '^ +[a-zA-Z_:]+.*\([0-9]+, [0-9]+, [0-9]+\)x\([0-9]+, [0-9]+, [0-9]+\)')
  [[ $seen == "$2" ]] || { echo "ncu saw $seen kernels of $1, expected $2"; return 1; }
}
if command -v ncu >/dev/null; then
  check profile-flash profiled flash 1
  check profile-standard profiled standard 3
else
  echo "skipped: no ncu here"
fi

# The sizes are small and odd and reach every code path; --verify-only launches each kernel once, never behind the
# blocking kernel.
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck; do
    sanitize=(compute-sanitizer --tool $tool --target-processes all --error-exitcode 9 "$gpubench" --verify-only
      --no-save --timeout 600)
    check $tool-attention "${sanitize[@]}" --plugin attention.so --bench forward -a b=2 -a h=6 -a h_kv=1,2 -a s=1,65,200 -a d=64,128 \
      -a dtype=fp32,bf16 -a causal=yes,no
    check $tool-decode "${sanitize[@]}" --plugin attention.so --bench decode -a b=1 -a h=6,40,142 -a h_kv=2 -a s_q=1,3 \
      -a s=3,65,777 -a d=64,128 -a dtype=fp32,bf16
    check $tool-softmax "${sanitize[@]}" --plugin softmax.so -a m=5 -a n=1,33,1000,5000,16384,20000,50257,131072,262144 \
      -a dtype=fp32,fp16,bf16
    check $tool-calibrate "${sanitize[@]}" --plugin calibrate.so --variant '*' -a bytes=1048576 -a ns=5024
  done
else
  echo "skipped: no compute-sanitizer here"
fi
exit $failed
