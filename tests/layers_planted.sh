#!/usr/bin/env bash
# Tests tests/layers.sh itself: in a copy of the tree it has nothing to say, and each thing planted there is found.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# planted SENTENCE COMMAND...: the command, run in a fresh copy, makes layers.sh fail with this sentence.
planted() {
  local sentence=$1 status=0
  shift
  rm -rf "$work/tree"
  mkdir -p "$work/tree/tests"
  cp -r "$root"/{host,reports,plugins,sdk} "$work/tree"
  cp -r "$root/tests/plugins" "$work/tree/tests"
  (cd "$work/tree" && "$@")
  "$root/tests/layers.sh" "$work/tree" >"$work/log" 2>&1 || status=$?
  if [[ -z $sentence ]]; then
    ((status == 0)) && return
  elif ((status == 1)) && grep -qF "$sentence" "$work/log"; then
    echo "layers: found: $sentence"
    return
  fi
  failed=1
  echo "layers: NOT FOUND: $sentence (exit $status)" >&2
  cat "$work/log" >&2
}

include() { sed -i "0,/^#include/s,,#include \"$2\"\n&," "$1"; }
system_include() { sed -i "0,/^#include/s,,#include <$2>\n&," "$1"; }

planted '' true
planted 'host/stats/audit.c (stats) includes "model/axis.h" (model)' include host/stats/audit.c model/axis.h
planted 'host/run/run.c (run) includes "html/page.h" (html)' include host/run/run.c html/page.h
planted 'reports/svg/draw.c (svg) includes "record/run_data.h" (record)' include reports/svg/draw.c record/run_data.h
planted 'reports/html/legend.c (html) includes "plan/plan.h" (plan)' include reports/html/legend.c plan/plan.h
planted 'reports/html/legend.c (html) includes "machine/nvml.h" (machine)' include reports/html/legend.c machine/nvml.h
planted 'reports/html/legend.c includes <gpubench/gpubench.h>' system_include reports/html/legend.c gpubench/gpubench.h
planted 'host/run/run.c (run) includes <dlfcn.h>' system_include host/run/run.c dlfcn.h
planted 'an include names room and file' include host/stats/audit.c stats.h
planted 'includes "stats/../plan/plan.h": an include names room and file' include host/stats/audit.c stats/../plan/plan.h
planted 'includes "../host/plan/plan.h": an include names room and file' include reports/html/legend.c ../host/plan/plan.h
planted 'includes <plan/plan.h>: what is ours stands in quotes' system_include reports/html/legend.c plan/plan.h
planted 'there is no host/stats/nothing.h' include host/stats/audit.c stats/nothing.h
planted 'a circle of files: base/' include host/base/memory.h base/pairs.h
planted 'a circle of rooms: ' include host/base/text.c model/axis.h
planted 'host/attic is not in the table' bash -c 'mkdir host/attic && echo "int attic;" >host/attic/attic.h'
planted "the table has the room 'svg'" rm -r reports/svg
planted 'host/base/err.c has 1' bash -c 'yes "" | head -1000 >>host/base/err.c'
planted 'host/base holds 1' bash -c 'for i in {1..99}; do : >host/base/$i.c; done'
planted 'plugins/softmax/plugin.c includes "base/err.h"' include plugins/softmax/plugin.c base/err.h
planted 'includes "host/base/err.h" from outside the SDK' include sdk/include/gpubench/ext/case.h host/base/err.h
exit "$failed"
