#!/usr/bin/env bash
# tests/fuzz/run.sh TARGET|all SECONDS [FOLDER [RUNS]]: builds fuzz targets with clang's libFuzzer and the sanitizers in
# FOLDER (default build-fuzz). Replays all earlier findings, then lets each target search for SECONDS, as many at a time
# as there are processors, starting from the seeds and from the corpus in FOLDER/corpus. With RUNS, each target makes at
# most that many runs, the same ones each time. Exits with 1 on a finding, with 77 if clang or its libFuzzer is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# >= 2 && $# <= 4)) || { echo "usage: $0 TARGET|all SECONDS [FOLDER [RUNS]]" >&2; exit 2; }
seconds=$2 folder=${3:-build-fuzz} here=tests/fuzz fixed=() build=RelWithDebInfo
(($# < 4)) || fixed=(-seed=1 "-runs=$4") build=Debug # compiling with optimization would take longer than these few runs
targets=("$here"/fuzz_*.c)
targets=("${targets[@]#"$here"/fuzz_}")
targets=("${targets[@]%.c}")
if [[ $1 != all ]]; then
  [[ -e $here/fuzz_$1.c ]] || { echo "$0: no target '$1'; there are ${targets[*]}" >&2; exit 2; }
  targets=("$1")
fi
folder=$(mkdir -p "$folder" && cd "$folder" && pwd)
scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo "$folder")")
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

skip() { echo "skipped: $*"; [[ ${GPUBENCH_NO_SKIP:-} ]] && exit 1 || exit 77; }
command -v clang >/dev/null || skip "no clang"
echo 'int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) { return data == 0 && size > 0; }' |
  clang -fsanitize=fuzzer,address,undefined -x c -o "$scratch/probe" - 2>/dev/null ||
  skip "clang has no libFuzzer here (Debian and Ubuntu: libclang-rt-*-dev)"

[[ -e $folder/CMakeCache.txt ]] ||
  cmake $(! command -v ninja >/dev/null || echo -GNinja) -S . -B "$folder" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=$build -DGPUBENCH_WERROR=ON \
    -DGPUBENCH_CUDA=OFF -DGPUBENCH_SANITIZE=address,undefined -DGPUBENCH_FUZZ=ON >"$folder/cmake.log" 2>&1 || { cat "$folder/cmake.log"; exit 1; }
cmake --build "$folder" --parallel "$(nproc)" --target "${targets[@]/#/fuzz_}" >"$folder/build.log" 2>&1 ||
  { tail -40 "$folder/build.log"; exit 1; }

# last KEY LOG: prints the last value that libFuzzer reported under this name
last() { grep -oE "$1:? +[0-9]+" "$2" | tail -1 | grep -oE '[0-9]+$' || echo 0; }

# one TARGET: replays the findings of a target, then fuzzes it
one() {
  local target=$1
  local binary=$folder/$here/fuzz_$target log=$folder/$target.log corpus=$folder/corpus/$target
  local found=("$here/found/$target"/*) options=(-timeout=30 "-artifact_prefix=$folder/$target-")
  [[ -e ${found[0]} ]] || found=()
  [[ -e $here/dictionaries/$target ]] && options+=("-dict=$here/dictionaries/$target")
  mkdir -p "$corpus"
  if { ((${#found[@]} == 0)) || "$binary" "${options[@]}" "${found[@]}"; } >"$log" 2>&1 &&
    "$binary" "${options[@]}" "${fixed[@]}" -max_total_time="$seconds" -print_final_stats=1 "$corpus" "$here/seeds/$target" >>"$log" 2>&1; then
    printf '%-9s %s s, %d runs, %d edges, %d found before: nothing new\n' "$target" "$seconds" \
      "$(last stat::number_of_executed_units "$log")" "$(last cov "$log")" "${#found[@]}"
  else
    printf '%-9s FOUND something; to keep it: %s/found/%s/NAME\n%s\n' "$target" "$here" "$target" \
      "$(grep -vE '^(#|INFO|NEW_FUNC)' "$log" | tail -60)"
    return 1
  fi
}

failed=0 running=0
for target in "${targets[@]}"; do
  ((running < $(nproc))) || { wait -n || failed=1; running=$((running - 1)); }
  one "$target" &
  running=$((running + 1))
done
for (( ; running > 0; running--)); do wait -n || failed=1; done
exit $failed
