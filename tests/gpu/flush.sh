#!/usr/bin/env bash
# tests/gpu/flush.sh TREE PROGRAM: what the flush of cold mode leaves in the L2 cache: times by PROGRAM (tests/gpu/flush.cu), and what its
# readers write to memory, counted by ncu: at most 0.05 MB each. TREE is not used. Exit 77 without a GPU.
set -uo pipefail
program=$(realpath "${2:?usage: $0 TREE PROGRAM}")
"$program"; status=$?
((status != 77)) || exit 77
command -v ncu >/dev/null || { echo "skipped: no ncu here, nothing is counted"; exit "$status"; }
ncu --cache-control none --clock-control none --kernel-name regex:^reader --metrics dram__bytes_write.sum --print-units base --csv \
  "$program" --count | python3 -B -c '
import csv, sys
rows = list(csv.DictReader(line for line in sys.stdin if line.startswith("\"")))
written = [float(row["Metric Value"].replace(",", "")) for row in rows]
print(f"{len(written)} readers wrote", ", ".join(f"{b / 1e6:.3f}" for b in written), "MB of others")
sys.exit(len(written) != 15 or max(written) > 0.05e6)' || { echo "FAILED: readers write back what was there before"; status=1; }
exit "$status"
