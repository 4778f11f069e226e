#!/usr/bin/env bash
# tests/gpu/energy.sh TREE [OUT [PART...]]
# Tests the measurement of joules on a GPU. TREE is a build directory or an unpacked TGZ. The parts, all by default,
# are: right (every variant, 20 s), windows (ten windows of 5 s of the bf16 product at 8192 agree within 1%, 5 min), set
# (the plugin's cases and its selftest in windows of 3 s, 8 min), times (runs with and without --energy, 5 min). The
# conditions are printed with their figures. Exits with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT [PART...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
parts=" ${*:3} "
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
[[ $parts =~ [a-z] ]] || parts=' right windows set times '
failed=0
wants() { [[ $parts == *" $1 "* ]]; }

check() { # check NAME COMMAND...: writes the output to a log and prints one line
  local name=$1 start=$EPOCHREALTIME rc; shift
  "$@" >"$out/$name.log" 2>&1
  rc=$?
  ((rc == 0)) || { failed=1; tail -n 5 "$out/$name.log"; }
  printf '%-12s exit %d  %.1f s\n' "$name" "$rc" "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')"
}

# judge NAME FILE...: checks the rows of the files against the conditions of a part
judge() {
  python3 -B - "$@" <<'PYTHON' || failed=1
import csv, math, statistics, sys
what, files = sys.argv[1], sys.argv[2:]
runs = [[r for r in csv.DictReader(open(f, newline="")) if r["plugin"] != "calibrate"] for f in files]
rows = [r for run in runs for r in run]
bad = []

def hold(ok, text):
    print(("  " if ok else "  DOES NOT HOLD: ") + text)
    if not ok:
        bad.append(text)

def figure(row, name):
    return float(row[name]) if row[name] else float("nan")

def trusted(row):
    """The counter and the power readings agree, and so does idle before and after; or the row says so."""
    off, fault = figure(row, "energy_disagreement"), row["energy_fault"]
    return abs(off) <= 0.03 or "differ by" in fault

assert rows, "no rows"
for r in rows:
    if r["status"] not in ("ok", "skipped"):
        bad.append(f"{r['case_key']} {r['variant']}: {r['status']} {r['message']}")

if what == "windows":
    joules = [figure(r, "energy_j") for r in rows]
    power = [figure(r, "energy_power_w") for r in rows]
    for r in rows:
        print(f"  {figure(r, 'energy_j'):8.4f} J  {figure(r, 'energy_power_w'):6.1f} W  {figure(r, 'tflop_per_j'):.4f} TFLOP/J  "
              f"+-{100 * figure(r, 'energy_unc'):.2f}%  readings {100 * figure(r, 'energy_disagreement'):+.2f}%  idle "
              f"{figure(r, 'idle_w'):.1f} W  {r['energy_fault']}")
    spread = statistics.stdev(joules) / statistics.mean(joules)
    hold(len(joules) == 10, f"{len(joules)} windows")
    hold(spread <= 0.01, f"sd / mean of joules {100 * spread:.3f}%, at most 1%")
    print(f"  power {min(power):.1f} to {max(power):.1f} W")
    hold(all(map(trusted, rows)), "counter and power readings within 3%, or flagged")
elif what == "set":
    for r in rows:
        if not r["energy_j"]:
            print(f"  {r['case_key']} {r['variant']}: {r['status']} {r['message']} {r['energy_method']} {r['energy_fault']}")
            continue
        rate = next((f"{float(r[n]):.4g} {u}" for n, u in (("tflop_per_j", "TFLOP/J"), ("gb_per_j", "GB/J"),
                                                          ("j_per_item", "J/item")) if r[n]), "")
        print(f"  {r['case_key']:46} {r['variant']:12} {figure(r, 'median_raw_ns') / 1e3:10.1f} us {figure(r, 'energy_j'):9.4g} J "
              f"{figure(r, 'energy_power_w'):6.1f} W {rate:16} +-{100 * figure(r, 'energy_unc'):.2f}% readings "
              f"{100 * figure(r, 'energy_disagreement'):+.1f}% {r['energy_fault']}")
    measured = [r for r in rows if r["status"] == "ok"]
    hold(all(r["energy_j"] for r in measured), "every row has joules")
    hold(all(map(trusted, measured)), "counter and power readings within 3%, or flagged")
    by = {(r["bench"], r["variant"]): r for r in measured}
    for name in ("bf16", "fp16", "tf32", "fp32"):
        hold(("energy/gemm", name) in by, f"gemm in {name} has TFLOP/s per W")
    bf16 = by.get(("energy/gemm", "bf16"))
    if bf16:
        print(f"  bf16 at 8192: {figure(bf16, 'tflop_per_j'):.3f} TFLOP/s per W; 0.95 to 1.13 expected at the 700 W limit")
    phases = [figure(r, "energy_j") for r in measured if r["bench"] == "energy/selftest"]
    if len(phases) > 1:
        print(f"  selftest: {len(phases)} phases, spread {100 * (max(phases) - min(phases)) / statistics.mean(phases):.2f}%")
else:
    half = len(runs) // 2
    first, last = runs[:half], runs[half:]
    keys = {(r["case_key"], r["variant"]) for r in rows if r["status"] == "ok"}
    for key in sorted(keys):
        times = [[figure(r, "median_raw_ns") for run in part for r in run if (r["case_key"], r["variant"]) == key]
                 for part in (first, last)]
        more = [math.log(a / b) for a, b in zip(*times)]
        half = 2.571 * statistics.stdev(more) / math.sqrt(len(more))  # Student's t for 6 pairs, 95%
        assert len(more) == 6, more
        mean = statistics.mean(more)
        hold(abs(mean) - half < 0.005, f"{key[0]} {key[1]}: time with joules / without - 1 = "
             f"{100 * mean:+.3f}% [{100 * (mean - half):+.3f}%, {100 * (mean + half):+.3f}%], at most 0.5%")
    for r in rows:
        joules = bool(r["energy_j"])
        assert joules == any(r in run for run in first) or r["status"] != "ok", "joules where none were asked for, or none"
sys.exit(bool(bad))
PYTHON
}

