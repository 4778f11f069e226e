#!/usr/bin/env bash
# tests/gpu/decode.sh TREE [OUT [PRESET...]]: attention/decode beside PyTorch's backends on a GPU, at every preset or these.
# `split` is not slower than the best of them, or than `cudnn` in the run, anywhere, and reads the cache at 90% of the
# measured read bandwidth where it is of 8k keys or more and of 64 heads in all. What is several times slower is left out:
# `naive`, and the backends that repeat keys. TREE holds bin/gpubench. Python is $GPUBENCH_PYTHON or python3; exit 77
# where it has no PyTorch with CUDA.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: $0 TREE [OUT [PRESET...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-decode}" && cd "${2:-gpu-decode}" && pwd)
python=${GPUBENCH_PYTHON:-python3}
presets=()
for preset in "${@:3}"; do presets+=(--preset "$preset"); done
((${#presets[@]})) || presets=(--preset '*')
"$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
  { echo "skipped: no PyTorch with CUDA here"; exit 77; }
rm -rf "${out:?}/run"
"$python" -B "$here/../../ci/peers/pytorch.py" --variant 'sdpa-cudnn*' --variant 'sdpa-flash*' --samples 100 --case-time 2 \
  --out "$out/run" --gpubench "$tree/bin/gpubench" -- --case-time 2 --plugin attention.so --bench decode --exclude naive \
  --device cuda "${presets[@]}" >"$out/table.txt" 2>"$out/run.log" ||
  { echo "FAILED: exit $?"; tail -5 "$out/run.log"; exit 1; }
"$python" -B "$here/decode.py" "$out/run"
