#!/usr/bin/env bash
# tests/cheats/honest.sh TREE N DIR [SECONDS]
# Runs the bundled plugins at their defaults, N times, and prints which of their rows are accused: none should be. DIR
# keeps the runs; an interrupted one is resumed. With SECONDS the command stops after that time with exit 75, and the
# same command continues. DEVICE names a device, PLUGINS some of the plugins. TREE is a build tree.
set -euo pipefail
usage="usage: $0 TREE N DIR [SECONDS]"
tree=$(realpath "${1:?$usage}") n=${2:?$usage} dir=${3:?$usage} seconds=${4:-0}
gpubench=$tree/bin/gpubench
plugins=${PLUGINS:-$(cd "$tree/lib/gpubench/plugins" && ls *.so)}
mkdir -p "$dir"
dir=$(realpath "$dir")

left() { ((seconds == 0 || SECONDS < seconds)) || { echo "stopped after $SECONDS s: run it again"; exit 75; }; }

# one FOLDER PLUGIN: starts or resumes a run
one() {
  local limit=$((seconds > 0 ? seconds - SECONDS : 100000)) status=0 what=(--plugin "$2" --device "${DEVICE:-auto}" --out "$1")
  [[ ! -d $1 ]] || what=(--resume "$1")
  timeout -s TERM "$limit" "$gpubench" "${what[@]}" -q >"$1.log" 2>&1 || status=$?
  left
  ((status == 0 || status == 3)) || { echo "$1: exit $status"; tail -3 "$1.log"; }
  touch "$1.done"
}

for ((turn = 0; turn < n; turn++)); do
  for plugin in $plugins; do
    run=$dir/${plugin%.so}-$turn
    [[ -e $run.done ]] || { left; one "$run" "$plugin"; }
  done
done

python3 - "$dir" <<'PY'
import csv, pathlib, re, sys
ACCUSED = re.compile(r"is faster (on|where|in)|in a timed slot|ceiling|derived|stated", re.I)
rows, accused = 0, []
for path in sorted(pathlib.Path(sys.argv[1]).glob("*/results.csv")):
    for row in csv.DictReader(open(path, newline="", encoding="utf-8")):
        rows += 1
        if row["status"] in ("wrong", "error", "crashed", "timeout") or ACCUSED.search(row["message"]):
            accused.append((path.parent.name, row["case_key"], row["variant"], row["status"], row["message"][:200]))
for line in accused:
    print(*line, sep="  ")
print(f"{rows} rows, {len(accused)} accused")
sys.exit(bool(accused) or rows == 0)
PY
