#!/usr/bin/env bash
# Tests tests/layers.sh itself: it must accept a copy of the tree, and report each fault that is planted there.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# plant SENTENCE COMMAND...: runs COMMAND, which plants a fault, in a copy of the tree; layers.sh must then print
# SENTENCE. Faults since the last find_planted share a copy.
sentences=()
fresh() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/tests"
  cp -r "$root"/{host,reports,plugins,sdk} "$work/tree"
  cp -r "$root/tests/plugins" "$work/tree/tests"
}
plant() {
  ((${#sentences[@]})) || fresh
  sentences+=("$1")
  (cd "$work/tree" && "${@:2}")
}
# find_planted: layers.sh must fail and print each of the sentences.
find_planted() {
  local sentence status=0
  "$root/tests/layers.sh" "$work/tree" >"$work/log" 2>&1 || status=$?
  for sentence in "${sentences[@]}"; do
    if ((status == 1)) && grep -qF "$sentence" "$work/log"; then
      echo "layers: found: $sentence"
    else
      failed=1
      echo "layers: NOT FOUND: $sentence (exit $status)" >&2
    fi
  done
  ((failed == 0)) || cat "$work/log" >&2
  sentences=()
}

include() { sed -i "0,/^#include/s,,#include \"$2\"\n&," "$1"; }
system_include() { sed -i "0,/^#include/s,,#include <$2>\n&," "$1"; }

fresh
"$root/tests/layers.sh" "$work/tree" >"$work/log" 2>&1 || { failed=1; echo "layers: FAIL: nothing was planted" >&2; cat "$work/log" >&2; }
plant 'host/stats/audit.c (stats) includes "model/axis.h" (model)' include host/stats/audit.c model/axis.h
plant 'host/run/run.c (run) includes "html/page.h" (html)' include host/run/run.c html/page.h
plant 'reports/svg/draw.c (svg) includes "record/run_data.h" (record)' include reports/svg/draw.c record/run_data.h
plant 'reports/html/matrix.c (html) includes "plan/plan.h" (plan)' include reports/html/matrix.c plan/plan.h
plant 'reports/html/matrix.c (html) includes "machine/nvml.h" (machine)' include reports/html/matrix.c machine/nvml.h
plant 'reports/html/matrix.c includes <gpubench/gpubench.h>' system_include reports/html/matrix.c gpubench/gpubench.h
plant 'host/run/run.c (run) includes <dlfcn.h>' system_include host/run/run.c dlfcn.h
plant 'includes "stats.h": an include names room and file' include host/stats/audit.c stats.h
plant 'includes "stats/../plan/plan.h": an include names room and file' include host/stats/audit.c stats/../plan/plan.h
plant 'includes "../host/plan/plan.h": an include names room and file' include reports/html/matrix.c ../host/plan/plan.h
plant 'includes <plan/plan.h>: what is ours stands in quotes' system_include reports/html/matrix.c plan/plan.h
plant 'there is no host/stats/nothing.h' include host/stats/audit.c stats/nothing.h
plant 'host/attic is not in the table' bash -c 'mkdir host/attic && echo "int attic;" >host/attic/attic.h'
plant 'host/base/err.c has 1' bash -c 'yes "" | head -1000 >>host/base/err.c'
plant 'host/base holds 1' bash -c 'for i in {1..99}; do : >host/base/$i.c; done'
plant 'plugins/softmax/plugin.c includes "base/err.h"' include plugins/softmax/plugin.c base/err.h
plant 'includes "host/base/err.h" from outside the SDK' include sdk/include/gpubench/ext/case.h host/base/err.h
plant 'asks for a backend by its name, not for a trait: host/run/run.c' \
  bash -c 'echo "int is_gpu(const char *backend) { return strcmp(backend, \"cuda\") == 0; }" >>host/run/run.c'
plant 'functions take a struct run_state: at most ' \
  bash -c 'for i in {1..99}; do echo "int look$i(const struct run_state *run);"; done >>host/run/progress.c'
plant 'stats calls registry_grow() of plugin' bash -c 'printf "void registry_grow(void) {\n}\n" >>host/plugin/registry.c &&
  printf "void registry_grow(void);\nvoid stats_grow(void) {\n  registry_grow();\n}\n" >>host/stats/audit.c'
plant 'has a function of 61 lines' bash -c '{ echo "void long_one(void) {"; yes "" | head -59; echo "}"; } >>host/plan/filter.c'
plant 'the room host/base has 1' bash -c 'for i in {1..20}; do yes "" | head -550 >host/base/many_$i.c; done'
find_planted
# The following faults get separate copies, because each changes what the others would report.
plant 'a circle of files: base/' include host/base/memory.h base/pairs.h
find_planted
# Neither file includes the other: both declare the prototype themselves.
plant 'a circle of calls: ' bash -c 'printf "void one_way(void);\nvoid other_way(void) {\n  one_way();\n}\n" >>host/stats/leak.c &&
  printf "void other_way(void);\nvoid one_way(void) {\n  other_way();\n}\n" >>host/stats/company.c'
find_planted
plant 'a circle of rooms: ' include host/base/text.c model/axis.h
find_planted
plant "the table has the room 'svg'" rm -r reports/svg
find_planted
exit "$failed"
