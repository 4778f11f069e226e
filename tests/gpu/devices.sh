#!/usr/bin/env bash
# tests/gpu/devices.sh TREE [OUT]
# Tests runs on several GPUs, or on one GPU that stands for several. TREE is a build directory or an unpacked TGZ. Exits
# with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
failed=0
rm -rf "$out"/devices-*

fail() { echo "devices: FAIL: $*"; failed=1; }
run() { # run NAME DEVICES [OPTION...]: leaves the exit status in $rc
  local name=$1 devices=$2; shift 2
  "$gpubench" --plugin calibrate --bench copy,read --quick --device "$devices" --out "$out/devices-$name" "$@" \
    >"$out/devices-$name.log" 2>&1
  rc=$?
}
# Prints the GPUs that appear in the rows of a run.
measured() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "devices") at = i; next } { print $at }' "$1" | sort -u; }

run all cuda:all
((rc == 0)) || { fail "cuda:all: exit $rc"; tail -n 5 "$out/devices-all.log"; }
count=$(measured "$out/devices-all/results.csv" | wc -l)
((count >= 1)) || fail "cuda:all measured nothing"
uuid=$(measured "$out/devices-all/results.csv" | head -n 1)
uuid=${uuid//\"/}
echo "devices: cuda:all measured $count"

# A missing device costs only its rows.
run absent "cuda:0,cuda:$count"
((rc == 4)) || fail "a device that is not there: exit $rc, not 4"
(($(measured "$out/devices-absent/results.csv" | wc -l) == 1)) || fail "cuda:0 was not measured beside one that is not there"
grep -q "cuda:$count" "$out/devices-absent.log" || fail "the device that is not there is not named"

# One GPU under two names counts as one device and is refused.
run twice "$uuid,cuda:all"
((rc == 2)) || fail "a GPU under two names: exit $rc, not 2"
grep -q 'are the same device' "$out/devices-twice.log" || fail "a GPU under two names is not refused by name"

if ((count > 1)); then
  grep -Eq '^(odd one out|devices) ' "$out/devices-all.log" || fail "no word on whether the devices are alike"
fi
((failed)) || echo "devices: ok"
exit "$failed"
