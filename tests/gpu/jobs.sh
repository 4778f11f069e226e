#!/usr/bin/env bash
# tests/gpu/jobs.sh TREE [OUT]: all GPUs of a host at once: cases per minute with --jobs all are at least 0.9 N times those with
# --jobs 1, and of runs of the same program, one against the other, no row is called slower or faster. TREE is a build
# directory or an unpacked TGZ. About 6 minutes on two GPUs. Exit 77 with fewer than two. DEVICES and AXES are for trying it without
# any: DEVICES=fake:a.ini,fake:b.ini.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench
devices=${DEVICES:-cuda:all}
count=$(compgen -G '/dev/nvidia[0-9]*' | wc -l)
((count >= 2)) || [[ $devices == fake* ]] || { echo "skipped: $count GPU here, it takes two"; exit 77; }
read -ra axes <<<"${AXES:--a m=4k,8k -a n=1k,2k,4k,8k,16k -a dtype=fp32,bf16}"
failed=0
rm -rf "$out"/jobs-*

fail() { echo "jobs: FAIL: $*"; failed=1; }
run() { # run NAME JOBS SECONDS: seconds that it took, the check of neighbours among them, go to $out/jobs-NAME.s
  local name=$1 jobs=$2 seconds=$3 begun=$EPOCHREALTIME
  "$gpubench" softmax activations --bench softmax/rows --bench activations/rmsnorm "${axes[@]}" --precision 0.1% --case-time 3s --restarts 1 \
    --roofs off --device "$devices" --jobs "$jobs" --max-time "$seconds" --out "$out/jobs-$name" >"$out/jobs-$name.log" 2>&1
  rc=$?
  awk -v from="$begun" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f\n", to - from }' >"$out/jobs-$name.s"
  grep -E '^(neighbours|jobs) ' "$out/jobs-$name.log" || true
  ((rc == 0)) || { fail "$name: exit $rc"; tail -n 5 "$out/jobs-$name.log"; }
}

run one 1 210
run all all 130
run again all 130
((failed)) && exit 1
"$gpubench" compare "$out/jobs-all" "$out/jobs-again" --json "$out/jobs-again.json" -q >"$out/jobs-compare.log" 2>&1
"$gpubench" compare "$out/jobs-one" "$out/jobs-all" --json "$out/jobs-all.json" -q >>"$out/jobs-compare.log" 2>&1

python3 -B - "$out" <<'PYTHON' || failed=1
import csv, json, pathlib, sys
out, failed = pathlib.Path(sys.argv[1]), 0


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


one, rates = None, {}
print(f"{'run':6} {'jobs':>4} {'cases':>5} {'s':>6} {'per min':>8} {'ratio':>6}   {'whole s':>7} {'ratio':>6}")
for name in ("one", "all", "again"):
    cases, jobs, seconds, whole = measured(name)
    rate, slow = 60 * cases / seconds, 60 * cases / whole
    one = one or (rate, slow)
    print(f"{name:6} {jobs:4} {cases:5} {seconds:6.1f} {rate:8.1f} {rate / one[0]:6.2f}   {whole:7.1f} {slow / one[1]:6.2f}")
    if jobs > 1:
        rates[name] = rate / one[0] / jobs
print(f"ratio to N x one: {', '.join(f'{n} {r:.3f}' for n, r in rates.items())}; at least 0.9 is wanted")
if max(rates.values(), default=0) < 0.9:
    print("jobs: FAIL: too few cases per minute")
    failed = 1
for name, what, least in (("again", "all against all", 40), ("all", "one against all, on the same GPU", 0)):
    rows = json.loads((out / f"jobs-{name}.json").read_text())
    words = {}
    for row in rows["runs"][0]["against"]["rows"]:
        if row["fate"] == "both":
            words[row["verdict"] or row["not_judged"]] = words.get(row["verdict"] or row["not_judged"], 0) + 1
    pairs, false = sum(words.values()), {w: n for w, n in words.items() if w in ("slower", "faster")}
    print(f"{what}: {pairs} pairs: {', '.join(f'{n} {w}' for w, n in sorted(words.items()))}")
    if false or pairs < least:
        print(f"jobs: FAIL: {false or 'too few pairs'}")
        failed = 1
sys.exit(failed)
PYTHON
((failed)) || echo "jobs: ok"
exit "$failed"
