#!/usr/bin/env bash
# tests/cheats/ends.sh [TIMES] [BUILD]
# Repeats each test of tests/e2e/test_ends.py and tests/e2e/test_blame.py TIMES times (default: 50). It can be
# interrupted: passed tests are listed in BUILD/ends.log and not repeated. Remove that file to start again.
set -euo pipefail
times=${1:-50}
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${2:-$root/build}" && pwd)
log=$build/ends.log
export GPUBENCH_BIN=$build/bin/gpubench GPUBENCH_TEST_PLUGINS=$build/tests/plugins
touch "$log"
cd "$root/tests/e2e"

failed=0
for file in ends blame; do
  for name in $(python3 -B - "$file" <<'PYTHON'
import importlib, sys, unittest
sys.path.insert(0, ".")
for suite in unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module("test_" + sys.argv[1])):
    for test in suite:
        print(test.id().split(".", 1)[1])
PYTHON
  ); do
    passed=$(grep -cx "$file $name" "$log" || true)
    for ((i = passed; i < times; i++)); do
      if python3 -B "test_$file.py" "$name" >"$build/ends.out" 2>&1; then
        echo "$file $name" >>"$log"
        passed=$((passed + 1))
      else
        failed=$((failed + 1))
        cp "$build/ends.out" "$build/ends.failed.$failed"
        echo "FAIL: $file $name: $build/ends.failed.$failed"
      fi
    done
    echo "$file $name: $passed of $times"
  done
done
exit $((failed > 0))
