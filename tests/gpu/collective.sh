#!/usr/bin/env bash
# tests/gpu/collective.sh TREE PLUGIN
# Tests a sum over 1, 2, 4 ... GPUs of this machine, by copies between the GPUs and, if libnccl.so.2 is found
# (LD_LIBRARY_PATH), by NCCL. In each mode every row for which the machine has enough GPUs is verified, one GPU more
# than it has is skipped, and the sanitizers report nothing. TREE is a build directory or an unpacked TGZ, PLUGIN its
# tests/plugins/ok_allreduce.so. Exits with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE PLUGIN}" && pwd)
plugin=$(realpath "${2:?usage: $0 TREE PLUGIN}")
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
gpus=$(nvidia-smi -L | grep -c '^GPU')
counts=1
for ((n = 2; n <= gpus; n *= 2)); do counts+=",$n"; done
failed=0

# rows NAME OPTIONS...: runs once; rows for which there are enough GPUs must be ok, and no row may be wrong
rows() {
  local name=$1; shift
  "$tree/bin/gpubench" --plugin "$plugin" --device cuda:0 --quick --ceilings off --axis "n=1,1000,1M" \
    --axis "devices=$counts,$((gpus + 1))" --max-time 100 --out "$work/$name" "$@" >"$work/$name.log" 2>&1 ||
    { echo "FAILED $name: exit $?"; tail -5 "$work/$name.log"; failed=1; }
  python3 -B - "$work/$name/results.csv" "$gpus" "$name" <<'PY' || failed=1
import csv, sys

path, gpus, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(path, newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
good = {"peer": 0, "nccl": 0}
for row in rows:
    count = int(row["axes"].split(";")[0].partition("=")[2])
    more, missing = count > gpus, "libnccl.so.2 is not here" in row["message"]
    refused = row["variant"] == "nccl" and "graph" in name and row["status"] == "skipped"
    expected = "skipped" if more or missing or refused else "ok"
    if row["status"] != expected:
        sys.exit(f"FAILED {name}: {row['case_key']} {row['variant']} {row['status']}: {row['message']}")
    good[row["variant"]] += row["status"] == "ok"
if good["peer"] == 0:
    sys.exit(f"FAILED {name}: no row was measured")
print(f"ok {name}: {gpus} GPUs, {good['peer']} rows by copies, {good['nccl']} by NCCL")
PY
}

for mode in cold hot graph wall latency; do rows "$mode" --mode "$mode"; done
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck; do
    compute-sanitizer --tool "$tool" --error-exitcode 9 --target-processes all --log-file "$work/$tool.%p" \
      "$tree/bin/gpubench" --in-process --plugin "$plugin" --device cuda:0 --verify-only --ceilings off --lock off \
      --axis "devices=$counts" --axis n=1000 --variant peer --out "$work/$tool" >"$work/$tool.log" 2>&1 &&
      echo "ok $tool: $(grep -h SUMMARY "$work/$tool".[0-9]* | sort -u | tr '\n' ' ')" ||
      { echo "FAILED $tool"; grep -h "=========" "$work/$tool".[0-9]* | head -20; tail -5 "$work/$tool.log"; failed=1; }
  done
fi
exit $failed
