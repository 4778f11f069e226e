#!/usr/bin/env bash
# tests/gpu/builds.sh TREE [OUT]
# Compares builds of a plugin on a GPU. A file against itself must be judged the same in every case; a build with 3%
# more work must be slower, with an interval that contains 3%. TREE is as in main_job.sh. Exits with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE [OUT]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
gpubench=$tree/bin/gpubench bundled=$tree/lib/gpubench/plugins builds=$tree/tests/plugins
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
failed=0

# judge NAME WORD: checks that the rows of @new have the verdict WORD. "same" also accepts undecided rows and one wrong
# verdict in a hundred comparisons; by simulation 0.2% of comparisons have one.
judge() {
  python3 -B - "$out/$1/results.csv" "$2" <<'PYTHON'
import csv, sys
path, word = sys.argv[1:]
rows = [r for r in csv.DictReader(open(path, newline="")) if r["variant"].endswith("@new") and r["status"] != "skipped"]
assert rows, "no rows"
for r in rows:
    assert r["status"] == "ok", f"{r['case_key']} {r['variant']}: {r['status']} {r['message']}"
    assert r["baseline"] == r["variant"].replace("@new", "@old"), r["baseline"]
    print(f"{r['case_key']} {r['variant']}: {r['speedup']} [{r['speedup_lo']}, {r['speedup_hi']}] {r['verdict']}")
if word == "same":
    wrong = [r for r in rows if r["verdict"] in ("faster", "slower")]
    assert len(wrong) <= len(rows) // 100, f"{len(wrong)} of {len(rows)} have a wrong word"
    held = sum(float(r["speedup_lo"]) <= 1 <= float(r["speedup_hi"]) for r in rows)
    assert held >= 0.8 * len(rows), f"only {held} of {len(rows)} intervals hold 1"
    print(f"{held} of {len(rows)} intervals hold 1")
else:
    for r in rows:
        assert r["verdict"] == word, r["verdict"]
        assert float(r["speedup_lo"]) <= 1 / 1.03 <= float(r["speedup_hi"]) or abs(float(r["speedup"]) - 1 / 1.03) < 0.002
PYTHON
}

contest() { # contest NAME WORD ARGUMENT...
  local name=$1 word=$2 rc; shift 2
  "$gpubench" "$@" --device cuda --ceilings off --out "$out/$name" >"$out/$name.log" 2>&1; rc=$?
  if ((rc == 0)) && judge "$name" "$word" >>"$out/$name.log" 2>&1; then echo "$name ok: $(tail -n 1 "$out/$name.log")"
  else failed=1; echo "$name FAILED (exit $rc): $(tail -n 1 "$out/$name.log")"; fi
}

contest same-attention same --plugin "old=$bundled/attention.so" --plugin "new=$bundled/attention.so" --case-time 1
contest same-softmax same --plugin "old=$bundled/softmax.so" --plugin "new=$bundled/softmax.so" --case-time 1 --restarts 3
contest same-spin same --plugin "old=$builds/builds_100.so" --plugin "new=$builds/builds_100.so"
contest slower slower --plugin "old=$builds/builds_100.so" --plugin "new=$builds/builds_103.so" --variant 'whole@*'
exit "$failed"
