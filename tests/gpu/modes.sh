#!/usr/bin/env bash
# tests/gpu/modes.sh TREE [OUT]
# Tests every mode on a GPU. TREE is a build directory or an unpacked TGZ. Each mode must time every variant and report
# a launch overhead; kernels are counted by capture; latency trajectories find no leak; one mode of each kind also runs
# under compute-sanitizer's memcheck. Exits with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
failed=0

check() { # check NAME COMMAND...: writes the output to a log and prints one line
  local name=$1 rc; shift
  "$@" >"$out/$name.log" 2>&1
  rc=$?
  if ((rc == 0)); then echo "$name ok"; else failed=1; echo "$name FAILED (exit $rc): $(tail -n 1 "$out/$name.log")"; fi
}

# rows NAME MODE KERNELS: checks that every row is ok in this mode and has a launch overhead; KERNELS is
# "variant=count,..." or empty
rows() {
  python3 -B - "$out/$1/results.csv" "$2" "$3" <<'PYTHON'
import csv, sys
path, mode, kernels = sys.argv[1:]
expected = dict(pair.split("=") for pair in kernels.split(",") if pair)
rows = [r for r in csv.DictReader(open(path, newline="")) if not r["bench"].startswith("calibrate/")]
assert rows, "no rows"
for r in rows:
    where = f"{r['case_key']} {r['variant']}"
    assert r["status"] == "ok", f"{where}: {r['status']} {r['message']}"
    assert r["mode"] == mode, f"{where}: mode {r['mode']}"
    assert float(r["launch_overhead_ns"]) > 0 and float(r["median_raw_ns"]) > 0, f"{where}: no launch overhead or time"
    assert r["variant"] not in expected or r["kernels"] == expected[r["variant"]], f"{where}: {r['kernels']} kernels"
    print(f"{where}: raw {float(r['median_raw_ns']):.0f} ns, overhead {r['launch_overhead_ns']} +- {r['launch_overhead_unc_ns']}, "
          f"less overhead {r['median_ns']}, clock {r['sm_clock_mhz']} MHz, {r['power_w']} W, throttled {r['throttled_share']}")
PYTHON
}

timed() { # timed NAME MODE KERNELS ARGUMENT...
  local name=$1 mode=$2 kernels=$3; shift 3
  "$gpubench" "$@" --mode "$mode" --ceilings off --out "$out/$name" && rows "$name" "$mode" "$kernels"
}

attention=(--plugin attention.so --case 'attention/forward[preset=gpt2/1k]')
for mode in cold hot graph latency latency-graph wall cold+burst hot+sustained; do
  check "attention-$mode" timed "attention-$mode" "$mode" flash=1,standard=3 "${attention[@]}" --case-time 2
  check "softmax-$mode" timed "softmax-$mode" "$mode" "" --plugin softmax.so --exclude both -a m=64 -a n=1000 --case-time 1
done
check trajectory timed trajectory latency "" "${attention[@]}" --trajectory 20000 --case-time 5
check trajectory-graph timed trajectory-graph latency-graph "" "${attention[@]}" --trajectory 20000 --case-time 5
check null-kernels "$gpubench" --plugin calibrate.so --bench empty -a grid=1,132,1056,16896 -a params=8,4096 \
  -a shared=0,204800 -a cluster=1,2 --case-time 0.2 --ceilings off --out "$out/null-kernels"
check restarts timed restarts cold "" "${attention[@]}" --restarts 3 --case-time 1

# The blocking kernel does not work there: use the modes that the host's clock times.
if command -v compute-sanitizer >/dev/null; then
  for mode in latency latency-graph wall; do
    check "memcheck-$mode" compute-sanitizer --target-processes all --error-exitcode 9 "$gpubench" --plugin softmax.so \
      -a m=5 -a n=1000 --mode "$mode" --quick --no-save --timeout 600 --max-time 600
  done
else
  echo "skipped: no compute-sanitizer here"
fi
cat "$out"/attention-*.log | grep -h "raw "
exit $failed
