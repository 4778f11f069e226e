#!/usr/bin/env bash
# tests/gpu/pace.sh TREE [OUT [PART...]]
# Tests how far the medians of a device that rests between slots can be trusted. The parts, all by default, are:
# attention, matmul, memory (against slots after 0.2 s of rest; 5 min), sustained (the effect of continuous load on two
# of them; 1 min), thirteen (thirteen kernels in 5 s of sampling; 15 s), again (attention, softmax, activations and
# matmul twice, with enough time for their precision; 12 min; again-PLUGIN: one of them). The medians that are compared
# come from three processes: the placement of tensors in memory is worth 1% in one process. TREE is as in main_job.sh.
# Exits with 1 if a condition does not hold, with 77 without a GPU.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "${1:?usage: $0 TREE [OUT [PART...]]}" && pwd)
out=$(mkdir -p "${2:-gpu-out}" && cd "${2:-gpu-out}" && pwd)
parts=" ${*:3} "
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
all=' attention matmul memory sustained thirteen again '
[[ $parts =~ [a-z] ]] || parts=$all
for part in $parts; do
  [[ $all == *" ${part/#again-*/again} "* ]] || { echo "no part $part; there are$all"; exit 2; }
done
failed=0
run() { # run NAME OPTIONS...
  "$tree/bin/gpubench" --out "$out/$1" --ceilings off "${@:2}" >"$out/$1.log" 2>&1 </dev/null || { failed=1; tail -n 5 "$out/$1.log"; }
}
judge() { python3 -B "$here/pace.py" "$@" || failed=1; }

rested() { # rested NAME OPTIONS...
  [[ $parts == *" $1 "* ]] || return 0
  run "rested-$1" --mode cold,cold+burst --restarts 3 --max-time 5m "${@:2}"
  judge rested "$out/rested-$1"
}

rested attention --plugin attention.so --preset gpt2/1k,llama3-8b/4k,long/16k,long/16k-d256 --variant standard,flash,wgmma
rested matmul --plugin matmul.so --preset square-4k,square-8k --variant cublaslt,wgmma-best
rested memory --plugin softmax.so --plugin activations.so --bench rows,gelu --variant fused,pack,copy
if [[ $parts == *' sustained '* ]]; then
  run sustained --plugin attention.so --mode cold,cold+sustained --preset llama3-8b/4k --max-time 2m
  judge rested "$out/sustained"
fi
if [[ $parts == *' thirteen '* ]]; then
  run thirteen --suite "$here/thirteen.ini" --restarts 1
  judge thirteen "$out/thirteen"
fi
twice=()
for plugin in attention softmax activations matmul; do
  [[ $parts == *' again '* || $parts == *" again-$plugin "* ]] && twice+=("$plugin")
done
if ((${#twice[@]})); then
  for pass in 1 2; do
    for plugin in "${twice[@]}"; do run "$plugin-$pass" --plugin "$plugin.so" --restarts 3 --max-time 5m; done
  done
  judge again "${twice[@]/#/$out/}"
fi
exit $failed
