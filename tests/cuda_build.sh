#!/usr/bin/env bash
# tests/cuda_build.sh [NVCC]: compiles every kernel for sm_90a and reads what the assembler says: no spilled register, no
# warning (wgmma serialised, setmaxnreg ignored). A kernel that spills is slow in a way that no CPU test sees.
set -uo pipefail
cd "$(dirname "$0")/.."
nvcc=${1:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[[ -x $nvcc ]] || { echo "skipped: no nvcc"; exit 77; }
failed=0
for source in plugins/*/*.cu host/device/cuda/*.cu; do
  log=$("$nvcc" -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -Xptxas -v -Ihost -Isdk/include \
    -Xcompiler -fPIC -c "$source" -o /dev/null 2>&1) || { echo "FAILED $source"; echo "$log"; failed=1; continue; }
  spills=$(grep -cE '[1-9][0-9]* bytes spill' <<<"$log")
  warnings=$(grep -icE 'warning|C75[0-9][0-9]' <<<"$log")
  kernels=$(grep -c 'Compiling entry function' <<<"$log")
  printf '%-38s %3d kernels, %d spill, %d warnings\n' "$source" "$kernels" "$spills" "$warnings"
  ((kernels > 0 && spills == 0 && warnings == 0)) || { grep -E 'Compiling|spill|arning' <<<"$log"; failed=1; }
done
exit $failed
