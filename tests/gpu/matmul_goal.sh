#!/usr/bin/env bash
# tests/gpu/matmul_goal.sh TREE OUT [PART...]
# Compares wgmma-best with the best of cuBLASLt on Hopper and checks it against its goals. TREE is a build directory or
# an unpacked TGZ. Each part takes at most SECONDS_EACH (150) seconds; without names all of them run. They use bf16, or
# fp16 if -fp16 is appended:
#   large      squares of 2k, 4k, 8k and Llama 3's prefill, isolated samples
#   16k        one square
#   decode     Llama 3 8B's decode with 16 sequences, 1024^3
#   sequences  decode of all models with 1, 4, 16 and 64 sequences
#   logits     GPT-2's odd vocabulary, compared with the padded product as well
#   lasting    the cases of `large`, without pause, with joules per product
#   between    squares of 384 to 6144 that are no presets, and Llama 3 8B with 64 to 2048 tokens; one process
# If there is not enough time for all, name some at a time with the same OUT: the table at the end covers everything in
# OUT. Exits with 1 if a result is below its lower bound, with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE OUT [PART...]}" && pwd)
out=$(mkdir -p "${2:?usage: $0 TREE OUT [PART...]}" && cd "$2" && pwd)
shift 2
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
(($# > 0)) || set -- {large,16k,decode,sequences,logits,lasting,between}{,-fp16}
large=square-2k,square-4k,square-8k,llama3-8b/qkv,llama3-8b/up,llama3-8b/down
decode=llama3-8b/decode-qkv,llama3-8b/decode-o,llama3-8b/decode-up,llama3-8b/decode-down
sizes_between() { # prints a line for each size: m n k
  for n in 384 512 640 768 896 1152 1280 1408 1536 1664 1792 2304 2560 3072 3584 5120 6144; do echo $n $n $n; done
  for m in 64 128 256 512 1024 2048; do printf "$m %d %d\n" 6144 4096 4096 4096 14336 4096 4096 14336; done
}
for part; do
  variants=wgmma-best,cublaslt mode=(--restarts 3)
  case ${part%-fp16} in
    large) presets=$large ;;
    16k) presets=square-16k ;;
    decode) presets=$decode,square-1k ;;
    sequences) presets='*/decode-*' mode=(-a m=1,4,16,64) ;;
    logits) presets=gpt2/logits variants+=,cublaslt-padded ;;
    lasting) presets=$large mode=(--mode cold+sustained --energy) ;;
    between) presets='' mode=() ;;
    *) echo "no part $part"; exit 2 ;;
  esac
  dtype=bf16
  [[ $part == *-fp16 ]] && dtype=fp16
  if [[ -n $presets ]]; then
    mode+=(--preset "$presets" -a "dtype=$dtype")
  else
    while read -r m n k; do mode+=(--case "matmul/gemm[m=$m,n=$n,k=$k,dtype=$dtype]"); done < <(sizes_between)
  fi
  rm -rf "${out:?}/$part"
  "$tree/bin/gpubench" --plugin matmul.so --variant "$variants" "${mode[@]}" \
    --max-time "${SECONDS_EACH:-150}s" --ceilings off --color never -v --out "$out/$part" >"$out/$part.txt" 2>&1
  tail -n 1 "$out/$part.txt"
done
exec python3 -B - "$out"/*/results.csv <<'PYTHON'
import csv, math, sys
rows = [{**r, "part": path.split("/")[-2]} for path in sys.argv[1:] for r in csv.DictReader(open(path, newline=""))]
bad = [f"{r['case_key']} {r['variant']}: {r['status']} {r['message']}" for r in rows if r["status"] not in ("ok", "skipped")]
ours = {(r["case_key"], r["mode"]): r for r in rows if r["variant"] == "wgmma-best" and r["status"] == "ok"}
peer = {(r["case_key"], r["mode"]): r for r in rows if r["variant"] == "cublaslt" and r["status"] == "ok"}
padded = {(r["case_key"], r["mode"]): r for r in rows if r["variant"] == "cublaslt-padded" and r["status"] == "ok"}
print(f"{rows[0]['device_name']}, driver {rows[0]['driver']}" if rows else "no rows")
groups = {}
for key, r in sorted(ours.items()):
    if key not in peer or not r["speedup"]: continue
    size = dict(x.split("=") for x in key[0].split("[")[1].rstrip("]").split(","))
    m, n, k = int(size["m"]), int(size["n"]), int(size["k"])
    ratio, overhead = float(r["speedup"]), 0.95
    if r["part"].startswith("between"): group, overhead = "between", 0.9
    elif m == n == k == 1024: group, overhead = "1k", 1.1
    elif n % 8 != 0: group, overhead = "logits", 3.0
    elif m <= 64: group, overhead = "decode", 1.0
    else: group = "sustained" if "sustained" in r["mode"] else "cold"
    groups.setdefault(group, []).append(ratio)
    line = f"{size['dtype']} {m} x {n} x {k}, {r['mode']}: {float(r['median_raw_ns']) / 1e3:.1f} us, {ratio:.3f} [{float(r['speedup_lo']):.3f}, {float(r['speedup_hi']):.3f}] of cublaslt"
    if key in padded:
        ratio_padded = float(padded[key]["median_raw_ns"]) / float(r["median_raw_ns"])
        line += f", {ratio_padded:.3f} of cublaslt-padded"
        if ratio_padded < 1: bad.append(line)
    if r["energy_j"] and peer[key]["energy_j"]:
        joules = float(r["energy_j"]) / float(peer[key]["energy_j"])
        line += f", joules {joules:.3f}, {float(r['energy_j']):.4g} J +-{100 * float(r['energy_unc'] or 0):.1f}%"
        if joules > 1.02: bad.append(line)
    if ratio < overhead: bad.append(line)
    print(line)
for group, ratios in groups.items():
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{group}: geometric mean {mean:.3f} of {len(ratios)}, minimum {min(ratios):.3f}")
    wanted = {"cold": 1.0, "sustained": 1.0, "decode": 1.1, "between": 1.0}.get(group, 0)
    if mean < wanted: bad.append(f"{group}: mean {mean:.3f}, must be {wanted}")
for line in bad: print("below its launch overhead:", line)
sys.exit(1 if bad else 0)
PYTHON
