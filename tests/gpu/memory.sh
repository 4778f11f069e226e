#!/usr/bin/env bash
# tests/gpu/memory.sh TREE [OUT] [PEERS-OPTION...]: the kernels bound by memory beside a copy of the same bytes and beside
# PyTorch (eager, compiled) and Triton, in one run. TREE holds bin/gpubench. One line for each case: our best variant, its
# share of the copy, the best peer and how many times ours it takes. Exit 1 where a share is below its floor, a peer beats
# us by more than both intervals or takes less than the multiple of our time that it is to take; 77 without PyTorch and
# CUDA. Ours is of three processes: where tensors come to lie is worth 1% of 64 us, which one process does not show.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: $0 TREE [OUT] [PEERS-OPTION...]}" && pwd)
out=$(mkdir -p "${2:-gpu-memory}" && cd "${2:-gpu-memory}" && pwd)
shift; shift || true
python=${GPUBENCH_PYTHON:-python3}
"$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
  { echo "skipped: no PyTorch with CUDA here"; exit 77; }
rm -rf "$out/run"
"$python" -B "$here/../../ci/peers/pytorch.py" --samples 100 --case-time 2 "$@" --out "$out/run" --gpubench "$tree/bin/gpubench" \
  -- --suite "${GPUBENCH_MEMORY_SUITE:-$here/memory.ini}" --case-time 1 >"$out/run.txt" 2>"$out/run.log" ||
  { echo "FAILED: exit $?"; tail -5 "$out/run.log"; exit 1; }
exec "$python" -B "$here/memory.py" "$out/run"
