#!/usr/bin/env bash
# tests/gpu/defaults.sh TREE [OUT [PLUGIN...]]
# Compares the wall time of each plugin at its defaults with the limit in tests/defaults.list and with the time that its
# run announces, and prints how many rows, ceilings included, reached the requested precision. TREE is as in
# main_job.sh. Exits with 1 if a run fails or exceeds either time, with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT [PLUGIN...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
wanted=" ${*:3} "
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
failed=0
run() { # run PLUGIN SECONDS
  local plugin=$1 seconds=$2 start rc took announced verdict=ok dir=$out/$1 log=$out/$1.log
  rm -rf "$dir" "$out/$plugin-cache"
  start=$EPOCHREALTIME
  XDG_CACHE_HOME="$out/$plugin-cache" "$tree/bin/gpubench" --plugin "$plugin.so" -v --out "$dir" >"$log" 2>&1 </dev/null; rc=$?
  took=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  announced=$(sed -n 's/^plan .*; at most \([0-9.]*\) s.*/\1/p' "$log")
  ((rc == 0)) && awk -v a="$took" -v b="$seconds" -v c="${announced:-0}" 'BEGIN { exit a > b || a > c }' ||
    { verdict=FAILED; failed=1; }
  printf '%-14s %-6s exit %d  %5s s of %s, announced %s;  %s\n' "$plugin" "$verdict" "$rc" "$took" "$seconds" "$announced" \
    "$(grep -o '[0-9]* of [0-9]* reached.*' "$log" | tail -n 1)"
  sed -n '/^seconds  *announced/,$p' "$log" | grep -E '^(planning|ceilings|cases|reserve|end|all)'
}
while read -r plugin seconds _; do
  [[ $plugin != '#'* ]] || continue
  [[ $wanted == '  ' || $wanted == *" $plugin "* ]] || continue
  run "$plugin" "$seconds"
done <"$(dirname "$0")/../defaults.list"
exit $failed
