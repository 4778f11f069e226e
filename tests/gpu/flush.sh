#!/usr/bin/env bash
# tests/gpu/flush.sh TREE PROGRAM
# Tests what the flush of cold mode leaves in the L2 cache: times by PROGRAM (tests/gpu/flush.cu), and the bytes that
# its readers write to memory, counted by ncu. Readers whose data fits the cache may write at most 0.05 MB each. Larger
# ones evict everything, including lines written between the flush and the reader: 0.02 to 0.05 MB even if nothing was
# written before. TREE is not used. Exits with 77 without a GPU.
set -uo pipefail
program=$(realpath "${2:?usage: $0 TREE PROGRAM}")
"$program"; status=$?
((status != 77)) || exit 77
command -v ncu >/dev/null || { echo "skipped: no ncu here, nothing is counted"; exit "$status"; }
ncu --cache-control none --clock-control none --kernel-name regex:^reader --metrics dram__bytes_write.sum --print-units base --csv \
  "$program" --count | python3 -B -c '
import csv, sys
rows = list(csv.DictReader(line for line in sys.stdin if line.startswith("\"")))
written = [float(row["Metric Value"].replace(",", "")) / 1e6 for row in rows]
small, large = [mb for i, mb in enumerate(written) if i % 3 < 2], written[2::3]
show = lambda values: ", ".join(f"{mb:.3f}" for mb in values)
print(f"readers of 4 and 17 MB wrote {show(small)} MB of others, of 67 MB {show(large)}")
sys.exit(len(written) != 15 or max(small) > 0.05)' || { echo "FAILED: readers write back what was there before"; status=1; }
exit "$status"
