#!/usr/bin/env bash
# tests/gpu/activations.sh TREE [OUT]
# Tests the activations plugin on a GPU. TREE is a build directory or an unpacked TGZ. Every variant must be right at
# odd sizes, at row lengths that reach every code path, and at the presets. Small cases also run under
# compute-sanitizer. Then the tables are timed: at 2^28 elements `fast` must reach 80% of the copy of the same bytes,
# and `pack` 97%. Exits with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
failed=0

check() { # check NAME COMMAND...: writes the output to a log and prints one line
  local name=$1 start=$EPOCHREALTIME rc; shift
  "$@" >"$out/$name.log" 2>&1
  rc=$?
  ((rc == 0)) || { failed=1; tail -n 5 "$out/$name.log"; }
  printf '%-28s exit %d  %.1f s\n' "$name" "$rc" "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')"
}

types=(-a dtype=fp32,fp16,bf16)
run=("$gpubench" --plugin activations.so)
# The first line of lengths covers a warp per row, blocks of 128 to 512 threads, clusters of 2, 4 and 8 blocks, and rows
# on and off 16-byte boundaries, up to the longest. The second covers groups of 4 to 32 lanes, and rows that divide
# evenly among the threads of a block, whose number is a compile-time constant or not.
rows=1,2,3,17,63,64,255,256,257,1000,1024,1025,2048,2049,4095,4096,4097,8192,8193,16383,16384,16385,32769,50257,65536,65537,131072
rows+=,8,16,24,32,128,200,264,512,3072,5120,6144,10240,12288

check elementwise "${run[@]}" --bench gelu,swish,swiglu "${types[@]}" -a form=erf,tanh --verify-only --out "$out/elementwise" \
  -a n=1,2,3,4,5,7,8,9,15,17,63,64,65,1023,1024,1025,4095,4096,4097,8191,8192,8193,16384,16385,32769,1000003
check rows "${run[@]}" --bench '*norm*' "${types[@]}" -a m=1,5 -a n=$rows --verify-only \
  --out "$out/rows"
check many-rows "${run[@]}" --bench '*norm*' --variant lanes "${types[@]}" -a m=262147 -a n=16,32,64,128,256 --verify-only \
  --out "$out/many-rows"
check presets "${run[@]}" --verify-only --out "$out/presets"

# A row of more than 131072 elements is skipped with a reason; no other kernel stands in under the same name.
too_long() {
  "${run[@]}" --bench rmsnorm -a m=2 -a n=131073 -a dtype=fp32 --verify-only --out "$out/too-long" || return 1
  grep -q '131072 stays on chip' "$out/too-long/results.csv"
}
check too-long too_long

if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck; do
    sanitize=(compute-sanitizer --tool $tool --target-processes all --error-exitcode 9 "${run[@]}" --verify-only --no-save
      --timeout 600)
    check $tool-elementwise "${sanitize[@]}" --bench gelu,swish,swiglu "${types[@]}" -a form=erf,tanh -a n=1,17,4097,20000
    check $tool-rows "${sanitize[@]}" --bench '*norm*' "${types[@]}" -a m=5 \
      -a n=1,33,128,200,1000,2048,4096,5000,5120,6144,8192,16384,20000,50257,131072
    check $tool-many-rows "${sanitize[@]}" --bench layernorm,rmsnorm_saved,layernorm_gelu --variant lanes "${types[@]}" \
      -a m=65537 -a n=128
  done
else
  echo "skipped: no compute-sanitizer here"
fi

check timed "${run[@]}" --out "$out/timed"
python3 -B - "$out/timed/results.csv" <<'PYTHON' || failed=1
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1], newline="")) if r["plugin"] == "activations"]
copies = {(r["case_key"], r["mode"]): float(r["gb_per_s"]) for r in rows if r["yardstick"] == "1" and r["gb_per_s"]}
slow = []
for r in rows:
    if r["yardstick"] == "1" or not r["gb_per_s"]:
        continue
    copy = copies.get((r["case_key"], r["mode"]))
    share = float(r["gb_per_s"]) / copy if copy else float("nan")
    print(f"{r['case_key']:58} {r['variant']:8} {float(r['gb_per_s']):7.0f} GB/s  {100 * share:5.1f}% of copy"
          f"  ceiling {100 * float(r['ceiling_share'] or 'nan'):5.1f}%")
    overhead = {"fast": 0.8, "pack": 0.97}.get(r["variant"], 0)
    if "n=268435456" in r["case_key"] and not share >= overhead:
        slow.append((r["case_key"], r["variant"]))
assert rows and copies, "no rows"
assert all(r["status"] in ("ok", "skipped") for r in rows), "a row is not ok"
assert not slow, f"too far below the copy: {slow}"
PYTHON
exit $failed
