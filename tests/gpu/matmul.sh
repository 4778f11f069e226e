#!/usr/bin/env bash
# tests/gpu/matmul.sh TREE [OUT]
# Tests the matmul plugin on a GPU. TREE is a build directory or an unpacked TGZ. Every variant must be right at odd
# sizes on both sides of every tile's edge, and our kernels must be clean under compute-sanitizer. At 4096^3 in bf16 the
# tensor-core kernel must reach half the speed of the best of cuBLASLt, and wgmma on Hopper 0.9 of it; in fp32, three
# products of tf32 must be 2.2 times as fast as cuBLASLt in fp32. Exits with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
failed=0
wgmma=wgmma,wgmma-best,wgmma-fast,wgmma-tf32,wgmma-3xtf32
own=naive,tiled,register,tensor,tensor-tf32,$wgmma

check() { # check NAME COMMAND...: writes the output to a log and prints one line
  local name=$1 start=$EPOCHREALTIME rc; shift
  "$@" >"$out/$name.log" 2>&1
  rc=$?
  if ((rc == 0)); then
    printf '%-22s ok %.1f s\n' "$name" "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')"
  else
    failed=1
    echo "$name FAILED (exit $rc): $(tail -n 1 "$out/$name.log")"
  fi
}

verify=("$gpubench" --plugin matmul.so --verify-only --no-save)
# Small tiles come first, with rows aligned to 16 bytes and not; then large tiles, which are chosen only if there are
# about a hundred of them; then the libraries.
check odd-own "${verify[@]}" --variant $own -a m=1,17,64,129 -a n=1,33,257 -a k=1,31,64,100,264 -a dtype=fp32,fp16,bf16,e4m3
check odd-wgmma "${verify[@]}" --variant wgmma,wgmma-best -a m=1,63,300,1409 -a n=1,8,264,333,2561 -a k=8,72,1000 -a dtype=fp16,bf16
check odd-wgmma-more "${verify[@]}" --variant $wgmma -a m=1,63,300,1409 -a n=1,8,264,333,2561 -a k=4,36,144,1008 -a dtype=fp32,e4m3
check odd-large "${verify[@]}" --variant $own -a m=1300,1409 -a n=2501,2560 -a k=72,250,1001 -a dtype=fp32,fp16,bf16
# There are more tiles in one direction than the y or z extent of a grid allows.
check tall "${verify[@]}" --bench gemm --variant wgmma,wgmma-best -a m=4194240,4300001 -a n=8,16 -a k=64 -a dtype=bf16
check wide "${verify[@]}" --bench gemm --variant wgmma,wgmma-best -a m=1,16,64,65 -a n=3145704,8400000 -a k=64 -a dtype=bf16
check odd-vendor "${verify[@]}" -a m=17,256 -a n=33,256 -a k=100,257 -a dtype=fp32,fp16,bf16
check e4m3-vendor "${verify[@]}" -a m=16,272 -a n=48,256 -a k=80,4096 -a dtype=e4m3
check presets "${verify[@]}"

if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck; do
    sanitize=(compute-sanitizer --tool $tool --target-processes all --error-exitcode 9 "${verify[@]}" --timeout 600
      --variant $own)
    check $tool-small "${sanitize[@]}" -a m=1,70 -a n=65 -a k=7,136,264 -a dtype=fp32,fp16,bf16,e4m3
    check $tool-large "${sanitize[@]}" -a m=1290 -a n=2500 -a k=72,331 -a dtype=fp32,bf16
    # These have more steps than any ring has stages, in the kernels for few rows as well.
    check $tool-deep "${sanitize[@]}" -a m=16,129 -a n=200 -a k=3208 -a dtype=fp16,bf16
  done
else
  echo "skipped: no compute-sanitizer here"
fi

check table "$gpubench" --plugin matmul.so --case-time 4 --out "$out/run-matmul"
cat "$out/table.log"
half() {
  python3 -B - "$out/run-matmul/results.csv" <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
bad = [f"{r['case_key']} {r['variant']}: {r['status']} {r['message']}" for r in rows if r["status"] not in ("ok", "skipped")]
assert not bad, bad
for r in rows:
    if r["variant"].startswith("cublas") and r["notes"]:
        print(r["preset"], r["variant"], r["notes"])
tensor = [r for r in rows if r["preset"] == "square-4k" and r["variant"] == "tensor"]
assert len(tensor) == 1 and tensor[0]["baseline"] == "cublaslt", tensor
speedup = float(tensor[0]["speedup"])
assert speedup >= 0.5, f"tensor is {speedup:.3f} of cublaslt at 4096^3 in bf16, must be 0.5"
best = [r for r in rows if r["preset"] == "square-4k" and r["variant"] == "wgmma-best" and r["status"] == "ok"]
for r in best:
    assert float(r["speedup"]) >= 0.9, f"wgmma-best is {r['speedup']} of cublaslt at 4096^3 in bf16, must be 0.9"
time = {(r["preset"], r["variant"]): float(r["median_raw_ns"]) for r in rows if r["status"] == "ok"}
for preset, own, peer, overhead in (("square-4k-fp32", "wgmma-tf32", "cublaslt-tf32", 0.97), ("square-4k-fp32", "wgmma-3xtf32", "cublaslt", 2.2),
                                 ("square-8k-e4m3", "wgmma-best", "cublaslt", 0.95), ("square-8k-e4m3", "wgmma-fast", "cublaslt-fast", 0.95)):
    if (preset, own) in time:
        ratio = time[preset, peer] / time[preset, own]
        assert ratio >= overhead, f"{own} is {ratio:.3f} of {peer} at {preset}, must be {overhead}"
print(f"tensor is {speedup:.3f} of cublaslt at 4096^3 in bf16, {tensor[0]['tflops']} TFLOP/s")
PYTHON
}
check half-of-cublaslt half
cat "$out/half-of-cublaslt.log"
exit $failed
