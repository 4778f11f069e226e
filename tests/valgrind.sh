#!/usr/bin/env bash
# tests/valgrind.sh BUILD
# Runs the parent under valgrind, on the scripted device: a run, crashes, a resumed run, reports, lists, refusals.
# Workers are separate processes and run without valgrind. There are no suppressions: no memory may leak, and no
# uninitialized value may be used.
set -euo pipefail
build=$(realpath "${1:?usage: tests/valgrind.sh BUILD}")
command -v valgrind >/dev/null || { echo "valgrind: not installed"; exit 77; }
plugins=$build/tests/plugins
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GPUBENCH_LOCK_DIR=$work GPUBENCH_OUT=$work/runs
printf '[device]\ntick_ns = 32\n[*]\nns = 50000\nsample_sd = 0.004\nslot_sd = 0.001\n' >fake.ini
fake=(--device fake:fake.ini --precision 5%)
failed=0

# under EXPECTED ARGUMENTS...: gpubench must exit with EXPECTED, and valgrind must report nothing
under() {
  local expected=$1 code=0
  shift
  valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
    --show-leak-kinds=definite,indirect,possible --child-silent-after-fork=yes --log-file=valgrind.log \
    "$build/bin/gpubench" "$@" >out.log 2>err.log || code=$?
  if ((code == expected)) && [[ ! -s valgrind.log ]]; then
    echo "ok   $*"
    return
  fi
  failed=1
  echo "FAIL $*: exit $code, expected $expected"
  cat valgrind.log err.log
}

under 0 --help
under 2 --precision nonsense
under 0 list "$plugins/ok_vector.so"
under 3 list "$plugins/bad_open_segv.so"
under 0 --plugin "$plugins/ok_vector.so" "${fake[@]}" -a n=8:64:x2 --out whole --tag a=b --require plain
under 0 --plugin "$plugins/ok_vector.so" "${fake[@]}" -a n=8:64:x2 --dry-run
under 0 --plugin "$plugins/ok_vector.so" "${fake[@]}" -a n=8 --mode cold,hot --restarts 2 --out modes
under 2 --plugin "$plugins/ok_vector.so" "${fake[@]}" --case nothing
under 3 --plugin "$plugins/bad_crash.so" "${fake[@]}" --exclude loop,deaf --out crashed
under 3 --plugin "$plugins/bad_crash.so" "${fake[@]}" --variant good,loop --timeout 1 --out hung
under 3 --plugin "$plugins/bad_wrong.so" "${fake[@]}" --out wrong
head -c 5000 whole/results.csv >cut.csv
cp -r whole cut && mv cut.csv cut/results.csv
under 0 --resume cut
under 2 --resume cut --seed 9
under 0 --suite whole/run.ini "${fake[@]}" --out again
under 0 report whole
under 0 report crashed --csv copy.csv
exit $failed
