#!/usr/bin/env bash
# tests/gpu/memory.sh TREE [OUT [PART...] [-- PEERS-OPTION...]]
# Compares the memory-bound kernels with a copy of the same bytes and with PyTorch (eager, compiled), Triton and cuDNN.
# TREE holds bin/gpubench. PART is the name of a suite in memory/, or a file; without any, all suites run, in about ten
# minutes. If that is too long, name some at a time with the same OUT. The script prints one line for each case of all
# runs in OUT: our best variant, its share of the copy, the peers and how many times our time they take.
# Exits with 1 if a share is below its lower bound, or if a peer is faster by more than both intervals or takes less
# than the required multiple of our time; with 77 without PyTorch and CUDA. Our times come from three processes: the
# placement of tensors in memory is worth 1% at 64 us, which one process does not show.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: $0 TREE [OUT [PART...] [-- PEERS-OPTION...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-memory}" && cd "${2:-gpu-memory}" && pwd)
shift; shift || true
parts=() suites=()
while (($# > 0)) && [[ $1 != -- ]]; do parts+=("$1"); shift; done
shift || true
((${#parts[@]} > 0)) || parts=(elementwise softmax norms-fp32 norms-fp16 norms-bf16 saved)
for part in "${parts[@]}"; do
  [[ -e $part ]] || part=$here/memory/$part.ini
  [[ -e $part ]] || { echo "no part $part"; exit 2; }
  suites+=(--suite "$part")
done
python=${GPUBENCH_PYTHON:-python3}
"$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
  { echo "skipped: no PyTorch with CUDA here"; exit 77; }
run=$out/$(basename -a -s .ini "${parts[@]}" | paste -sd+)
rm -rf "$run"
"$python" -B "$here/../../ci/peers/pytorch.py" --jobs "$(nproc)" --samples 60 --case-time 2 "$@" --out "$run" \
  --gpubench "$tree/bin/gpubench" -- "${suites[@]}" --ceilings off --case-time 0.5 >"$run.txt" 2>"$run.log" ||
  { echo "FAILED: exit $?"; tail -5 "$run.log"; exit 1; }
exec "$python" -B "$here/memory.py" "$out"/*/