run=("$gpubench" --plugin energy.so)
if wants right; then
  check right "${run[@]}" --verify-only --no-save -a gemm.n=16,528,2048 -a data.n=1024 -a data=random,zeros -a period_ms=100 -a steps=1,2,65 \
    -a copy.bytes=64k,5M,1G -a job.bytes=64k,128k,5M,1G
  if command -v compute-sanitizer >/dev/null; then
    check sanitized compute-sanitizer --tool memcheck --target-processes all --error-exitcode 9 "${run[@]}" --verify-only \
      --no-save --timeout 600 --bench copy,small,job,idle,selftest -a bytes=64k,1M -a period_ms=100 -a steps=3
  fi
fi

if wants windows; then
  files=()
  for i in {0..9}; do
    check "window-$i" "${run[@]}" --bench gemm --variant bf16 --ceilings off --case-time 1 --precision 0.01% --out "$out/window-$i"
    files+=("$out/window-$i/results.csv")
  done
  judge windows "${files[@]}"
fi

if wants set; then
  # no case reaches this precision, so each runs for its full time
  check set "${run[@]}" -a data=random,zeros -a period_ms=100 --energy-time 3 --case-time 2 --precision 0.01% --out "$out/set"
  grep -h 'the counter' "$out/set.log" | sort -u
  judge set "$out/set/results.csv"
fi

# Joules are measured after a case's samples, so only the next case could be affected: softmax in bf16 and the product.
if wants times; then
  with=() without=()
  for i in {0..5}; do
    order=(with without)
    ((i % 2)) && order=(without with)
    for kind in "${order[@]}"; do
      energy=()
      [[ $kind == with ]] && energy=(--energy --energy-time 1)
      check "$kind-$i" "$gpubench" --plugin softmax.so --plugin matmul.so --preset square-8k,square-8k-bf16 \
        --variant cublaslt,fused --ceilings off --case-time 1 "${energy[@]}" --out "$out/$kind-$i"
    done
    with+=("$out/with-$i/results.csv") without+=("$out/without-$i/results.csv")
  done
  judge times "${with[@]}" "${without[@]}"
fi
exit $failed
