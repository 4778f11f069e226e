#!/usr/bin/env bash
# symbols.sh HOST PLUGIN...
# Checks the symbols of the binaries: a plugin exports exactly gb_plugin_v1 and has no undefined symbol; the host has no
# symbol with the ABI's prefix and is not linked against CUDA, so that it starts where CUDA is missing; the worker as a
# library exports its one function.
set -euo pipefail
(($# >= 2)) || { echo "usage: $0 HOST PLUGIN..." >&2; exit 2; }
failed=0
fail() { echo "symbols: FAIL: $*" >&2; failed=1; }
host=$1
shift

symbols=$(nm -D "$host"; nm "$host" 2>/dev/null || true)
[[ $symbols == *main* ]] || fail "$host: nm shows no symbols at all" # -D shows __libc_start_main of any executable
grep -E ' gb_' <<<"$symbols" && fail "$host has symbols that begin with gb_"
libraries=$(ldd "$host")
grep -E 'libcuda|libcudart|libcublas|libnvidia|libgvc|not found' <<<"$libraries" && fail "$host must not need these"

for plugin; do
  exported=$(nm -D --defined-only "$plugin" | awk '{print $NF}' | xargs)
  [[ $exported == gb_plugin_v1 ]] || fail "$plugin exports '$exported', expected 'gb_plugin_v1'"
  missing=$(ldd -r "$plugin" 2>&1 | grep -E 'undefined symbol|not found' || true)
  # The host brings the run-time libraries of sanitizers.
  missing=$(grep -vE '__(a|ub|t)san' <<<"$missing" || true)
  [[ -z $missing ]] || fail "$plugin: $missing"
  grep -E 'libcuda\.|libcudart|libcublas' <<<"$(ldd "$plugin")" && fail "$plugin must load without CUDA libraries"
done

worker=$(dirname "$host")/../lib/gpubench/libgpubench-worker.so
exported=$(nm -D --defined-only "$worker" | awk '{print $NF}' | xargs)
[[ $exported == gpubench_worker ]] || fail "$worker exports '$exported', expected 'gpubench_worker'"

((failed)) || echo "symbols: ok: $host and $# plugins"
exit "$failed"
