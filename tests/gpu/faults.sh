#!/usr/bin/env bash
# tests/gpu/faults.sh TREE PLUGIN: device faults cost their own rows only, and the sanitizers see into the workers. TREE
# as in main_job.sh, PLUGIN the built tests/plugins/bad_cuda.so. Exit 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE PLUGIN}" && pwd)
plugin=$(realpath "${2:?usage: $0 TREE PLUGIN}")
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
failed=0

"$gpubench" --plugin "$plugin" --quick --timeout 5 --out "$work/run" | cut -c1-160
[[ ${PIPESTATUS[0]} == 3 ]] || { echo "FAILED: exit ${PIPESTATUS[0]}, expected 3"; failed=1; }
python3 - "$work/run/results.csv" <<'PY' || failed=1
import csv, sys
rows = {row["variant"]: row for row in csv.DictReader(open(sys.argv[1])) if row["bench"] == "badcuda/device"}
expected = {"good": "ok", "other": "ok", "race": "ok", "null": "crashed", "misaligned": "crashed", "trap": "crashed",
            "beyond": "wrong", "sync": "error", "hang": "timeout"}
bad = 0
for name, status in expected.items():
    row = rows[name]
    good = row["status"] == status and (status == "ok") == bool(row["median_raw_ns"])
    bad += not good
    print("ok    " if good else "FAILED", name, row["status"], row["median_raw_ns"], row["message"][:110])
if not rows["other"]["speedup"]:
    bad += 1
    print("FAILED other has no speedup")
sys.exit(bad > 0)
PY

if command -v compute-sanitizer >/dev/null; then
  sees() { # sees TOOL VARIANT: the tool reports the planted fault
    if compute-sanitizer --tool "$1" --target-processes all --error-exitcode 9 "$gpubench" --verify-only --no-save \
      --timeout 60 --plugin "$plugin" --variant "good,$2" >"$work/log" 2>&1; then
      echo "FAILED: $1 did not see '$2'"; failed=1
    elif grep -qE "SUMMARY: [1-9]|SUMMARY: .*\([1-9]" "$work/log"; then
      echo "ok     $1 sees '$2': $(grep -m1 SUMMARY "$work/log")"
    else
      echo "FAILED: $1 on '$2':"; tail -5 "$work/log"; failed=1
    fi
  }
  sees memcheck null
  sees racecheck race
fi
exit $failed
