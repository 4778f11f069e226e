#!/usr/bin/env bash
# tests/gpu/state.sh TREE PLUGIN [DEVICE]
# Tests trajectories, updates in place, `after`, inputs from the bench, bit-exact outputs, tensors in host memory and
# `close` on a GPU. TREE is as in main_job.sh, PLUGIN is the built tests/plugins/ok_device.so. Right variants must be ok
# in all modes, wrong ones must have their message, and the sanitizers must report nothing. DEVICE is cuda:0 by default,
# or cpu on a machine without a GPU. Exits with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE PLUGIN [DEVICE]}" && pwd)
plugin=$(realpath "${2:?usage: $0 TREE PLUGIN [DEVICE]}")
device=${3:-cuda:0}
gpubench=$tree/bin/gpubench
[[ $device == cpu || -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export DEVICE_CLOSED=$work/closed
[[ $device == cpu ]] && export GPUBENCH_LOCK_DIR=$work # tests may run in parallel
failed=0

# rows NAME EXIT OPTIONS...: runs the plugin once and compares its rows with the table on stdin, "BENCH VARIANT MODES
# STATUS SENTENCE", of which BENCH and SENTENCE are regular expressions.
rows() {
  local name=$1 expected=$2 start=$SECONDS code; shift 2
  cat >"$work/$name.expected"
  timeout 300 "$gpubench" --plugin "$plugin" --device "$device" --quick --ceilings off --max-time 280 --out "$work/$name" "$@" \
    >"$work/$name.log" 2>&1
  code=$?
  [[ $code == "$expected" ]] || { echo "FAILED $name: exit $code, expected $expected"; tail -5 "$work/$name.log"; failed=1; }
  if grep "in close" "$work/$name.log"; then echo "FAILED $name: that"; failed=1; fi
  python3 -B - "$work/$name/results.csv" "$work/$name.expected" <<'PY' || failed=1
import csv, re, sys

STEPS = "steps after a trajectory's first, which the bench's verify judges"
BATCH = "what a batch makes of its own results"
AFTER = "work in its untimed after"
AHEAD = "work of its threads ahead of its calls"


def unverified(row):
    found = [STEPS] if row["bench"] == "device/oscillators" else []
    found += [BATCH] if row["bench"] in ("device/sgd", "device/home") and row["mode"] in ("hot", "graph") else []
    return "; ".join(found + [AFTER] * (row["variant"] in ("mirrored", "remote")))


def is_as_expected(row):
    # On a busy machine threads of the process that go to sleep late look like work ahead.
    return "; ".join(part for part in row["unverified_work"].split("; ") if part != AHEAD) == unverified(row)


try:
    found = [r for r in csv.DictReader(open(sys.argv[1])) if r["bench"].startswith("device/")]
except OSError as error:
    sys.exit(f"FAILED {error}")
bad = 0
for line in open(sys.argv[2]):
    bench, variant, modes, status, sentence = (line.split(None, 4) + [""])[:5]
    for mode in modes.split(","):
        rows = [r for r in found if re.match("device/" + bench, r["case_key"]) and (r["variant"], r["mode"]) == (variant, mode)]
        found = [r for r in found if r not in rows]
        bad += not rows
        if not rows:
            print("FAILED", bench, variant, mode, "has no row")
        for row in rows:
            good = row["status"] == status and (status == "ok" or re.search(sentence.strip(), row["message"]))
            good = good and bool(row["median_raw_ns"]) == (status == "ok") and is_as_expected(row)
            bad += not good
            print("ok    " if good else "FAILED", row["case_key"], variant, mode, row["status"], row["median_raw_ns"],
                  row["message"][:150], "" if is_as_expected(row) else f"unverified: '{row['unverified_work']}'")
for row in found:
    bad += 1
    print("FAILED", row["case_key"], row["variant"], row["mode"], "is not in the table:", row["status"], row["message"])
sys.exit(bad > 0)
PY
  echo "$name: $((SECONDS - start)) s"
}

modes=cold,hot,latency,cold+burst far=latency # on the cpu a cold sample of a trajectory takes 10 ms
if [[ $device != cpu ]]; then
  modes+=,graph,latency-graph far+=,cold
fi
rows right 0 --exclude waits -a memory=pinned --mode "$modes" <<TABLE
oscillators  step      $modes  ok
oscillators  mirrored  $modes  ok
sgd          update    $modes  ok
sgd          remote    $modes  ok
neighbours   gather    $modes  ok
home         copies    $modes  ok
home         mapped    $modes  ok
TABLE
rows trajectory 0 --bench oscillators --trajectory 3000 --mode "$far" <<TABLE
oscillators  step      $far  ok
oscillators  mirrored  $far  ok
TABLE

# Pageable memory is for variants that return only when the work is done; on the cpu all do.
pageable="skipped  pageable memory, which has no place in the order of a stream"
[[ $device == cpu ]] && pageable=ok
rows home 0 --bench home --mode wall,latency <<TABLE
home.*pinned    copies  wall,latency  ok
home.*pinned    mapped  wall,latency  ok
home.*pinned    waits   wall,latency  ok
home.*pageable  copies  wall,latency  $pageable
home.*pageable  mapped  wall,latency  $pageable
home.*pageable  waits   wall,latency  ok
TABLE
rows wrong 3 --variant step,lazy,update,forgetful,late,gather,flip,copies,short -a memory=pinned <<'TABLE'
oscillators  step       cold  ok
oscillators  lazy       cold  wrong  in a timed slot: off by [0-9.e+-]+ after [1-9][0-9]* steps
sgd          update     cold  ok
sgd          forgetful  cold  wrong  'm': error .* of the bench's own
sgd          late       cold  wrong  not finite|unwritten
neighbours   gather     cold  ok
neighbours   flip       cold  wrong  'y': 1 of 210077 values are not bit for bit what they have to be
home         copies     cold  ok
home         short      cold  wrong  left 1 of 30011 elements of 'y' unwritten, the first is 30010
TABLE

if [[ $(sort -u "$DEVICE_CLOSED") == "${device%%:*} memory given back: 0" ]]; then
  echo "ok     close: $(sort "$DEVICE_CLOSED" | uniq -c)"
else
  echo "FAILED close:"; cat "$DEVICE_CLOSED"; failed=1
fi

if [[ $device != cpu ]] && command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck; do
    start=$SECONDS # the blocking kernel does not work there: use a mode that the host's clock times
    if compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 "$gpubench" --verify-only --no-save \
      --device "$device" --mode wall --timeout 60 --plugin "$plugin" >"$work/log" 2>&1; then
      echo "ok     $tool: $(grep -m1 SUMMARY "$work/log"), $((SECONDS - start)) s"
    else
      echo "FAILED $tool:"; grep -A8 -m3 "=========" "$work/log"; tail -5 "$work/log"; failed=1
    fi
  done
elif [[ $device != cpu ]]; then
  echo "skipped: no compute-sanitizer here"
fi
exit $failed
