#!/usr/bin/env bash
# tests/gpu/check.sh TREE PLUGIN OUT
# Tests `gpubench check` on a GPU: the bundled plugins break no rule, and each planted fault of PLUGIN, the built
# tests/plugins/bad_cuda.so, breaks its rule and no other. TREE is as in main_job.sh. OUT receives the output of each
# check. Exits with 77 without a GPU.
set -uo pipefail
tree=$(cd "${1:?usage: $0 TREE PLUGIN OUT}" && pwd)
plugin=$(realpath "${2:?usage: $0 TREE PLUGIN OUT}")
out=$(mkdir -p "${3:?usage: $0 TREE PLUGIN OUT}" && cd "$3" && pwd)
gpubench=$tree/bin/gpubench
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
failed=0

for bundled in matmul attention softmax activations calibrate energy md data_pipeline; do
  start=$SECONDS
  timeout 170 "$gpubench" check "$bundled" -v --max-time 120 >"$out/$bundled.txt" 2>&1 </dev/null; rc=$?
  ((rc == 0)) && verdict=ok || { verdict=FAILED; failed=1; }
  printf '%-7s%-15s%s, %d s\n' $verdict "$bundled" "$(tail -n 1 "$out/$bundled.txt")" $((SECONDS - start))
  ((rc == 0)) || grep '^failed' "$out/$bundled.txt" | cut -c1-300
done

# VARIANT RULE SENTENCE. Several rules are alternatives; - stands for none. Variants that may break the device come
# last.
while read -r variant rules sentence; do
  timeout 100 "$gpubench" check "$plugin" --device cuda --variant "$variant" --timeout 5 >"$out/$variant.txt" 2>&1 </dev/null
  broken=$(awk '/^failed/ { print $2 }' "$out/$variant.txt" | xargs)
  good=0
  [[ $rules == - && -z $broken ]] && grep -q 'passed, 0 failed' "$out/$variant.txt" && good=1
  [[ $rules != - && " ${rules//|/ } " == *" $broken "* && -n $broken ]] && grep '^failed' "$out/$variant.txt" | grep -qE "$sentence" && good=1
  ((good)) && verdict=ok || { verdict=FAILED; failed=1; }
  printf '%-7s%-15s%-12s%s\n' $verdict "$variant" "${broken:-none}" "$(grep '^failed' "$out/$variant.txt" | cut -c33-220)"
done <<'TABLE'
good            -
race            -
beyond          bounds      wrote outside tensor 'y'
far-beyond      bounds      wrote outside tensor 'y'
input           inputs      changed its input 'x'
nan             values      not finite
part            writes      left 1 of 4096 elements of 'y' unwritten
there           fresh       over outputs of other inputs
launch          run         launch: cudaError
launch-mute     writes      unwritten
first           repeat|async|fresh  unwritten
sync            async       synchroni[sz]es
escape          stream|complete  escapes its stream|50 ms later
legacy          stream|async|capture  stream|capture|synchroni[sz]es
allocate        async|allocation  synchroni[sz]es|allocates
allocate-async  allocation  allocates memory
all-memory      prepare|crash  memory
null            crash       device fault in run
wild            crash       device fault in run
misaligned      crash       device fault in run
trap            crash       device fault in run
assert          prints|crash  Assertion
stack           crash       in run
hang            hang        no return within 5 s in run
reset           crash|stream|async|repeat|run  .
destroy         crash|stream|async|repeat|run|hang  .
TABLE
exit $failed
