#!/usr/bin/env bash
# tests/cpu/edit_loop.sh TREE [PLUGIN CASE [ARGUMENT...]]
# Measures how long the author of a kernel waits for a verified comparison with the last run: medians over ROUNDS
# (default 7) runs of `gpubench --quick --against last`, and the share of each phase. For a change of gpubench itself,
# two trees are measured alternately: tests/cpu/edit_loop.sh "OLD NEW". Fails only if a run fails, not if it is slow.
set -euo pipefail
trees=${1:?usage: $0 TREE [PLUGIN CASE [ARGUMENT...]]}
plugin=${2:-attention} case=${3:-'attention/forward[preset=gpt2/256]'}
shift $(($# < 3 ? $# : 3))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

one() { # TREE FOLDER ARGUMENT...
  local tree=$1 folder=$2
  shift 2
  "$tree/bin/gpubench" --plugin "$tree/lib/gpubench/plugins/$plugin.so" --device cpu --case "$case" --quick \
    --out "$folder" "$@" >"$work/printed" 2>"$work/said" || { cat "$work/printed" "$work/said" >&2; return 1; }
}

number=0
for tree in $trees; do
  number=$((number + 1))
  one "$tree" "$work/$number-0" "$@"
done
for round in $(seq "${ROUNDS:-7}"); do
  number=0
  for tree in $trees; do
    number=$((number + 1))
    before=$(date +%s%N)
    one "$tree" "$work/$number-$round" --against "$work/$number-$((round - 1))" "$@"
    after=$(date +%s%N)
    echo "$number $((after - before)) $(wc -l <"$work/printed") $work/$number-$round/results.csv" >>"$work/runs"
  done
done
python3 -B - "$work/runs" $trees <<'END'
import csv, statistics, sys
runs = {}
for line in open(sys.argv[1]):
    tree, ns, lines, path = line.split()
    with open(path) as file:
        rows = [row for row in csv.DictReader(file) if row["yardstick"] != "1"]
    phases = {name: float(rows[0][f"{name}_s"] or 0) for name in ("setup", "verify", "sampling")}
    whole = int(ns) * 1e-9
    runs.setdefault(tree, []).append((whole, *phases.values(), whole - sum(phases.values()), len(rows), int(lines)))
print("        s    setup   verify sampling     rest  rows  lines  (rest: start, plan, launch overhead, report)")
for tree, figures in runs.items():
    middle = [statistics.median(column) for column in zip(*figures)]
    print(*(f"{value:8.3f}" for value in middle[:5]), f"{middle[5]:5.0f} {middle[6]:6.0f} ", sys.argv[1 + int(tree)])
END
