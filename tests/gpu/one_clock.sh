#!/usr/bin/env bash
# tests/gpu/one_clock.sh [LIB [PART...]]
# Compares our kernels with Triton's and torch.compile's in one process, by one clock, on the same tensors at two
# placements, alternately. memory.sh, with a process for each side, cannot separate such differences from the effect of
# the tensors' placement. PART is fp32, fp16 or bf16, for LayerNorm and RMSNorm of that type, or small, for cases so
# short that launches decide: Swish and SwiGLU of 2^20 elements, and short rows with saved statistics. Without any, all
# parts run. LIB is the output of `tests/gpu/one_clock.sh --build LIB`, made elsewhere if this machine has no nvcc;
# without LIB it is built here.
# Exits with 1 if our best takes 1% longer than the best peer, averaged over both placements; with 77 without PyTorch
# and CUDA.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
plugins=$here/../../plugins/activations
nvcc=${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}

build() { # build LIB: builds only the kernels; their functions are found by name
  local work source
  work=$(mktemp -d)
  for source in whole tensor lanes elementwise gated; do
    "$nvcc" -std=c++17 -O3 -arch=sm_90a -Xcompiler -fPIC -c "$plugins/$source.cu" -o "$work/$source.o" &
  done
  wait
  "$nvcc" -shared "$work"/*.o -o "$1" && rm -rf "$work"
}

if [[ ${1:-} == --build ]]; then
  build "${2:?usage: $0 --build LIB}"
  exit
fi

python=${GPUBENCH_PYTHON:-python3}
"$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
  { echo "skipped: no PyTorch with CUDA here"; exit 77; }
library=${1:-$(mktemp -d)/norms.so}
[[ -e $library ]] || build "$library" || { echo "kernels do not build"; exit 1; }
exec "$python" -B "$here/one_clock.py" "$library" "${@:2}"
