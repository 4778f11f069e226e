#!/usr/bin/env bash
# tests/gpu/faults.sh TREE PLUGIN
# Checks that a device fault costs only the rows of the faulty variant, that each such row has its message, that no
# process is left running, and that the sanitizers see into the workers. TREE is as in main_job.sh, PLUGIN is the built
# tests/plugins/bad_cuda.so. Run it last: a GPU may need a while to recover from some of these faults. Exits with 77
# without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE PLUGIN}" && pwd)
plugin=$(realpath "${2:?usage: $0 TREE PLUGIN}")
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
failed=0

none_left() {
  local pid left=()
  for pid in /proc/[0-9]*; do
    # by the binary, which finds a child of any session or parent
    [[ $(readlink "$pid/exe" 2>/dev/null) == "$gpubench" ]] && left+=("${pid#/proc/}")
  done
  if ((${#left[@]})); then
    echo "FAILED processes left behind: ${left[*]}"; failed=1
    kill -9 "${left[@]}" 2>/dev/null
  fi
}

# faults NAME OPTIONS...: runs the plugin once and compares its rows with the table on stdin, "VARIANT STATUS SENTENCE",
# of which the last two are regular expressions.
faults() {
  local name=$1 start=$SECONDS code; shift
  cat >"$work/$name.expected"
  timeout 580 "$gpubench" --plugin "$plugin" --quick --timeout 5 --max-time 570 --out "$work/$name" "$@" >"$work/$name.log" 2>&1
  code=$?
  [[ $code == 3 ]] || { echo "FAILED $name: exit $code, expected 3"; tail -5 "$work/$name.log"; failed=1; }
  python3 - "$work/$name/results.csv" "$work/$name.expected" <<'PY' || failed=1
import csv, re, sys
try:
    rows = {r["variant"]: r for r in csv.DictReader(open(sys.argv[1])) if r["bench"] == "badcuda/device"}
except OSError as error:
    sys.exit(f"FAILED {error}")
bad = 0
for line in open(sys.argv[2]):
    name, status, sentence = (line.split(None, 2) + ["", ""])[:3]
    row = rows.get(name)
    if row is None:
        bad += 1
        print("FAILED", name, "has no row")
        continue
    good = re.fullmatch(status, row["status"]) and re.search(sentence.strip() or "^", row["message"])
    good = good and (row["status"] == "ok") == bool(row["median_raw_ns"])
    earned = row["verdict"] == "faster" and float(row["speedup"]) > 1.03  # less is below what the reuse test can see
    good = good and (row["status"] == "ok" or not row["speedup"]) and not earned
    bad += not good
    print("ok    " if good else "FAILED", f'{name:15}', row["status"], row["median_raw_ns"], row["message"][:150])
if "other" in rows and not rows["other"]["speedup"]:
    bad += 1
    print("FAILED other has no speedup")
sys.exit(bad > 0)
PY
  none_left
  echo "$name: $((SECONDS - start)) s"
}

faults device --exclude 'all-memory,hang,reset,destroy' <<'TABLE'
good            ok
other           ok
race            ok
null            crashed   device fault in run of badcuda/device/null
wild            crashed   device fault in run of badcuda/device/wild
misaligned      crashed   device fault in run of badcuda/device/misaligned
trap            crashed   device fault in run of badcuda/device/trap
assert          crashed   device fault in run of badcuda/device/assert
stack           crashed   in run of badcuda/device/stack
beyond          wrong     wrote outside tensor 'y'
far-beyond      wrong     wrote outside tensor 'y'
input           wrong     changed its input 'x'
nan             wrong     not finite
part            wrong     left 1 of 4096 elements of 'y' unwritten
there           ok|wrong  ^$|^no time less the launch overhead|run is faster (on inputs|where its outputs)|in a timed slot: 'y': error
launch          error     launch: cudaError (1|9)$
launch-mute     wrong     unwritten
sync            error     (?i)synchroni[sz]es|capture
escape          wrong     escapes its stream|unwritten
legacy          wrong|error  escapes its stream|unwritten|capture
allocate        error     alloc|synchroni[sz]es|capture
allocate-async  error     allocates memory
first           wrong     unwritten|in a timed slot: .y.: error
too-much        skipped   needs .* free
TABLE
faults hang --variant 'good,hang,other' <<'TABLE'
good   ok
other  ok
hang   timeout  no return within 5 s in run of badcuda/device/hang
TABLE
faults reset --variant 'good,reset,destroy,other' <<'TABLE'
good     ok
other    ok
reset    crashed|error|wrong  .
destroy  crashed|error|wrong|timeout  .
TABLE
faults memory --variant 'good,all-memory,other' <<'TABLE'
good        ok
other       ok
all-memory  error|crashed  memory
TABLE

if command -v compute-sanitizer >/dev/null; then
  sees() { # sees TOOL VARIANT: checks that the tool reports the planted fault
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
