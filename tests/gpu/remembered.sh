#!/usr/bin/env bash
# tests/gpu/remembered.sh TREE [OUT [PLUGIN]]
# Shows how much time remembered ceilings save, and checks that they are within 2% of those that the run would have
# measured. TREE is as in main_job.sh; PLUGIN is softmax by default. Exits with 1 if they are not, with 77 without a
# GPU.
set -euo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT [PLUGIN]]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
plugin=${3:-softmax}
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
rm -rf "$out/remembered-cache"
run() { # run NAME OPTION...: prints the wall time
  XDG_CACHE_HOME="$out/remembered-cache" "$tree/bin/gpubench" --plugin "$plugin.so" --out "$out/remembered-$1" "${@:2}" \
    >"$out/remembered-$1.log" 2>&1 </dev/null
  printf '%-9s %5s s  ' "$1" "$(sed -n 's/^wall_s = //p' "$out/remembered-$1/run.ini")"
  grep '^yardsticks ' "$out/remembered-$1.log"
}
run first; run second; run third; run measured --ceilings measure
grep -q '^yardsticks = remembered: .* by run remembered-first,' "$out/remembered-third/run.ini" || { echo "FAILED: nothing was remembered"; exit 1; }
ceilings() { grep '_ceiling_\|^flop_ceiling_' "$out/remembered-$1/run.ini"; }
paste -d ' ' <(ceilings third) <(ceilings measured) |
  awk '{ r = $3 / $6; printf "%-26s %.4f of what is measured\n", $1, r; bad = bad || $1 != $4 || r < 0.98 || r > 1.02 } END { exit bad || !NR }'
