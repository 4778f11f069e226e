#!/usr/bin/env bash
# demo.sh [GPUBENCH-OPTION...]
# Gets from a fresh clone to a report: installs what the build needs, builds into build/, and benchmarks attention on
# the devices of this machine. The exit status is gpubench's.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/lib.sh

ci/build.sh
say "gpubench --plugin attention.so $*"
status=0
build/bin/gpubench --plugin attention.so "$@" || status=$?
report=$(find gpubench-out -mindepth 2 -maxdepth 2 -name report.html -newer build/CMakeCache.txt 2>/dev/null | sort | tail -1)
[[ -z $report ]] || printf '\nreport: file://%s\n' "$(pwd)/$report"
exit "$status"
