#!/usr/bin/env bash
# tests/gpu/memory.sh TREE [OUT [PART...] [-- PEERS-OPTION...]]: the kernels bound by memory beside a copy of the same
# bytes and beside PyTorch (eager, compiled), Triton and cuDNN. TREE holds bin/gpubench. PART is a suite of memory/ by name,
# or a file; without any, all of them, in about ten minutes. Where so much is not to be had at once, name some at a time
# with the same OUT. One line for each case of all that is in OUT: our best variant, its share of the copy, the peers and
# how many times ours they take. Exit 1 where a share is below its floor, a peer beats us by more than both intervals or
# takes less than the multiple of our time that it is to take; 77 without PyTorch and CUDA. Ours is of three processes:
# where tensors come to lie is worth 1% of 64 us, which one process does not show.
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
  --gpubench "$tree/bin/gpubench" -- "${suites[@]}" --roofs off --case-time 0.5 >"$run.txt" 2>"$run.log" ||
  { echo "FAILED: exit $?"; tail -5 "$run.log"; exit 1; }
exec "$python" -B "$here/memory.py" "$out"/*/
