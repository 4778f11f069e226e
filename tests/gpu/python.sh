#!/usr/bin/env bash
# tests/gpu/python.sh TREE [OUT] [PART...]
# Tests guests in Python on a GPU. TREE is a build directory or an unpacked TGZ. The parts, all of them by default, are:
#   right    the bundled guests of softmax, activations, matmul and attention are verified
#   cheats   the guests of python_cheats.py, five times
#   shapes   GELU, Swish, LayerNorm and LayerNorm with GELU in CUDA, Triton, eager and compiled, in one run for each
#   beside   the same rows of C with and without guests in their process
#   library  torch.matmul takes the same time as our calls of cuBLAS
#   kernels  both load the same file of cuBLAS and launch kernels of the same name
#   aot      the SDK's Triton kernel, compiled ahead of time, against itself as a guest
#   first    how long a guest's first row takes
# Exits with 77 without a GPU, or without PyTorch and Triton.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: $0 TREE [OUT] [PART...]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
parts=("${@:3}")
((${#parts[@]})) || parts=(right cheats shapes beside library kernels aot first)
gpubench=$tree/bin/gpubench
trace=${GPUBENCH_TRACE:-$tree/tests/plugins/cupti_trace.so} # CUPTI's record of a run's kernels
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
python3 -c 'import torch, triton; assert torch.cuda.is_available()' 2>/dev/null ||
  { echo "skipped: no python3 with PyTorch for CUDA and Triton"; exit 77; }
failed=0

check() { # check NAME COMMAND...: writes the output to a log and prints one line
  local name=$1 start=$EPOCHREALTIME rc; shift
  "$@" >"$out/$name.log" 2>&1
  rc=$?
  ((rc == 0)) || { failed=1; tail -n 12 "$out/$name.log"; }
  printf '%-28s exit %d  %.1f s\n' "$name" "$rc" "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')"
}

# run NAME OPTIONS...: checks that rows are ok, or skipped with a reason
run() {
  local name=$1; shift
  check "$name" "$gpubench" "$@" --out "$out/$name"
  python3 -B "$here/python_rows.py" ended "$out/$name/results.csv" || failed=1
}

right() {
  run right-softmax softmax torch_softmax triton_softmax --bench softmax/rows --variant 'torch*,triton' -a m=37 -a n=17,1025,50257 \
    -a dtype=fp32,bf16 --verify-only
  run right-elementwise activations torch_activations triton_activations --bench gelu,swish,swiglu --variant 'torch*,triton' \
    -a n=1,1000003 -a form=erf,tanh -a dtype=fp32,bf16 --verify-only
  run right-norms activations torch_activations triton_activations --bench layernorm,rmsnorm,layernorm_gelu,layernorm_saved,rmsnorm_saved \
    --variant 'torch*,triton' -a m=37 -a n=1000,8192 -a dtype=fp32,bf16 --verify-only
  run right-matmul matmul torch_matmul --variant 'torch*' -a m=256 -a n=512 -a k=384 -a dtype=fp32,fp16,bf16,e4m3 --verify-only
  run right-attention attention torch_attention --bench attention/forward --variant 'sdpa*' -a b=1 -a h=8 -a h_kv=2,8 -a s=256,500 \
    -a d=64,128 -a dtype=bf16 -a causal=yes,no --verify-only
}

cheats() {
  local turn
  cp "$here/python_cheats.py" "$out/" && chmod go-w "$out" "$out/python_cheats.py"
  for turn in ${CHEAT_TURNS:-1 2 3 4 5}; do
    "$gpubench" matmul "$out/python_cheats.py" --variant 'honest*,*-pointer,*-content,cached-*,other-*,in-a-*,cublaslt' -a m=2048 -a n=2048 \
      -a k=2048 -a dtype=bf16 --ceilings off --case-time 3 --seed "$turn" --out "$out/cheats-$turn" >"$out/cheats-$turn.log" 2>&1
    python3 -B "$here/python_rows.py" caught "$out/cheats-$turn/results.csv" || failed=1
  done
}

shapes() {
  local how=(--baseline torch --case-time 2 --restarts 1 --max-time 15m) guests=(torch_activations triton_activations)
  local elements=(-a n=1M,16M,256M -a dtype=fp32,bf16) rows=(-a n=1024,4096,8192 -a m=4096,16384 -a dtype=fp32,bf16)
  local python=torch,torch-compile,triton
  run gelu activations "${guests[@]}" --bench gelu --variant "fast,pack,copy,$python" "${how[@]}" "${elements[@]}"
  run swish activations "${guests[@]}" --bench swish --variant "fast,pack,copy,$python,torch-two-kernels" "${how[@]}" "${elements[@]}"
  run layernorm activations "${guests[@]}" --bench layernorm --variant "fused,lanes,whole,tensor,copy,$python" "${how[@]}" "${rows[@]}"
  run layernorm_gelu activations "${guests[@]}" --bench layernorm_gelu --variant "unfused,fused,lanes,whole,tensor,copy,$python" \
    "${how[@]}" "${rows[@]}"
  python3 -B "$here/python_rows.py" table "$out"/{gelu,swish,layernorm,layernorm_gelu}/results.csv || failed=1
}

beside() {
  local turn names=pack,fast,copy
  for turn in 1 2 3 4 5 6; do
    check "alone-$turn" "$gpubench" activations --bench gelu --variant $names -a n=1M,16M -a dtype=bf16 --case-time 2 --restarts 1 \
      --baseline pack --ceilings off --out "$out/alone-$turn"
    check "beside-$turn" "$gpubench" activations torch_activations triton_activations --bench gelu --variant $names,torch,triton \
      -a n=1M,16M -a dtype=bf16 --case-time 3 --restarts 1 --baseline pack --ceilings off --out "$out/beside-$turn"
  done
  python3 -B "$here/python_rows.py" beside "$out"/alone-*/results.csv "$out"/beside-*/results.csv || failed=1
}

library() {
  run matmul-4k matmul torch_matmul --variant cublas,cublaslt,torch,torch-compile -a m=4096 -a n=4096 -a k=4096 -a dtype=fp16,bf16 \
    --baseline cublas --case-time 3 --restarts 3 --max-time 5m
  python3 -B "$here/python_rows.py" table "$out/matmul-4k/results.csv" || failed=1
}

kernels() {
  [[ -e $trace ]] || { echo "skipped: names of kernels: no $trace, nor GPUBENCH_TRACE"; return; }
  cp "$here/python_library.py" "$out/" && chmod go-w "$out" "$out/python_library.py"
  local variant
  for variant in cublas torch; do
    GPUBENCH_CUPTI_TRACE=$out/kernels-$variant CUDA_INJECTION64_PATH=$trace run "files-$variant" matmul torch_matmul "$out/python_library.py" \
      --variant "$variant,files" -a m=4096 -a n=4096 -a k=4096 -a dtype=bf16 --verify-only
  done
  python3 -B "$here/python_rows.py" kernels "$out"/{files-cublas/results.csv,kernels-cublas,files-torch/results.csv,kernels-torch} || failed=1
}

aot() {
  local example=$tree/share/gpubench/examples/softmax-triton
  [[ -d $example ]] || { echo "skipped: aot: $tree is no install"; return; }
  check aot-configure cmake -S "$example" -B "$out/aot" -DCMAKE_PREFIX_PATH="$tree" -DPython3_EXECUTABLE="$(command -v python3)"
  check aot-build cmake --build "$out/aot"
  check aot-tests ctest --test-dir "$out/aot" --output-on-failure
  run aot-beside softmax "$out/aot/mytriton.so" "$example/mytriton_jit.py" --bench softmax/rows --variant 'triton-*' -a m=16k -a n=1024,4096,16384 \
    -a dtype=fp32,bf16 --baseline triton-jit --restarts 3 --case-time 3 --ceilings off --max-time 4m
  python3 -B "$here/python_rows.py" table "$out/aot-beside/results.csv" || failed=1
  python3 -B "$here/python_rows.py" same "$out/aot-beside/results.csv" || failed=1
}

first() {
  local turn start
  for turn in cold warm; do
    start=$EPOCHREALTIME
    run "first-$turn" softmax torch_softmax --bench softmax/rows --variant torch -a m=1024 -a n=1024 -a dtype=fp32 --case-time 1 --ceilings off
  done
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "  %.1f s, all of a run with one row of torch; at most 20\n", b - a; exit !(b - a <= 20) }' || failed=1
}

for part in "${parts[@]}"; do
  "$part"
done
exit $failed
