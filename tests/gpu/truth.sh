#!/usr/bin/env bash
# tests/gpu/truth.sh TREE PLUGIN [PART...] [-- OPTION...]
# Measures the ground truth that the README quotes, on a GPU. TREE is a build directory or an unpacked TGZ, PLUGIN its
# tests/plugins/truth.so. The parts take at most 4 minutes each, words three times that: clock, means, configs, cupti
# (needs cupti_trace.so in PLUGIN's folder), words (20 processes, 400 comparisons of equal code at each length). Options
# of tests/truth.py follow `--`: `words -- --processes 5 --keep DIR --seconds 300` makes 100 comparisons at each length
# and stops after five minutes with exit status 75; the same command continues. Exits with 1 if a bound is broken, with
# 77 without a GPU.
set -uo pipefail
tree=${1:?usage: $0 TREE PLUGIN [PART...]} plugin=${2:?usage: $0 TREE PLUGIN [PART...]}
shift 2
parts=()
while (($#)) && [[ $1 != -- ]]; do parts+=("$1"); shift; done
options=("${@:2}")
((${#parts[@]})) || parts=(clock means configs cupti words)
[[ -e /dev/nvidiactl ]] || { echo "skipped: no NVIDIA GPU here"; exit 77; }
truth=("$(dirname "$0")/../truth.py" "$tree" "$plugin" --device cuda)
failed=0
for part in "${parts[@]}"; do
  case $part in
    words) arguments=(--part words --processes 20) ;;
    cupti) arguments=() ;;
    clock | configs | means) arguments=(--part "$part") ;;
    *) echo "unknown part '$part'"; exit 2 ;;
  esac
  echo "== $part"
  if [[ $part == cupti ]]; then
    python3 -B "$(dirname "$0")/cupti.py" "$tree" "$plugin" "$(dirname "$plugin")/cupti_trace.so" || (($? == 77)) || failed=1
    continue
  fi
  PYTHONUNBUFFERED=1 python3 -B "${truth[@]}" "${arguments[@]}" "${options[@]}" || { rc=$?; ((rc != 75)) || exit 75; failed=1; }
done
exit $failed
