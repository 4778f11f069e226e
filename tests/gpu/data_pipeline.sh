#!/usr/bin/env bash
# tests/gpu/data_pipeline.sh TREE [OUT]
# Tests the data_pipeline plugin on a GPU. TREE is a build directory or an unpacked TGZ. The defaults must be right
# (defaults.sh limits their time); then the script prints the ratios that the plugin was written for, each with its
# bound. Files of records are created in GPUBENCH_SCRATCH. Exits with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
scratch=(--scratch "${GPUBENCH_SCRATCH:-${TMPDIR:-/tmp}}")
failed=0

run() { # run NAME ARGUMENT...: writes to a folder of that name
  local name=$1 start=$SECONDS; shift
  rm -rf "${out:?}/$name"
  if "$gpubench" --plugin data_pipeline.so "${scratch[@]}" --out "$out/$name" "$@" >"$out/$name.log" 2>&1; then
    echo "$name ok $((SECONDS - start)) s"
  else
    failed=1
    echo "$name FAILED: $(tail -n 2 "$out/$name.log" | head -n 1)"
  fi
}

run defaults
# These runs cover odd sizes and every direction and only verify.
run odd-transfer --bench transfer --verify-only -a direction=h2d,d2h,d2d,both -a bytes=4k,100004,5000000 -a chunk=4k,1M -a threads=1,5
run odd-preprocess --bench preprocess --verify-only -a n=1,7 -a h=33,64 -a w=47,300 -a crop=1,31
run odd-pipeline --bench pipeline --verify-only -a side=8,64 -a chunk=1,7 -a chunks=5 -a depth=1,64 -a workers=1,3 -a work=1,70 -a cache=hot
# These runs measure the link at large sizes, and the rate of reading a file like the pipeline's with nothing else
# running.
run link --bench transfer --variant pageable,pinned,staged -a direction=h2d,d2h -a bytes=64M,512M,1G --max-time 3m
run alone --bench source --variant read,pread -a cache=hot -a order=sequential -a record=192k -a chunk=6M -a bytes=1200M
# The file is long compared with the data in flight.
run pipeline --bench pipeline -a chunks=200 -a cache=hot

python3 -B - "$out" <<'PYTHON' || failed=1
import csv, sys
out = sys.argv[1]

def rows(name):
    with open(f"{out}/{name}/results.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if row["status"] == "ok" and row["median_raw_ns"]]

def axes(row):
    return dict(pair.split("=") for pair in row["axes"].split(";") if pair)

def rate(found, bench, variants, **point):
    """The best rate, GB/s, of these variants at this point."""
    rates = [float(r["gb_per_s"]) for r in found if r["bench"].endswith("/" + bench) and r["variant"] in variants
             and all(axes(r)[k] == str(v) for k, v in point.items())]
    return max(rates) if rates else float("nan")

missed = 0
def judge(what, value, bound, least=True, must=True):
    global missed
    good = value >= bound if least else value <= bound
    missed += must and not good
    print(f"{what}: {value:.3f}, {'at least' if least else 'at most'} {bound}: {'ok' if good else 'MISSED'}")

default, link, alone, pipeline = rows("defaults"), rows("link"), rows("alone"), rows("pipeline")
gib, half, small = 1 << 30, 512 << 20, 64 << 20
memcpy = rate(default, "memcpy", ("one", "threads", "stream"))
print(f"memcpy, best of all threads: {memcpy:.1f} GB/s")
for way in ("h2d", "d2h"):
    plain = rate(link, "transfer", ("pinned",), direction=way, bytes=gib)
    pageable = rate(link, "transfer", ("pageable",), direction=way, bytes=gib)
    staged = rate(link, "transfer", ("staged",), direction=way, bytes=gib)
    pinned = rate(link, "transfer", ("pinned",), direction=way, bytes=half)
    short = rate(link, "transfer", ("pinned",), direction=way, bytes=small)
    print(f"{way}: pageable {pageable:.1f}, pinned {plain:.1f} (512 MiB: {pinned:.1f}, 64 MiB: {short:.1f}), staged {staged:.1f} GB/s")
    judge(f"{way} pinned 512 MiB / pinned 1 GiB", pinned / plain, 0.99)
    judge(f"{way} pinned 64 MiB / pinned 1 GiB", short / plain, 0.98)
    judge(f"{way} staged / pageable", staged / pageable, 2.5)
    judge(f"{way} staged / min(pinned, memcpy)", staged / min(plain, memcpy), 0.8)

metrics = {}
with open(f"{out}/pipeline/metrics.csv", newline="") as file:
    for row in csv.DictReader(file):
        metrics.setdefault(row["variant"], {})[row["metric"]] = float(row["value"])
hot = {r["variant"]: r for r in pipeline}
time = {v: float(r["median_raw_ns"]) for v, r in hot.items()}
best = min((v for v in time if v != "ship-fp32"), key=time.get)

def slowest(variant):
    return max((m for m in metrics[variant] if m.endswith("/busy")), key=metrics[variant].get)

stage = slowest(best)
print(f"pipeline: best depth {best}, {metrics[best]['rate']:.1f} GB/s, {metrics[best]['samples']:.0f} samples/s, bottleneck {stage}"
      f" at {metrics[best][stage]:.3f}, overlap {metrics[best].get('overlap', 0):.3f}; {hot[best]['notes']}")
judge("total / slowest stage within", 1 / metrics[best]["slowest"], 1.05, least=False)
by_itself = {"h2d/busy": rate(link, "transfer", ("pinned",), direction="h2d", bytes=gib),
             "read/busy": rate(alone, "source", ("read", "pread"))}
for name, value in by_itself.items():
    judge(f"total / {name.split('/')[0]} by itself", value * time[best] / float(hot[best]["bytes"]), 1.15, least=False,
          must=name == stage)
print(f"depth 1 against {best}: {time['serial'] / time[best]:.3f}x")
gain = time["ship-fp32"] / time[best]
judge("device preprocessing / shipping fp32, samples", gain, 3, must=False)
if gain < 3:
    print(f"  limits: {best} by {stage} at {metrics[best][stage]:.3f}, ship-fp32 by {slowest('ship-fp32')}"
          f" at {metrics['ship-fp32'][slowest('ship-fp32')]:.3f}")
sys.exit(missed > 0)
PYTHON
exit "$failed"
