#!/usr/bin/env bash
# tests/gpu/guests.sh TREE [OUT] [GUESTS]
# Tests the SDK's example guests in the tables of the bundled plugins. TREE is a build directory or an unpacked TGZ.
# GUESTS holds myattention.so and mymatmul.so; if this machine has no nvcc, build them elsewhere with
# `tests/gpu/guests.sh --build TREE GUESTS`. Without GUESTS they are built here, out of tree, against an install of
# TREE. Exits with 77 without a GPU.
set -uo pipefail

# build TREE GUESTS: builds as a third party would, with an install and find_package only
build() {
  local prefix=$1 guests=$2 work
  work=$(mktemp -d)
  if [[ -e $prefix/CMakeCache.txt ]]; then
    cmake --install "$prefix" --prefix "$work/prefix" >"$work/log" || return 1
    prefix=$work/prefix
  fi
  [[ -n ${CUDACXX:-} ]] || command -v nvcc >/dev/null || export CUDACXX=/usr/local/cuda/bin/nvcc
  for example in matmul attention-cuda; do
    cmake -S "$prefix/share/gpubench/examples/$example" -B "$work/$example" -DCMAKE_PREFIX_PATH="$prefix" >>"$work/log" 2>&1 &&
      cmake --build "$work/$example" >>"$work/log" 2>&1 && cp "$work/$example"/my*.so "$guests/" ||
      { cat "$work/log"; return 1; }
  done
  rm -rf "$work"
}

if [[ ${1:-} == --build ]]; then
  mkdir -p "${3:?usage: $0 --build TREE GUESTS}"
  build "$(cd "$2" && pwd)" "$(cd "$3" && pwd)"
  exit
fi

tree=$(cd "${1:?usage: $0 TREE [OUT] [GUESTS]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
guests=${3:-$out/guests}
if [[ -z ${3:-} ]]; then
  mkdir -p "$guests"
  build "$tree" "$guests" || { echo "guests do not build"; exit 1; }
fi
failed=0

check() { # check NAME COMMAND...: writes the output to a log and prints one line
  local name=$1 rc; shift
  "$@" >"$out/$name.log" 2>&1
  rc=$?
  if ((rc == 0)); then echo "$name ok"; else failed=1; echo "$name FAILED (exit $rc): $(tail -n 1 "$out/$name.log")"; fi
}

# rows NAME VARIANT PROVIDER BASELINE: checks that the guest's rows are right, timed, and compared with the owner's
# baseline
rows() {
  python3 -B - "$out/$1/results.csv" "$2" "$3" "$4" <<'PYTHON'
import csv, sys
path, variant, provider, baseline = sys.argv[1:]
rows = [r for r in csv.DictReader(open(path, newline="")) if not r["bench"].startswith("calibrate/")]
mine = [r for r in rows if r["variant"] == variant]
assert mine, f"no rows of {variant}"
for r in mine:
    where = f"{r['case_key']} {r['variant']}"
    assert r["status"] == "ok", f"{where}: {r['status']} {r['message']}"
    assert (r["provider"], r["baseline"]) == (provider, baseline), f"{where}: {r['provider']}, {r['baseline']}"
    assert r["provider"] != r["plugin"] and float(r["verify_error"]) <= float(r["verify_tolerance"]), where
    assert float(r["speedup"]) > 0 and r["verdict"] in ("faster", "slower", "same", "undecided"), f"{where}: no speedup"
    print(f"{where}: {float(r['median_raw_ns']):.0f} ns, {r['speedup']}x {baseline} [{r['speedup_lo']}, {r['speedup_hi']}] {r['verdict']}")
for r in rows:
    assert r["variant"] == variant or r["status"] in ("ok", "skipped"), f"{r['variant']}: {r['status']} {r['message']}"
PYTHON
}

guest() { # guest NAME VARIANT PROVIDER BASELINE ARGUMENT...
  local name=$1 variant=$2 provider=$3 baseline=$4; shift 4
  "$gpubench" "$@" --case-time 1 --ceilings off --out "$out/$name" && rows "$name" "$variant" "$provider" "$baseline"
}

attention=(--plugin attention.so --plugin "$guests/myattention.so" --bench forward --device cuda -a dtype=fp32 -a b=1 -a h=4
  -a h_kv=2)
check attention guest attention warp myattention standard "${attention[@]}" -a s=1k,577 -a d=64,128 -a causal=yes,no
check attention-restarts guest attention-restarts warp myattention standard "${attention[@]}" -a s=1k -a d=64 --restarts 3
check attention-hot guest attention-hot warp myattention standard "${attention[@]}" -a s=512 -a d=64 --mode hot
check attention-bf16 "$gpubench" --plugin attention.so --plugin "$guests/myattention.so" --bench forward --device cuda --verify-only \
  -a dtype=bf16 -a s=512 --out "$out/attention-bf16"
if [[ -e $tree/lib/gpubench/plugins/matmul.so ]]; then
  check matmul guest matmul lanes mymatmul naive --plugin matmul.so --plugin "$guests/mymatmul.so" --device cpu \
    -a m=511 -a n=513 -a k=500 -a dtype=fp32 --baseline naive
fi
check contract "$gpubench" list attention.so --contract attention/forward --device cuda
grep -q 'tensors  of attention/forward\[.*\] on cuda' "$out/contract.log" || { failed=1; echo "contract FAILED: no tensors on cuda"; }
exit "$failed"
