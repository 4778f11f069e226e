#!/usr/bin/env bash
# tests/gpu/peers.sh TREE [OUT]
# Tests PyTorch's rows in gpubench's tables on a GPU. A copy must take the same time by both clocks (0.5%), and every
# bench that has peers must have their rows in its table. TREE holds bin/gpubench. Python is $GPUBENCH_PYTHON or
# python3; exits with 77 if it has no PyTorch with CUDA.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: $0 TREE [OUT]}" && pwd)
out=$(mkdir -p "${2:-gpu-peers}" && cd "${2:-gpu-peers}" && pwd)
python=${GPUBENCH_PYTHON:-python3} gpubench=$tree/bin/gpubench peers=$here/../../ci/peers/pytorch.py
"$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null ||
  { echo "skipped: no PyTorch with CUDA here"; exit 77; }
failed=0

fail() { echo "FAILED: $*"; failed=1; }

"$python" -B "$peers" --check-clock --gpubench "$gpubench" 2>"$out/clock.log" || fail "the clocks do not agree"

# beside NAME 'VARIANT...' OPTIONS...: makes a run with its peers and checks that each of these variants has a row and
# stands in the table.
beside() {
  local name=$1 wanted=$2 variant; shift 2
  rm -rf "${out:?}/$name"
  "$python" -B "$peers" --samples 100 --case-time 3 --out "$out/$name" --gpubench "$gpubench" -- --case-time 1 "$@" \
    >"$out/$name.txt" 2>"$out/$name.log" || { fail "$name: exit $?"; tail -5 "$out/$name.log"; return; }
  for variant in $wanted; do
    grep -qF ",\"$variant\",\"cold\"," "$out/$name/foreign.csv" || fail "$name: no row of $variant"
    grep -qE "(^| )$variant .*not interleaved" "$out/$name.txt" || fail "$name: $variant is not in the table"
  done
  grep -q 'Foreign rows:' "$out/$name.txt" && fail "$name: rows without a case"
  printf '%-12s %d rows\n' "$name" "$(($(wc -l <"$out/$name/foreign.csv") - 1))"
}

beside attention 'sdpa-cudnn sdpa-flash sdpa-efficient sdpa-math torch-by-hand' --plugin attention.so \
  --bench forward -a b=4 -a h=16 -a s=2048 -a d=128 -a dtype=bf16 -a causal=yes
beside decode 'sdpa-cudnn sdpa-flash sdpa-flash-packed sdpa-efficient sdpa-math torch-by-hand' --plugin attention.so \
  --preset llama3-8b/8k
beside softmax 'torch-softmax torch-softmax-compile triton-softmax' --plugin softmax.so --bench rows -a m=8192 -a n=4096 -a dtype=fp32,bf16
beside matmul 'torch-matmul torch-matmul-compile torch-matmul-tf32 torch-scaled-mm torch-scaled-mm-fast' \
  --plugin matmul.so -a m=4096 -a n=4096 -a k=4096 -a dtype=fp32,fp16,bf16,e4m3
beside activations 'torch torch-compile triton' --plugin activations.so -a m=8192 -a layernorm.n=4096 -a rmsnorm.n=4096 \
  -a layernorm_gelu.n=4096 -a add_layernorm.n=4096 -a add_rmsnorm.n=4096 -a gelu.n=64M -a swish.n=64M -a dtype=bf16
exit $failed
