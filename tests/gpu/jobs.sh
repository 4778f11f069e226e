#!/usr/bin/env bash
# tests/gpu/jobs.sh TREE [OUT [PART...]]
# Tests all GPUs of a host at once. The parts, both by default, are: rate (cases per minute with --jobs all are at least
# 0.9 N times those with --jobs 1, including the start and the check of interference; 9 min on two GPUs) and pairs (two
# runs of the same program are compared, and no row is judged slower or faster; 2 min). TREE is a build directory or an
# unpacked TGZ. Exits with 77 with fewer than two GPUs. DEVICES, AXES and CASE_TIME allow a trial without any GPU:
# DEVICES=fake:a.ini,fake:b.ini.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT [PART...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench
devices=${DEVICES:-cuda:all}
parts=" ${*:3} "
[[ $parts =~ [a-z] ]] || parts=' rate pairs '
count=$(compgen -G '/dev/nvidia[0-9]*' | wc -l)
((count >= 2)) || [[ $devices == fake* ]] || { echo "skipped: $count GPU here, it takes two"; exit 77; }
failed=0

fail() { echo "jobs: FAIL: $*"; failed=1; }
# run NAME JOBS CASE_TIME LIMIT AXIS...: writes the seconds that it took, including the check of interference, to
# $out/jobs-NAME.s
run() {
  local name=$1 begun=$EPOCHREALTIME
  rm -rf "$out/jobs-$name"
  "$gpubench" softmax activations --bench softmax/rows --bench activations/rmsnorm --precision 0.1% --restarts 1 --ceilings off \
    --device "$devices" --jobs "$2" --case-time "${CASE_TIME:-$3}" --max-time "$4" --out "$out/jobs-$name" "${@:5}" >"$out/jobs-$name.log" 2>&1
  rc=$?
  awk -v from="$begun" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f\n", to - from }' >"$out/jobs-$name.s"
  grep -E '^(interference|jobs) ' "$out/jobs-$name.log" || true
  ((rc == 0)) || { fail "$name: exit $rc"; tail -n 5 "$out/jobs-$name.log"; }
}

pairs() { # pairs NAME OTHER: compares the second run with the first
  "$gpubench" compare "$out/jobs-$1" "$out/jobs-$2" --json "$out/jobs-$2.json" -q >"$out/jobs-compare-$2.log" 2>&1
}

read -ra many <<<"${AXES:--a m=4k,8k -a n=1k,2k,4k,8k,16k -a dtype=fp32,fp16,bf16}"
read -ra few <<<"${AXES:--a m=4k -a n=1k,2k,4k,16k -a dtype=fp32,bf16}"
if [[ $parts == *' rate '* ]]; then
  run one 1 5s 420 "${many[@]}"
  run all all 5s 250 "${many[@]}"
  ((failed)) || pairs one all
fi
if [[ $parts == *' pairs '* ]]; then
  run first all 3s 90 "${few[@]}" --against last # keeps a case on the same GPU, so that it can be compared
  run second all 3s 90 "${few[@]}" --against last
  ((failed)) || pairs first second
fi
((failed)) && exit 1
python3 -B - "$out" $parts <<'PYTHON' || failed=1
import csv, json, pathlib, sys
out = pathlib.Path(sys.argv[1])


def environment(run):
    text = (run / "run.ini").read_text().partition("[environment]")[2]
    return dict(line.split(" = ", 1) for line in text.partition("\n[")[0].splitlines() if " = " in line)


def measured(name):
    """Cases of which all rows are timed, and the seconds that measuring them took: jobs of the same time, then the last one."""
    run, cases = out / f"jobs-{name}", {}
    for row in csv.DictReader(open(run / "results.csv", newline="")):
        cases.setdefault((row["case_key"], row["mode"]), []).append(row["status"])
    shards = sorted((int(p.name), float(environment(p)["wall_s"])) for p in (run / "jobs").iterdir() if p.name.isdigit())
    walls = [wall for _, wall in shards]
    whole = sum(all(s in ("ok", "skipped") for s in statuses) for statuses in cases.values())
    return whole, len(walls) - 1, max(walls[:-1]) + walls[-1], float((out / f"jobs-{name}.s").read_text())


def rate():
    one = None
    print(f"{'run':6} {'jobs':>4} {'cases':>5} {'s':>6} {'per min':>8} {'ratio':>6}   {'whole s':>7} {'ratio':>6}")
    for name in ("one", "all"):
        cases, jobs, seconds, whole = measured(name)
        rate, slow = 60 * cases / seconds, 60 * cases / whole
        one = one or (rate, slow)
        print(f"{name:6} {jobs:4} {cases:5} {seconds:6.1f} {rate:8.1f} {rate / one[0]:6.2f}   {whole:7.1f} {slow / one[1]:6.2f}")
    share = slow / one[1] / jobs
    print(f"cases per minute, start and check among them: {share:.3f} of {jobs} x one GPU's; at least 0.9 is wanted")
    return share >= 0.9


def alike(name, what, least):
    words = {}
    for row in json.loads((out / f"jobs-{name}.json").read_text())["runs"][0]["against"]["rows"]:
        if row["outcome"] == "both":
            words[row["verdict"] or row["not_judged"]] = words.get(row["verdict"] or row["not_judged"], 0) + 1
    pairs, false = sum(words.values()), {w: n for w, n in words.items() if w in ("slower", "faster")}
    print(f"{what}: {pairs} pairs: {', '.join(f'{n} {w}' for w, n in sorted(words.items()))}")
    return not false and pairs >= least


held = []
if "rate" in sys.argv[2:]:
    held += [rate(), alike("all", "one against all, on the same GPU", 0)]
if "pairs" in sys.argv[2:]:
    held += [alike("second", "all against all", 40)]
sys.exit(not all(held))
PYTHON
((failed)) || echo "jobs: ok"
exit "$failed"
